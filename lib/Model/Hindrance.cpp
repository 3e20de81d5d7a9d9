//===- Hindrance.cpp - What takes longer than is counted ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibratedParts.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace kami;

/// Lanes that load their elements of fragments keep each other waiting the
/// more, the longer a block's column of A is, in bytes, beyond this: so much
/// for each time that it is doubled.
static constexpr double loadingLanes = 0.2, freeColumn = 96;
/// How much longer products of bytes take from this depth on, which lanes load
/// one by one where rows are not what they are adjacent along: batches of i8,
/// µs, loaded and copied, 64 55.6 and 34.6, 96 69.9 and 72, 128 105 and 74, 192
/// 132 and 79, 256 174 and 76, of f8E4M3FN 51.9 and 35.5, 67.8 and 76, 103 and
/// 70, 89.9 and 90, 191 and 111, where loaded ones were expected to be faster
/// by a tenth (H200, 2026-11-28).
static constexpr double loadedBytes = 0.25;
static constexpr int64_t deepBytes = 64;
/// How much longer sums over layers of opaque matrices take, which each layer
/// passes on as a whole through shared memory while all others wait: 64 x 32 x
/// 128 by two layers took 3.1 times CUDA's plan on an H200's Vulkan driver,
/// 64 x 64 x 64 by one 1.5 times (f16, 2026-11-22).
static constexpr double opaqueLayers = 1;
/// How much longer products take that the lanes of a warp multiply of operands
/// in device memory: of f32, 12³ and 24³ took 1.4 to 1.6 times what is counted
/// (H200, 2026-11-22).
static constexpr double laneWarps = 1.4;
/// How much longer products take where one warp does all of it, of
/// multiply-adds be others there to copy or not (100 000 products of f32 12 by
/// one warp 63.8 µs, by two, of which one has no row of C, 75.7, of 10 63.7
/// and 82.9; H100, 2026-11-27), where tiles along k follow each other, where no
/// more than one of these is ahead, which blocks in turn that prefetch the next
/// product's feel less, warps only of more than three tiles and groups little
/// of two, but more where threads have edges to mind before the copies are on
/// their way, and where a multiprocessor has no other block while warps wait
/// for each other, which those of a group do less. 1000 products of f16 in two
/// stages, and by tiles of 64 in three: 192 61 and 58 µs, 256 101 and 98.6, at
/// edges 224 93 and 85, 240 108 and 94 (H200, 2026-11-26).
static constexpr double singleWarp = 0.2, tileByTile = 0.06, twoStages = 0.25,
                        twoStagesInTurn = 0.1, twoStagesOfTwo = 0.015,
                        twoStagesAtEdges = 0.3, aloneBlock = 0.3;
/// The same where lanes multiply, for the part of so many warps that a
/// multiprocessor lacks: 1000 f32 products of 57 and 63 by 8 warps took 32 and
/// 35 µs, by 16 23 and 26 (H100, 2026-11-26).
static constexpr double idleLanes = 0.4, busyLaneWarps = 12;
/// Of blocks that copy all terms at once, whose warps wait for all of that and
/// whose registers are counted as they are: of 86 problems of 24 to 256, in 264
/// to 6000 products, the choice takes 1.010 of the fastest's time that was
/// measured, with 12 1.03, with 15 1.016 (H100, 2026-11-27).
static constexpr double busyLaneWarpsOnce = 13;
/// The same where a multiprocessor has this many warps or fewer, whose blocks
/// copy all of k at once and can only then multiply: f16 80 by 4 blocks of two
/// warps took 108 µs, by those of 8 warps 93 (H200, 2026-11-23).
static constexpr double fewWarps = 0.05, mostOfFewWarps = 8;
/// And of f64 where it has six: 1000 products of 65 and 69 by two blocks of
/// three warps 52.4 and 56.8 µs, by two of six 49.7 and 53.5 (H100,
/// 2026-11-27).
static constexpr double fewestWarps = 0.15, mostOfFewestWarps = 6;
/// The same of more groups than three, all of which wait for each other and
/// whose threads have 128 registers: 1000 tf32 products of 256 by four of them
/// took 222 µs, by two 206 (H200, 2026-11-23), of 200 192 and 176, f16 of 448
/// 539 and 460, of 512 620 and 583 (H100, 2026-11-26).
static constexpr double manyGroups = 0.15;
/// The same where copies narrower than 16 bytes, which go through the
/// first-level cache, find 28 KB of it: what is left where blocks have more
/// than all but 32 KB of the shared memory that there may be. 1000 products
/// with as many blocks and all that may be shared memory, or no more than they
/// need, µs: f64 81 93 and 73, 113 189 and 152, 193 806 and 670, f32 127 165
/// and 150, 255 968 and 903 (H100, 2026-11-25).
static constexpr double smallCache = 0.2;
static constexpr int64_t smallCacheBytes = 32 * 1024;
/// The same of f64 where a block copies a whole product at once, so that no
/// sector comes twice: 6000 products of 65 by two blocks of six warps, which
/// leave as much, 225 µs, by slices of k 255; but of 57 by three of four 138,
/// by two of eight, which leave more, 112.5 (H200, 2026-11-27). A part of a
/// product is another thing: 81 by two blocks of 81 × 48 378, by slices 324.
static constexpr double smallCacheOnce = 0.1;
/// The same for each extent of a product of which such copies bring a part, all
/// terms at once. As little as tells what is else alike: 264 products of 49 and
/// 53 by 49 × 32 and 53 × 32 take 9.8 and 10.5 µs, by whole ones 7.9 and 8.6,
/// but 1000 of 65 and 69 by 65 × 24 and 69 × 24 no more than that (H200,
/// 2026-11-27).
static constexpr double narrowParts = 0.015;

