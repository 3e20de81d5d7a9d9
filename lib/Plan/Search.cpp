//===- Search.cpp -------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Layout/HalfTiles.h"
#include "kami/Layout/SharedMatrix.h"
#include "kami/Plan/Interleaving.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace kami;
using llvm::alignTo;
using llvm::divideCeil;

/// Extents of C up to this one are tried without cutting, and so are depths.
/// 16 warps of 255 registers hold 256 × 256 sums of 32 bits at most.
static constexpr int64_t maxWholeExtent = 256;
static constexpr int64_t maxWholeDepth = 512;
static constexpr int64_t cutExtents[] = {256, 192, 128, 96, 64, 32, 16};
/// A cut that is tried where it leaves no rest: batches of f64 480, 560, 720
/// and 800 take 0.88 to 0.95 of the time in tiles of 96 × 80; but 23 others in
/// tiles of 80 that leave one, 0.98 to 1.24 (H200, 2026-11-28).
static constexpr int64_t wholeCut = 80;
static constexpr int64_t cutDepths[] = {128, 64, 32};
/// Of copied operands: how deep tiles may be, and how many of them are in
/// shared memory at once where there are several.
static constexpr int64_t copiedDepths[] = {128, 64, 32, 16};
static constexpr int64_t copiedStages[] = {2, 3, 4, 6, 8};
/// Where a multiprocessor holds more blocks than that, each with a tile of its
/// own, they hide each other's waits, and the hardware deals them out better:
/// of f16, tf32 and f64 from 48 to 256, where two or more fit, plans in turn
/// took 0.96 to 1.2 of the time of the best others (H200, 2026-11-22).
static constexpr int64_t mostBlocksAhead = 1;
/// Tiles along k that have room at a time, if they are deep.
static constexpr int64_t deepStages = 2;
/// The widest slice of more than four atoms.
static constexpr int64_t shallowSlice = 16;
/// What a lane multiplies of a tile follows each other without a loop. So many
/// instructions of 16 bytes fill the 128 KiB of an instruction cache (Jia et
/// al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking,
/// 2018), and ptxas 13.0 takes the square of their number: 8 s for 9216, 31 s
/// for twice and 134 s for four times as many.
static constexpr int64_t mostUnrolled = 8192;
/// The same of operands from device memory, where they could be copied.
static constexpr int64_t mostUnrolledFromMemory = 192;
/// Of the areas of C that fit, in the order of their lower bounds, so many are
/// costed for each grid.
static constexpr int64_t maxFittingAreas = 4;
/// More of those that leave out half a tile of f64, of which no bound knows.
static constexpr int64_t maxFittingHalves = 8;

/// Bytes of an operand's rows that parts of C's rows, or columns, are multiples
/// of. Where a part begins, a piece does, too, and one of the engine's boxes,
/// if rows go across parts: what is beyond a part in its last box is copied for
/// nothing, and a row of 128 bytes that begins between two sectors of 32 has
/// five of them. 1000 products of f16, µs, by even parts and by 256 columns, or
/// 192 up to 384: 264 179 and 182, 304 220 and 209, 336 269 and 258, 368 324
/// and 299, 400 465 and 417, 416 413 and 425, 432 521 and 443, 448 458 and 443,
/// 464 582 and 519, 496 627 and 591, 600 1365 and 1346, 704 1294 and 1306
/// (H100, 2026-11-26).
int64_t GridSearch::partBytes(std::optional<Major> major) const {
  bool isInBoxes = major == Major::MN && usesEngine(/*prefetches=*/true);
  return isInBoxes ? longestSwizzleRow : copiedPiece;
}

/// Tile extents along m or n, the largest first: the whole extent, or a part
/// that whole instructions of all warps fill. Parts are as many as of one of
/// `cutExtents`, and alike, so that the last one has little padding.
llvm::SmallVector<int64_t, 8>
GridSearch::tileExtents(int64_t extent, int64_t parts, int64_t atomExtent,
                        std::optional<Major> major) const {
  int64_t unit = parts * atomExtent;
  llvm::SmallVector<int64_t, 8> extents;
  // Of copied operands, a warp of a group has one tile of rows, or columns.
  if (atom.atom->instruction == Instruction::Wgmma && parts > 1)
    return {std::min(extent, unit)};
  if (extent <= std::max(maxWholeExtent, unit))
    extents.push_back(extent);
  int64_t bytes =
      std::min(byteWidth(problem.operand), byteWidth(problem.operandB()));
  int64_t whole = std::lcm(unit, partBytes(major) / bytes);
  for (int64_t cut : cutExtents) {
    if (cut >= extent)
      continue;
    int64_t even = alignTo(divideCeil(extent, divideCeil(extent, cut)), whole);
    // A cut whose even part is there already stands for itself.
    for (int64_t part : {std::min(even, cut), cut})
      if (part % whole == 0 && !llvm::is_contained(extents, part)) {
        extents.push_back(part);
        break;
      }
  }
  if (wholeCut < extent && extent % wholeCut == 0 && wholeCut % whole == 0 &&
      !llvm::is_contained(extents, wholeCut))
    extents.push_back(wholeCut);
  if (unit < extent && !llvm::is_contained(extents, unit))
    extents.push_back(unit);
  return extents;
}

