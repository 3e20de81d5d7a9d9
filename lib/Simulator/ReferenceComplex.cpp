//===- ReferenceComplex.cpp - Products of complex matrices ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By parts. Of magnitudes nothing is subtracted: each part of a result has that
// of all its terms.
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {
struct Number {
  long double real, imaginary;
};
} // namespace

/// The product of two numbers. One that is real has no imaginary part to
/// multiply, so that infinities stay what they are.
static Number multiply(const Number &scale, const Number &x, bool magnitudes) {
  Number result = {scale.real * x.real, scale.real * x.imaginary};
  if (scale.imaginary == 0)
    return result;
  long double crossed = scale.imaginary * x.imaginary;
  result.real += magnitudes ? crossed : -crossed;
  result.imaginary += scale.imaginary * x.real;
  return result;
}

LogicalResult ReferenceInterpreter::runComplexGemm(GemmOp op) {
  if (sumUnit)
    return op.emitError("cannot bound the errors of what is done to elements "
                        "of complex products");
  MemRef c = get(op.getC()).memref;
  auto scale = [&](Value value, long double missing) -> Number {
    if (!value)
      return {missing, 0};
    Cell cell = get(value);
    if (isa<ShapedType>(value.getType()))
      cell = loadElement(cell.memref, cell.memref.address({}));
    return {cell.real, cell.imaginary};
  };
  Number alpha = scale(op.getAlpha(), 1), beta = scale(op.getBeta(), 0);
  if (op.hasTensorSemantics()) {
    c = clone(c);
    set(op.getResult(), Cell::ofMemRef(c));
  }
  auto sign = [&](bool negative) -> long double {
    return negative && !magnitudes ? -1 : 1;
  };
  Type part = cast<ComplexType>(op.getAccumulator()).getElementType();
  auto runOne = [&](ArrayRef<int64_t> batch) {
    MemRef a = matrixOf(get(op.getA()).memref, batch, op.getTransposeA());
    MemRef b = matrixOf(get(op.getB()).memref, batch, op.getTransposeB());
    MemRef matrix = matrixOf(c, batch, false);
    MemRef products[2][2];
    for (bool i : {false, true})
      for (bool j : {false, true})
        products[i][j] = multiplied(complexPart(a, i), complexPart(b, j), part);
    long double signA = sign(op.getConjugateA()),
                signB = sign(op.getConjugateB()), crossed = sign(true);
    LogicalResult status =
        forEachIndex(matrix.sizes, [&](ArrayRef<int64_t> index) {
          auto term = [&](bool i, bool j) {
            const MemRef &product = products[i][j];
            return data(product)[product.address(index) / sizeof(long double)];
          };
          Number sum = {term(false, false) +
                            crossed * signA * signB * term(true, true),
                        signB * term(false, true) + signA * term(true, false)};
          Number made = multiply(alpha, sum, magnitudes);
          // Where β is 0, C's old contents are not read: they may be NaN.
          Cell cell;
          if (beta.real != 0 || beta.imaginary != 0) {
            Cell old = loadElement(matrix, matrix.address(index));
            Number more = multiply(beta, {old.real, old.imaginary}, magnitudes);
            made.real += more.real;
            made.imaginary += more.imaginary;
          }
          cell.real = made.real;
          cell.imaginary = made.imaginary;
          storeElement(matrix, matrix.address(index), cell);
          return success();
        });
    for (auto &row : products)
      for (MemRef &product : row)
        memory.release(product.buffer);
    return status;
  };
  return forEachIndex(ArrayRef<int64_t>(c.sizes).drop_back(2), runOne);
}
