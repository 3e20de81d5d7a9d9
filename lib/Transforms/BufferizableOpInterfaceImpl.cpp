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
/// What the destination-style model says holds for kami.gemm but for one thing:
/// C's old contents matter only where there is a β. A and B keep conflicting
/// with a write to C, since the product is not element-wise.
struct GemmModel : DstBufferizableOpInterfaceExternalModel<GemmModel, GemmOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto gemm = cast<GemmOp>(op);
    return !gemm.isDpsInit(&operand) || gemm.getBeta();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto gemm = cast<GemmOp>(op);
    if (!gemm.hasTensorSemantics())
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
    Value c = operands[gemm.getCMutable().getOperandNumber()];
    rewriter.setInsertionPoint(op);
    gemm.cloneWith(rewriter, operands);
    replaceOpWithBufferizedValues(rewriter, op, c);
    return success();
  }
};
} // namespace

void kami::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KamiDialect *) {
    GemmOp::attachInterface<GemmModel>(*context);
  });
}
