//===- ComplexPart.cpp - kami.complex_part to LLVM -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view is a descriptor like the matrix's.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace kami;
using namespace mlir;

namespace {

struct ConvertComplexPart : ConvertOpToLLVMPattern<ComplexPartOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(ComplexPartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getResult().getType());
    Type descriptor = getTypeConverter()->convertType(type);
    if (!descriptor)
      return rewriter.notifyMatchFailure(op, "no descriptor");
    MemRefDescriptor source(adaptor.getSource());
    auto view = MemRefDescriptor::poison(rewriter, loc, descriptor);
    view.setAllocatedPtr(rewriter, loc, source.allocatedPtr(rewriter, loc));
    view.setAlignedPtr(rewriter, loc, source.alignedPtr(rewriter, loc));
    auto twice = [&](Value count) -> Value {
      Value two = createIndexAttrConstant(rewriter, loc, getIndexType(), 2);
      return LLVM::MulOp::create(rewriter, loc, count, two);
    };
    auto [strides, offset] = type.getStridesAndOffset();
    if (ShapedType::isStatic(offset)) {
      view.setConstantOffset(rewriter, loc, offset);
    } else {
      Value place = twice(source.offset(rewriter, loc));
      if (op.getImaginary())
        place = LLVM::AddOp::create(
            rewriter, loc, place,
            createIndexAttrConstant(rewriter, loc, getIndexType(), 1));
      view.setOffset(rewriter, loc, place);
    }
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      view.setSize(rewriter, loc, dim, source.size(rewriter, loc, dim));
      if (ShapedType::isStatic(stride))
        view.setConstantStride(rewriter, loc, dim, stride);
      else
        view.setStride(rewriter, loc, dim,
                       twice(source.stride(rewriter, loc, dim)));
    }
    rewriter.replaceOp(op, Value(view));
    return success();
  }
};

} // namespace

void kami::populateComplexPartPatterns(const LLVMTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<ConvertComplexPart>(converter);
}
