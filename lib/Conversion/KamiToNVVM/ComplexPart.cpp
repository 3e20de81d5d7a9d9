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

/// A view of complex numbers' parts: one of each, or both beside each other.
template <typename OpTy> struct ConvertParts : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  using ConvertOpToLLVMPattern<OpTy>::getTypeConverter;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr bool areBoth = std::is_same_v<OpTy, AsRealOp>;
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getResult().getType());
    Type index = getTypeConverter()->getIndexType();
    Type descriptor = getTypeConverter()->convertType(type);
    if (!descriptor)
      return rewriter.notifyMatchFailure(op, "no descriptor");
    MemRefDescriptor source(adaptor.getSource());
    auto view = MemRefDescriptor::poison(rewriter, loc, descriptor);
    view.setAllocatedPtr(rewriter, loc, source.allocatedPtr(rewriter, loc));
    view.setAlignedPtr(rewriter, loc, source.alignedPtr(rewriter, loc));
    auto twice = [&](Value count) -> Value {
      Value two = this->createIndexAttrConstant(rewriter, loc, index, 2);
      return LLVM::MulOp::create(rewriter, loc, count, two);
    };
    auto [strides, offset] = type.getStridesAndOffset();
    if (ShapedType::isStatic(offset)) {
      view.setConstantOffset(rewriter, loc, offset);
    } else {
      Value place = twice(source.offset(rewriter, loc));
      if constexpr (!areBoth)
        if (op.getImaginary())
          place = LLVM::AddOp::create(
              rewriter, loc, place,
              this->createIndexAttrConstant(rewriter, loc, index, 1));
      view.setOffset(rewriter, loc, place);
    }
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      if (type.isDynamicDim(dim)) {
        Value size = source.size(rewriter, loc, dim);
        bool isTwice = areBoth && int64_t(dim) == type.getRank() - 1;
        view.setSize(rewriter, loc, dim, isTwice ? twice(size) : size);
      } else {
        view.setConstantSize(rewriter, loc, dim, type.getDimSize(dim));
      }
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
  patterns.add<ConvertParts<AsRealOp>, ConvertParts<ComplexPartOp>>(converter);
}
