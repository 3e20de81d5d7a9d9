//===- CalibratedModel.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/CalibratedModel.h"
#include "CalibratedParts.h"
#include "kami/Layout/HalfTiles.h"
#include "kami/Layout/SharedMatrix.h"
#include "kami/Layout/SliceAhead.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kami;

// These, and those of the model's parts, are fitted to 1300 kernels of batches
// of 1000 to 10 000 products, f16, tf32 and f64, of 16³ to 256³, in 46 runs
// (two H200s, 2026-11-22): of each run's kernels, the model's choice takes 1.04
// of the fastest's time on average; of 280 kernels of f16 and tf32 from 32³ to
// 96³, 1.004 (another H200, 2026-11-23, after which some were added or
// changed).

/// The part of the less busy units' cycles that the busiest does not hide.
static constexpr double exposed = 0.05;
/// What the second-level cache moves holds up what device memory does.
static constexpr double exposedCache = 0.25;
/// The same of f64, whose products draw all the power that a chip has, so that
/// everything else that moves slows them down: 2000 and 4000 of 128 take 206
/// and 403 µs by 128 × 64 × 16, 216 and 430 by squares of 64, 4000 of 96 215 by
/// 96 × 48 × 16, 232 by 96 × 32 × 16, 1000 of 80 44.5 by 80 × 40 × 80, 51.8 by
/// 32 × 80 × 80. Not where a multiprocessor has few elements of C: 100 of 136
/// 19.5 by squares of 48, 23.1 by 48 × 72 × 16 (H200, 2026-11-27).
static constexpr double exposedCacheOfDoubles = 0.3, fewElements = 32768;
/// What a multiprocessor's work adds to the time of a block that is as long as
/// it by itself, or the other way round; and the part of both that blocks which
/// start as others end do not hide.
static constexpr double exposedRound = 0.3;
static constexpr double startedEarly = 0.85;
/// The same of packs, which come and go fast, and of groups, whose copies and
/// products take few instructions: with 0.3, tf32 of 32, 48 and 80 was thought
/// to be 5 to 8 % slower than it is beside warps by themselves.
static constexpr double exposedPack = 0.1, exposedGroup = 0.2;
/// The part of the first blocks' copies that lanes do not hide, since these
/// copy together and then multiply together: as much as there is room for in
/// shared memory, however a plan shares it out. A million products have little
/// of it; 10 000 of f16 17 were thought to take 5.8 µs, less than by
/// warps, 6.8, and take 10.1 and 7.8, of f32 16 9.3 and 11.1, 12.5 and 11.5
/// (beside 1.1 µs of a launch; H100, 2026-11-27). Fitted to 92 batches of f16
/// and f32.
static constexpr double shownFirst = 0.5;
/// Cycles that a multiprocessor takes for a C that goes through shared memory:
/// beside fragments that are loaded and stored directly, and beside f32, copied
/// f16 took 30 to 100 longer at 32, 48 and 64 (H200, 2026-11-23).
static constexpr double relayCycles = 60;
/// How much longer a block takes by itself that loads one tile along k after
/// the other to registers: 1000 f16 products of 48 took 8.0 µs in two tiles
/// and 5.6 in one, where 5.1 were expected of both (H200, 2026-11-23).
static constexpr double loadedInTurn = 0.3;