/// Tile extents along k, largest first: the whole extent, or a multiple of what
/// gives every stage and layer whole instructions.
llvm::SmallVector<int64_t, 8> GridSearch::tileDepths() const {
  int64_t extent = problem.extents.k;
  int64_t unit = std::lcm(grid.m, grid.n) * grid.k * atom.atom->shape.k;
  llvm::SmallVector<int64_t, 8> depths;
  if (extent <= std::max(maxWholeDepth, unit))
    depths.push_back(extent);
  for (int64_t cut : cutDepths) {
    int64_t depth = alignTo(cut, unit);
    if (depth < extent && !llvm::is_contained(depths, depth))
      depths.push_back(depth);
  }
  return depths;
}

/// How the grid's units share a tile.
Partition GridSearch::partitionOf(const Extents &tile, int64_t sliceK) const {
  Plan plan = {atom.atom, tile, grid};
  plan.slices.k = sliceK;
  return plan.partition();
}

/// What a block computes, as C has it.
Extents GridSearch::tileOf(const Partition &partition) const {
  return isTransposed(atom.atom->unit(), grid) ? transposed(partition.tile)
                                               : partition.tile;
}

/// Whether lanes could multiply what is copied from device memory instead. The
/// model does not know how long they take to load what their warps exchange. µs
/// on an H200, planned without a word of it, and copied: between warps 333^3 of
/// f32 28.7 and 6.7, by layers in steps that do not divide k 300^3 12.3
/// and 5.3, in one step of more than 192 terms a lane 400^3 83.3 and 10.2; but
/// of fewer 112^3 1.9 and 2.5 ("Single products of f32", docs/Experiments.md).
bool GridSearch::couldCopy() const {
  return atom.atom->instruction == Instruction::Fma &&
         problem.source == Source::Memory && !problem.transport &&
         !(problem.grid && problem.grid->k > 1) && chip.copiesAsync &&
         problem.isCopyable;
}

/// Whether warps would load one product, or a few, in steps along k of which
/// the last is less deep, where its rows can be copied: they take 1.2 times as
/// long as the model thinks, up to twice (74 plans, H200, 2026-11-28).
bool GridSearch::loadsInUnevenSteps(const Partition &partition,
                                    Transport transport) const {
  int64_t depth = partition.tile.k, extent = problem.extents.k;
  bool isAsked = problem.transport || problem.tile || problem.algorithm ||
                 problem.grid || problem.stages || problem.order;
  return transport != Transport::Copied && extent > depth &&
         extent % depth != 0 && workOf(problem).isFew && problem.isCopyable &&
         chip.copiesAsync && !isAsked;
}

/// Whether tiles that are less deep are to be taken instead, where the lanes'
/// multiply-adds are spelled out; of copied operands they are a loop.
bool GridSearch::isTooLong(const Partition &partition,
                           Transport transport) const {
  int64_t depth = partition.tile.k;
  if (atom.atom->instruction != Instruction::Fma ||
      transport == Transport::Copied || depth <= shallowest)
    return false;
  bool isOfMemory = couldCopy();
  int64_t extent = problem.extents.k;
  if (isOfMemory && extent > depth && extent % depth != 0)
    return true;
  int64_t multiplications = problem.isComplex ? 4 : 1;
  int64_t ofLane =
      divideCeil(partition.warpM * partition.warpN * depth * multiplications,
                 grid.k * chip.warpSize);
  return ofLane > (isOfMemory ? mostUnrolledFromMemory : mostUnrolled);
}

/// Whether parts of complex numbers are copied one by one from anywhere, all of
/// k at a time, which is too much code: of 33³ tiles of 16 take 0.65 (f32) and
/// 0.71 (f64) of the time, of 48³ they take 0.83 and 0.97 (H200, 2026-11-28).
bool GridSearch::copiesTooMuch(const Partition &partition,
                               Transport transport) const {
  constexpr int64_t mostParts = 16, wholePiece = 8, smallExtent = 32;
  const Extents &tile = partition.tile;
  bool isSmall = tile.m <= smallExtent && tile.n <= smallExtent;
  bool isWhole = tile.m % wholePiece == 0 && tile.n % wholePiece == 0 &&
                 tile.k % wholePiece == 0;
  return problem.isComplex && transport == Transport::Copied &&
         tile.k > mostParts && !(isSmall && isWhole) &&
         (!isWhole || atom.atom->instruction == Instruction::Fma);
}

/// Whether the matrix unit finds operands as it wants them where they are
/// copied from device memory, by groups in one column, or one row.
bool GridSearch::suitsGroups() const {
  bool isTransposed = kami::isTransposed(Unit::WarpGroup, grid);
  WarpGrid rows = isTransposed ? transposed(grid) : grid;
  bool widens = atom.atom->operand != problem.operand ||
                atom.atom->operandB() != problem.operandB();
  if (widens || problem.interleavesParts || rows.m % warpsPerGroup != 0 ||
      rows.n > 1)
    return false;
  if (readsEitherOrder(byteWidth(problem.operand)))
    return !isTransposed;
  return (isTransposed ? problem.majorA : problem.majorB) == Major::K;
}

