//===- GemmSpec.h - A product given by numbers ---------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_GEMMSPEC_H
#define KAMI_DRIVER_GEMMSPEC_H

#include "kami/Layout/ElementKind.h"
#include "kami/Layout/Partition.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"

namespace kami {

/// What is promised of addresses at most, in bytes; `memref.assume_alignment`
/// has 32 bits for it.
constexpr int64_t mostAlignment = int64_t(1) << 30;
/// Whether so much may be promised: a power of two up to that.
constexpr bool isAlignment(int64_t bytes) {
  return bytes >= 1 && bytes <= mostAlignment && (bytes & (bytes - 1)) == 0;
}

/// Where a matrix's elements lie: (row, column) at offset + row · rowStride +
/// column · columnStride, and a batch's products batchStride apart.
struct MatrixStrides {
  int64_t offset = 0;
  int64_t batch = 0;
  int64_t row = 0;
  int64_t column = 0;
};

/// What becomes of α·A·B + β·C before it is stored, in this order. Each part
/// up to the residual reads an argument of its own, behind C; the others are
/// functions, of floats but for `relu`.
struct EpilogueSpec {
  /// times a factor of its row
  bool rowScale = false;
  /// plus a summand of its column
  bool bias = false;
  /// plus the element of a matrix of C's type
  bool residual = false;
  /// or 0, where it is below
  bool relu = false;
  /// of which the Gaussian error linear unit is taken, by erf
  bool gelu = false;
  /// of which the sigmoid linear unit is taken
  bool silu = false;

  explicit operator bool() const {
    return rowScale || bias || residual || relu || gelu || silu;
  }

  /// Its parts, each with a blank before it.
  std::string str() const;
};

/// A product to compile, without a file: what `--gemm` says.
struct GemmSpec {
  Extents extents;
  /// Without it, there is no batch dimension. Extents may be 0, too.
  std::optional<int64_t> batch;
  /// A's elements, and B's unless `otherOperand` says something else.
  ElementKind operand = ElementKind::F16;
  std::optional<ElementKind> otherOperand;
  ElementKind accumulator = ElementKind::F32;
  /// C's elements.
  ElementKind output = ElementKind::F32;
  double alpha = 1;
  double beta = 0;
  bool transposeA = false;
  bool transposeB = false;
  EpilogueSpec epilogue = {};
  /// Layers of the sum, and terms that follow each other in one: numbers of run
  /// time to the kernel.
  std::optional<std::array<int64_t, 2>> layers;
  /// Elements are complex numbers of the types above. What follows is for them.
  bool isComplex = false;
  double alphaImaginary = 0;
  double betaImaginary = 0;
  bool conjugateA = false;
  bool conjugateB = false;
  /// Row-major and dense where there is none. Of the matrices as stored.
  std::optional<MatrixStrides> strideA, strideB, strideC;
  /// Bytes of which A, B and C begin at a multiple, a power of two up to
  /// `mostAlignment`: promised, not checked.
  int64_t alignment = 1;

  ElementKind operandB() const { return otherOperand.value_or(operand); }
};

/// A module with one function `gemm` of A, B and C that holds one `kami.gemm`.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext *context,
                                              const GemmSpec &spec);

} // namespace kami

#endif // KAMI_DRIVER_GEMMSPEC_H
