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

/// Of a product's tiles, those of which half the rows are left out, and those
/// of which half the columns are. What ends in half of both leaves out rows.
struct HalvedTiles {
  int64_t inRows = 0, inColumns = 0;
};

inline HalvedTiles halvedTiles(const Extents &extents,
                               const Partition &partition,
                               const Extents &instruction) {
  bool areRows = endsInHalfOfRows(extents.m, partition, instruction);
  bool areColumns = endsInHalfOfColumns(extents.n, partition, instruction);
  int64_t rows = llvm::divideCeil(extents.m, partition.tile.m);
  int64_t columns = llvm::divideCeil(extents.n, partition.tile.n);
  return {areRows ? columns : 0, areColumns ? rows - (areRows ? 1 : 0) : 0};
}

/// What is multiplied of all tiles of a product.
inline double multipliedPart(const Extents &extents, const Partition &partition,
                             const Extents &instruction) {
  auto [inRows, inColumns] = halvedTiles(extents, partition, instruction);
  double tiles = double(llvm::divideCeil(extents.m, partition.tile.m)) *
                 llvm::divideCeil(extents.n, partition.tile.n);
  return 1 - (inRows + inColumns) / (2 * tiles);
}

} // namespace kami

#endif // KAMI_LAYOUT_HALFTILES_H
