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

/// The function of one real argument that an op computes, if it is one of those
/// that no format computes exactly. All of them are monotone.
static std::optional<long double> transcendental(Operation *op, long double x) {
  using Result = std::optional<long double>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](math::ExpOp) -> Result { return std::exp(x); })
      .Case([&](math::Exp2Op) -> Result { return std::exp2(x); })
      .Case([&](math::TanhOp) -> Result { return std::tanh(x); })
      .Case([&](math::ErfOp) -> Result { return std::erf(x); })
      .Case([&](math::SqrtOp) -> Result { return std::sqrt(x); })
      .Case([&](math::RsqrtOp) -> Result { return 1 / std::sqrt(x); })
      .Default([](Operation *) { return std::nullopt; });
}

/// How far the op's result may be from what it is, rounded to its type: see
/// `evaluateErrors`.
long double ReferenceInterpreter::boundError(Operation *op,
                                             ArrayRef<Cell> operands,
                                             const Cell &result) {
  auto value = [&](unsigned i) { return std::fabs(operands[i].real); };
  auto error = [&](unsigned i) { return operands[i].error; };
  // Of a product of operands i and j.
  auto product = [&](unsigned i, unsigned j) {
    return value(i) * error(j) + value(j) * error(i) + error(i) * error(j);
  };
  long double rounding = 0;
  if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)))) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    long double smallest =
        std::ldexp(1.0L, llvm::APFloat::semanticsMinExponent(semantics));
    rounding = std::ldexp(std::max(std::fabs(result.real), smallest),
                          -int(type.getFPMantissaWidth()));
  }
  if (transcendental(op, 0)) {
    long double x = operands[0].real, e = error(0), bound = 0;
    for (long double end : {x - e, x + e})
      bound =
          std::max(bound, std::fabs(*transcendental(op, end) - result.real));
    return bound + 6 * rounding;
  }
  using Result = long double;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddFOp, arith::SubFOp>(
          [&](auto) -> Result { return error(0) + error(1) + rounding; })
      .Case([&](arith::MulFOp) -> Result { return product(0, 1) + rounding; })
      .Case([&](math::FmaOp) -> Result {
        return product(0, 1) + error(2) + rounding;
      })
      .Case([&](arith::DivFOp) -> Result {
        long double least = value(1) - error(1);
        if (!(least > 0))
          return std::numeric_limits<long double>::infinity();
        return (error(0) + std::fabs(result.real) * error(1)) / least +
               rounding;
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(
          [&](auto) -> Result { return std::max(error(0), error(1)); })
      .Case<arith::NegFOp, math::AbsFOp, arith::ExtFOp>(
          [&](auto) -> Result { return error(0); })
      .Case<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(
          [&](auto) -> Result { return error(0) + rounding; })
      .Case([&](arith::FPToSIOp) -> Result {
        return std::trunc(operands[0].real + error(0)) -
               std::trunc(operands[0].real - error(0));
      })
      .Case([&](arith::CmpFOp) -> Result {
        long double margin = error(0) + error(1);
        return margin > 0 &&
               std::fabs(operands[0].real - operands[1].real) <= margin;
      })
      .Case([&](arith::SelectOp) -> Result {
        if (operands[0].error == 0)
          return operands[operands[0].bits & 1 ? 1 : 2].error;
        return std::max(error(1), error(2)) +
               std::fabs(operands[1].real - operands[2].real);
      })
      .Default([&](Operation *) -> Result {
        long double sum = rounding;
        for (const Cell &operand : operands)
          sum += operand.error;
        return sum;
      });
}

FailureOr<Cell> ReferenceInterpreter::runScalar(Operation *op,
                                                ArrayRef<Cell> operands,
                                                bool &handled) {
  FailureOr<Cell> result = evaluateScalar(op, operands, handled);
  if (sumUnit && succeeded(result) && handled)
    result->error = boundError(op, operands, *result);
  return result;
}

/// Ops on floats; the others are exact as they are.
FailureOr<Cell> ReferenceInterpreter::evaluateScalar(Operation *op,
                                                     ArrayRef<Cell> operands,
                                                     bool &handled) {
  if (std::optional<long double> value =
          operands.empty() ? std::nullopt
                           : transcendental(op, operands[0].real)) {
    handled = true;
    return Cell::ofReal(*value);
  }
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
          .Case([&](math::FloorOp) { return real(std::floor(a())); })
          .Case([&](math::CeilOp) { return real(std::ceil(a())); })
          .Case([&](math::TruncOp) { return real(std::trunc(a())); })
          .Case([&](math::RoundEvenOp) { return real(std::nearbyint(a())); })
          .Case([&](math::CopySignOp) {
            return real(magnitude(std::copysign(a(), b())));
          })
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
