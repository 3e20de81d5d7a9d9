//===- CalibratedModel.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/CalibratedModel.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Layout/FragmentMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace kami;

/// The bytes that device memory and cache move at a time: a sector.
static constexpr double sectorBytes = 32;
// The next are fitted to 1300 kernels of batches of 1000 to 10 000 products,
// f16, tf32 and f64, of 16³ to 256³, in 46 runs (two H200s, 2026-11-22): of
// each run's kernels, the model's choice takes 1.04 of the fastest's time on
// average; of 280 kernels of f16 and tf32 from 32³ to 96³, 1.004 (another H200,
// 2026-11-23, after which some were added or changed).

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
/// Memory that is busy answers later than idle memory.
static constexpr double busyLatency = 1;
/// What a multiprocessor's work adds to the time of a block that is as long as
/// it by itself, or the other way round; and the part of both that blocks which
/// start as others end do not hide.
static constexpr double exposedRound = 0.3;
static constexpr double startedEarly = 0.85;
/// The same of packs, which come and go fast, and of groups, whose copies and
/// products take few instructions: with 0.3, tf32 of 32, 48 and 80 was thought
/// to be 5 to 8 % slower than it is beside warps by themselves.
static constexpr double exposedPack = 0.1, exposedGroup = 0.2;
/// Lanes that load their elements of fragments keep each other waiting the
/// more, the longer a block's column of A is, in bytes, beyond this: so much
/// for each time that it is doubled.
static constexpr double loadingLanes = 0.2, freeColumn = 96;
/// How much longer sums over layers of opaque matrices take, which each layer
/// passes on as a whole through shared memory while all others wait: 64 x 32 x
/// 128 by two layers took 3.1 times CUDA's plan on an H200's Vulkan driver,
/// 64 x 64 x 64 by one 1.5 times (f16, 2026-11-22).
static constexpr double opaqueLayers = 1;
/// Cycles of a block for every piece of 16 bytes that one of its threads moves,
/// where warps read it again from shared memory, and elsewhere.
static constexpr double reread = 40, readOnce = 5;
/// Cycles of a block for every tile along k, and for every tile of C in turn.
static constexpr double tileCycles = 200, turnCycles = 500;
/// The first of groups, which start the next tile's copies beside their one
/// instruction: 1000 products of f16 272 by 192 × 136 with tiles of 32 and 64
/// along k took 209 and 179 µs, of tf32 129 and 161 with 16 and 32 106 and 96,
/// 141 and 130 (H100, 2026-11-26).
static constexpr double groupTileCycles = 400;
/// The same where they put rows straight: 1000 products of f16 81 take 23 µs in
/// one tile along k and 28 in tiles of 16 (H200, 2026-11-26). Of elements of 16
/// bits, of which a thread puts more straight, 283, 351 and 477 take 446, 569
/// and 1223 µs in tiles of 32, 382, 479 and 1064 in tiles of 64 (H100,
/// 2026-11-26).
static constexpr double straightenedTileCycles = 500,
                        straightenedHalfTileCycles = 1300;
/// Those in which a warp makes the maps of both operands, and the engine sees
/// them, unless it does so a product ahead (H100, 2026-11-25).
static constexpr double mapCycles = 700;
/// Those that a multiprocessor takes for a C that goes through shared memory:
/// beside fragments that are loaded and stored directly, and beside f32, copied
/// f16 took 30 to 100 longer at 32, 48 and 64 (H200, 2026-11-23).
static constexpr double relayCycles = 60;
/// How much longer products take where one warp does all of it, where tiles
/// along k follow each other, where no more than one of these is ahead, which
/// blocks in turn that prefetch the next product's feel less, warps only of
/// more than three tiles and groups little of two, but more where threads have
/// edges to mind before the copies are on their way, and where a multiprocessor
/// has no other block while warps wait for each other, which those of a group
/// do less. 1000 products of f16 in two stages, and by tiles of 64 in three:
/// 192 61 and 58 µs, 256 101 and 98.6, at edges 224 93 and 85, 240 108 and 94
/// (H200, 2026-11-26).
static constexpr double singleWarp = 0.2, tileByTile = 0.06, twoStages = 0.25,
                        twoStagesInTurn = 0.1, twoStagesOfTwo = 0.015,
                        twoStagesAtEdges = 0.3, aloneBlock = 0.3;