bool GridSearch::wants(PlanForm form) const {
  Transport transport = form.transport;
  if (form.prefetches && !mayPrefetch())
    return false;
  bool isGroup = atom.atom->unit() == Unit::WarpGroup;
  if (isGroup && (transport != Transport::Copied || !suitsGroups()))
    return false;
  bool isOfCopies =
      atom.atom->instruction == Instruction::Fma && atom.atom->shape.k > 1;
  bool isAlone = grid.m == 1 && grid.n == 1;
  // With nobody to send to, both transports are the same.
  if (transport == Transport::Gathered && isAlone &&
      problem.transport != Transport::Gathered)
    return false;
  if (transport == Transport::Copied &&
      (!chip.copiesAsync || !problem.isCopyable || grid.k > 1 ||
       (atom.atom->instruction != Instruction::MmaSync && !isGroup &&
        !isOfCopies)))
    return false;
  if (isOfCopies && transport != Transport::Copied)
    return false;
  if (problem.interleavesParts &&
      (atom.atom->shape.n % 2 != 0 || atom.atom->shape.k % 2 != 0))
    return false;
  if (!isAlone && transport != Transport::Copied && couldCopy())
    return false;
  if (problem.stages && transport != Transport::Copied && *problem.stages > 1)
    return false;
  return !problem.transport || problem.transport == transport;
}

double GridSearch::worstBest() const {
  double worst = 0;
  for (PlanForm form : memoryForms) {
    const auto &best = bests[form.index()];
    // There may be too few tiles to prefetch any.
    if (wants(form) && !form.prefetches)
      worst = std::max(worst, best ? best->cost.total : unlimited);
  }
  return worst;
}

void GridSearch::run(double mostCycles) {
  tryAreas(mostCycles);
  for (PlanForm form : memoryForms)
    if (auto &best = bests[form.index()];
        best && form.transport == Transport::Copied) {
      suitPages(*best);
      keepOperand(*best);
    }
}

/// Whether blocks wait for device memory, which two tiles along k of 256 bytes
/// of a row would ask for more of its pages at a time than more of 128 bytes:
/// where there are half as many of them, of what threads copy without a cut
/// one. Of f64 they lose on an H200 what they gain on an H100: 10 000 products
/// of 128 take 1042, 1075 and 1070 µs with them on three cards, 999, 1019 and
/// 1034 without (H100 1300 and 1316), of 96 546 and 530 (2026-11-27).
bool GridSearch::waitsForPages(const Tiling &tiling) const {
  constexpr int64_t shallowBytes = 128;
  const Plan &plan = tiling.plan;
  if (problem.tile || problem.stages ||
      atom.atom->instruction == Instruction::Fma || plan.skewed ||
      byteWidth(problem.operand) == 8 || plan.stages <= deepStages ||
      plan.tile.k * byteWidth(problem.operand) != shallowBytes ||
      tiling.cost.memoryBandwidth <= tiling.cost.cacheBandwidth)
    return false;
  Work work = workOf(problem);
  if (work.pieceA != copiedPiece || work.pieceB != copiedPiece)
    return false;
  int64_t tiles = divideCeil(problem.extents.k, plan.tile.k);
  if (tiles < 2 * deepStages)
    return false;
  if (plan.bulk)
    return tiles % 2 == 0;
  bool isRounded = atom.atom->operand == ElementKind::TF32;
  return !isRounded && problem.extents.k % (2 * plan.tile.k) == 0;
}

/// How often every block that there is room for is given a tile of C.
double GridSearch::turnsOf(const Tiling &tiling) const {
  int64_t resident =
      std::max<int64_t>(residentBlocks(tiling.resources, chip), 1);
  return tiling.cost.blocks / double(chip.multiprocessors * resident);
}

/// Has tiles along k take 256 bytes of a row instead of 128, two at a time.
/// What is beside each other in a page of memory is then read together; the
/// model does not know of pages. 10 000 products of f16 256 take 929 µs with
/// 128 and 933 with 256 bytes on an H200, 1384 and 1333 on an H100. Where the
/// second-level cache holds up, tf32 384 634 and 853 (1000, H100).
void GridSearch::deepen(Tiling &best) const {
  Tiling deep = best;
  deep.plan.tile.k *= 2;
  deep.plan.stages = deepStages;
  deep.resources = resources(deep.plan);
  if (findMisfit(deep.resources, chip) ||
      isTight(deep.resources, chip) > isTight(best.resources, chip) ||
      residentBlocks(deep.resources, chip) <
          residentBlocks(best.resources, chip))
    return;
  deep.cost = calibratedCost(workOf(problem), *atom.atom, deep.plan.partition(),
                             deep.plan.slices, deep.resources, chip,
                             calibration, deep.plan.exchange());
  // Which does not become slower by it.
  deep.cost.total = std::min(deep.cost.total, best.cost.total);
  best = deep;
}

