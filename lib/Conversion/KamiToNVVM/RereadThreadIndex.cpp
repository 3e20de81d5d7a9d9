//===- RereadThreadIndex.cpp - A thread's index, once a tile --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for products of any size has several ways to copy and to store, and
// each has a dozen positions that follow from the thread's index alone. LLVM
// moves them out of the loop over tiles, where they take more registers than
// the loop over k: ptxas spills them.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "ThreadIndex.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace kami {
#define GEN_PASS_DEF_KAMIREREADTHREADINDEX
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// Of a `gpu.thread_id` that stays where it is.
static constexpr StringLiteral rereadAttributeName = "kami.reread";

namespace {
struct RereadThreadIndex
    : kami::impl::KamiRereadThreadIndexBase<RereadThreadIndex> {
  void runOnOperation() override {
    getOperation().walk([&](LoopLikeOpInterface loop) {
      if (!loop->hasAttr(tileLoopAttributeName))
        return;
      // What a `scf.while` does is behind its condition.
      Block &body = loop.getLoopRegions().back()->front();
      SmallVector<gpu::ThreadIdOp> reads;
      body.walk([&](gpu::ThreadIdOp read) {
        if (read.getDimension() == gpu::Dimension::x)
          reads.push_back(read);
      });
      if (reads.empty())
        return;
      OpBuilder b = OpBuilder::atBlockBegin(&body);
      auto own = gpu::ThreadIdOp::create(b, loop.getLoc(), gpu::Dimension::x);
      own->setAttr(rereadAttributeName, b.getUnitAttr());
      for (gpu::ThreadIdOp read : reads) {
        read.replaceAllUsesWith(own.getResult());
        read.erase();
      }
    });
  }
};

/// An instruction with effects that nobody knows.
struct ExpandReread : OpRewritePattern<gpu::ThreadIdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::ThreadIdOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasAttr(rereadAttributeName))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value read = assemble(b, b.getI32Type(), {}, "mov.u32 $0, %tid.x;", "=r");
    // What it is less than is worth knowing.
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize()) {
      int64_t most = llvm::PowerOf2Ceil((*block)[0]) - 1;
      read = arith::AndIOp::create(b, read,
                                   arith::ConstantIntOp::create(b, most, 32));
    }
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, b.getIndexType(),
                                                      read);
    return success();
  }
};
} // namespace

void kami::populateRereadPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandReread>(patterns.getContext());
}