/// The same where lanes multiply, for the part of so many warps that a
/// multiprocessor lacks: 1000 f32 products of 57 and 63 by 8 warps took 32 and
/// 35 µs, by 16 23 and 26 (H100, 2026-11-26).
static constexpr double idleLanes = 0.4, busyLaneWarps = 12;
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
/// The same where a block copies a whole product at once, so that no sector
/// comes twice: 6000 products of f64 of 65 by two blocks of six warps, which
/// leave as much, 225 µs, by slices of k 255; but of 57 by three of four 138,
/// by two of eight, which leave more, 112.5 (H200, 2026-11-27). A part of a
/// product is another thing: 81 by two blocks of 81 × 48 378, by slices 324.
static constexpr double smallCacheOnce = 0.1;
/// The same of f64, for each extent of a product of which such copies bring a
/// part, all terms at once. As little as tells what is else alike: 264 products
/// of 49 and 53 by 49 × 32 and 53 × 32 take 9.8 and 10.5 µs, by whole ones 7.9
/// and 8.6, but 1000 of 65 and 69 by 65 × 24 and 69 × 24 no more than that
/// (H200, 2026-11-27).
static constexpr double narrowParts = 0.015;
static constexpr int64_t smallCacheBytes = 32 * 1024;
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
/// and 203 (H100, 2026-11-25).
static constexpr double dealtOutDoubles = 1.15;
/// Instructions that it takes to move an element, or an adjacent few, that are
/// no piece of 16 bytes: of f16, products of 17 rows reached half of what
/// memory gives (H200, 2026-11-22).
static constexpr double raggedMove = 40;
/// How much longer that takes where a line has no power of two of such moves,
/// nor about as many, so that threads divide to find theirs: 1000 f32 products
/// of 129 by 48 × 129 × 16 took 253 µs, by 129 × 48 × 16 185 (H100,
/// 2026-11-26).
static constexpr double unevenLine = 1.8;
/// The same for a piece of 16 bytes that is copied as it lies and put straight
/// in shared memory for groups: of elements narrower than a word, which are
/// shifted, and of words (1000 products of f16 of 129 to 257 and of tf32 of 129
/// to 257, H100, 2026-11-26).
static constexpr double skewedMove = 150, skewedWordMove = 60;
/// The part of these that multiply-adds, which the same schedulers issue, wait
/// for; and how much longer those take before which a block multiplies nothing,
/// since a scheduler has too few warps to hide what each waits for (f32 in odd
/// rows of 57 to 193, H100, 2026-11-26).
static constexpr double besideMultiplying = 0.3, beforeMultiplying = 1.5;
/// What a word of a pack takes, and what every warp of it does once.
static constexpr double packedMove = 2;
static constexpr double packedFixed = 60;
/// How much longer products take that the lanes of a warp multiply of operands
/// in device memory: of f32, 12³ and 24³ took 1.4 to 1.6 times what is counted
/// (H200, 2026-11-22).
static constexpr double laneWarps = 1.4;
/// Cycles in which a multiprocessor starts a block.
static constexpr double blockStart = 100;
/// How much longer lanes take that read matrices of several products: some meet
/// in a bank.
static constexpr double laneConflicts = 1.25;

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