/// What the model does not know of memory's pages. In few turns deep tiles lose
/// what they gain to what blocks begin and end with: 1000, 2000 and 4000
/// products of f16 256 take 101.8, 200 and 386 µs with them, 98.8, 191 and 377
/// without (H200; 1000 on an H100 135.3 and 136.9). Where the engine copies,
/// three tiles of 128 bytes do best, and of few turns all but the last one
/// dealt: tf32 256 204 and 207 µs so and with all taken, of 10 000 1949 and
/// 1920 (H200; H100 279 and 282, 2749 and 2699), 256 x 512 x 256 2137 and 2076,
/// 192 1924 and 1843. Four take 2007 and 2905 of 256; of 256 x 512 x 256 2020
/// and 2825, which is 3 % less on an H200 and 4 % more on an H100.
void GridSearch::suitPages(Tiling &best) const {
  // Of f16, and of tf32.
  constexpr double manyTurns = 64, someTurns = 32;
  if (!waitsForPages(best))
    return;
  Plan &plan = best.plan;
  if (!plan.bulk) {
    if (turnsOf(best) >= manyTurns)
      deepen(best);
    return;
  }
  if (!plan.prefetches)
    return;
  plan.stages = deepStages + 1;
  if (turnsOf(best) < someTurns && plan.taken != 0)
    plan.taken = problem.taken.value_or(1);
  best.resources = resources(plan);
}

/// Rows or columns that pass by an operand that stays, at a time: what covers
/// the extent with little beyond it, in few tiles, of which four find room.
/// `wgmma` takes as long for fewer than 64 columns where its A is in registers,
/// which tells once power lowers clocks. µs of 3.9 GB of products of tf32 by
/// tiles of 32, 40, 48, 56 and 64, as many as have room, and with sums in
/// registers: 200 1236, 1037, 1040, 1035 and 1078, 1084; 216 1100, 1067, 1033,
/// 1024 and 1043, 1129; 232 1070, 1019, 994, 1002 and 1041, 1130; 248 1001,
/// 1001, 1012, 1053 and 1005, 1169; 256 968, 974, 1003, 1098 and 994, 1022; of
/// 10 000 products of 256 without pause 2176, 2152, 2082, 2090 and 2011, 2061
/// (H200, 2026-11-29).
static Plan withPassingTile(Plan plan, const Extents &extents) {
  constexpr int64_t room = 204 * 1024, least = 3, enough = 4, most = 5;
  constexpr int64_t narrowest = 32, widest = 64;
  // What a tile, and too few stages, take beside rows.
  constexpr int64_t rowsOfTile = 12, rowsOfFew = 24;
  bool isTransposed = plan.isTransposed();
  int64_t extent = isTransposed ? extents.m : extents.n;
  int64_t &passing = isTransposed ? plan.tile.m : plan.tile.n;
  Plan best;
  int64_t fewest = 0;
  for (passing = narrowest; passing <= widest; passing += groupColumnGranule) {
    int64_t bytes =
        stationaryStages(plan.partition(), byteWidth(plan.atom->operand)).bytes;
    plan.stages = std::min(room / bytes, most);
    int64_t rows = divideCeil(extent, passing) * (passing + rowsOfTile) +
                   (plan.stages < enough ? rowsOfFew : 0);
    if (plan.stages < least || (best.atom && rows >= fewest))
      continue;
    best = plan;
    fewest = rows;
  }
  return best;
}

/// Has an operand stay in registers where its terms find room there, in two
/// groups: three, whose warps have fewer registers each, take 1.25 times as
/// long as with sums there for 3877 products of 328 x 352 x 200. Where a block
/// has few operands one after the other, it waits for the first: of tf32 256
/// 132, 200, 264 and 400 products take 1.06, 1.04, 1.01 and 0.99 of the time.
/// A transposed B, rows of A that stay and strides of run time have not been
/// timed.
void GridSearch::keepOperand(Tiling &best) const {
  constexpr int64_t warps = 2 * warpsPerGroup;
  /// Of the time with sums in registers, which the model counts: 0.86 to 0.97.
  constexpr double part = 0.95;
  constexpr int64_t fewTurns = 4;
  const Plan &found = best.plan;
  if (problem.tile || problem.stages || !found.bulk || !found.prefetches ||
      found.relaysC || atom.atom->operand != ElementKind::TF32 ||
      grid.warps() != warps || !found.isTransposed() ||
      problem.majorB != Major::MN || problem.hasRuntimeStrides)
    return;
  Tiling kept = best;
  kept.plan.stationary = true;
  kept.plan.tile.k = alignTo(problem.extents.k, found.slices.k);
  kept.plan = withPassingTile(kept.plan, problem.extents);
  if (!kept.plan.atom)
    return;
  Extents block = kept.plan.blockTile(problem.extents.m, problem.extents.n);
  int64_t operands = problem.batch * divideCeil(problem.extents.m, block.m) *
                     divideCeil(problem.extents.n, block.n);
  if (operands <= fewTurns * chip.multiprocessors)
    return;
  kept.resources = resources(kept.plan);
  if (findMisfit(kept.resources, chip) || isTight(kept.resources, chip))
    return;
  kept.cost.total *= part;
  best = kept;
}