/// What blocks in turn take longer than the model thinks: tiles are dealt out
/// before anybody knows who is late. Fitted to 12 sizes of f16, tf32 and f64
/// from 48 to 256 (H200, 2026-11-22), of which it decides the close ones.
static constexpr double dealtOut = 1.023;
/// What several groups take of it that wait apart for what the engine brings,
/// and multiply while others wait: 1000 products of f16 272 take 159 µs, 400
/// 410 and 512 482, of tf32 272 282 and 512 962, where 200, 530, 790, 348 and
/// 1560 were expected (H200, 2026-11-26). The least of it decides: what is
/// more, other ways of large products gain as well.
static constexpr double groupsApart = 0.8;
/// The same of f64 in blocks of few warps, which hold no slice ahead there:
/// 1000 products of 160 take 271 µs by 8 warps in turn and 238 by a block each,
/// 224 617 and 577, where 8 and 2 % less were expected; but 144 by 12 warps 191
/// and 203 (H100, 2026-11-25). 93 of 176 × 304 × 168 take 72 µs by 96 × 160 ×
/// 32 in turn and 52 by 96 × 80 × 16 (H200, 2026-11-29).
static constexpr double dealtOutDoubles = 1.5;
static constexpr int64_t mostWarpsDealtOut = 8;
/// The part of what is issued to move elements that multiply-adds, which the
/// same schedulers issue, wait for; and how much longer that takes before which
/// a block multiplies nothing, since a scheduler has too few warps to hide what
/// each waits for (f32 in odd rows of 57 to 193, H100, 2026-11-26).
static constexpr double besideMultiplying = 0.3, beforeMultiplying = 1.5;

/// What a matrix unit takes longer of than the model thinks where parts of
/// complex numbers are copied one by one: 19 sizes of f64 from 8 to 256, by up
/// to ten plans each (H200, 2026-11-28).
static constexpr double copiedParts = 1.35;

Computation kami::computationOf(const Atom &atom, const Partition &partition,
                                const Chip &chip,
                                const Calibration &calibration, int64_t teams) {
  const AtomCalibration &behaviour = calibration.of(atom);
  double warps = teams * partition.grid.warps();
  double atoms =
      double(partition.warpM / atom.shape.m) * (partition.warpN / atom.shape.n);
  double steps =
      double(activeSlices(partition)) * (partition.sliceK / atom.shape.k);
  double warpsPerCore = std::ceil(warps / chip.tensorCores);
  return {warps * atoms * steps * behaviour.cycles / chip.tensorCores,
          steps * std::max(warpsPerCore * atoms * behaviour.cycles,
                           behaviour.latency)};
}

bool kami::hasEdges(const Extents &extents, const Extents &tile) {
  return extents.m % tile.m != 0 || extents.n % tile.n != 0;
}

/// How much longer f64 takes, beside others, by tiles of 80 columns in which k
/// ends, without a slice ahead, at edges by warps with as many elements of C as
/// those of 128 × 64, and of long sums by two stages of 32 terms and more.
/// Batches of 320 MB, by these and by others: 152 131 µs by 96 × 80 and 125 by
/// squares of 64, 392 284 and 242, 352 205 by 128 × 64 and 200 by 96 × 64, 456
/// 268 and 255, 464 258 and 246; 91 of 112 × 592 × 528 167 by 112 × 64 × 32 and
/// 144 by 64 × 128 × 16 (H200, 2026-11-29).
static constexpr double spillingDoubles = 1.3, largeDoublesAtEdges = 1.045,
                        deepDoubles = 1.05;
static constexpr int64_t largeDoubles = 2048, deepTile = 32, manyDeepTiles = 8;

/// Where one row of the matrix unit's tiles is all that a warp has, it holds
/// as much of B as of C, and more columns than these spill (complex 180 and 296
/// by 16 × 120 a warp 701 and 2698 µs, by 32 × 56 and 32 × 64 222 and 915), or
/// take a little longer than others (165 × 264 × 153 by 16 × 88 188 and by
/// 32 × 48 161, but 112 × 176 × 488 136 and by 112 × 16 154). So do tiles of
/// odd rows as long as these, whose copies are not shared evenly and take the
/// registers of a slice ahead: six batches of 131 to 147 columns by 32 rows of
/// them take 0.69 to 0.80 of the time by narrower ones, 152 × 137 × 197 295 by
/// 32 × 137 and 153 by 80 × 48. Batches as above (H200, 2026-11-29).
static constexpr double longRow = 1.08, spillingRow = 1.6;
static constexpr int64_t manyColumns = 80, mostColumns = 88, longOddRow = 128;

