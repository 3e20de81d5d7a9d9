//===- LaunchExtents.cpp - Extents of grid and block ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever launches a kernel passes them behind its arguments (LLVM, User Guide
// for AMDGPU Backend, Code Object V5 Kernel Argument Metadata): the number of
// blocks in 32 bits each, that of a block's threads in 16, x before y before z.
//
//===----------------------------------------------------------------------===//

#include "LaunchExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kami;
using namespace mlir;

namespace {
template <typename OpTy> struct LoadExtent : OpRewritePattern<OpTy> {
  /// `first` is the place of x behind the arguments.
  LoadExtent(MLIRContext *context, int64_t first, int64_t bytes)
      : OpRewritePattern<OpTy>(context), first(first), bytes(bytes) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    constexpr unsigned constantMemory = 4;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto pointer = LLVM::LLVMPointerType::get(op.getContext(), constantMemory);
    Value arguments =
        LLVM::CallIntrinsicOp::create(
            b, pointer, b.getStringAttr("llvm.amdgcn.implicitarg.ptr"),
            ValueRange())
            .getResult(0);
    int64_t place = first + int64_t(op.getDimension()) * bytes;
    Value address = LLVM::GEPOp::create(b, pointer, b.getI8Type(), arguments,
                                        ArrayRef<LLVM::GEPArg>{int32_t(place)});
    Value extent = LLVM::LoadOp::create(b, b.getIntegerType(8 * bytes), address,
                                        /*alignment=*/bytes);
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, b.getIndexType(),
                                                      extent);
    return success();
  }

  int64_t first, bytes;
};
} // namespace

void kami::populateLaunchExtentPatterns(RewritePatternSet &patterns) {
  constexpr int64_t blockCounts = 0, groupSizes = 12;
  patterns.add<LoadExtent<gpu::GridDimOp>>(patterns.getContext(), blockCounts,
                                           sizeof(uint32_t));
  patterns.add<LoadExtent<gpu::BlockDimOp>>(patterns.getContext(), groupSizes,
                                            sizeof(uint16_t));
}
