//===- BufferizableOpInterfaceImpl.cpp - Tensors to buffers --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Transforms/BufferizableOpInterfaceImpl.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace kami;
using namespace mlir;
using namespace mlir::bufferization;

namespace {
/// What the destination-style model says holds for products but for one thing:
/// the result's old contents matter only where there is a β. The factors keep
/// conflicting with a write to the result, since a product is not element-wise.
template <typename OpTy>
struct ProductModel
    : DstBufferizableOpInterfaceExternalModel<ProductModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto product = cast<OpTy>(op);
    return !product.isDpsInit(&operand) || product.getBeta();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto product = cast<OpTy>(op);
    if (!product.hasTensorSemantics())
      return success();
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : operands) {
      if (!isa<TensorType>(operand.getType()))
        continue;
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operand = *buffer;
    }
    Value result = operands[product.getDpsInitsMutable()[0].getOperandNumber()];
    rewriter.setInsertionPoint(op);
    product.cloneWith(rewriter, operands);
    replaceOpWithBufferizedValues(rewriter, op, result);
    return success();
  }
};
} // namespace

void kami::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KamiDialect *) {
    GemmOp::attachInterface<ProductModel<GemmOp>>(*context);
    ChainOp::attachInterface<ProductModel<ChainOp>>(*context);
  });
}
