//===- LaneProduct.cpp - Rows of a small product, by one lane -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneProduct.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace kami;
using namespace mlir;

/// Multiply-adds of a lane that are written one after the other. Beyond, there
/// is a loop over k: f16 17³, of 867, compiles in 126 ms instead of 218.
static constexpr int64_t mostUnrolled = 512;

LaneProduct::LaneProduct(ImplicitLocOpBuilder &b, const Extents &extents,
                         Value product, Value row, int64_t rowCount, Type sum)
    : b(b), extents(extents), product(product), type(sum) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  sums.assign(extents.m * extents.n, zero);
  bool isShort = rowCount % extents.m != 0;
  Value last = constant(rowCount - 1);
  for (int64_t i = 0; i != extents.m; ++i) {
    Value at = after(row, i);
    Value isThere;
    if (isShort && i > 0) {
      isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, at, last);
      at = arith::MinUIOp::create(b, at, last);
    }
    rows.push_back(at);
    isOwn.push_back(isThere);
  }
}

Value LaneProduct::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value LaneProduct::after(Value start, int64_t offset) {
  return b.createOrFold<arith::AddIOp>(start, constant(offset));
}

/// Where an element of the lane's product is.
Value LaneProduct::at(const LaneMatrix &matrix, Value row, Value column) {
  auto times = [&](Value value, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(value, constant(factor));
  };
  Value start = times(product, matrix.pitch);
  start = b.createOrFold<arith::AddIOp>(start, times(row, matrix.rowStride));
  return b.createOrFold<arith::AddIOp>(start,
                                       times(column, matrix.columnStride));
}

/// The elements of the widest words of which `count` adjacent elements consist,
/// from a multiple of as many on, in any row or column of any product.
int64_t LaneProduct::wordOf(const LaneMatrix &matrix, int64_t count) {
  int64_t bytes =
      getElementTypeOrSelf(matrix.memref.getType()).getIntOrFloatBitWidth() / 8;
  int64_t across = std::max(matrix.rowStride, matrix.columnStride);
  return packedWord(matrix.pitch, std::gcd(across, count), bytes);
}

/// `count` elements, in the type of the sums.
LaneProduct::Sums LaneProduct::load(const LaneMatrix &matrix, Value start,
                                    int64_t stride, int64_t count) {
  Type element = getElementTypeOrSelf(matrix.memref.getType());
  int64_t word = stride == 1 ? wordOf(matrix, count) : 1;
  Sums elements;
  for (int64_t first = 0; first != count; first += word) {
    Value from = after(start, first * stride);
    if (word == 1) {
      elements.push_back(memref::LoadOp::create(b, matrix.memref, from));
      continue;
    }
    int64_t bytes = word * element.getIntOrFloatBitWidth() / 8;
    Value loaded = vector::LoadOp::create(
        b, VectorType::get({word}, element), matrix.memref, from,
        /*nontemporal=*/false, llvm::MaybeAlign(bytes));
    for (int64_t i = 0; i != word; ++i)
      elements.push_back(vector::ExtractOp::create(b, loaded, i));
  }
  if (element != type)
    for (Value &value : elements)
      value = arith::ExtFOp::create(b, type, value);
  return elements;
}

/// The sums with `count` more terms, from `k` on.
LaneProduct::Sums LaneProduct::addTerms(const LaneMatrix &left,
                                        const LaneMatrix &right, Value k,
                                        int64_t count, ValueRange start) {
  Sums result(start);
  SmallVector<Sums> factors;
  for (Value row : rows)
    factors.push_back(load(left, at(left, row, k), left.columnStride, count));
  for (int64_t term = 0; term != count; ++term) {
    Sums columns = load(right, at(right, after(k, term), constant(0)),
                        right.columnStride, extents.n);
    for (int64_t i = 0; i != extents.m; ++i)
      for (int64_t j = 0; j != extents.n; ++j) {
        Value &sum = result[i * extents.n + j];
        sum = math::FmaOp::create(b, factors[i][term], columns[j], sum);
      }
  }
  return result;
}

/// Terms of a turn of the loop over k: half of those that have registers, since
/// the assembler loads a turn's while it multiplies another's. A turn of all of
/// them would be twice the code, and no faster for each term but for 1 % of its
/// instructions.
static constexpr int64_t turnTerms = laneTerms / 2;

/// The terms of a turn: whole words, more than half of `turnTerms`, so that the
/// fewest are left behind the loop, where the assembler would load all of them
/// at once.
static int64_t termsPerTurn(int64_t k, int64_t word) {
  int64_t best = turnTerms;
  for (int64_t terms = turnTerms; terms > turnTerms / 2; terms -= word)
    if (k % terms < k % best)
      best = terms;
  return best;
}

/// All terms, by turns of whole words of them.
void LaneProduct::sumTerms(int64_t word, AddTerms add) {
  int64_t terms = termsPerTurn(extents.k, word);
  int64_t whole = extents.k / terms * terms;
  if (extents.m * extents.n * extents.k <= mostUnrolled) {
    for (int64_t k = 0; k != whole; k += terms)
      sums = add(constant(k), terms, sums);
  } else if (whole > 0) {
    auto loop = scf::ForOp::create(b, constant(0), constant(whole),
                                   constant(terms), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, add(loop.getInductionVar(), terms, loop.getRegionIterArgs()));
    sums.assign(loop.result_begin(), loop.result_end());
  }
  if (whole != extents.k)
    sums = add(constant(whole), extents.k - whole, sums);
}

void LaneProduct::multiply(const LaneMatrix &left, const LaneMatrix &right) {
  sumTerms(left.columnStride == 1 ? wordOf(left, turnTerms) : 1,
           [&](Value k, int64_t count, ValueRange start) {
             return addTerms(left, right, k, count, start);
           });
}

