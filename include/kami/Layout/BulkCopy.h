//===- BulkCopy.h - What the copy engine brings at once ---------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine (`cp.async.bulk.tensor`, sm_90) copies a box of a matrix, and
// permutes pieces of 16 bytes as the matrix unit expects them: a box is one
// block of swizzle rows of a `SharedMatrix`. It reads a map of the matrix,
// which a kernel can make itself (`tensormap.replace`).
//
// From PTX ISA 9.0, "Tensors", "Swizzling Modes" and "tensormap.replace".
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_BULKCOPY_H
#define KAMI_LAYOUT_BULKCOPY_H

#include "kami/Layout/SharedMatrix.h"

namespace kami {

constexpr int64_t tensorMapBytes = 128;
constexpr int64_t mbarrierBytes = 8;
/// The most lines that a box has.
constexpr int64_t maxBoxLines = 256;

/// Whether the engine writes the matrix, a block of swizzle rows at a time.
inline bool isBox(const SharedMatrix &matrix) {
  return matrix.swizzleBytes >= 32 && matrix.lines() <= maxBoxLines;
}

/// The boxes that make the matrix.
inline int64_t boxesOf(const SharedMatrix &matrix) {
  return matrix.byteSize() / matrix.blockBytes();
}

/// The number of that swizzle in a map, as `tensormap.replace` wants it.
constexpr int64_t swizzleMode(int64_t swizzleBytes) {
  return swizzleBytes == 128 ? 3 : swizzleBytes == 64 ? 2 : 1;
}

} // namespace kami

#endif // KAMI_LAYOUT_BULKCOPY_H
