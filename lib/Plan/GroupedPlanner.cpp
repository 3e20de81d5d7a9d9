//===- GroupedPlanner.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `choosePlan` thinks of a tile (GroupedForms) is asked of a product that
// is all such tiles.
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/GroupedPlanner.h"
#include "GroupedForms.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;

namespace {

/// How the tiles of a plan come to a block, and who computes them; open where
/// the planner has the choice.
struct Way {
  std::optional<Transport> transport;
  std::optional<Unit> unit;
};

} // namespace

/// Groups of warps whose operand is rounded in shared memory.
static bool isRounding(const std::optional<Unit> &unit,
                       const Problem &problem) {
  return unit == Unit::WarpGroup && problem.operand == ElementKind::TF32;
}

/// How long products of their own sizes take with such tiles: as many as each
/// multiprocessor has, and one more, since tiles are dealt out whole.
static double timeOfSpread(const Candidate &candidate, const Problem &problem,
                           const Chip &chip) {
  // Groups that round one operand take three quarters of what the model says,
  // beside others: 256 products of tf32 up to 512 × 512 × 512 take 161 µs, and
  // by warps, which it prefers, 181; rows that are not aligned, up to 256 × 256
  // × 128, 45 and 56 (H200, 2026-11-22).
  double part = isRounding(candidate.plan.unit(), problem) ? 0.75 : 1;
  double tile = candidate.score / candidate.calibrated.blocks * part;
  return tile * (tilesOfSpread(problem, *problem.tile) + chip.multiprocessors);
}

/// Numbers of stages that are worth trying for tiles of the problem's extents:
/// more than one, so that something is on its way while a tile of k is
/// multiplied, if it is not all of k. Groups of warps, which multiply fast,
/// want about as many as typical products have tiles, and one more.
static llvm::SmallVector<std::optional<int64_t>, 3>
stagesFor(const Problem &problem) {
  if (problem.transport != Transport::Copied || problem.stages ||
      problem.tile->k >= 2 * problem.extents.k)
    return {std::nullopt};
  if (problem.unit != Unit::WarpGroup)
    return {2, 3, 4};
  int64_t depth = problem.tile->k;
  int64_t tiles = std::max<int64_t>((problem.extents.k + depth / 2) / depth, 1);
  if (tiles < 3)
    return {tiles + 1};
  return {3, 4};
}

/// The best candidate for tiles of the problem's extents, one after the other.
/// Of groups' it is the one with the most stages for which a multiprocessor has
/// as many blocks: 256 products of f16 up to 512 × 512 × 512 take 46 µs with
/// four of 64 × 128 × 32 and 50 with three; of tf32 105 with three of 128 × 64
/// × 32, and 142 with four, which leave one block (H200, 2026-11-23).
static llvm::Expected<Candidate> chooseForTile(Problem problem,
                                               const Chip &chip,
                                               const PlannerOptions &options) {
  // So many that it does not matter how they fill the chip.
  problem.batch = std::min<int64_t>(problem.batch * 64, maxExtent);
  auto isBetter = [&](const Candidate &candidate, const Candidate &best) {
    if (problem.unit != Unit::WarpGroup)
      return candidate.score < best.score;
    return residentBlocks(candidate.resources, chip) >=
           residentBlocks(best.resources, chip);
  };
  std::optional<Candidate> best;
  std::string reason;
  for (std::optional<int64_t> count : stagesFor(problem)) {
    if (count)
      problem.stages = count;
    llvm::Expected<Choice> choice = choosePlan(problem, chip, options);
    if (!choice)
      reason = llvm::toString(choice.takeError());
    else if (!best || isBetter(*choice->best(), *best))
      best = *choice->best();
  }
  if (best)
    return *best;
  return llvm::createStringError(reason);
}