static double rowHindrance(const Work &work, const Partition &partition) {
  if (work.extents.n % 2 != 0 && partition.tile.n > longOddRow)
    return spillingRow;
  if (partition.warpM > partition.atomM)
    return 1;
  if (partition.warpN > mostColumns)
    return spillingRow;
  return partition.warpN > manyColumns ? longRow : 1;
}

/// The part of what a multiprocessor's matrix units wait for each other, where
/// its warps are no multiple of them, that shows: two blocks of three warps are
/// two warps for two of four, and one for the others. 61 of 500 batches, real
/// and complex, have other plans for this and the above, and take 0.74 of the
/// time (geometric mean): the 29 real ones 0.54 to 1.02 (525 × 77 × 291 262 and
/// 140 µs, 144 137 and 121), the others 0.32 to 0.99 (complex 240 617 and 446;
/// H200, 2026-11-29).
static constexpr double shownUneven = 0.5;

static double unevenness(int64_t warps, int64_t units) {
  return 1 + shownUneven * (double(llvm::alignTo(warps, units)) / warps - 1);
}

static double doublesHindrance(const Work &work, const Partition &partition,
                               const Exchange &exchange, int64_t residentBlocks,
                               const Chip &chip) {
  double factor =
      rowHindrance(work, partition) *
      unevenness(residentBlocks * partition.grid.warps(), chip.tensorCores);
  if (partition.tile.n == spilledColumns && !exchange.skewed &&
      !isSliceAhead(partition, exchange.stages, work.extents.k))
    factor *= spillingDoubles;
  else if (hasEdges(work.extents, partition.tile) &&
           partition.warpM * partition.warpN >= largeDoubles)
    factor *= largeDoublesAtEdges;
  if (exchange.stages == 2 && partition.tile.k >= deepTile &&
      work.extents.k >= manyDeepTiles * partition.tile.k)
    factor *= deepDoubles;
  return factor;
}

double kami::overlappedCycles(llvm::ArrayRef<double> units, double exposed) {
  double busiest = *llvm::max_element(units);
  double all = std::accumulate(units.begin(), units.end(), 0.0);
  return busiest + exposed * (all - busiest);
}

/// Cycles that one more block adds to a multiprocessor that has many.
static double throughput(const CalibratedCost &cost, const Work &work,
                         const Atom &atom, const Chip &chip) {
  double elements = double(work.extents.m) * work.extents.n * work.batch;
  bool drawsAllPower = atom.operand == ElementKind::F64 &&
                       elements > fewElements * chip.multiprocessors;
  return overlappedCycles({cost.tensorCores, cost.sharedBandwidth,
                           cost.cacheBandwidth, cost.memoryBandwidth},
                          exposed) +
         (drawsAllPower ? exposedCacheOfDoubles : exposedCache) *
             cost.cacheBandwidth;
}

static double countBlocks(const Work &work, int64_t tileM, int64_t tileN) {
  return double(llvm::divideCeil(work.extents.m, tileM)) *
         llvm::divideCeil(work.extents.n, tileN) * work.batch;
}

/// The part of a block's memory traffic during which it does nothing else. What
/// is copied ahead travels while the last product is multiplied, or the tile
/// before, so that groups wait for the first tile along k and for C; not even
/// for these where they are alone and put rows straight, which takes longer
/// than memory: 1000 products of tf32 of 129 and 161 by 12 warps take 96 and
/// 130 µs, where 136 and 204 were expected, of f16 255 by 16 warps 191 (394).
/// Warps were measured to wait for all (f64 288, H100, 2026-11-26).
static double waitedForOf(const CalibratedCost &cost, const BlockBytes &bytes,
                          const Exchange &exchange) {
  if (exchange.prefetches)
    return 0;
  if (exchange.stages == 1 || exchange.unit != Unit::WarpGroup)
    return 1;
  if (cost.residentBlocks == 1 && exchange.skewed)
    return 0;
  return bytes.output + (1 - bytes.output) / cost.kTiles;
}

