//===- SoakCase.h - Kernels to try, and batches for them -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_SOAKCASE_H
#define KAMI_LIB_DRIVER_SOAKCASE_H

#include "Draw.h"
#include "kami/Driver/CheckKernels.h"
#include "kami/Driver/Sweep.h"

namespace kami {

struct SoakTypes {
  ElementKind operand = ElementKind::F16;
  std::optional<ElementKind> otherOperand;
  ElementKind accumulator = ElementKind::F32;
  ElementKind output = ElementKind::F32;
  bool isComplex = false;
  bool transposeA = false, transposeB = false;
  bool conjugateA = false, conjugateB = false;

  ElementKind operandB() const { return otherOperand.value_or(operand); }
  CheckedTypes checked() const {
    return {operand, operandB(), output, isComplex};
  }
};

/// A matrix, as the product sees it: its first element, and how many there are
/// from row to row and from column to column.
struct SoakView {
  int64_t at = 0, row = 0, column = 0;
};

struct SoakProduct {
  Extents extents;
  std::array<SoakView, 3> views;
  std::array<double, 2> alpha = {1, 0}, beta = {0, 0};
};

/// A memref of A's, B's or C's matrices in a buffer of so many elements.
struct SoakOperand {
  int64_t elements = 0;
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;
};

/// A further argument: numbers of one type, or one that is passed as it is.
struct SoakArray {
  mlir::Type type;
  bool isScalar = false;
  std::vector<int64_t> sizes;
  std::vector<double> values;
};

/// Sizes, strides and scales for one launch.
struct SoakBatch {
  std::array<SoakOperand, 3> operands;
  std::vector<SoakProduct> products;
  std::vector<SoakArray> arrays;
};

/// How much one batch may have.
struct SoakLimits {
  int64_t bytes;
  int64_t products;
  int64_t extent;
};

/// A kernel and what it may be launched on.
class SoakCase {
public:
  virtual ~SoakCase() = default;

  /// A module with a function `soak` of A, B, C and the arrays of a batch.
  virtual std::string text() const = 0;
  virtual SoakBatch drawBatch(Draw &draw, const SoakLimits &limits) const = 0;

  SoakTypes types;
  /// The planner's, where there is none.
  std::optional<Plan> plan;

protected:
  explicit SoakCase(mlir::MLIRContext *context) : context(context) {}
  llvm::Error drawPlan(Draw &draw, const Chip &chip, Problem problem);
  mlir::Type accumulatorType() const;
  double drawScale(Draw &draw, std::initializer_list<double> scales) const;
  std::string scaleType(bool isMemory) const;
  std::string attributes() const;

  mlir::MLIRContext *context;
};

/// Strided batches, or products that each have sizes of their own.
llvm::Expected<std::unique_ptr<SoakCase>>
drawSoakCase(mlir::MLIRContext *context, const SweepOptions &options,
             const Chip &chip, Draw &draw, const SoakLimits &limits);

} // namespace kami

#endif // KAMI_LIB_DRIVER_SOAKCASE_H
