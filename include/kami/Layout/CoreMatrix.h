//===- CoreMatrix.h - Matrices of 8 lines of 16 bytes ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NVIDIA's `ldmatrix` and `stmatrix` move: core matrices, 8 lines of 16
// bytes that may lie anywhere in shared memory, between memory and one 32-bit
// register of each lane. PTX ISA 9.0, sections 9.7.14.5.15 and 9.7.14.5.16.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_COREMATRIX_H
#define KAMI_LAYOUT_COREMATRIX_H

#include "kami/Layout/FragmentMap.h"

namespace kami {

constexpr unsigned coreMatrixLines = 8;
constexpr unsigned coreLineBytes = 16;

/// What a lane has in its register of a core matrix.
enum class CoreOrder {
  /// Neighbours of a line.
  Plain,
  /// Neighbours across lines, of 16 bits each (`.trans`).
  Transposed,
};

/// How a tile's registers are core matrices, each of a register's values one,
/// if elements have so many bytes and lines run along columns (`along` is 0) or
/// along rows (1). Nothing where they are not.
std::optional<CoreOrder> coreOrderOf(const FragmentMap &map,
                                     unsigned elementBytes, unsigned along);

} // namespace kami

#endif // KAMI_LAYOUT_COREMATRIX_H