GridSearch::GridSearch(const Problem &problem, const Chip &chip,
                       const RatedAtom &atom, const WarpGrid &grid,
                       const Calibration &calibration)
    : problem(problem), chip(chip), calibration(calibration), atom(atom),
      grid(grid),
      registerLimit(chip.maxRegisters(grid.warps() * chip.warpSize)) {
  Extents shape = atom.atom->shapeIn(grid);
  const Extents &extents = problem.extents;
  auto rows = tileExtents(extents.m, grid.m, shape.m, problem.majorA);
  auto columns = tileExtents(extents.n, grid.n, shape.n, problem.majorB);
  if (problem.tile) {
    rows = {problem.tile->m};
    columns = {problem.tile->n};
  }
  Work work = workOf(problem);
  for (int64_t m : rows)
    for (int64_t n : columns)
      areas.push_back(
          {kami::leastCycles(work, *atom.atom, m, n, grid, chip, calibration),
           m, n});
  largest = areas.front();
  llvm::stable_sort(
      areas, [](const Area &a, const Area &b) { return a.bound < b.bound; });
}

double GridSearch::leastOf(const Area &area) const {
  return area.bound * (mayPrefetch() ? leastInTurn(*atom.atom) : 1);
}

bool GridSearch::leavesOutHalf(const Area &area) const {
  const Atom &instruction = *atom.atom;
  Partition partition =
      partitionOf({area.m, area.n, instruction.shape.k}, instruction.shape.k);
  return instruction.operand == ElementKind::F64 &&
         instruction.instruction == Instruction::MmaSync &&
         multipliedPart(problem.extents, partition, instruction.shape) < 1;
}

// Best first: once a lower bound exceeds what has been found, all that follow
// do, too.
void GridSearch::tryAreas(double mostCycles) {
  auto depths = tileDepths();
  if (problem.tile)
    depths = {problem.tile->k};
  shallowest = depths.back();
  // Whether the largest tile fits is worth telling, however slow it is.
  if (leastOf(largest) <= mostCycles)
    tryTile({largest.m, largest.n, depths.front()});
  int64_t fitting = 0;
  for (const Area &area : areas) {
    bool isSlower = area.bound >= worstBest() || leastOf(area) > mostCycles;
    if (fitting == maxFittingHalves || isSlower)
      return;
    if (fitting >= maxFittingAreas && !leavesOutHalf(area))
      continue;
    bool anyFits = tryArea(area.m, area.n, depths);
    anyFits |= wants({Transport::Copied}) && tryCopied(area.m, area.n);
    fitting += anyFits;
  }
}

/// True if any depth fits. Deeper tiles come first, and cutting goes on as long
/// as it helps.
bool GridSearch::tryArea(int64_t m, int64_t n, llvm::ArrayRef<int64_t> depths) {
  Partition partition = partitionOf({m, n, depths.front()}, atom.atom->shape.k);
  int64_t sums = problem.sums() * partition.warpM * partition.warpN *
                 byteWidth(atom.atom->accumulator) / (4 * chip.warpSize);
  bool tooLarge = sums + registerOverhead > registerLimit;
  bool anyFits = false;
  for (int64_t k : tooLarge ? depths.take_front() : depths) {
    double before = worstBest();
    fits = false;
    tryTile({m, n, k});
    bool helped = worstBest() < before;
    if (anyFits && !helped)
      break;
    anyFits |= fits;
  }
  return anyFits;
}

void GridSearch::tryTile(const Extents &tile) {
  int64_t atomK = atom.atom->shape.k;
  Partition partition = partitionOf(tile, atomK);
  if (wants({Transport::Gathered}))
    tryGathered(partition);
  if (!wants({Transport::Staged}))
    return;
  // Wider slices have fewer barriers; those that do not divide a stage waste.
  // Where nothing is sent, their parking differs, and how wide accesses are.
  bool isBroadcast = grid.m > 1 || grid.n > 1;
  int64_t steps = partition.stageK / atomK;
  // Atoms that are shallow take more of them to a slice.
  for (int64_t width : {16, 8, 4, 2, 1}) {
    if (width > 4 && width * atomK > shallowSlice)
      continue;
    if (steps % width != 0)
      continue;
    Partition sliced = partitionOf(tile, atomK * width);
    bool isUseful = width == 1 || isBroadcast ||
                    interleavingOf(problem, *atom.atom, sliced).k == width;
    if (isUseful && tryStaged(sliced))
      return;
  }
}

/// Parks the fewest slices of one operand with which a thread's registers
/// suffice, with or without some to spare; false where no count does.
bool GridSearch::parkUntilFit(const Partition &partition, Slicing &slicing,
                              int64_t Slicing::*count, int64_t held,
                              bool spares) const {
  auto suffices = [&](int64_t parked) {
    slicing.*count = parked;
    Registers registers = registersPerThread(*atom.atom, partition, slicing,
                                             chip.warpSize, {}, problem.sums());
    int64_t spared = spares ? 0 : registers.overhead - registerOverhead;
    return registers.total() - spared <= registerLimit;
  };
  if (!suffices(held))
    return false;
  // Registers fall with every slice, but for the first and the last one, which
  // change how the rest is fetched.
  int64_t low = -1, high = held;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  slicing.*count = high;
  return true;
}

