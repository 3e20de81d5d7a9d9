//===- CopiedLines.h - A matrix and its tile, line by line ----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all ways of copying between device memory and shared memory know of the
// two: lines of adjacent elements, and where their pieces lie.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVGPU_COPIEDLINES_H
#define KAMI_LIB_CONVERSION_KAMITONVGPU_COPIEDLINES_H

#include "kami/Conversion/KamiToLanes/Lanes.h"
#include "kami/Layout/CopiedTile.h"

namespace kami::nvgpu_lowering {

class TF32Rounding;

struct CopiedLines {
  /// A tile as it lies in shared memory.
  CopiedLines(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
              mlir::Value tile);
  /// A tile where the matrix unit finds it in the buffer.
  CopiedLines(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
              mlir::Value buffer, SharedMatrixAttr attribute);

  /// Elements from one line, or element of a line, of either to the next.
  int64_t stride(mlir::Value memref, unsigned dim) const;
  /// Where a piece, which is no longer than 16 bytes, begins in the tile.
  llvm::SmallVector<mlir::Value> tileIndices(mlir::Value line,
                                             mlir::Value column) const;
  /// Elements of the matrix from `at` on in a dimension: at most 0 for none;
  /// null if it has all of the tile's.
  mlir::Value covered(unsigned dim, mlir::Value at) const;
  /// How many of so many elements from a place on are in the matrix; null if
  /// all are.
  mlir::Value countFrom(mlir::Value line, mlir::Value column,
                        int64_t elements) const;

  mlir::ImplicitLocOpBuilder &b;
  /// What is in device memory and what is in shared memory, with elements of
  /// the tile adjacent in the last dimension.
  mlir::Value matrix, tile;
  int64_t lines, lineElements, elementBytes;
  /// How the matrix unit orders the tile, which is one row of elements then.
  std::optional<SharedMatrix> order;

  /// Extents of a tile and places in it are small: a GPU's registers of 32 bits
  /// have room for them.
  mlir::Value narrow(mlir::Value index) const;
  mlir::Value widen(mlir::Value count) const;
  /// No less than 0, and no more than `most`, of 32 bits.
  mlir::Value clamp(mlir::Value count, int64_t most) const;
};

/// The block's threads start to copy the words of 16 bytes that hold the
/// matrix's lines: of each run of pieces all but the last word to the pieces'
/// places in the tile, and that one to `tails`, run after run. Without tails,
/// each line of the tile has a word more.
void copySkewed(const CopiedLines &lines, mlir::Value tails, int64_t threads);
/// Each warp makes the tile's pieces of the words that it has copied so, with
/// elements rounded if there is a `rounding`.
void straighten(const CopiedLines &lines, mlir::Value tails, int64_t threads,
                const TF32Rounding *rounding, bool areRegistersFew);

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_COPIEDLINES_H
