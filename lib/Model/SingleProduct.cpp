//===- SingleProduct.cpp - One product by itself --------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product that is alone on the device takes as long as the multiprocessor
// that has most blocks of it. Few of them are there at a time, so that little
// hides what each does: steps add up, each at a rate of its own. The model of
// batches counts on what is hidden: of single products, a tenth of the plans
// whose warps load take 1.6 times as long as it expects, or longer, and a tenth
// of those with copies less than half as long.
//
//===----------------------------------------------------------------------===//

#include "CalibratedParts.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace kami;

namespace {
/// Cycles for one of each thing that any plan does.
struct Rates {
  /// Beside the launch, and the way to memory and back twice.
  double fixed;
  /// 64 bytes of operands from the second-level cache, as far as all
  /// multiprocessors share it.
  double cached;
  /// What the model counts for shared memory and for barriers.
  double shared, barrier;
  /// The same for multiplying. Matrix units hide it.
  double multiply = 0;
};

/// The same for what plans with copied operands do.
struct CopyRates : Rates {
  /// 64 bytes of C, of the busiest multiprocessor.
  double output;
  /// What the model counts for sums that wait for each other, and for matrix
  /// units as far as there are too few warps for them.
  double chain, fewWarps;
  /// 16 bytes that a thread copies, and more of them where none is multiplied
  /// before all are there; and each tile along k after the first two where
  /// there is room for two.
  double piece, pieceAtOnce, thirdTile;
  /// A move of what is no whole piece of 16 bytes: of all schedulers together,
  /// and of a thread.
  double ragged, raggedOfThread;
};

/// The same for operands that warps load to registers.
struct LoadRates : Rates {
  /// A word that a lane loads.
  double word;
  /// A load of a warp, of the busiest multiprocessor, and more of it for a warp
  /// that minds C's edges.
  double load, loadAtEdge;
  /// Each tile along k after the first.
  double nextTile;
};
} // namespace

// Fitted to 6900 plans of 131 products of f16, as many of tf32 and f64, and 27
// of i8, and to 1650 of 105 products of f32, from 8 to 1024 a side, operands in
// the second-level cache: plans are told to 8 to 13 % of their time. Of what
// was timed of a product, 17 plans on average, the model's choice takes 1.03,
// 1.03, 1.03, 1.05 and, of f32, 1.04 of the fastest's time; of products that
// the fit has not seen, beside six others, 24 of f16 1.02, of bf16 1.06, of
// tf32 1.07 and of f64 1.04, 12 from 1280 to 2048 a side 1.01 (six H200s,
// 2026-11-28; "Single products", docs/Experiments.md).

/// Of operands of 1, 2, 4 and 8 bytes that warps copy.
static constexpr CopyRates copiedByWarps[] = {
    {{260, 2.58, 2.21, 9.4}, 4.27, 0.07, 0, 21.3, 96, 68, 15, 2.3},
    {{630, 1.84, 0.92, 5.3}, 3.41, 0, 0, 15, 25, 281, 17.1, 10.4},
    {{420, 0.98, 0.92, 5.3}, 3.39, 0.43, 0.15, 15.3, 25, 144, 13.5, 13.7},
    {{90, 0.62, 0.66, 2.1}, 3.92, 0.35, 0.5, 12.4, 24, 178, 6.4, 3.4},
};
/// Of 2 and 4 bytes that groups copy.
static constexpr CopyRates copiedByGroups[] = {
    {{680, 0.04, 1.09, 6.8}, 1.79, 0, 0.11, 0, 15, 388, 18, 4.1},
    {{510, 0.29, 1.44, 6.1}, 2.01, 0, 0, 8, 19, 291, 15.5, 8.2},
};
/// Of f32 that lanes multiply.
static constexpr CopyRates copiedByLanes = {
    {-60, 0.83, 0.59, 2.6, 0.5}, 5.56, 0.34, 0.17, 42.7, 15, 18, 0, 0};
