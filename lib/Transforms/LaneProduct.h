//===- LaneProduct.h - Rows of a small product, by one lane -----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane has whole rows of C in its registers and reads A and B in shared
// memory, element by element or in words where their places allow it: ordinary
// loads and multiply-adds, which any target executes.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_LANEPRODUCT_H
#define KAMI_LIB_TRANSFORMS_LANEPRODUCT_H

#include "kami/Layout/Partition.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// The matrices of several products in shared memory: element (i, j) of the
/// p-th is at p · pitch + i · rowStride + j · columnStride.
struct LaneMatrix {
  mlir::Value memref;
  int64_t pitch;
  int64_t rowStride, columnStride;
};

class LaneProduct {
public:
  /// For the rows from `row` on of that product, `extents.m` of them, where all
  /// lanes together may have more than its `rows`: then the last one takes its
  /// last row several times.
  LaneProduct(mlir::ImplicitLocOpBuilder &b, const Extents &extents,
              mlir::Value product, mlir::Value row, int64_t rows,
              mlir::Type sum);

  /// Sums up A·B.
  void multiply(const LaneMatrix &left, const LaneMatrix &right);
  /// The same of matrices of complex numbers as reals, or of conjugates: B has
  /// half as many rows, or columns where they are not adjacent, as what is
  /// multiplied; so has an A of adjacent columns, of twice the rows.
  void multiplyParts(const LaneMatrix &left, const LaneMatrix &right,
                     bool conjugatesA, bool conjugatesB);
  /// Multiplies the sums by α, null for 1.
  void scale(mlir::Value alpha);
  /// Writes them, converted to its elements, to shared memory.
  void store(const LaneMatrix &c);
  /// Writes them to the batch of matrices `c`; with β, not null, times what is
  /// there added, which is read unless β is 0.
  void addTo(mlir::Value c, mlir::Value beta);

private:
  using Sums = llvm::SmallVector<mlir::Value>;

  /// A row of C before it is added to: zeros, unread, where β is 0.
  struct OldRow {
    Sums elements;
    mlir::Value isZero;
  };

  mlir::Value constant(int64_t value);
  mlir::Value at(const LaneMatrix &matrix, mlir::Value row, mlir::Value column);
  int64_t wordOf(const LaneMatrix &matrix, int64_t count);
  Sums load(const LaneMatrix &matrix, mlir::Value start, int64_t stride,
            int64_t count);
  Sums addTerms(const LaneMatrix &left, const LaneMatrix &right, mlir::Value k,
                int64_t count, mlir::ValueRange start);
  /// The sum with `count` more terms, from `k` on.
  using AddTerms = llvm::function_ref<Sums(mlir::Value k, int64_t count,
                                           mlir::ValueRange start)>;
  void sumTerms(int64_t word, AddTerms add);
  OldRow loadOld(mlir::Value c, mlir::Value row, mlir::Value beta);
  mlir::Value after(mlir::Value start, int64_t offset);

  mlir::ImplicitLocOpBuilder &b;
  Extents extents;
  mlir::Value product;
  /// The lane's rows, one by one, and whether each is one that it has not had
  /// already; null where that is so for sure.
  Sums rows, isOwn;
  mlir::Type type;
  /// Row by row.
  Sums sums;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_LANEPRODUCT_H
