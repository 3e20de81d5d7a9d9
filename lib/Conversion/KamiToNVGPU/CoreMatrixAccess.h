//===- CoreMatrixAccess.h - ldmatrix and stmatrix -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment's registers as core matrices (kami/Layout/CoreMatrix.h) of a
// matrix in workgroup memory: up to four of them are moved by one instruction
// and one wavefront each, whatever the order of the matrix. What a lane
// addresses is a line, and is not what it gets.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVGPU_COREMATRIXACCESS_H
#define KAMI_LIB_CONVERSION_KAMITONVGPU_COREMATRIXACCESS_H

#include "kami/Conversion/KamiToLanes/LaneTarget.h"
#include "kami/Layout/CoreMatrix.h"

namespace kami::nvgpu_lowering {

class CoreMatrixAccess : public lanes::LineAccess {
public:
  /// Nothing where the fragment's registers, or the elements of the matrix if
  /// the fragment had those, are not core matrices.
  static std::optional<CoreMatrixAccess>
  of(FragmentType fragment, const lanes::FragmentWindow &window);

  int64_t lineBytes() const override { return coreLineBytes; }
  std::map<lanes::MatrixPlace, mlir::Value>
  load(mlir::ImplicitLocOpBuilder &b) const override;
  void
  store(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange tiles,
        llvm::function_ref<mlir::Value(mlir::Value)> convert) const override;

private:
  /// Consecutive registers that one instruction moves, 1, 2 or 4, and how far
  /// the second and the third are from the first.
  struct Group {
    int64_t first, count;
    Coordinate steps[2];
  };

  CoreMatrixAccess(FragmentType fragment, const lanes::FragmentWindow &window,
                   CoreOrder order);
  /// Elements of a register, and registers of a lane.
  int64_t perRegister() const;
  int64_t coreMatrices() const;
  /// Where a register's core matrix begins.
  lanes::MatrixPlace corner(int64_t coreMatrix) const;
  /// A tile and the value in it.
  std::pair<int64_t, unsigned> valueOf(int64_t coreMatrix,
                                       int64_t position) const;
  llvm::SmallVector<Group> groups() const;
  std::optional<Group> groupAt(int64_t first, int64_t count) const;
  /// Of the line that the lane addresses.
  llvm::SmallVector<mlir::Value> indices(mlir::ImplicitLocOpBuilder &b,
                                         const Group &group) const;
  mlir::VectorType vectorType(const Group &group, mlir::Type element) const;

  FragmentType fragment;
  const lanes::FragmentWindow &window;
  CoreOrder order;
};

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_COREMATRIXACCESS_H
