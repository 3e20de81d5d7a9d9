//===- Affine.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace kami::sim;
using namespace mlir;

// Division by what is not positive is undefined; inactive lanes may get there.
int64_t kami::sim::evaluateAffine(AffineExpr expression, ArrayRef<int64_t> dims,
                                  ArrayRef<int64_t> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t a = evaluateAffine(binary.getLHS(), dims, symbols);
  int64_t b = evaluateAffine(binary.getRHS(), dims, symbols);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return b > 0 ? (a % b + b) % b : 0;
  case AffineExprKind::FloorDiv:
    return b > 0 ? (a >= 0 ? a / b : -((-a + b - 1) / b)) : 0;
  default:
    return b > 0 ? (a > 0 ? (a + b - 1) / b : -(-a / b)) : 0;
  }
}

int64_t kami::sim::evaluateAffineOp(Operation *op, ArrayRef<int64_t> operands) {
  AffineMap map = op->getAttrOfType<AffineMapAttr>("map").getValue();
  bool isMin = isa<affine::AffineMinOp>(op);
  std::optional<int64_t> best;
  for (AffineExpr expression : map.getResults()) {
    int64_t value =
        evaluateAffine(expression, operands.take_front(map.getNumDims()),
                       operands.drop_front(map.getNumDims()));
    best = !best   ? value
           : isMin ? std::min(*best, value)
                   : std::max(*best, value);
  }
  return *best;
}
