//===- InterleaveParts.cpp - Complex products as one of reals -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {
#define GEN_PASS_DEF_KAMIINTERLEAVEPARTS
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// The real part of a constant scale; null for none.
static Value realPart(ImplicitLocOpBuilder &b, Value scale) {
  FloatAttr real = realScale(scale);
  return real ? arith::ConstantOp::create(b, real).getResult() : Value();
}

static LogicalResult interleave(GemmOp op) {
  FailureOr<Problem> problem = problemOf(op);
  if (failed(problem))
    return failure();
  if (!problem->mayInterleaveParts)
    return op.emitOpError("expected rows of adjacent elements, and neither "
                          "complex scales nor layers, where parts are "
                          "interleaved");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value a = AsRealOp::create(b, op.getA()),
        other = AsRealOp::create(b, op.getB()),
        c = AsRealOp::create(b, op.getC());
  auto product = GemmOp::create(
      b, /*result=*/Type(), a, other, c, realPart(b, op.getAlpha()),
      realPart(b, op.getBeta()), op.getTransposeA(), op.getTransposeB(),
      cast<ComplexType>(op.getAccumulator()).getElementType(), *op.getPlan(),
      op.getPrecisionAttr());
  product.setInterleavedParts(true);
  product.setConjugateA(op.getConjugateA());
  product.setConjugateB(op.getConjugateB());
  product.setReproducible(op.getReproducible());
  product.setAlignedRows(op.getAlignedRows());
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.erase();
  return success();
}

namespace {
struct InterleaveParts : kami::impl::KamiInterleavePartsBase<InterleaveParts> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](GemmOp op) {
      if (!op.isComplex() || !op.getPlan() ||
          !op.getPlan()->getInterleavesParts())
        return WalkResult::advance();
      return WalkResult(interleave(op));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