/// Of 1, 2, 4 and 8 bytes that warps load.
static constexpr LoadRates loaded[] = {
    {{590, 1.41, 3.76, 2.5}, 14.7, 2.3, 22, 296},
    {{450, 1.35, 2.03, 2.9}, 8.9, 2.8, 15.2, 37},
    {{400, 1.09, 1.91, 3.6}, 9.4, 3.2, 2.1, 236},
    {{180, 1.11, 1.65, 3.3}, 6.9, 3.9, 6.3, 64},
};
/// Of f32 that lanes load.
static constexpr LoadRates loadedByLanes = {
    {70, 1.42, 8.53, 0.95, 0.39}, 20, 6.4, 6.6, 148};
/// Bytes that a multiprocessor and the second-level cache exchange in a cycle.
static constexpr double cacheLine = 64;
static constexpr double wordBytes = 4;

static unsigned widthOf(const Atom &atom) {
  return llvm::Log2_64(byteWidth(atom.operand));
}

static const CopyRates &copyRatesOf(const Atom &atom) {
  if (atom.instruction == Instruction::Fma)
    return copiedByLanes;
  if (atom.unit() == Unit::WarpGroup)
    return copiedByGroups[widthOf(atom) > 1 ? 1 : 0];
  return copiedByWarps[widthOf(atom)];
}

static const LoadRates &loadRatesOf(const Atom &atom) {
  return atom.instruction == Instruction::Fma ? loadedByLanes
                                              : loaded[widthOf(atom)];
}

namespace {
/// What a single product's blocks move.
struct Moved {
  /// Bytes of a block's A, B and C.
  double a, b, c;
  /// Blocks in all, and of the busiest multiprocessor.
  double blocks, busiest;

  double operands() const { return a + b; }
  /// Of all blocks, a multiprocessor's share.
  double ofAll(const Chip &chip) const {
    return operands() * blocks / chip.multiprocessors;
  }
};
} // namespace

static Moved movedBy(const Work &work, const Atom &atom, double blocks,
                     const Extents &tile, const Chip &chip) {
  double m = std::min(tile.m, work.extents.m),
         n = std::min(tile.n, work.extents.n), k = work.extents.k;
  double bytesC = work.bytesC ? work.bytesC : byteWidth(atom.accumulator);
  return {m * k * work.bytesA, n * k * work.bytesB, m * n * bytesC, blocks,
          std::ceil(blocks / chip.multiprocessors)};
}

/// Moves of rows that are no whole pieces of 16 bytes.
static double raggedMoves(double bytes, int64_t piece, int64_t elementBytes) {
  return piece < copiedPiece ? bytes / std::max(piece, elementBytes) : 0;
}

/// Whether there are rates for an instruction, of elements as they lie in
/// memory. Nobody has timed single products of 8-bit floats and tf32x3.
static bool isFitted(const Work &work, const Atom &atom) {
  int64_t width = byteWidth(atom.operand);
  if (work.bytesA != width || work.bytesB != width)
    return false;
  if (atom.instruction == Instruction::Fma)
    return atom.operand == ElementKind::F32 && !atom.isLane();
  bool isOfMatrices = atom.instruction == Instruction::Wgmma ||
                      atom.instruction == Instruction::MmaSync;
  return isOfMatrices && atom.operand != ElementKind::TF32x3 &&
         (width > 1 || isInteger(atom.operand));
}

bool kami::isAlone(const Work &work, const Atom &atom, const Chip &chip,
                   const Exchange &exchange) {
  return work.isFew && isFitted(work, atom) && chip.copiesAsync &&
         !exchange.prefetches && !exchange.isPacked();
}

/// The part of a multiprocessor's matrix units that has no warps to keep it
/// busy. Warps of a batch wait for memory, and those of blocks that are not
/// there hide nothing; a single product was fitted with operands in the cache,
/// and as many blocks as there is room for ("Single products",
/// docs/Experiments.md).
static double missingWarps(const CalibratedCost &cost, const Work &work,
                           const Moved &moved, double warps) {
  constexpr double enoughOfBatch = 8, enoughOfOne = 12;
  double blocks = cost.residentBlocks;
  bool isBatch = work.batch > 1;
  if (isBatch)
    blocks = std::min(blocks, moved.busiest);
  return std::max(0.0,
                  1 - blocks * warps / (isBatch ? enoughOfBatch : enoughOfOne));
}

