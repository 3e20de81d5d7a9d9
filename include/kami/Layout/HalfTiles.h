//===- HalfTiles.h - Products that end in a tile's first half ---*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lowering decides, and who counts cycles has to know.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_HALFTILES_H
#define KAMI_LAYOUT_HALFTILES_H

#include "kami/Layout/Partition.h"
#include "llvm/Support/MathExtras.h"

namespace kami {

/// Whether a product ends in the first half of a block's tile along m or n, and
/// warps' parts have as many of the instruction's tiles in either half.
inline bool endsInHalf(int64_t extent, int64_t tile, int64_t parts,
                       int64_t part, int64_t instruction) {
  int64_t rest = extent % tile;
  return rest > 0 && 2 * rest <= parts * part && part % (2 * instruction) == 0;
}

inline bool endsInHalfOfRows(int64_t extent, const Partition &partition,
                             const Extents &instruction) {
  return endsInHalf(extent, partition.tile.m, partition.grid.m, partition.warpM,
                    instruction.m);
}

inline bool endsInHalfOfColumns(int64_t extent, const Partition &partition,
                                const Extents &instruction) {
  return endsInHalf(extent, partition.tile.n, partition.grid.n, partition.warpN,
                    instruction.n);
}

/// What is multiplied of all tiles of a product; of one that ends in half of
/// its rows and of its columns, half.
inline double multipliedPart(const Extents &extents, const Partition &partition,
                             const Extents &instruction) {
  double rows = llvm::divideCeil(extents.m, partition.tile.m);
  double columns = llvm::divideCeil(extents.n, partition.tile.n);
  double last = endsInHalfOfRows(extents.m, partition, instruction) ? 1 : 0;
  double halved = last * columns;
  if (endsInHalfOfColumns(extents.n, partition, instruction))
    halved += rows - last;
  return 1 - halved / (2 * rows * columns);
}

} // namespace kami

#endif // KAMI_LAYOUT_HALFTILES_H