/// Tiles of all of k, or several that follow each other. True if any fits.
bool GridSearch::tryCopied(int64_t m, int64_t n) {
  int64_t atomK = atom.atom->shape.k, k = problem.extents.k;
  fits = false;
  auto partition = [&](int64_t depth) {
    return partitionOf({m, n, depth}, atomK);
  };
  if (problem.tile) {
    llvm::SmallVector<int64_t, 8> stages = {1};
    llvm::append_range(stages, copiedStages);
    tryCopies(partition(problem.tile->k), stages);
    return fits;
  }
  if (k <= copiedDepths[0])
    tryCopies(partition(k), {1});
  for (int64_t cut : copiedDepths)
    if (int64_t depth = alignTo(cut, atomK); depth < k)
      tryCopies(partition(depth), copiedStages);
  return fits;
}

/// Whether blocks take tiles in turn that prefetch the next one. Not of rows
/// that begin anywhere, which each thread puts straight before the unit reads
/// them, nor by groups of pieces of less than 16 bytes: other blocks hide that,
/// where there are any, and a block that knows of two products spills. 1000
/// products, µs, in turn and by a block each: tf32 85 51.9 and 46.6, 97 68.8
/// and 59.4, 127 102 and 98.5, 161 195 and 161, 255 602 and 500 (H100,
/// 2026-11-25); f16 129 75.7 and 69.4, 161 117 and 85.2, 225 217 and 171, 255
/// 408 and 191, 300 360 and 265, 257 601 and 390 (2026-11-26). Nor of few
/// products, of which not all blocks get a second: of tf32 32 of 200 11.8 and
/// 9.2 (H200, 2026-11-28).
bool GridSearch::mayPrefetch() const {
  Work work = workOf(problem);
  auto isNarrow = [](int64_t piece) {
    return piece > 0 && piece < copiedPiece;
  };
  bool asksForTurns = problem.taken || problem.bulk;
  return problem.mayPrefetch && !problem.isComplex && !problem.hasLayers &&
         !problem.isSkewed &&
         (problem.batch == 1 || !work.isFew || asksForTurns) &&
         !(atom.atom->unit() == Unit::WarpGroup &&
           (isNarrow(work.pieceA) || isNarrow(work.pieceB)));
}

/// Whether the copy engine had better bring what blocks in turn multiply. It
/// rounds tf32 on the way, for which threads read and write an operand once
/// more, of which a tile along k of 256 × 128 × 32 takes 512 cycles of shared
/// memory's; multiplying it takes 1024. And groups wait for it apart, where
/// threads that copy meet at barriers. 1000 products of tf32, µs, by threads
/// and by the engine: 128 52.5 and 53.5, 176 100 and 102, 192 118 and 116, 216
/// 161 and 157, 256 207 and 205, 320 433 and 344, 400 990 and 651, 512 1368 and
/// 962; of f16 224 81.2 and 88.6, 256 98.5 and 101, 272 194 and 159, 320 187
/// and 176, 384 248 and 247, 400 473 and 410, 448 467 and 395, 512 519 and 482,
/// 640 1206 and 1035 (H200, 2026-11-26). Nobody has timed A and B with gaps.
bool GridSearch::suitsEngine() const {
  constexpr int64_t deep = 192, deepUnrounded = 264;
  bool isRounded = atom.atom->operand == ElementKind::TF32;
  return problem.isAligned &&
         problem.extents.k >= (isRounded ? deep : deepUnrounded);
}

/// Whether the engine brings copied operands, as somebody asked or as it had
/// better.
bool GridSearch::usesEngine(bool prefetches) const {
  return atom.atom->unit() == Unit::WarpGroup && chip.copiesBulk &&
         !problem.hasLayers &&
         problem.bulk.value_or(prefetches && suitsEngine());
}

/// Of the numbers of stages, those that a product's tiles fill, and, with what
/// the next product's add, one more.
void GridSearch::tryCopies(const Partition &partition,
                           llvm::ArrayRef<int64_t> stages) {
  int64_t tiles = divideCeil(problem.extents.k, partition.tile.k);
  Slicing slicing = {partition.sliceK};
  auto isAsked = [&](int64_t count) {
    return count == problem.stages.value_or(count);
  };
  // Lanes that wait for no tile but the first have ptxas load all of them at
  // once, and spill what they load: f32 16 × 592 × 48 in three tiles takes 4.4
  // µs with three stages, 960 bytes are spilled, and 1.9 with two (H200,
  // 2026-11-28).
  bool isFma = atom.atom->instruction == Instruction::Fma;
  auto isFilled = [&](int64_t count) {
    bool isSpilled = isFma && count > 2 && count == tiles && !problem.stages;
    return count <= tiles && !isSpilled;
  };
  for (int64_t count : stages)
    if (isAsked(count) && (isFilled(count) || problem.tile))
      tryPlan(partition, {Transport::Copied}, slicing, count);
  // A block in turn has a multiprocessor for itself, where more stages cost
  // nothing as long as one product has more tiles along k, or its threads have
  // edges to mind: 1000 products of f16, µs, by tiles of 64 in two, three and
  // four stages, of three tiles 192 61.1, 57.7 and 59.2, and at edges 144 47.1,
  // 38.7 and 36.6; of four, three and four stages, 256 98.6 and 101.5, at edges
  // 208 78.6 and 76.4, 224 84.7 and 80.5; of two, 10 000 of tf32 128 in two and
  // three 470 and 497 (H200, 2026-11-26 and 22).
  if (!mayPrefetch())
    return;
  int64_t most = hasEdges(problem.extents, tileOf(partition))
                     ? std::max<int64_t>(tiles, 4)
                     : std::max<int64_t>(tiles > 3 ? tiles - 1 : tiles, 2);
  for (int64_t count : llvm::reverse(copiedStages))
    if (isAsked(count) && (count <= most || problem.stages))
      tryPlan(partition, {Transport::Copied, /*prefetches=*/true}, slicing,
              count);
}

