//===- ReferenceScalars.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

Cell ReferenceInterpreter::scalarConstant(Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return Cell::ofReal(magnitude(real.getValueAsDouble()));
  return Cell::ofBits(*bitsOf(value));
}

FailureOr<Cell> ReferenceInterpreter::constant(Operation *op, TypedAttr value) {
  if (bitsOf(value))
    return scalarConstant(value);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !formatOf(dense.getElementType()))
    return op->emitError("cannot interpret this constant");
  MemRef memref = allocate(dense.getType().getShape(), dense.getElementType());
  for (auto [i, element] : llvm::enumerate(dense.getValues<Attribute>()))
    storeElement(memref, i * sizeof(long double), scalarConstant(element));
  return Cell::ofMemRef(memref);
}

static long double maximum(long double a, long double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
static long double minimum(long double a, long double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}

/// Ops on floats; the others are exact as they are.
FailureOr<Cell> ReferenceInterpreter::runScalar(Operation *op,
                                                ArrayRef<Cell> operands,
                                                bool &handled) {
  auto a = [&] { return operands[0].real; };
  auto b = [&] { return operands[1].real; };
  auto real = [](long double value) { return Cell::ofReal(value); };
  auto integerOf = [&] {
    return toSigned(*formatOf(getElementTypeOrSelf(op->getOperand(0))),
                    operands[0].bits);
  };
  std::optional<Cell> result =
      llvm::TypeSwitch<Operation *, std::optional<Cell>>(op)
          .Case([&](arith::AddFOp) { return real(a() + b()); })
          .Case([&](arith::SubFOp) {
            return real(magnitudes ? a() + b() : a() - b());
          })
          .Case([&](arith::MulFOp) { return real(a() * b()); })
          .Case([&](arith::DivFOp) { return real(a() / b()); })
          .Case<arith::MaximumFOp, arith::MaxNumFOp>(
              [&](auto) { return real(maximum(a(), b())); })
          .Case<arith::MinimumFOp, arith::MinNumFOp>(
              [&](auto) { return real(minimum(a(), b())); })
          .Case([&](arith::NegFOp) { return real(magnitude(-a())); })
          .Case([&](math::AbsFOp) { return real(std::fabs(a())); })
          .Case([&](math::SqrtOp) { return real(std::sqrt(a())); })
          .Case([&](math::ExpOp) { return real(std::exp(a())); })
          .Case([&](math::TanhOp) { return real(std::tanh(a())); })
          .Case([&](math::ErfOp) { return real(std::erf(a())); })
          .Case([&](math::FmaOp) { return real(a() * b() + operands[2].real); })
          .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return real(a()); })
          .Case([&](arith::SIToFPOp) {
            return real(magnitude((long double)integerOf()));
          })
          .Case([&](arith::UIToFPOp) {
            return real((long double)operands[0].bits);
          })
          .Case([&](arith::FPToSIOp) {
            ElementFormat to =
                *formatOf(getElementTypeOrSelf(op->getResult(0)));
            return Cell::ofBits(fromDouble(to, double(std::trunc(a()))));
          })
          .Case([&](arith::CmpFOp cmp) {
            return Cell::ofBits(
                holds(cmp.getPredicate(), a() < b(), a() == b(), a() > b()));
          })
          .Case([&](arith::SelectOp) {
            return operands[0].bits & 1 ? operands[1] : operands[2];
          })
          .Default([](Operation *) { return std::nullopt; });
  handled = true;
  if (result)
    return *result;
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  handled = false;
  if (llvm::any_of(op->getOperandTypes(), isFloat) ||
      llvm::any_of(op->getResultTypes(), isFloat))
    return Cell();
  return Interpreter::runScalar(op, operands, handled);
}
