//===- GroupedSpec.h - Products of many sizes, by numbers ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_GROUPEDSPEC_H
#define KAMI_DRIVER_GROUPEDSPEC_H

#include "kami/Driver/GemmSpec.h"
#include "kami/Layout/ElementKind.h"
#include "kami/Layout/Partition.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <optional>
#include <vector>

namespace kami {

/// One of several products.
struct GroupedProduct {
  /// Each may be 0.
  Extents extents;
  /// Elements from row to row of A, B and C as stored, and from the end of the
  /// previous product's matrix to the first element of this one's.
  std::array<int64_t, 3> leading = {};
  std::array<int64_t, 3> gap = {};
  /// The first elements, instead of gaps.
  std::optional<std::array<int64_t, 3>> at;
  double alpha = 1;
  double beta = 0;
};

struct GroupedSpec {
  std::vector<GroupedProduct> products;
  ElementKind operand = ElementKind::F16;
  std::optional<ElementKind> otherOperand;
  ElementKind accumulator = ElementKind::F32;
  ElementKind output = ElementKind::F32;
  bool transposeA = false;
  bool transposeB = false;
  /// Whether positions count bytes.
  bool bytes = false;
  /// Whether sizes are of 32 bits, or 64.
  bool narrowSizes = true;
  /// What the planner takes for a product's extents.
  std::optional<Extents> typical;
  /// What becomes of sums: scales, biases and residuals are each product's own.
  EpilogueSpec epilogue = {};

  ElementKind operandB() const { return otherOperand.value_or(operand); }
};

/// Rows one behind the other.
std::array<int64_t, 3> packedLeading(const Extents &extents, bool transposeA,
                                     bool transposeB);

/// Elements from `begin` on and before `end`, of one product.
struct ElementRange {
  int64_t begin, end;
  int64_t product;
};

/// The numbers of two products that have an element in common, if any do.
std::optional<std::pair<int64_t, int64_t>>
findOverlap(std::vector<ElementRange> ranges);

/// Products by lines of text, "M N K", "M N K LDA LDB LDC" or
/// "M N K LDA LDB LDC A B C", which also says where the matrices' first
/// elements are; numbers are separated by blanks or commas, and what follows a
/// '#' is a comment. No C may overlap another, or itself. Errors name the line.
llvm::Expected<std::vector<GroupedProduct>>
parseProducts(llvm::StringRef text, bool transposeA, bool transposeB);

/// The means of m, n and k over products that have elements, or a quarter of
/// the largest if that is more, rounded to what power of two divides all of
/// them, 16 at most, and no higher one: typical rows are aligned if all are. Of
/// products up to 64 a side m and n are half of the largest at most, since
/// plans take sizes to be spread up to twice the typical ones.
Extents typicalExtents(llvm::ArrayRef<GroupedProduct> products);

/// A module with one function `grouped_gemm` of A, B and C, and of arrays whose
/// contents are attributes, that holds one `kami.grouped_gemm`. C's elements
/// between matrices are arguments like all others, so that what is written
/// there shows.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext *context,
                                              const GroupedSpec &spec);

} // namespace kami

#endif // KAMI_DRIVER_GROUPEDSPEC_H