bool GridSearch::tryStaged(const Partition &partition) {
  int64_t heldA = partition.heldA(), heldB = partition.heldB();
  int64_t sliceK = partition.sliceK;
  if (tryPlan(partition, {Transport::Staged}, {sliceK, 0, 0}))
    return true;
  auto tryParked = [&](Slicing slicing, int64_t Slicing::*count, int64_t held) {
    return llvm::any_of(std::array{true, false}, [&](bool spares) {
      Slicing parked = slicing;
      return parkUntilFit(partition, parked, count, held, spares) &&
             tryPlan(partition, {Transport::Staged}, parked);
    });
  };
  bool any = tryParked({sliceK, 0, 0}, &Slicing::sharedA, heldA);
  any |= tryParked({sliceK, 0, 0}, &Slicing::sharedB, heldB);
  if (any)
    return true;
  any = tryParked({sliceK, heldA, 0}, &Slicing::sharedB, heldB);
  any |= tryParked({sliceK, 0, heldB}, &Slicing::sharedA, heldA);
  return any;
}

void GridSearch::tryGathered(const Partition &partition) {
  int64_t heldA = partition.heldA(), heldB = partition.heldB();
  Slicing slicing = {partition.sliceK, grid.n > 1 ? heldA : 0,
                     grid.m > 1 ? heldB : 0};
  Slicing parked = slicing;
  auto park = [&](int64_t Slicing::*count, int64_t held) {
    return parkUntilFit(partition, parked, count, held, /*spares=*/true) ||
           parkUntilFit(partition, parked, count, held, /*spares=*/false);
  };
  bool suffices = true;
  if (grid.n == 1)
    suffices = park(&Slicing::sharedA, heldA);
  else if (grid.m == 1)
    suffices = park(&Slicing::sharedB, heldB);
  // Where nothing suffices, the plan that parks least is the one to tell about.
  tryPlan(partition, {Transport::Gathered}, suffices ? parked : slicing);
}

/// A plan with the groups of tiles in which its warps load operands.
Plan GridSearch::interleaved(Plan plan) const {
  if (plan.transport == Transport::Copied || problem.interleavesParts)
    return plan;
  plan.interleave = interleavingOf(problem, *plan.atom, plan.partition());
  return plan;
}

void GridSearch::keepMisfit(const Plan &plan, const Resources &resources,
                            const Misfit &misfit) {
  // The largest tile, with the fewest slices parked, is worth telling about.
  auto &kept = misfits[PlanForm{plan.transport, plan.prefetches}.index()];
  auto volume = [](const Extents &tile) { return tile.m * tile.n * tile.k; };
  if (!kept || volume(plan.tile) > volume(kept->plan.tile))
    kept = Tiling{plan, resources, {}, misfit};
}

/// What a thread takes for the addresses of what it loads of a tile where
/// strides are known only at run time: two registers for each word, where the
/// compiler computes all of them ahead of the loop over k, and for the elements
/// until they are packed.
static int64_t addressRegisters(const Plan &plan, int64_t threads,
                                const Problem &problem, const Chip &chip) {
  if (chip.strideRegisters == 0 || !problem.hasRuntimeStrides ||
      plan.transport == Transport::Copied)
    return 0;
  constexpr int64_t wordBytes = 4;
  int64_t bytes = byteWidth(plan.atom->operand);
  int64_t words = divideCeil(bytes, wordBytes);
  // What is narrower than a word arrives in one of its own.
  int64_t apart = bytes < wordBytes ? 1 : 0;
  int64_t elements =
      divideCeil((plan.tile.m + plan.tile.n) * plan.tile.k, threads);
  return chip.strideRegisters + (2 * words + apart) * elements;
}

Resources GridSearch::resources(const Plan &plan) const {
  Resources resources =
      resourcesOf(*plan.atom, plan.partition(), plan.slices, chip.warpSize,
                  plan.exchange(), problem.sums());
  Registers &registers = resources.registers;
  registers.overhead +=
      addressRegisters(plan, resources.threads, problem, chip);
  int64_t least =
      std::min(problem.leastRegisters, chip.maxRegisters(resources.threads));
  registers.overhead += std::max<int64_t>(least - registers.total(), 0);
  return resources;
}

