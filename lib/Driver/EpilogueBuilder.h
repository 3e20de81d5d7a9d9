//===- EpilogueBuilder.h - Epilogues of products to try -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region that an EpilogueSpec describes, of kami.gemm and of
// kami.grouped_gemm.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_EPILOGUEBUILDER_H
#define KAMI_LIB_DRIVER_EPILOGUEBUILDER_H

#include "kami/Driver/GemmSpec.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace kami {

/// The types of what the epilogue reads: with those leading extents, and one of
/// m, one of n, and both.
inline llvm::SmallVector<mlir::Type>
epilogueTypes(const EpilogueSpec &spec, llvm::ArrayRef<int64_t> leading,
              int64_t m, int64_t n, mlir::Type accumulator, mlir::Type output) {
  llvm::SmallVector<mlir::Type> types;
  auto add = [&](llvm::ArrayRef<int64_t> extents, mlir::Type element) {
    llvm::SmallVector<int64_t> shape(leading);
    llvm::append_range(shape, extents);
    types.push_back(mlir::MemRefType::get(shape, element));
  };
  if (spec.rowScale)
    add(m, accumulator);
  if (spec.bias)
    add(n, accumulator);
  if (spec.residual)
    add({m, n}, output);
  return types;
}

/// Builds the region part by part. Maps take so many dimensions before m and n,
/// which the arguments have where their ranks say so.
template <typename OpTy> class EpilogueBuilder {
public:
  EpilogueBuilder(mlir::ImplicitLocOpBuilder &b, const EpilogueSpec &spec,
                  OpTy op, unsigned before, mlir::Type stored)
      : b(b), spec(spec), op(op), before(before), stored(stored),
        isFloat(!op.getAccumulator().isInteger()) {}

  void build(mlir::ValueRange arguments) {
    rest = arguments;
    mlir::OpBuilder::InsertionGuard guard(b);
    mlir::Block *body = b.createBlock(&op.getEpilogue());
    mlir::Type accumulator = op.getAccumulator();
    mlir::Value value = body->addArgument(accumulator, b.getLoc());
    if (spec.rowScale)
      value = apply<mlir::arith::MulFOp, mlir::arith::MulIOp>(
          value, readExtended({0}));
    if (spec.bias)
      value = apply<mlir::arith::AddFOp, mlir::arith::AddIOp>(
          value, readExtended({1}));
    if (spec.residual)
      value = apply<mlir::arith::AddFOp, mlir::arith::AddIOp>(
          value, readExtended({0, 1}));
    if (spec.relu) {
      mlir::Value zero =
          mlir::arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
      value = apply<mlir::arith::MaximumFOp, mlir::arith::MaxSIOp>(value, zero);
    }
    if (spec.gelu)
      value = gelu(value);
    if (spec.silu)
      value = silu(value);
    if (stored != accumulator)
      value = mlir::arith::TruncFOp::create(b, stored, value);
    YieldOp::create(b, value);
    op.getEpilogueOperandsMutable().assign(operands);
    op.setEpilogueMapsAttr(b.getAffineMapArrayAttr(maps));
  }

private:
  mlir::Value constant(double value) {
    return mlir::arith::ConstantOp::create(
        b, b.getFloatAttr(op.getAccumulator(), value));
  }

  /// x / 2 · (1 + erf(x / √2)).
  mlir::Value gelu(mlir::Value x) {
    mlir::Value scaled =
        mlir::arith::MulFOp::create(b, x, constant(llvm::numbers::inv_sqrt2));
    mlir::Value sum = mlir::arith::AddFOp::create(
        b, constant(1), mlir::math::ErfOp::create(b, scaled));
    mlir::Value half = mlir::arith::MulFOp::create(b, x, constant(0.5));
    return mlir::arith::MulFOp::create(b, half, sum);
  }

  /// x / (1 + exp(-x)).
  mlir::Value silu(mlir::Value x) {
    mlir::Value exponential =
        mlir::math::ExpOp::create(b, mlir::arith::NegFOp::create(b, x));
    return mlir::arith::DivFOp::create(
        b, x, mlir::arith::AddFOp::create(b, constant(1), exponential));
  }

  /// The same as `read`, in the accumulator's type.
  mlir::Value readExtended(llvm::ArrayRef<unsigned> dims) {
    mlir::Value element = read(dims);
    if (element.getType() == op.getAccumulator())
      return element;
    return mlir::arith::ExtFOp::create(b, op.getAccumulator(), element);
  }

  /// The element of the next argument at those of (m, n).
  mlir::Value read(llvm::ArrayRef<unsigned> dims) {
    auto type = mlir::cast<mlir::MemRefType>(rest.front().getType());
    llvm::SmallVector<mlir::AffineExpr> results;
    for (size_t dim = 0; dim + dims.size() < size_t(type.getRank()); ++dim)
      results.push_back(b.getAffineDimExpr(dim));
    for (unsigned dim : dims)
      results.push_back(b.getAffineDimExpr(before + dim));
    operands.push_back(rest.front());
    maps.push_back(
        mlir::AffineMap::get(before + 2, 0, results, b.getContext()));
    rest = rest.drop_front();
    return op.getEpilogue().front().addArgument(type.getElementType(),
                                                b.getLoc());
  }

  template <typename FloatOp, typename IntegerOp>
  mlir::Value apply(mlir::Value left, mlir::Value right) {
    return isFloat ? mlir::Value(FloatOp::create(b, left, right))
                   : mlir::Value(IntegerOp::create(b, left, right));
  }

  mlir::ImplicitLocOpBuilder &b;
  const EpilogueSpec &spec;
  OpTy op;
  unsigned before;
  mlir::Type stored;
  bool isFloat;
  mlir::ValueRange rest;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::AffineMap> maps;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_EPILOGUEBUILDER_H
