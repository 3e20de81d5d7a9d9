//===- StMatrix.cpp - kami.stmatrix to NVVM -------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace kami;
using namespace mlir;

namespace {

/// The instruction takes registers of 32 bits.
struct ConvertStMatrix : ConvertOpToLLVMPattern<StMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(StMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value pointer = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getDest().getType()),
        adaptor.getDest(), adaptor.getIndices());
    SmallVector<Value> registers;
    for (int64_t i = 0; i != op.getValue().getType().getDimSize(0); ++i) {
      Value elements =
          LLVM::ExtractValueOp::create(rewriter, loc, adaptor.getValue(), i);
      registers.push_back(LLVM::BitcastOp::create(
          rewriter, loc, rewriter.getI32Type(), elements));
    }
    MLIRContext *context = op.getContext();
    rewriter.replaceOpWithNewOp<NVVM::StMatrixOp>(
        op, pointer, registers,
        op.getTranspose() ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltType::B16);
    return success();
  }
};

} // namespace

void kami::populateStMatrixPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<ConvertStMatrix>(converter);
}