/// The part of a block's operands that it copies, or loads, before it
/// multiplies.
static double filled(const CalibratedCost &cost, const Exchange &exchange) {
  return exchange.stages == 1 ? 1
                              : std::min(1.0, exchange.stages / cost.kTiles);
}

/// What is counted in the place of an operand that stays in registers: sums
/// that do, in tiles of as many columns as pass by, 256 at most.
static Partition withSums(const Partition &partition, const Work &work,
                          const Exchange &exchange) {
  constexpr int64_t depth = 32;
  int64_t passing = exchange.isTransposed ? work.extents.m : work.extents.n;
  Extents tile = {partition.tile.m, std::min(passing, maxGroupColumns),
                  std::min(partition.tile.k, depth)};
  Extents shape = {partition.atomM, groupColumnGranule, partition.sliceK};
  return Partition(tile, partition.grid, shape, partition.sliceK);
}

CalibratedCost
kami::calibratedCost(const Work &work, const Atom &atom,
                     const Partition &partition, const Slicing &slicing,
                     const Resources &resources, const Chip &chip,
                     const Calibration &calibration, const Exchange &exchange) {
  if (exchange.stationary) {
    Exchange sums = exchange;
    sums.stationary = false;
    return calibratedCost(work, atom, withSums(partition, work, exchange),
                          slicing, resources, chip, calibration, sums);
  }
  const Extents tile = tileOf(partition, exchange);
  CalibratedCost cost;
  cost.blocks = countBlocks(work, tile.m, tile.n);
  // The last pack of each row of the batch may have fewer.
  if (exchange.isPacked() && work.packable > 0)
    cost.blocks = cost.blocks / double(work.packable) *
                  llvm::divideCeil(work.packable, exchange.packed);
  cost.kTiles = llvm::divideCeil(work.extents.k, tile.k);
  cost.residentBlocks = residentBlocks(resources, chip);
  Computation tileCost = computationOf(atom, partition, chip, calibration,
                                       exchange.packedProducts());
  cost.tensorCores = cost.kTiles * tileCost.tensorCores;
  cost.computation = cost.kTiles * tileCost.chain;
  addCommunication(cost, atom, partition, slicing, chip, calibration, exchange);
  bool isDoubles = atom.instruction == Instruction::MmaSync &&
                   atom.operand == ElementKind::F64 && exchange.isCopied() &&
                   !exchange.isPacked() && !exchange.prefetches;
  if (isDoubles) {
    double part = multipliedPart(work.extents, partition, atom.shape);
    cost.tensorCores *= part;
    cost.computation *= part;
    // One operand's reads are those of a half.
    cost.sharedBandwidth *= (1 + part) / 2;
  }
  if (work.isComplex)
    for (double *part :
         {&cost.tensorCores, &cost.computation, &cost.sharedBandwidth,
          &cost.sharedLatency, &cost.barriers})
      *part *= 4;
  BlockBytes bytes = blockBytes(work, cost.blocks, atom, tile, exchange);
  cost.computation +=
      movingCycles(cost, atom, bytes, partition, chip, exchange);
  addMemory(cost, atom, bytes, chip, calibration, exchange);

  double issue = issueCycles(work, atom, partition, chip, exchange);
  if (atom.instruction == Instruction::Fma && !atom.isLane() &&
      !exchange.isPacked()) {
    cost.tensorCores += besideMultiplying * issue;
    if (!exchange.prefetches)
      cost.computation +=
          beforeMultiplying * issue * filled(cost, exchange) *
          chip.tensorCores /
          std::min<double>(partition.grid.warps(), chip.tensorCores);
  }
  if (!exchange.isPacked())
    cost.tensorCores +=
        wideningCycles(work, atom, partition, chip, cost.kTiles);
  cost.tensorCores = std::max(cost.tensorCores, issue);
  cost.computation = std::max(cost.computation, issue);

  cost.launch = calibration.launchMicroseconds * chip.boostMHz;
  if (isAlone(work, atom, chip, exchange)) {
    cost.total = aloneCycles(cost, cost.kTiles * tileCost.chain, work, atom,
                             partition, chip, calibration, exchange);
    return cost;
  }
  double perBlock =
      throughput(cost, work, atom, chip) *
          hindrance(cost, work, atom, partition, exchange) +
      (exchange.relaysC && !exchange.isPacked() ? relayCycles : 0);
  perBlock *=
      narrowHindrance(cost, work, atom, tile, resources, chip, exchange);
  double serial = cost.computation + cost.communication() + cost.memoryLatency +
                  waitedForOf(cost, bytes, exchange) *
                      std::max(cost.cacheBandwidth, cost.memoryBandwidth);
  if (!exchange.isCopied() && cost.kTiles > 1)
    serial *= 1 + loadedInTurn;
  double perRound = cost.residentBlocks * chip.multiprocessors;
  double rounds = std::floor(cost.blocks / perRound);
  double rest =
      std::ceil((cost.blocks - rounds * perRound) / chip.multiprocessors);
  auto round = [&](double blocks) {
    double busy = blocks * perBlock;
    double shown = exchange.isPacked()                ? exposedPack
                   : exchange.unit == Unit::WarpGroup ? exposedGroup
                                                      : exposedRound;
    return startedEarly *
           (std::max(busy, serial) + shown * std::min(busy, serial));
  };
  cost.total = cost.launch + rounds * round(cost.residentBlocks);
  if (atom.isLane())
    cost.total += shownFirst *
                  std::min(cost.blocks / chip.multiprocessors,
                           chip.sharedPerMultiprocessor / bytes.device) *
                  cost.memoryBandwidth;
  // Only a block's first operands and last C are waited for.
  if (exchange.prefetches) {
    bool isFewDoubles = atom.operand == ElementKind::F64 &&
                        partition.grid.warps() <= mostWarpsDealtOut;
    cost.total =
        (isFewDoubles ? dealtOutDoubles : dealtOut) *
            (groupsWaitApart(exchange, partition.grid) ? groupsApart : 1) *
            cost.total +
        2 * busyLatency * calibration.memoryLatency;
  }
  if (rest > 0)
    cost.total += round(rest);
  if (work.isComplex && exchange.isCopied() &&
      atom.instruction != Instruction::Fma)
    cost.total *= copiedParts;
  if (isDoubles && cost.kTiles > 1)
    cost.total *=
        doublesHindrance(work, partition, exchange, cost.residentBlocks, chip);
  return cost;
}

