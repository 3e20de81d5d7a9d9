//===- ArraySpec.h - A product of somebody's arrays ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What other languages ask for: a product of arrays whose extents and strides
// are partly known when it is compiled, and partly when it is launched.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_ARRAYSPEC_H
#define KAMI_DRIVER_ARRAYSPEC_H

#include "kami/Driver/GemmSpec.h"

namespace kami {

/// A matrix, or a batch of them.
struct ArraySpec {
  ElementKind type = ElementKind::F16;
  /// Extents of the batch's dimensions, or `ShapedType::kDynamic`.
  llvm::SmallVector<int64_t> batch = {};
  /// Elements from one to the next along each dimension of the array as it is
  /// stored, or `ShapedType::kDynamic`. Row-major and dense where there are
  /// none.
  std::optional<llvm::SmallVector<int64_t>> strides = std::nullopt;
};

/// A product of arrays. α and β, where there are any, are known when it is
/// launched.
struct ArrayGemmSpec {
  /// Each a number from 0 on, or `ShapedType::kDynamic`.
  Extents extents;
  ArraySpec a, b, c;
  ElementKind accumulator = ElementKind::F32;
  bool isComplex = false;
  bool transposeA = false;
  bool transposeB = false;
  bool conjugateA = false;
  bool conjugateB = false;
  bool hasAlpha = false;
  bool hasBeta = false;
  /// Whether sums are of as many layers as is said at run time.
  bool hasLayers = false;
  EpilogueSpec epilogue = {};
  /// Of what the epilogue reads as a row or column.
  ElementKind epilogueType = ElementKind::F32;
  /// A power of two of bytes that divides the addresses of A, B and C.
  int64_t alignment = 1;
  /// Whether what is stored as rows of A and B begins at multiples of 16 bytes.
  bool alignedRows = false;
};

/// A module with one function `gemm` that holds one `kami.gemm`. Its arguments
/// are A, B and C, then α and β where there are any (of complex numbers as
/// arrays of rank 0), then the number of layers and what span of k each has at
/// a time, as indices, then what the epilogue reads, of any strides: a vector
/// of m, a vector of n, and an array like C.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext *context,
                                              const ArrayGemmSpec &spec);

/// Products of sizes of their own, which only the kernel reads.
struct GroupedArraySpec {
  ElementKind typeA = ElementKind::F16;
  ElementKind typeB = ElementKind::F16;
  ElementKind typeC = ElementKind::F32;
  ElementKind accumulator = ElementKind::F32;
  bool transposeA = false;
  bool transposeB = false;
  bool hasAlpha = false;
  bool hasBeta = false;
  /// Whether positions count bytes.
  bool bytes = false;
  /// What the planner takes for a product's extents.
  std::optional<Extents> typical;
};

/// A module with one function `grouped_gemm` that holds one
/// `kami.grouped_gemm`. Its arguments are A, B and C as flat arrays; of all
/// products, as arrays of i64, the positions of A, B and C, then m, n and k,
/// then the leading dimensions of A, B and C; then α and β where there are any.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext *context,
                                              const GroupedArraySpec &spec);

} // namespace kami

#endif // KAMI_DRIVER_ARRAYSPEC_H
