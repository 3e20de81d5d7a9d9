//===- Traffic.cpp - What a block moves -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibratedParts.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Layout/FragmentMap.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace kami;

/// The bytes that device memory and cache move at a time: a sector.
static constexpr double sectorBytes = 32;
/// How much longer lanes take that read matrices of several products: some meet
/// in a bank.
static constexpr double laneConflicts = 1.25;

double kami::barrierCycles(const SharedTraffic &traffic, const WarpGrid &grid,
                           BarrierScope scope, const Chip &chip,
                           const Calibration &calibration) {
  int64_t warps = warpsWithin(grid, scope);
  if (grid.warps() / warps > chip.namedBarriers)
    warps = grid.warps();
  auto cycles = [&](int64_t barriers, int64_t warps) {
    return double(barriers) *
           (calibration.barrier + calibration.barrierPerWarp * double(warps));
  };
  return cycles(traffic.scopedBarriers, warps) +
         cycles(traffic.barriers - traffic.scopedBarriers, grid.warps());
}

/// Bytes of a tile of k that the lanes of all warps read, as far as they take
/// time: a read of 16 bytes by each lane takes that of 256 bytes, though lanes
/// share what they read.
static double laneReads(const Atom &atom, const Partition &partition,
                        int64_t elementBytes) {
  constexpr double merged = 0.5;
  double replicated = double(partition.warpM) * replicasOf(atom.mapA) +
                      double(partition.warpN) * replicasOf(atom.mapB);
  return merged * replicated * partition.paddedK() * elementBytes *
         partition.grid.warps();
}

void kami::addCommunication(CalibratedCost &cost, const Atom &atom,
                            const Partition &partition, const Slicing &slicing,
                            const Chip &chip, const Calibration &calibration,
                            const Exchange &exchange) {
  ElementBytes element = elementBytesOf(atom);
  SharedTraffic traffic =
      blockTraffic(partition, slicing, element, int64_t(cost.kTiles), exchange);
  double unitReads =
      cost.kTiles * matrixUnitReads(partition, slicing, element, exchange);
  cost.sharedBandwidth = (double(traffic.written + traffic.read) + unitReads) /
                         calibration.sharedBandwidth;
  if (atom.isLane())
    cost.sharedBandwidth *= laneConflicts;
  else if (exchange.isCopied() && atom.instruction == Instruction::Fma)
    cost.sharedBandwidth = cost.kTiles *
                           laneReads(atom, partition, element.operand) /
                           calibration.sharedBandwidth;
  cost.sharedLatency = double(traffic.barriers) * calibration.sharedLatency;
  cost.barriers = barrierCycles(traffic, partition.grid,
                                exchangeScope(partition, slicing, exchange),
                                chip, calibration);
}

/// Bytes of `tile` adjacent elements out of a row of `extent`. Whole rows
/// follow each other without a gap.
static double rowBytes(double tile, double extent, double bytes) {
  return tile < extent ? std::ceil(tile * bytes / sectorBytes) * sectorBytes
                       : extent * bytes;
}

double kami::movedPart(int64_t extent, int64_t tile, const Exchange &exchange) {
  return exchange.unit == Unit::WarpGroup
             ? double(extent) / llvm::divideCeil(extent, tile)
             : double(std::min(extent, tile));
}

BlockBytes kami::blockBytes(const Work &work, double blocks, const Atom &atom,
                            const Extents &tile, const Exchange &exchange) {
  double operandA = work.bytesA ? work.bytesA : byteWidth(atom.operand);
  double operandB = work.bytesB ? work.bytesB : byteWidth(atom.operandB());
  double accumulator = work.bytesC ? work.bytesC : byteWidth(atom.accumulator);
  double m = work.extents.m, n = work.extents.n, k = work.extents.k;
  double tileM = movedPart(work.extents.m, tile.m, exchange);
  double tileN = movedPart(work.extents.n, tile.n, exchange);
  double tileK = std::min<double>(tile.k, k);
  double a = tileM * k / tileK * rowBytes(tileK, k, operandA);
  double termsB = work.interleavesParts ? k / 2 : k;
  double b = termsB * rowBytes(tileN, n, operandB);
  double c = tileM * rowBytes(tileN, n, accumulator);
  double once = m * k * operandA + n * termsB * operandB + m * n * accumulator;
  // What is copied as one has no parts of sectors.
  if (exchange.isPacked())
    return {once * exchange.packed, once * work.batch / blocks};
  // Each of four products reads whole sectors, of which it wants one part.
  if (work.isComplex)
    return {8 * (a + b) + 2 * c, 2 * once * work.batch / blocks};
  // Without interleaved tiles, four lanes write half a sector of narrow
  // elements.
  if (exchange.isCopied() && !exchange.relaysC && accumulator < 4)
    c *= 2;
  return {a + b + c, once * work.batch / blocks, c / (a + b + c)};
}

/// Cycles that a block waits for memory: for each tile along k, and for C. With
/// several stages, a tile is on its way while those before it are multiplied,
/// which may be the product's before.
static double waitFor(const CalibratedCost &cost, double latency,
                      const Exchange &exchange) {
  if (exchange.stages == 1)
    return (cost.kTiles + 1) * latency;
  double tile = (cost.computation + cost.communication()) / cost.kTiles;
  double late = std::max(0.0, latency / (exchange.stages - 1) - tile);
  if (exchange.prefetches)
    return cost.kTiles * late;
  double lateTiles = std::max(0.0, cost.kTiles - exchange.stages);
  return 2 * latency + lateTiles * late;
}

void kami::addMemory(CalibratedCost &cost, const Atom &atom,
                     const BlockBytes &bytes, const Chip &chip,
                     const Calibration &calibration, const Exchange &exchange) {
  double bytesPerCycle = calibration.memoryBandwidth * 1e3 / chip.boostMHz;
  double share =
      bytesPerCycle / std::min<double>(cost.blocks, chip.multiprocessors);
  cost.cacheBandwidth = bytes.cache / calibration.cacheBandwidth;
  // A device may load opaque matrices element by element, where fragments are
  // planned to arrive by pieces. By this and the above, 64 x 64 x 64 is one
  // tile of two warps, which was the fastest of nine plans (H200's Vulkan
  // driver).
  if (atom.isOpaque())
    cost.cacheBandwidth *= copiedPiece / double(byteWidth(atom.operand));
  cost.memoryBandwidth = bytes.device / share;
  cost.memoryLatency =
      waitFor(cost, busyLatency * calibration.memoryLatency, exchange);
}