// Each two terms are the real and the imaginary part of one of A's numbers, by
// which both parts of B's are multiplied.
void LaneProduct::multiplyParts(const LaneMatrix &left, const LaneMatrix &right,
                                bool conjugatesA, bool conjugatesB) {
  bool areRows = left.columnStride == 1, haveRows = right.columnStride == 1;
  auto half = [&](Value number) {
    return b.createOrFold<arith::DivUIOp>(number, constant(2));
  };
  auto twice = [&](Value number) {
    return b.createOrFold<arith::MulIOp>(number, constant(2));
  };
  auto signedBy = [&](bool isNegative, Value value) -> Value {
    return isNegative ? arith::NegFOp::create(b, value).getResult() : value;
  };
  // The numbers of all columns in a term's rows, part by part.
  auto loadRight = [&](Value k) -> Sums {
    if (haveRows)
      return load(right, at(right, half(k), constant(0)), 1, extents.n);
    Sums parts;
    for (int64_t j = 0; j != extents.n / 2; ++j)
      llvm::append_range(parts, load(right, at(right, k, constant(j)), 1, 2));
    return parts;
  };
  auto loadLeft = [&](Value row, Value k, int64_t count) -> Sums {
    if (areRows)
      return load(left, at(left, row, k), 1, count);
    Sums parts;
    for (int64_t term = 0; term != count; term += 2)
      llvm::append_range(
          parts, load(left, at(left, twice(row), half(after(k, term))), 1, 2));
    return parts;
  };
  auto add = [&](Value k, int64_t count, ValueRange start) -> Sums {
    Sums result(start);
    SmallVector<Sums> factors;
    for (Value row : rows)
      factors.push_back(loadLeft(row, k, count));
    for (int64_t term = 0; term != count; term += 2) {
      Sums parts = loadRight(after(k, term));
      for (int64_t i = 0; i != extents.m; ++i) {
        Value real = factors[i][term], imaginary = factors[i][term + 1];
        Value ofReal[] = {real, signedBy(conjugatesB, real)};
        Value ofImaginary[] = {signedBy(conjugatesA == conjugatesB, imaginary),
                               signedBy(conjugatesA, imaginary)};
        for (int64_t j = 0; j != extents.n; ++j) {
          Value &sum = result[i * extents.n + j];
          sum = math::FmaOp::create(b, ofReal[j % 2], parts[j], sum);
          sum = math::FmaOp::create(b, ofImaginary[j % 2], parts[j ^ 1], sum);
        }
      }
    }
    return result;
  };
  sumTerms(std::max<int64_t>(2, areRows ? wordOf(left, turnTerms) : 2), add);
}

void LaneProduct::scale(Value alpha) {
  if (!alpha)
    return;
  for (Value &sum : sums)
    sum = arith::MulFOp::create(b, alpha, sum);
}

void LaneProduct::store(const LaneMatrix &c) {
  Type element = getElementTypeOrSelf(c.memref.getType());
  int64_t word = wordOf(c, extents.n);
  for (int64_t i = 0; i != extents.m; ++i) {
    Value start = at(c, rows[i], constant(0));
    for (int64_t j = 0; j != extents.n; j += word) {
      SmallVector<Value> values;
      for (Value sum : ArrayRef(sums).slice(i * extents.n + j, word))
        values.push_back(
            element == type
                ? sum
                : arith::TruncFOp::create(b, element, sum).getResult());
      Value to = after(start, j);
      if (word == 1) {
        memref::StoreOp::create(b, values.front(), c.memref, to);
        continue;
      }
      auto vector = VectorType::get({word}, element);
      vector::StoreOp::create(
          b, vector::FromElementsOp::create(b, vector, values), c.memref, to,
          /*nontemporal=*/false,
          llvm::MaybeAlign(word * element.getIntOrFloatBitWidth() / 8));
    }
  }
}

/// A row of C, and zeros where β is 0.
LaneProduct::OldRow LaneProduct::loadOld(Value c, Value row, Value beta) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, beta, zero);
  SmallVector<Type> types(extents.n, type);
  auto guard = scf::IfOp::create(b, types, isZero, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.elseBlock());
  Sums old;
  for (int64_t j = 0; j != extents.n; ++j) {
    Value value =
        memref::LoadOp::create(b, c, ValueRange{product, row, constant(j)});
    if (value.getType() != type)
      value = arith::ExtFOp::create(b, type, value);
    old.push_back(value);
  }
  scf::YieldOp::create(b, old);
  b.setInsertionPointToStart(guard.thenBlock());
  scf::YieldOp::create(b, Sums(extents.n, zero));
  return {Sums(guard.getResults()), isZero};
}

void LaneProduct::addTo(Value c, Value beta) {
  Type element = getElementTypeOrSelf(c.getType());
  for (int64_t i = 0; i != extents.m; ++i) {
    OldRow old;
    if (beta)
      old = loadOld(c, rows[i], beta);
    // A row that the lane has twice is added to once: then what is there
    // already has the sum. No branch: the multiply-adds would be moved into it,
    // past all the loads.
    Value isNew;
    if (beta && isOwn[i])
      isNew = arith::OrIOp::create(b, isOwn[i], old.isZero);
    for (int64_t j = 0; j != extents.n; ++j) {
      Value value = sums[i * extents.n + j];
      if (beta)
        value = arith::AddFOp::create(
            b, value, arith::MulFOp::create(b, beta, old.elements[j]));
      if (isNew)
        value = arith::SelectOp::create(b, isNew, value, old.elements[j]);
      if (element != type)
        value = arith::TruncFOp::create(b, element, value);
      memref::StoreOp::create(b, value, c,
                              ValueRange{product, rows[i], constant(j)});
    }
  }
}