/// Warps with anything to multiply: an instruction's extents may be as long as
/// what several warps were to share.
static int64_t busyWarps(const Partition &partition) {
  using llvm::divideCeil;
  const Extents &tile = partition.tile;
  int64_t layers = divideCeil(tile.k, partition.stageK);
  return divideCeil(tile.m, partition.warpM) *
         divideCeil(tile.n, partition.warpN) *
         std::min(partition.grid.k, layers);
}

double kami::hindrance(const CalibratedCost &cost, const Work &work,
                       const Atom &atom, const Partition &partition,
                       const Exchange &exchange) {
  const Extents &extents = work.extents;
  if (exchange.isPacked())
    return 1;
  double resident = double(cost.residentBlocks) * partition.grid.warps();
  bool copiesOnce = exchange.isCopied() && exchange.stages == 1;
  double busy = copiesOnce ? busyLaneWarpsOnce : busyLaneWarps;
  double idle = idleLanes * std::max(0.0, 1 - resident / busy);
  bool isFma = atom.instruction == Instruction::Fma;
  if (isFma && !exchange.isCopied())
    return laneWarps + idle;
  double factor = 1;
  if ((isFma ? busyWarps(partition) : partition.grid.warps()) == 1)
    factor += singleWarp;
  if (isFma)
    return factor + idle;
  // How lanes load opaque matrices is the device's business.
  if (!exchange.isCopied() && !atom.isOpaque())
    factor +=
        loadingLanes *
        std::log2(std::max(1.0, partition.tile.m * byteWidth(atom.operand) /
                                    freeColumn));
  bool hasBytes = (work.bytesA ? work.bytesA : byteWidth(atom.operand)) == 1;
  if (!exchange.isCopied() && hasBytes && extents.k >= deepBytes)
    factor += loadedBytes;
  if (atom.isOpaque() && partition.grid.k > 1)
    factor += opaqueLayers;
  if (cost.kTiles > 1 && !exchange.prefetches)
    factor += tileByTile;
  if (exchange.stages == 2 && exchange.prefetches) {
    bool isGroup = exchange.unit == Unit::WarpGroup;
    bool atEdges = hasEdges(extents, tileOf(partition, exchange));
    if (cost.kTiles > (isGroup ? 1 : 2) && atEdges)
      factor += twoStagesAtEdges;
    else if (cost.kTiles > (isGroup ? 2 : 3))
      factor += twoStagesInTurn;
    else if (cost.kTiles > 1 && isGroup)
      factor += twoStagesOfTwo;
  } else if (exchange.stages == 2 && cost.kTiles > 2) {
    factor += twoStages;
  }
  if (cost.residentBlocks == 1 && exchange.unit != Unit::WarpGroup)
    factor += aloneBlock;
  if (exchange.unit == Unit::WarpGroup &&
      partition.grid.warps() > 3 * warpsPerGroup)
    factor += manyGroups;
  if (cost.kTiles == 1 && exchange.isCopied() && exchange.unit == Unit::Warp &&
      resident <= mostOfFewWarps) {
    bool areFewest =
        byteWidth(atom.operand) == 8 && resident <= mostOfFewestWarps;
    factor += areFewest ? fewestWarps : fewWarps;
  }
  return factor;
}

/// Whether rows are copied in pieces narrower than 16 bytes.
static bool copiesNarrowPieces(const Work &work, const Exchange &exchange) {
  auto isNarrow = [](int64_t piece) {
    return piece >= 4 && piece < copiedPiece;
  };
  return exchange.isCopied() && !exchange.isPacked() && !exchange.skewed &&
         (isNarrow(work.pieceA) || isNarrow(work.pieceB));
}

double kami::narrowHindrance(const CalibratedCost &cost, const Work &work,
                             const Atom &atom, const Extents &tile,
                             const Resources &resources, const Chip &chip,
                             const Exchange &exchange) {
  if (!copiesNarrowPieces(work, exchange))
    return 1;
  double factor = 1;
  bool copiesDoublesOnce = cost.kTiles == 1 && exchange.stages == 1 &&
                           byteWidth(atom.operand) == 8 &&
                           atom.instruction != Instruction::Fma;
  bool copiesAll = cost.blocks <= work.batch;
  int64_t bytes = resources.shared.bytes + chip.sharedReservedPerBlock;
  if (cost.residentBlocks * bytes >
      chip.sharedPerMultiprocessor - smallCacheBytes)
    factor += copiesDoublesOnce && copiesAll ? smallCacheOnce : smallCache;
  if (copiesDoublesOnce)
    factor += narrowParts * ((tile.m < work.extents.m ? 1 : 0) +
                             (tile.n < work.extents.n ? 1 : 0));
  return factor;
}