double kami::leastCycles(const Work &work, const Atom &atom, int64_t tileM,
                         int64_t tileN, const WarpGrid &grid, const Chip &chip,
                         const Calibration &calibration) {
  CalibratedCost cost;
  cost.blocks = countBlocks(work, tileM, tileN);
  Extents tile = {tileM, tileN, work.extents.k};
  Exchange exchange;
  exchange.unit = atom.unit();
  if (isAlone(work, atom, chip, exchange))
    return leastAlone(work, atom, cost.blocks, tile, grid, chip, calibration);
  addMemory(cost, atom, blockBytes(work, cost.blocks, atom, tile, exchange),
            chip, calibration, exchange);
  auto padded = [](int64_t extent, int64_t parts, int64_t atomExtent) {
    int64_t part = llvm::divideCeil(extent, parts);
    return double(llvm::alignTo(part, atomExtent)) * parts;
  };
  Extents shape = atom.shapeIn(grid);
  double atoms = padded(tileM, grid.m, shape.m) *
                 padded(tileN, grid.n, shape.n) * work.extents.k /
                 (double(shape.m) * shape.n * shape.k);
  if (work.isComplex)
    atoms *= 4;
  cost.tensorCores = atoms * calibration.of(atom).cycles / chip.tensorCores;
  double blocksEach = std::ceil(cost.blocks / chip.multiprocessors);
  return calibration.launchMicroseconds * chip.boostMHz +
         blocksEach * startedEarly * throughput(cost, work, atom, chip);
}

double kami::leastInTurn(const Atom &atom) {
  return atom.unit() == Unit::WarpGroup ? dealtOut * groupsApart : 1;
}
