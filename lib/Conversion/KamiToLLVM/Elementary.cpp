//===- Elementary.cpp - Elementary operations as LLVM's intrinsics ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace kami;
using namespace mlir;

namespace {
/// An operation that LLVM has an exact lowering for, as its intrinsic:
/// conversions of whole dialects would call a vendor's library.
template <typename Op> struct ConvertElementary : OpRewritePattern<Op> {
  ConvertElementary(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<Op>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (auto vector = dyn_cast<VectorType>(type);
        vector && (vector.getRank() != 1 || vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "not LLVM's kind of vector");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(intrinsic), op->getOperands());
    return success();
  }

  StringRef intrinsic;
};
} // namespace

void kami::populateElementaryPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertElementary<math::AbsFOp>>(context, "llvm.fabs");
  patterns.add<ConvertElementary<math::CeilOp>>(context, "llvm.ceil");
  patterns.add<ConvertElementary<math::CopySignOp>>(context, "llvm.copysign");
  patterns.add<ConvertElementary<math::FloorOp>>(context, "llvm.floor");
  patterns.add<ConvertElementary<math::FmaOp>>(context, "llvm.fma");
  patterns.add<ConvertElementary<math::RoundEvenOp>>(context, "llvm.roundeven");
  patterns.add<ConvertElementary<math::SqrtOp>>(context, "llvm.sqrt");
  patterns.add<ConvertElementary<math::TruncOp>>(context, "llvm.trunc");
  patterns.add<ConvertElementary<arith::MaxNumFOp>>(context, "llvm.maxnum");
  patterns.add<ConvertElementary<arith::MinNumFOp>>(context, "llvm.minnum");
}
