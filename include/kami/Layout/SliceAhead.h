//===- SliceAhead.h - Which tiles of k a slice is ahead of ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lowering decides, and who counts what is read has to know.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_SLICEAHEAD_H
#define KAMI_LAYOUT_SLICEAHEAD_H

#include "kami/Layout/Partition.h"

namespace kami {

/// Columns of a tile for which ptxas spills what a slice ahead takes.
constexpr int64_t spilledColumns = 80;

/// Whether warps of f64 have the first slice of a tile of k in registers before
/// they multiply the last one of the tile before, of a product of `k` terms
/// whose tiles have so many stages. Where k ends within a tile, blocks whose
/// warps have small parts of C lose a neighbour to the registers: by 64 × 64 ×
/// 16, 136 takes 1.05 of the time and 340 0.95, by 128 × 64 × 16 248 takes
/// 0.86. Of 80 columns ptxas spills 64 to 220 bytes, of no others more than
/// that: by 96 × 80 × 16, 152 takes 1.06 and 183 × 133 × 239 1.28 (H200,
/// 2026-11-28).
inline bool isSliceAhead(const Partition &partition, int64_t stages,
                         int64_t k) {
  constexpr int64_t manyTiles = 13, someTiles = 7, largePart = 1152;
  int64_t tileK = partition.tile.k;
  if (stages == 1 || k <= stages * tileK)
    return false;
  if (k % tileK == 0)
    return true;
  bool isLarge = partition.warpM * partition.warpN >= largePart;
  return partition.tile.n != spilledColumns &&
         (k + tileK - 1) / tileK >= (isLarge ? someTiles : manyTiles);
}

} // namespace kami

#endif // KAMI_LAYOUT_SLICEAHEAD_H