/// Ways, in lists of those that compete: what is in a list further on is for
/// problems that none before it fits. Copies wait for no lane, and make the
/// most of rows that are not aligned. Groups whose operands never are in
/// registers leave these to them.
static llvm::SmallVector<llvm::SmallVector<Way, 2>>
preferredWays(const Problem &problem, const Chip &chip) {
  const std::optional<Unit> &unit = problem.unit;
  const Way byGroups = {Transport::Copied, Unit::WarpGroup};
  llvm::SmallVector<llvm::SmallVector<Way, 2>> preferences;
  if (problem.isCopyable && chip.copiesAsync) {
    if (unit)
      preferences.push_back({{Transport::Copied, unit}});
    else if (readsEitherOrder(byteWidth(problem.operand)))
      preferences.push_back({byGroups});
    if (!unit)
      preferences.push_back({byGroups, {Transport::Copied, Unit::Warp}});
  }
  preferences.push_back({{std::nullopt, unit}});
  return preferences;
}

/// The best candidate of that way and of the better forms; `least` is how long
/// the best so far takes.
static void chooseForm(const Problem &asked, const Way &way, const Chip &chip,
                       const PlannerOptions &options,
                       std::optional<Candidate> &best, double &least,
                       std::string &reason) {
  bool fits = false;
  for (llvm::ArrayRef<Form> forms : preferredForms(asked, chip)) {
    for (const Form &form : forms) {
      Problem problem = asked;
      problem.transport = way.transport;
      problem.unit = way.unit;
      problem.leastRegisters =
          way.transport ? form.registers : chip.maxRegistersPerThread;
      problem.tile = form.tile;
      if (!problem.warps)
        problem.warps = form.warps;
      if (!problem.stages)
        problem.stages = form.stages;
      if (!problem.bulk)
        problem.bulk = form.isBulk;
      // Rows of a rounding group, columns of C, are 64. To use fewer is worth
      // it only for lack of tiles.
      if (isRounding(way.unit, problem) && form.tile.n < 64 &&
          tilesOfSpread(problem, form.tile) >= chip.multiprocessors)
        continue;
      llvm::Expected<Candidate> candidate =
          chooseForTile(problem, chip, options);
      if (!candidate) {
        reason = llvm::toString(candidate.takeError());
        continue;
      }
      fits = true;
      double time = timeOfSpread(*candidate, problem, chip);
      if (best && time >= least)
        continue;
      best = *candidate;
      least = time;
    }
    if (fits)
      return;
  }
}

static llvm::Expected<Candidate>
chooseForSpread(Problem problem, const Chip &chip,
                const PlannerOptions &options) {
  // The next tile is another product's, more often than not: to look for it
  // early cost what it gained.
  problem.mayPrefetch = false;
  // Nobody knows where rows begin.
  problem.isSkewed = true;
  // In odd rows C goes through shared memory: 256 products of f64 up to 512 ×
  // 512 × 128 take 109 µs so and 132 without, up to 512 × 512 × 512 312 and
  // 334, of tf32 138.4 and 144.1 (H100, 2026-11-25). But few deep ones of f64,
  // 8 of them, take 15.1 and 15.5.
  bool isFewDeep = problem.operand == ElementKind::F64 && isDeep(problem) &&
                   areFew(problem, chip);
  problem.relaysWide = !areRowsAligned(problem) && !isFewDeep;
  if (std::optional<Form> form = tinyForm(problem)) {
    Problem tiny = problem;
    tiny.transport = Transport::Staged;
    tiny.unit = Unit::Warp;
    tiny.tile = form->tile;
    tiny.warps = form->warps;
    tiny.leastRegisters = form->registers;
    // Rows are too short for wide accesses to be worth two ways to load them.
    tiny.majorA = tiny.majorB = std::nullopt;
    llvm::Expected<Candidate> candidate = chooseForTile(tiny, chip, options);
    if (candidate)
      return candidate;
    llvm::consumeError(candidate.takeError());
  }
  std::string reason;
  for (llvm::ArrayRef<Way> ways : preferredWays(problem, chip)) {
    std::optional<Candidate> best;
    double least = 0;
    for (const Way &way : ways)
      chooseForm(problem, way, chip, options, best, least, reason);
    if (best)
      return *best;
  }
  return llvm::createStringError(reason);
}

int64_t kami::listRoom(const Plan &plan) {
  if (plan.dealsProducts)
    return listBytes + productWordBytes;
  return listBytes + dealtBytes + takenBytes(plan.taken);
}

