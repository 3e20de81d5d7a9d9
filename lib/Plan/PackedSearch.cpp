//===- PackedSearch.cpp - Plans for several small products of a block -----===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product that is smaller than an instruction, or whose rows are no whole
// words, wastes most of what a warp loads and multiplies for it. A block that
// takes a stretch of the batch reads one range of memory, in whole words
// whatever a product's extents are, and has its products in shared memory, from
// where single lanes or warps take them.
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Plan/Interleaving.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

using namespace kami;

/// Threads of a block. Few make many small blocks, many wait for each other.
static constexpr int64_t blockThreads[] = {64, 128, 256, 512};
/// Rows of C that a lane takes, each of which shares what is read of B.
static constexpr int64_t laneRows[] = {1, 2, 3, 4, 6, 8};
/// Sums of a lane, above which it has no registers left for operands.
static constexpr int64_t mostLaneSums = 128;
/// Products that a lane takes one after the other, and multiply-adds of all of
/// them, for which that is worth trying: a million products of n = 1 of f16
/// take 6.3 µs in one round and 4.0 in 8, but of n = 2 9.8 in one as in 4
/// (H100, 2026-11-24).
static constexpr int64_t laneRounds[] = {1, 2, 4, 8};
static constexpr int64_t mostRoundTerms = 8;
/// Deeper or larger products fill a block by themselves.
static constexpr int64_t mostExtent = 64;

/// Bytes of the pieces that rows of so many elements consist of.
static int64_t pieceOf(int64_t elements, ElementKind kind) {
  return packedWord(elements, elements, byteWidth(kind)) * byteWidth(kind);
}

/// Whether so few products are judged as single ones are: side by side on an
/// H200, the plans of 105 batches of 3 to 64 products of 66³ to 512³ that this
/// changes take 0.96 of the time that the batches' model's do, of each of f16,
/// tf32 and f64, geometric means, from 0.62 to 1.32 (2026-11-28). Of more
/// products, or larger ones, blocks hide each other: plans of 64 and more of
/// f64, 100 and 128 of tf32 and 16 of 512³ of f16 took up to 1.7 times as long
/// by it. Smaller ones share a pack, of which nothing is known there. Nobody
/// has timed a few of bf16, which has f16's rates, nor of other types, which
/// are left out.
static bool areFew(const Problem &problem) {
  constexpr int64_t fewProducts = 64;
  constexpr double fewElements = 1 << 21;
  constexpr ElementKind judged[] = {ElementKind::F16, ElementKind::BF16,
                                    ElementKind::TF32, ElementKind::F64};
  const auto &[m, n, k] = problem.extents;
  return llvm::is_contained(judged, problem.operand) &&
         problem.batch <= fewProducts && std::max({m, n, k}) > mostExtent &&
         double(m) * n * problem.batch <= fewElements;
}

Work kami::workOf(const Problem &problem) {
  const Extents &extents = problem.extents;
  Work work = {extents,
               problem.batch,
               byteWidth(problem.operand),
               byteWidth(problem.operandB()),
               problem.output ? byteWidth(*problem.output) : 0,
               problem.isComplex,
               problem.interleavesParts};
  work.packable = problem.packable;
  // Parts of elements that lie beside each other are apart.
  if (problem.isComplex) {
    work.pieceA = byteWidth(problem.operand);
    work.pieceB = byteWidth(problem.operandB());
    return work;
  }
  work.isFew = problem.source == Source::Memory &&
               (problem.batch == 1 || areFew(problem));
  if (problem.packable == 0 && !work.isFew)
    return work;
  work.pieceA = pieceOf(problem.majorA == Major::MN ? extents.m : extents.k,
                        problem.operand);
  work.pieceB = pieceOf(problem.majorB == Major::K ? extents.k : extents.n,
                        problem.operandB());
  return work;
}

Work kami::workOf(const Problem &problem, const Plan &plan) {
  Work work = workOf(problem);
  if (!work.isFew || plan.transport == Transport::Copied)
    return work;
  LaneAccess access =
      accessOf(problem, *plan.atom, plan.interleave, work.pieceA, work.pieceB);
  work.accessA = access.a;
  work.accessB = access.b;
  return work;
}

/// Whether a warp that takes a product alone wastes what a pack would save: an
/// instruction is larger than the product, or whole ones are, rows are no whole
/// pieces of 16 bytes, or there is no matrix unit to feed.
static bool isWorthwhile(const Problem &problem, const Chip &chip) {
  const Extents &extents = problem.extents;
  Work work = workOf(problem);
  auto atoms =
      chip.atomsFor(problem.operand, problem.operandB(), problem.accumulator);
  bool isSmall = llvm::any_of(atoms, [&](const RatedAtom &atom) {
    const Extents &shape = atom.atom->shape;
    return extents.m < shape.m || extents.n < shape.n || extents.k < shape.k;
  });
  bool isRagged = llvm::all_of(atoms, [&](const RatedAtom &atom) {
    const Extents &shape = atom.atom->shape;
    return extents.m % shape.m != 0 || extents.n % shape.n != 0 ||
           extents.k % shape.k != 0;
  });
  bool hasUnit = llvm::any_of(atoms, [](const RatedAtom &atom) {
    return atom.atom->instruction != Instruction::Fma;
  });
  return work.pieceA < copiedPiece || work.pieceB < copiedPiece || isSmall ||
         isRagged || !hasUnit;
}