static void addCommunication(CalibratedCost &cost, const Atom &atom,
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

/// What a block moves of an extent: groups, what tiles have of it on average,
/// of which the last has less; but warps at an edge take as long as elsewhere
/// (f64 65 to 288 and f32 80, H100, 2026-11-26).
static double movedPart(int64_t extent, int64_t tile,
                        const Exchange &exchange) {
  return exchange.unit == Unit::WarpGroup
             ? double(extent) / llvm::divideCeil(extent, tile)
             : double(std::min(extent, tile));
}

namespace {
/// Bytes that one block moves.
struct BlockBytes {
  double cache;
  double device;
  /// The part of `cache` that is C's, of products that are copied in tiles.
  double output = 0;
};
} // namespace

/// For matrices in row-major order. `tile` may exceed the problem.
static BlockBytes blockBytes(const Work &work, double blocks, const Atom &atom,
                             const Extents &tile,
                             const Exchange &exchange = {}) {
  double operandA = work.bytesA ? work.bytesA : byteWidth(atom.operand);
  double operandB = work.bytesB ? work.bytesB : byteWidth(atom.operandB());
  double accumulator = work.bytesC ? work.bytesC : byteWidth(atom.accumulator);
  double m = work.extents.m, n = work.extents.n, k = work.extents.k;
  double tileM = movedPart(work.extents.m, tile.m, exchange);
  double tileN = movedPart(work.extents.n, tile.n, exchange);
  double tileK = std::min<double>(tile.k, k);
  double a = tileM * k / tileK * rowBytes(tileK, k, operandA);
  double b = k * rowBytes(tileN, n, operandB);
  double c = tileM * rowBytes(tileN, n, accumulator);
  double once = (m * operandA + n * operandB) * k + m * n * accumulator;
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

static void addMemory(CalibratedCost &cost, const Atom &atom,
                      const BlockBytes &bytes, const Chip &chip,
                      const Calibration &calibration,
                      const Exchange &exchange) {
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

bool kami::hasEdges(const Extents &extents, const Extents &tile) {
  return extents.m % tile.m != 0 || extents.n % tile.n != 0;
}

double kami::overlappedCycles(llvm::ArrayRef<double> units, double exposed) {
  double busiest = *llvm::max_element(units);
  double all = std::accumulate(units.begin(), units.end(), 0.0);
  return busiest + exposed * (all - busiest);
}

/// Elements of the widest words that lines of so many consist of.
static double wordOf(int64_t elements, ElementKind kind) {
  return packedWord(elements, elements, byteWidth(kind));
}

/// Instructions of a block whose lanes each have rows of a product.
static double laneInstructions(const Atom &atom, const Partition &partition,
                               const Chip &chip, const Exchange &exchange) {
  double rows = partition.warpM, n = partition.tile.n, k = partition.tile.k;
  double loads = k * rows / wordOf(partition.tile.k, atom.operand) +
                 k * n / wordOf(partition.tile.n, atom.operandB());
  double extended = atom.operand == atom.accumulator ? 0 : k * (rows + n);
  double stores = rows * n / wordOf(partition.tile.n, atom.accumulator);
  double warps = std::ceil(double(exchange.packedTeams()) * partition.grid.m /
                           chip.warpSize);
  return warps * (exchange.rounds *
                      (rows * n * k + loads + extended + packedMove * stores) +
                  packedFixed);
}

/// The same of a block whose warps each have a product.
static double warpInstructions(const Atom &atom, const Partition &partition,
                               const Chip &chip, int64_t products) {
  double m = partition.warpM, n = partition.warpN, k = partition.paddedK();
  double words = m * k / wordOf(partition.tile.k, atom.operand) +
                 k * n / wordOf(partition.tile.n, atom.operandB()) +
                 m * n / wordOf(partition.tile.n, atom.accumulator);
  return products * (packedMove * words / chip.warpSize + packedFixed);
}

/// Instructions for rows of elements that are no whole pieces of 16 bytes, of
/// which tiles have lines of `lineElements`.
static double raggedInstructions(const Atom &atom, double elements,
                                 int64_t lineElements, int64_t bytes,
                                 int64_t piece, const Exchange &exchange,
                                 const Chip &chip) {
  if (exchange.skewed && exchange.unit == Unit::WarpGroup)
    return (bytes < 4 ? skewedMove : skewedWordMove) * elements * bytes /
           copiedPiece / chip.warpSize;
  if (piece == 0 || piece >= copiedPiece)
    return 0;
  int64_t move = std::max(piece, bytes);
  int64_t places = llvm::divideCeil(lineElements * bytes, move);
  bool isUneven = atom.instruction == Instruction::Fma &&
                  3 * int64_t(llvm::PowerOf2Ceil(places)) > 4 * places;
  return (isUneven ? unevenLine : 1) * raggedMove * elements * bytes / move /
         chip.warpSize;
}

/// What a block computes of C at once.
static Extents tileOf(const Partition &partition, const Exchange &exchange) {
  return exchange.isTransposed ? transposed(partition.tile) : partition.tile;
}

/// Cycles in which a block does nothing but start, and issue what moves
/// elements one by one and multiplies them. Where whole pieces are moved and
/// matrix units multiply, that is little beside what else is counted.
static double issueCycles(const Work &work, const Atom &atom,
                          const Partition &partition, const Chip &chip,
                          const Exchange &exchange) {
  const Extents tile = tileOf(partition, exchange), &extents = work.extents;
  double instructions;
  if (atom.isLane())
    instructions = laneInstructions(atom, partition, chip, exchange);
  else if (exchange.isPacked())
    instructions = warpInstructions(atom, partition, chip, exchange.packed);
  else {
    double rows = movedPart(extents.m, tile.m, exchange),
           columns = movedPart(extents.n, tile.n, exchange);
    instructions = raggedInstructions(
                       atom, rows * extents.k, std::min(tile.k, extents.k),
                       byteWidth(atom.operand), work.pieceA, exchange, chip) +
                   raggedInstructions(
                       atom, extents.k * columns, std::min(tile.n, extents.n),
                       byteWidth(atom.operandB()), work.pieceB, exchange, chip);
  }
  return instructions / chip.tensorCores +
         (exchange.isPacked() ? blockStart : 0);
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

/// How much longer that takes because of what is not counted.
static double hindrance(const CalibratedCost &cost, const Atom &atom,
                        const Extents &extents, const Partition &partition,
                        const Exchange &exchange) {
  if (exchange.isPacked())
    return 1;
  double resident = double(cost.residentBlocks) * partition.grid.warps();
  double idle = idleLanes * std::max(0.0, 1 - resident / busyLaneWarps);
  if (atom.instruction == Instruction::Fma && !exchange.isCopied())
    return laneWarps + idle;
  double factor = 1;
  if (partition.grid.warps() == 1)
    factor += singleWarp;
  if (atom.instruction == Instruction::Fma)
    return factor + idle;
  // How lanes load opaque matrices is the device's business.
  if (!exchange.isCopied() && !atom.isOpaque())
    factor +=
        loadingLanes *
        std::log2(std::max(1.0, partition.tile.m * byteWidth(atom.operand) /
                                    freeColumn));
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

/// Cycles of a block in which its threads get elements to where they are
/// multiplied, and results out, beside what is counted by bytes.
static double movingCycles(const CalibratedCost &cost, const Atom &atom,
                           const BlockBytes &bytes, const Partition &partition,
                           const Chip &chip, const Exchange &exchange) {
  if (exchange.isPacked())
    return 0;
  double threads = double(partition.grid.warps()) * chip.warpSize;
  double each = readOnce;
  if (exchange.isCopied() && exchange.unit != Unit::WarpGroup)
    each = reread;
  // The engine takes no thread's time.
  if (exchange.bulk)
    each = 0;
  double tile = exchange.unit != Unit::WarpGroup ? tileCycles
                : !exchange.skewed               ? groupTileCycles
                : byteWidth(atom.operand) > 2    ? straightenedTileCycles
                                                 : straightenedHalfTileCycles;
  return each * bytes.cache / copiedPiece / threads + tile * cost.kTiles +
         (exchange.prefetches ? turnCycles : 0) +
         (exchange.bulk && !exchange.prefetches ? mapCycles : 0);
}

/// Whether rows are copied in pieces narrower than 16 bytes.
static bool copiesNarrowPieces(const Work &work, const Exchange &exchange) {
  auto isNarrow = [](int64_t piece) {
    return piece >= 4 && piece < copiedPiece;
  };
  return exchange.isCopied() && !exchange.isPacked() && !exchange.skewed &&
         (isNarrow(work.pieceA) || isNarrow(work.pieceB));
}

/// How much longer a block takes for copies of narrow pieces.
static double narrowHindrance(const CalibratedCost &cost, const Work &work,
                              const Atom &atom, const Extents &tile,
                              const Resources &resources, const Chip &chip,
                              const Exchange &exchange) {
  if (!copiesNarrowPieces(work, exchange))
    return 1;
  double factor = 1;
  bool copiesOnce = cost.kTiles == 1, copiesAll = cost.blocks <= work.batch;
  int64_t bytes = resources.shared.bytes + chip.sharedReservedPerBlock;
  if (cost.residentBlocks * bytes >
      chip.sharedPerMultiprocessor - smallCacheBytes)
    factor += copiesOnce && copiesAll ? smallCacheOnce : smallCache;
  bool isWide = byteWidth(atom.operand) == 8;
  if (copiesOnce && isWide && !atom.isLane() &&
      atom.instruction != Instruction::Fma)
    factor += narrowParts * ((tile.m < work.extents.m ? 1 : 0) +
                             (tile.n < work.extents.n ? 1 : 0));
  return factor;
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

CalibratedCost
kami::calibratedCost(const Work &work, const Atom &atom,
                     const Partition &partition, const Slicing &slicing,
                     const Resources &resources, const Chip &chip,
                     const Calibration &calibration, const Exchange &exchange) {
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
  cost.tensorCores = std::max(cost.tensorCores, issue);
  cost.computation = std::max(cost.computation, issue);

  cost.launch = calibration.launchMicroseconds * chip.boostMHz;
  double perBlock =
      throughput(cost, work, atom, chip) *
          hindrance(cost, atom, work.extents, partition, exchange) +
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
  // Only a block's first operands and last C are waited for.
  if (exchange.prefetches) {
    bool isFewDoubles = atom.operand == ElementKind::F64 &&
                        partition.grid.warps() <= mostOfFewWarps;
    cost.total =
        (isFewDoubles ? dealtOutDoubles : dealtOut) *
            (groupsWaitApart(exchange, partition.grid) ? groupsApart : 1) *
            cost.total +
        2 * busyLatency * calibration.memoryLatency;
  }
  if (rest > 0)
    cost.total += round(rest);
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