/// Blocks of the same tile that a multiprocessor holds if each has only its own
/// operands in shared memory.
int64_t GridSearch::residentAlone(Plan plan) const {
  int64_t tiles = divideCeil(problem.extents.k, plan.tile.k);
  plan.stages = std::min(plan.stages, tiles);
  plan.prefetches = false;
  plan.taken = 0;
  return residentBlocks(resources(plan), chip);
}

/// Whether copied operands' C goes back through shared memory. A C of 32 or 64
/// bits does where its rows begin anywhere: two adjacent sums of a thread are
/// stored by an instruction each, and every sector of a row is written twice.
/// 1000 products of f64, µs, without and with: 81 73 and 68, 113 152 and 129,
/// 161 359 and 319, 193 670 and 607, 255 985 and 853; of tf32 by groups 113 70
/// and 61, 255 444 and 395, of f32 97 113 and 98, 127 150 and 133, 255 902 and
/// 829; but not where a warp has 8 columns, 67 49 and 52 (H100, 2026-11-25).
/// That takes no room where C is in the operands' place. What it takes beside
/// the next product's is missed more than it helps, but where rows are written
/// as a whole: the first-level cache has what shared memory leaves, and narrow
/// copies go through that.
bool GridSearch::relaysC(const Partition &partition,
                         const PlanForm &form) const {
  // Parts of complex sums are stored apart.
  if (problem.isComplex)
    return false;
  int64_t width = byteWidth(problem.output.value_or(problem.accumulator));
  bool isGroup = atom.atom->unit() == Unit::WarpGroup;
  bool isAcross = isTransposed(atom.atom->unit(), grid);
  if (width <= 2 && !isAcross)
    return true;
  if (width > relayedWidth(byteWidth(problem.operand)) ||
      atom.atom->unit() == Unit::Lane || (isGroup && !isAcross))
    return false;
  const Extents &extents = problem.extents, &tile = partition.tile;
  bool isOdd = problem.relaysWide.value_or(!areWholePieces(extents.n, width));
  if (!isOdd || isAcross)
    return isOdd && !form.prefetches;
  constexpr int64_t fewColumns = 16, notManyColumns = 32;
  if (!form.prefetches)
    return partition.warpN >= fewColumns;
  return tile.n >= extents.n &&
         (partition.warpN > notManyColumns || tile.m >= extents.m);
}

bool GridSearch::tryPlan(const Partition &partition, PlanForm form,
                         const Slicing &slicing, int64_t stages) {
  Plan plan = interleaved(
      {atom.atom, tileOf(partition), grid, form.transport, slicing});
  plan.stages = stages;
  plan.interleavesParts = problem.interleavesParts;
  plan.relaysC =
      form.transport == Transport::Copied && relaysC(partition, form);
  plan.prefetches = form.prefetches;
  plan.skewed = plan.transport == Transport::Copied && problem.isSkewed;
  plan.bulk =
      plan.transport == Transport::Copied && usesEngine(form.prefetches);
  if (plan.prefetches && chip.numbersLaunches)
    plan.taken = problem.taken.value_or(mostTaken);
  if (problem.order && !(sumOrderOf(plan) == *problem.order))
    return false;
  if (plan.unit() == Unit::WarpGroup && !copiesToUnit(*atom.atom, partition))
    return false;
  Resources resources = this->resources(plan);
  // As many blocks as there is room for take all tiles.
  if (form.prefetches)
    plan.blocks = chip.multiprocessors *
                  std::max<int64_t>(residentBlocks(resources, chip), 1);
  Misfit misfit = findMisfit(resources, chip);
  // Where the compiler is generous with addresses, what is set aside for them
  // is a need: a kernel without it takes scratch memory.
  int64_t needed = resources.registers.total(),
          limit = chip.maxRegisters(resources.threads);
  if (!misfit && chip.strideRegisters > 0 && needed > limit)
    misfit = {Misfit::Registers, needed, limit};
  if (misfit) {
    keepMisfit(plan, resources, misfit);
    return false;
  }
  if (isTooLong(partition, form.transport) ||
      copiesTooMuch(partition, form.transport) ||
      loadsInUnevenSteps(partition, form.transport))
    return false;
  CalibratedCost cost =
      calibratedCost(workOf(problem, plan), *atom.atom, partition, slicing,
                     resources, chip, calibration, plan.exchange());
  if (form.prefetches && (cost.blocks <= double(plan.blocks) ||
                          residentAlone(plan) > mostBlocksAhead))
    return false;
  fits = true;
  auto &best = bests[form.index()];
  auto rank = [&](const Resources &resources, const CalibratedCost &cost) {
    return std::pair(isTight(resources, chip), cost.total);
  };
  if (!best || rank(resources, cost) < rank(best->resources, best->cost))
    best = Tiling{plan, resources, cost, {}};
  // Slices that leave more room may be found yet.
  return !isTight(resources, chip);
}