static bool wantsPacks(const Problem &problem, const Chip &chip) {
  const Extents &extents = problem.extents;
  return problem.packable > 0 && problem.isCopyable && chip.copiesAsync &&
         !problem.isComplex && problem.source == Source::Memory &&
         !problem.warps && !problem.grid && !problem.tile &&
         problem.algorithm.value_or(Algorithm::OneD) == Algorithm::OneD &&
         problem.transport.value_or(Transport::Copied) == Transport::Copied &&
         std::max({extents.m, extents.n, extents.k}) <= mostExtent &&
         problem.unit != Unit::WarpGroup &&
         (problem.unit == Unit::Lane || isWorthwhile(problem, chip));
}

namespace {
class PackedSearch {
public:
  PackedSearch(const Problem &problem, const Chip &chip,
               const Calibration &calibration)
      : problem(problem), chip(chip), calibration(calibration) {}

  void tryLanes(const Atom &atom);
  void tryWarps(const Atom &atom);

  llvm::SmallVector<Tiling, 4> bests;

private:
  void tryThreads(Plan plan, int64_t teamThreads, std::optional<Tiling> &best);

  const Problem &problem;
  const Chip &chip;
  const Calibration &calibration;
};
} // namespace

/// As many products as so many threads have teams for. Packs that are no whole
/// pieces are copied in smaller ones.
void PackedSearch::tryThreads(Plan plan, int64_t teamThreads,
                              std::optional<Tiling> &best) {
  const Atom &atom = *plan.atom;
  const Extents &extents = problem.extents;
  plan.transport = Transport::Copied;
  plan.tile = extents;
  plan.relaysC = true;
  plan.interleavesParts = problem.interleavesParts;
  int64_t matrixBytes[] = {
      extents.m * extents.k * byteWidth(problem.operand),
      extents.k * extents.n * byteWidth(problem.operandB()) /
          (problem.interleavesParts ? 2 : 1),
      extents.m * extents.n *
          byteWidth(problem.output.value_or(problem.accumulator))};
  auto isRagged = [&](const Tiling &tiling) {
    return wholePack(tiling.plan.packedProducts(), matrixBytes) == 0;
  };
  auto rank = [&](const Tiling &tiling) {
    return std::tuple(isTight(tiling.resources, chip), isRagged(tiling),
                      tiling.cost.total);
  };
  for (int64_t threads : blockThreads) {
    int64_t limit =
        std::min(threads / teamThreads * plan.rounds, problem.packable);
    int64_t products =
        std::max(wholePack(limit, matrixBytes), std::min(limit, int64_t(1)));
    plan.teams = products / plan.rounds;
    if (products % plan.rounds != 0 || plan.teams < (atom.isLane() ? 1 : 2) ||
        (problem.order && !(sumOrderOf(plan) == *problem.order)) ||
        findMisfit(plan, problem, chip))
      continue;
    Partition partition = plan.partition();
    Tiling tiling{plan,
                  resourcesOf(atom, partition, plan.slices, chip.warpSize,
                              plan.exchange(), problem.sums()),
                  {},
                  {}};
    tiling.cost =
        calibratedCost(workOf(problem), atom, partition, plan.slices,
                       tiling.resources, chip, calibration, plan.exchange());
    if (!best || rank(tiling) < rank(*best))
      best = tiling;
  }
}

/// A lane has whole rows of C.
void PackedSearch::tryLanes(const Atom &atom) {
  std::optional<Tiling> best;
  for (int64_t rows : laneRows) {
    const Extents &extents = problem.extents;
    int64_t sums = rows * extents.n * byteWidth(atom.accumulator) / 4;
    if (rows > extents.m || sums > mostLaneSums)
      continue;
    Plan plan;
    plan.atom = &atom;
    plan.grid.m = llvm::divideCeil(extents.m, rows);
    plan.slices.k = 1;
    for (int64_t rounds : laneRounds) {
      if (rounds > 1 && rows * extents.n * extents.k * rounds > mostRoundTerms)
        break;
      plan.rounds = rounds;
      tryThreads(plan, plan.grid.m, best);
    }
  }
  if (best)
    bests.push_back(*best);
}

/// A warp has all of a product. Of the lanes' own products, `tryLanes` makes
/// more.
void PackedSearch::tryWarps(const Atom &atom) {
  std::optional<Tiling> best;
  if (atom.instruction == Instruction::Fma)
    return;
  Plan plan;
  plan.atom = &atom;
  plan.slices.k = atom.shape.k;
  plan.tile = problem.extents;
  if (!problem.interleavesParts)
    plan.interleave = bankInterleavingOf(problem, atom, plan.partition(), chip);
  tryThreads(plan, chip.warpSize, best);
  if (best)
    bests.push_back(*best);
}

llvm::SmallVector<Tiling, 4>
kami::packedTilings(const Problem &problem, const Chip &chip,
                    const Calibration &calibration) {
  PackedSearch search(problem, chip, calibration);
  if (!wantsPacks(problem, chip))
    return {};
  ElementKind a = problem.operand, b = problem.operandB();
  Unit unit = problem.unit.value_or(Unit::Lane);
  if (unit == Unit::Lane)
    for (const RatedAtom &atom : chip.laneAtomsFor(a, b, problem.accumulator))
      search.tryLanes(*atom.atom);
  if (unit == Unit::Warp || !problem.unit)
    for (const RatedAtom &atom : chip.atomsFor(a, b, problem.accumulator))
      search.tryWarps(*atom.atom);
  return search.bests;
}