Chip kami::withoutBytes(Chip chip, int64_t bytes) {
  chip.sharedPerBlock -= bytes;
  chip.sharedReservedPerBlock += bytes;
  return chip;
}

/// How many of the last turns of tiles blocks had better take as they are done
/// with others. To find the product of a tile that is taken holds its block up
/// for a microsecond or two, which only tiles of f64 that are deep, and many,
/// outweigh: 256 products up to 512 × 512 × 512 in odd rows take 335.9 µs so
/// and 357.2 without, 64 90.6 and 89.8, 256 in aligned rows 244 and 241; of
/// tf32 in aligned rows up to 512 × 512 × 128 60 and 48 (H100, 2026-11-25).
static int64_t preferredTurns(const Candidate &candidate,
                              const Problem &problem, const Chip &chip) {
  constexpr int64_t manyTiles = 24, turns = 6;
  bool areMany = tilesOfSpread(problem, candidate.plan.tile) >=
                 manyTiles * chip.multiprocessors;
  return problem.operand == ElementKind::F64 && isDeep(problem) && areMany &&
                 !areRowsAligned(problem)
             ? turns
             : 0;
}

/// How many turns they take: what is asked for, if there is room for as many
/// blocks a multiprocessor as without.
static int64_t takenTurns(const Candidate &candidate, const Problem &problem,
                          const Chip &whole) {
  if (!whole.numbersLaunches)
    return 0;
  int64_t resident =
      residentBlocks(candidate.resources, withoutTileList(whole));
  int64_t taken =
      problem.taken.value_or(preferredTurns(candidate, problem, whole));
  Chip remaining = withoutTileList(whole, takenBytes(taken) + ticketBytes);
  return residentBlocks(candidate.resources, remaining) == resident ? taken : 0;
}

/// Whether blocks had better be dealt products than tiles: where most products
/// are one tile, or two or so and there are very many. To look at all products
/// takes longer than that some blocks have larger ones. 20 000 products up to
/// 24 a side take 53 µs so and 332 without of f32, up to 64 138 and 206 of f16,
/// 255 and 327 of f64, 178 and 242 of tf32, 261 and 368 of f32 in tiles of 32;
/// 256 of f16 and f64 4.6 and 6.2, 8.0 and 9.6, but of f32 14.7 and 9.1; and
/// 4096 of f64 up to 128 in tiles of 32 277 and 184 (H200, 2026-11-29).
static bool dealsProducts(const Plan &plan, const Problem &problem) {
  if (areTiny(problem))
    return true;
  constexpr double fewTiles = 2.5;
  constexpr int64_t manyTurns = 16;
  double tiles = tilesOfSpread(problem, plan.tile) / double(problem.batch);
  bool areMany = problem.batch >= manyTurns * plan.blocks;
  return problem.extents.k <= 5 * plan.tile.k &&
         (tiles <= 1 || (tiles <= fewTiles && areMany));
}

llvm::Expected<Plan> kami::chooseGroupedPlan(const Problem &problem,
                                             const Chip &whole,
                                             const PlannerOptions &options) {
  Chip chip = withoutTileList(whole);
  Problem ordered = problem;
  if (problem.isReproducible) {
    llvm::Expected<Candidate> reference =
        chooseForSpread(withReferenceBatch(problem), chip, options);
    if (!reference)
      return reference.takeError();
    ordered.order = sumOrderOf(reference->plan);
  }
  llvm::Expected<Candidate> best = chooseForSpread(ordered, chip, options);
  if (!best)
    return best.takeError();
  Plan plan = best->plan;
  plan.teams = 1;
  plan.prefetches = plan.bulk && plan.stages > 1;
  plan.taken = takenTurns(*best, problem, whole);
  auto blocksOf = [&](const Plan &plan) {
    Chip remaining = withoutBytes(whole, listRoom(plan));
    return whole.multiprocessors * residentBlocks(best->resources, remaining);
  };
  plan.blocks = blocksOf(plan);
  plan.dealsProducts = plan.taken == 0 && dealsProducts(plan, problem);
  // There is more room for blocks that do not deal tiles.
  plan.blocks = blocksOf(plan);
  return plan;
}
