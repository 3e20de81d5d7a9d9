//===- Matrix.h - Matrix instructions -------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a matrix instruction reads its operands from the registers of a warp.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_MATRIX_H
#define KAMI_LIB_SIMULATOR_MATRIX_H

#include "Execution.h"
#include "kami/Layout/Partition.h"

namespace kami::sim {

/// The value of an element of an operand, as an instruction reads it.
double readElement(const ElementFormat &format, Reading reading, uint64_t bits);

/// Registers `first`, ... of `slot` to a row-major matrix, and back.
void gather(Execution &x, Warp &warp, Slot slot, int first,
            llvm::ArrayRef<int> places, const ElementFormat &format,
            Reading reading, double *matrix);
void scatter(Execution &x, Warp &warp, Slot slot, int first,
             llvm::ArrayRef<int> places, const ElementFormat &format,
             const double *matrix);

/// c += a · b, as one instruction rounds it.
void multiply(const MatrixForm &form, const double *a, const double *b,
              double *c);

/// What an instruction multiplies; NVIDIA's take f32 for tf32.
struct MatrixTypes {
  mlir::Type a, b, c;
  bool isTF32 = false;
};
struct MatrixMaps {
  const FragmentMap &a, &b, &c;
};
mlir::FailureOr<MatrixForm> makeForm(mlir::Operation *op, Extents extents,
                                     const MatrixTypes &types,
                                     const MatrixMaps &maps, unsigned warpSize);
/// Appends the instruction that the form describes.
mlir::LogicalResult emitMatrix(Decoder &decoder, mlir::Operation *op,
                               mlir::FailureOr<MatrixForm> form);

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_MATRIX_H