/// Cycles of a plan's copies, and of what waits for them.
static double copiedCycles(const CalibratedCost &cost, double chain,
                           const Work &work, const Moved &moved,
                           const CopyRates &rates, double warps,
                           const Chip &chip, const Exchange &exchange) {
  double threads = warps * chip.warpSize;
  double cycles =
      rates.output * moved.busiest * moved.c / cacheLine + rates.chain * chain;
  cycles += rates.fewWarps * missingWarps(cost, work, moved, warps) *
            moved.busiest * cost.tensorCores;
  double pieces = moved.operands() / copiedPiece / threads;
  cycles += rates.piece * pieces;
  if (exchange.stages == 1)
    cycles += rates.pieceAtOnce * pieces;
  if (exchange.stages == 2)
    cycles += rates.thirdTile * std::max(0.0, cost.kTiles - 2);
  double ragged = raggedMoves(moved.a, work.pieceA, work.bytesA) +
                  raggedMoves(moved.b, work.pieceB, work.bytesB);
  return cycles + rates.raggedOfThread * ragged / threads +
         rates.ragged * moved.busiest * ragged /
             double(chip.tensorCores * chip.warpSize);
}

/// Cycles of what a plan's warps load.
static double loadedCycles(const CalibratedCost &cost, const Work &work,
                           const Moved &moved, const LoadRates &rates,
                           const Partition &partition, const Chip &chip) {
  double warps = partition.grid.warps();
  double words = moved.operands() / wordBytes / (warps * chip.warpSize);
  double loads =
      (moved.a / work.accessA + moved.b / work.accessB) / chip.warpSize;
  double cycles = rates.word * words + rates.load * moved.busiest * loads;
  if (hasEdges(work.extents, partition.tile))
    cycles += rates.loadAtEdge * loads / warps;
  return cycles + rates.nextTile * (cost.kTiles - 1);
}

/// Until a launch has begun and ended, and memory has been read and written.
static double launched(const Chip &chip, const Calibration &calibration) {
  return calibration.launchMicroseconds * chip.boostMHz +
         2 * busyLatency * calibration.memoryLatency;
}

/// What any plan takes at least: until all operands have left the cache.
static double begun(const Rates &rates, const Moved &moved, const Chip &chip,
                    const Calibration &calibration) {
  return launched(chip, calibration) + rates.fixed +
         rates.cached * moved.ofAll(chip) / cacheLine;
}

double kami::aloneCycles(const CalibratedCost &cost, double chain,
                         const Work &work, const Atom &atom,
                         const Partition &partition, const Chip &chip,
                         const Calibration &calibration,
                         const Exchange &exchange) {
  Moved moved =
      movedBy(work, atom, cost.blocks, tileOf(partition, exchange), chip);
  auto ofAny = [&](const Rates &rates) {
    return begun(rates, moved, chip, calibration) +
           rates.shared * moved.busiest * cost.sharedBandwidth +
           rates.barrier * cost.barriers +
           rates.multiply * moved.busiest * cost.tensorCores;
  };
  if (exchange.isCopied()) {
    const CopyRates &rates = copyRatesOf(atom);
    return ofAny(rates) + copiedCycles(cost, chain, work, moved, rates,
                                       double(partition.grid.warps()), chip,
                                       exchange);
  }
  const LoadRates &rates = loadRatesOf(atom);
  return ofAny(rates) + loadedCycles(cost, work, moved, rates, partition, chip);
}

double kami::leastAlone(const Work &work, const Atom &atom, double blocks,
                        const Extents &tile, const WarpGrid &grid,
                        const Chip &chip, const Calibration &calibration) {
  Moved moved = movedBy(work, atom, blocks, tile, chip);
  double each = moved.operands() / (double(grid.warps()) * chip.warpSize);
  const CopyRates &copies = copyRatesOf(atom);
  double bound = begun(copies, moved, chip, calibration) +
                 copies.shared * moved.busiest * moved.operands() /
                     calibration.sharedBandwidth +
                 copies.output * moved.busiest * moved.c / cacheLine +
                 copies.piece * each / copiedPiece;
  if (atom.unit() != Unit::WarpGroup) {
    const LoadRates &loads = loadRatesOf(atom);
    bound = std::min(bound, begun(loads, moved, chip, calibration) +
                                loads.word * each / wordBytes);
  }
  return bound;
}
