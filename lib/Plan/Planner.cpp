//===- Planner.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Planner.h"
#include "BlockSearch.h"
#include "Search.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace kami;

using Grids = llvm::SmallVector<WarpGrid, 64>;

/// Warps of a block when nothing is said. More than 16 leave a thread fewer
/// than 128 registers.
static constexpr int64_t maxWarps = 16;
static constexpr int64_t maxLayers = 4;
/// Atoms below this part of the fastest one's rate are left to those who ask.
static constexpr double slowAtom = 0.75;
/// The same where only one of the two widens elements: then they take twice the
/// registers and shared memory, which may matter more.
static constexpr double slowWidth = 0.5;

llvm::StringRef kami::name(CostModel model) {
  return model == CostModel::Paper ? "paper" : "calibrated";
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static bool meetsConstraints(const WarpGrid &grid, const Problem &problem) {
  if (problem.warps && grid.warps() != *problem.warps)
    return false;
  if (!problem.algorithm)
    return true;
  // A single warp is an algorithm of no dimension; it serves as 1D on request.
  if (grid.warps() == 1)
    return *problem.algorithm == Algorithm::OneD && problem.warps;
  return algorithmOf(grid) == *problem.algorithm;
}

static Grids enumerateGrids(const Problem &problem) {
  Grids grids;
  if (problem.grid) {
    if (meetsConstraints(*problem.grid, problem))
      grids.push_back(*problem.grid);
    return grids;
  }
  // Without a wish for a number, only those that divide common extents.
  static constexpr int64_t usual[] = {1, 2, 3, 4, 6, 8, 12, 16};
  int64_t limit = problem.warps.value_or(maxWarps);
  for (int64_t m = limit; m >= 1; --m) {
    for (int64_t n = limit / m; n >= 1; --n) {
      if (!problem.warps &&
          !(llvm::is_contained(usual, m) && llvm::is_contained(usual, n)))
        continue;
      for (int64_t k = std::min(limit / (m * n), maxLayers); k >= 1; --k) {
        WarpGrid grid = {m, n, k};
        bool isUsual = problem.warps || k != 3;
        if (isUsual && meetsConstraints(grid, problem))
          grids.push_back(grid);
      }
    }
  }
  return grids;
}

/// The grids of the paper's three algorithms.
static bool isPaperGrid(const WarpGrid &grid) {
  bool isOneD = grid.n == 1 && grid.k == 1;
  bool isSquare = grid.m == grid.n && grid.k == 1;
  bool isCube = grid.m == grid.n && grid.n == grid.k;
  return isOneD || isSquare || isCube;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

static PaperMachine machineFor(const Chip &chip, const AtomRate &rate,
                               const PaperOverrides &given) {
  PaperMachine machine = paperMachine(chip, rate);
  machine.latencyShared = given.latencyShared.value_or(machine.latencyShared);
  machine.bandwidthShared =
      given.bandwidthShared.value_or(machine.bandwidthShared);
  machine.thetaR = given.thetaR.value_or(machine.thetaR);
  machine.thetaW = given.thetaW.value_or(machine.thetaW);
  machine.tensorCores = given.tensorCores.value_or(machine.tensorCores);
  machine.opsPerCycle = given.opsPerCycle.value_or(machine.opsPerCycle);
  return machine;
}

static Costs costsOf(const PaperCost &paper) {
  return {paper.volume, paper.communication, paper.computation, paper.total};
}

static Costs costsOf(const CalibratedCost &cost, const Partition &partition,
                     const SharedTraffic &tile) {
  double stages = partition.activeStages;
  return {double(tile.written + tile.read) / stages,
          cost.communication() / (stages * cost.kTiles),
          cost.computation / (stages * cost.kTiles), cost.total};
}

/// How many single warps share a block. Starting a block costs a multiprocessor
/// about as much as loading a small product does; but all multiprocessors
/// should get several blocks, and hold more than one.
static int64_t teamsFor(const Candidate &candidate, const Problem &problem,
                        const Chip &chip) {
  constexpr int64_t mostTeams = 8, leastBlocks = 4, leastResident = 2;
  const Plan &plan = candidate.plan;
  if (plan.isPacked())
    return plan.teams;
  if (!candidate.fits() || plan.unit() != Unit::Warp ||
      plan.grid.warps() != 1 || plan.slices.sharedA + plan.slices.sharedB > 0 ||
      problem.warps || problem.grid || problem.source == Source::Block ||
      plan.transport == Transport::Copied || problem.isComplex ||
      plan.atom->isOpaque())
    return 1;
  auto suffice = [&](int64_t teams) {
    return candidate.calibrated.blocks / double(teams) >=
               leastBlocks * chip.multiprocessors &&
           teams * chip.warpSize * candidate.resources.registers.total() *
                   leastResident <=
               chip.registers;
  };
  int64_t teams = 1;
  while (2 * teams <= mostTeams && suffice(2 * teams))
    teams *= 2;
  return teams;
}

static Candidate makeCandidate(const Tiling &tiling, const Problem &problem,
                               const Chip &chip,
                               const PlannerOptions &options) {
  Candidate candidate;
  const Atom &atom = *tiling.plan.atom;
  const AtomRate &rate = *chip.findRate(atom);
  candidate.plan = tiling.plan;
  candidate.resources = tiling.resources;
  Partition partition = tiling.plan.partition();
  ElementBytes element = elementBytesOf(atom);
  SharedTraffic tile = tileTraffic(partition, tiling.plan.slices, element,
                                   tiling.plan.exchange(problem.source));
  candidate.barriers =
      tile.barriers + reduceTraffic(partition, element).barriers;
  candidate.paper = paperCost(
      {problem.extents, double(element.operand), double(element.accumulator)},
      tiling.plan.grid, machineFor(chip, rate, options.paper));
  if (problem.source == Source::Block)
    candidate.block =
        blockCost(atom, partition, tiling.plan.slices,
                  tiling.plan.exchange(Source::Block), tiling.resources, chip,
                  options.calibrationFor(chip));
  candidate.calibrated =
      tiling.misfit
          ? calibratedCost(workOf(problem, tiling.plan), atom, partition,
                           tiling.plan.slices, tiling.resources, chip,
                           options.calibrationFor(chip), tiling.plan.exchange())
          : tiling.cost;
  bool isPaper = options.model == CostModel::Paper;
  candidate.costs = isPaper ? costsOf(candidate.paper)
                            : costsOf(candidate.calibrated, partition, tile);
  candidate.score = isPaper ? candidate.paper.total + candidate.paper.layerSum
                    : problem.source == Source::Block
                        ? candidate.block.total
                        : candidate.calibrated.total;
  candidate.rejected = explain(tiling.misfit, tiling.plan, problem, chip);
  candidate.plan.teams = teamsFor(candidate, problem, chip);
  // Blocks take turns where a launch has not enough of them.
  if (candidate.plan.blocks == 0 &&
      candidate.calibrated.blocks > double(chip.maxBlocks))
    candidate.plan.blocks = chip.maxBlocks;
  return candidate;
}

/// Warps that share columns of a product in device memory, where each of them
/// has some. They are as fast as if they shared rows, or faster: f16 32 by two
/// 16.4 and 16.5 µs, 48 by three 34.6 and 36.4, 1000 products 3.37 and 3.73;
/// but with one of four idle, 40.5 and 36.0 (H200, 2026-11-23). How opaque
/// matrices are loaded is the device's business.
static int64_t sharingColumns(const Plan &plan, Source source) {
  Partition partition = plan.partition();
  bool allHave = (partition.grid.n - 1) * partition.warpN < partition.tile.n;
  bool counts = source == Source::Memory && !plan.atom->isOpaque();
  return counts && allHave ? partition.grid.n : 0;
}

/// Registers of a thread that the matrix unit's fragments of copied operands
/// take, which leave room for other blocks: 10 000 products of f64 96 take 530
/// µs by 96 × 48 × 16 and two times two warps, of which a multiprocessor holds
/// three blocks, 560 by 48 × 96 × 16 and four beside each other, of which it
/// holds two (H200, 2026-11-27).
static int64_t copiedRegisters(const Candidate &candidate) {
  bool counts = candidate.plan.transport == Transport::Copied &&
                candidate.plan.atom->instruction != Instruction::Fma;
  return counts ? candidate.resources.registers.total() : 0;
}

/// Best first; what may be spilled, last. The paper's model judges its own
/// three grids, stage by stage, before it is stretched to others.
static auto sortKey(const Candidate &candidate, const Problem &problem,
                    CostModel model, const Chip &chip) {
  const WarpGrid &grid = candidate.plan.grid;
  bool isPapers =
      isPaperGrid(grid) && candidate.plan.transport == Transport::Staged;
  bool isForeign = model == CostModel::Paper && !isPapers;
  return std::make_tuple(
      !candidate.fits(), isForeign, isTight(candidate.resources, chip),
      candidate.score, grid.warps(), candidate.barriers,
      copiedRegisters(candidate),
      -sharingColumns(candidate.plan, problem.source), -grid.m, -grid.n,
      candidate.plan.transport, candidate.plan.atom->name);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

llvm::Error kami::checkWarps(int64_t warps, const Chip &chip) {
  int64_t most = chip.maxThreadsPerBlock / chip.warpSize;
  if (warps >= 1 && warps <= most)
    return llvm::Error::success();
  return llvm::createStringError("expected 1 to " + llvm::itostr(most) +
                                 " warps, but got " + llvm::itostr(warps));
}

static llvm::Error checkProblem(const Problem &problem, const Chip &chip) {
  const Extents &extents = problem.extents;
  if (extents.m == 0 || extents.n == 0 || extents.k == 0 || problem.batch == 0)
    return llvm::createStringError(
        "an empty product has no plan: expected extents and a batch of at "
        "least 1, but got " +
        llvm::itostr(extents.m) + "x" + llvm::itostr(extents.n) + "x" +
        llvm::itostr(extents.k) + ", batch " + llvm::itostr(problem.batch));
  for (int64_t extent : {extents.m, extents.n, extents.k, problem.batch})
    if (extent < 1 || extent > maxExtent)
      return llvm::createStringError(
          "expected extents and a batch from 1 to 2147483648, but got " +
          llvm::itostr(extent));
  if (problem.warps)
    if (llvm::Error error = checkWarps(*problem.warps, chip))
      return error;
  WarpGrid grid = problem.grid.value_or(WarpGrid());
  for (int64_t warps : {grid.m, grid.n, grid.k})
    if (warps < 1 || warps > chip.maxThreadsPerBlock)
      return llvm::createStringError(
          "expected a grid of 1 to " + llvm::itostr(chip.maxThreadsPerBlock) +
          " warps in each dimension, but got " + llvm::itostr(warps));
  // Above this, no thread could hold its part of C.
  constexpr int64_t maxTile = 1 << 12;
  Extents tile = problem.tile.value_or(Extents());
  for (int64_t extent : {tile.m, tile.n, tile.k})
    if (extent < 1 || extent > maxTile)
      return llvm::createStringError("expected tile extents from 1 to 4096, "
                                     "but got " +
                                     llvm::itostr(extent));
  return llvm::Error::success();
}

static llvm::Error missingAtom(const Problem &problem, const Chip &chip) {
  bool ofGroups = problem.unit == Unit::WarpGroup;
  std::string known;
  for (const AtomRate &rate : ofGroups ? chip.groupAtoms : chip.atoms)
    known += (known.empty() ? "" : ", ") + rate.atom.str();
  return llvm::createStringError(
      "target '" + chip.name.str() + "' has no atom " +
      (ofGroups ? "of warp groups " : "") + "that multiplies " +
      names(problem.operand, problem.operandB()) + " into " +
      name(problem.accumulator).str() +
      ", it has: " + (known.empty() ? "none" : known));
}

static llvm::Error missingGrid(const Problem &problem) {
  std::string wish =
      problem.algorithm ? flag(*problem.algorithm).str() + " " : std::string();
  std::string warps =
      problem.warps ? " of " + llvm::itostr(*problem.warps) + " warps" : "";
  return llvm::createStringError("no " + wish + "grid" + warps +
                                 " meets the constraints");
}

/// The chip's atoms for the problem's elements, and those for what these may be
/// extended to.
static llvm::SmallVector<RatedAtom, 4> atomsOf(const Problem &problem,
                                               const Chip &chip, Unit unit) {
  auto find = [&](ElementKind a, ElementKind b) {
    return unit == Unit::Warp ? chip.atomsFor(a, b, problem.accumulator)
                              : chip.groupAtomsFor(a, b, problem.accumulator);
  };
  ElementKind a = problem.operand, b = problem.operandB();
  llvm::SmallVector<RatedAtom, 4> atoms = find(a, b);
  if (widened(a) || widened(b))
    llvm::append_range(atoms,
                       find(widened(a).value_or(a), widened(b).value_or(b)));
  return atoms;
}

/// The atoms worth trying: none that is much slower than the fastest, and none
/// that does in one instruction what another does as fast in several.
static llvm::SmallVector<RatedAtom, 4>
usefulAtoms(const Problem &problem, const Chip &chip,
            const Calibration &calibration) {
  auto atoms = atomsOf(problem, chip, Unit::Warp);
  if (atoms.empty())
    return atoms;
  auto speed = [&](const RatedAtom &atom) {
    const Extents &shape = atom.atom->shape;
    return shape.m * shape.n * shape.k / calibration.of(*atom.atom).cycles;
  };
  auto isAlike = [](const RatedAtom &one, const RatedAtom &other) {
    return one.atom->operand == other.atom->operand;
  };
  auto isRepeated = [&](const RatedAtom &atom, const RatedAtom &by) {
    const Extents &shape = atom.atom->shape, &part = by.atom->shape;
    return isAlike(atom, by) && shape.m == part.m && shape.n == part.n &&
           shape.k > part.k && shape.k % part.k == 0 &&
           speed(by) >= speed(atom);
  };
  const RatedAtom &fastest =
      *llvm::max_element(atoms, [&](const RatedAtom &a, const RatedAtom &b) {
        return speed(a) < speed(b);
      });
  llvm::SmallVector<RatedAtom, 4> useful;
  for (const RatedAtom &atom : atoms)
    if (speed(atom) >=
            (isAlike(atom, fastest) ? slowAtom : slowWidth) * speed(fastest) &&
        llvm::none_of(atoms, [&](const RatedAtom &other) {
          return isRepeated(atom, other);
        }))
      useful.push_back(atom);
  return useful;
}

/// Packs have any atom of warps, and what is not packed adds up as they do.
static void addAtomOf(const SumOrder &order, const Problem &problem,
                      const Chip &chip,
                      llvm::SmallVectorImpl<RatedAtom> &atoms) {
  auto isOrders = [&](const RatedAtom &each) {
    return each.atom == order.atom;
  };
  auto ofWarps = atomsOf(problem, chip, Unit::Warp);
  auto found = llvm::find_if(ofWarps, isOrders);
  if (found != ofWarps.end() && llvm::none_of(atoms, isOrders))
    atoms.push_back(*found);
}

/// Every plan for a product inside a block. Plans in which some warps own
/// nothing of A or B are tried where no other fits.
static void addBlockCandidates(const Problem &problem, const Chip &chip,
                               const PlannerOptions &options,
                               const Grids &grids,
                               llvm::ArrayRef<RatedAtom> atoms,
                               Choice &choice) {
  for (Owners owners : {Owners::All, Owners::Some}) {
    bool fits = false;
    choice.candidates.clear();
    for (const Plan &plan :
         enumerateBlockPlans(problem, chip, grids, atoms, owners)) {
      Candidate candidate = evaluatePlan(plan, problem, chip, options);
      fits |= candidate.fits();
      if (candidate.fits() || options.kept == Kept::All)
        choice.candidates.push_back(std::move(candidate));
    }
    if (fits)
      break;
  }
}

/// Enough for any chip.
static constexpr int64_t referenceBatch = 10000;

/// So many of the problem's products, which follow each other as its own do.
static Problem withBatch(const Problem &problem, int64_t batch) {
  Problem other = problem;
  other.batch = batch;
  other.packable = problem.packable > 0 ? batch : 0;
  other.isReproducible = false;
  return other;
}

Problem kami::withReferenceBatch(const Problem &problem) {
  return withBatch(problem, referenceBatch);
}

/// Why there is no candidate at all.
static std::string whyNone(const Problem &problem, const Chip &chip) {
  if (problem.unit == Unit::Lane &&
      chip.laneAtomsFor(problem.operand, problem.operandB(),
                        problem.accumulator)
          .empty())
    return "no lane multiplies " + names(problem.operand, problem.operandB()) +
           " into " + name(problem.accumulator).str();
  if (problem.unit == Unit::Lane)
    return "lanes multiply small products only, which follow each other in a "
           "batch in device memory";
  if (problem.unit == Unit::WarpGroup && problem.source == Source::Memory)
    return "warp groups multiply operands in device memory only where they can "
           "be copied and are of 16 bits, or of tf32 with elements of A or of "
           "B "
           "adjacent along k";
  if (problem.stages)
    return "no tiles of " + llvm::itostr(*problem.stages) +
           " stages are copied";
  return "every candidate is too large";
}

/// The best plan by lanes' own products, or the best other one; null where none
/// fits.
static const Candidate *bestOf(const Choice &choice, bool byLanes) {
  auto best = llvm::find_if(choice.candidates, [&](const auto &each) {
    return each.fits() && each.plan.atom->isLane() == byLanes;
  });
  return best == choice.candidates.end() ? nullptr : &*best;
}

/// The order in which sums of all numbers of such products are added up: that
/// of the choice for the reference batch. Lanes' own products, which are the
/// fastest for many and the slowest for few, have it where they take less time
/// on geometric mean over few, the reference batch and many.
static llvm::Expected<SumOrder>
commonOrder(const Problem &problem, const Chip &chip, PlannerOptions options) {
  constexpr int64_t few = 100, many = 1000000;
  options.kept = Kept::Best;
  llvm::Expected<Choice> reference =
      choosePlan(withReferenceBatch(problem), chip, options);
  if (!reference)
    return reference.takeError();
  const Candidate *lanes = bestOf(*reference, /*byLanes=*/true),
                  *others = bestOf(*reference, /*byLanes=*/false);
  if (!lanes || !others)
    return sumOrderOf(reference->best()->plan);
  // What a kernel takes beside its work is no order's fault: 64 products of f16
  // 13 take 2.3 and 2.4 µs, where 1.3 and 1.7 are counted (H100, 2026-11-27).
  double launched = chip.boostMHz;
  auto cyclesLike = [&](const Candidate &one) -> llvm::Expected<double> {
    double all = one.score + launched;
    for (int64_t batch : {few, many}) {
      Problem alike = withBatch(problem, batch);
      alike.order = sumOrderOf(one.plan);
      llvm::Expected<Choice> choice = choosePlan(alike, chip, options);
      if (!choice)
        return choice.takeError();
      all *= choice->best()->score + launched;
    }
    return all;
  };
  llvm::Expected<double> byLanes = cyclesLike(*lanes);
  if (!byLanes)
    return byLanes.takeError();
  llvm::Expected<double> byOthers = cyclesLike(*others);
  if (!byOthers)
    return byOthers.takeError();
  return sumOrderOf((*byLanes < *byOthers ? lanes : others)->plan);
}

llvm::Expected<Choice> kami::choosePlan(const Problem &problem,
                                        const Chip &chip,
                                        const PlannerOptions &options) {
  if (llvm::Error error = checkProblem(problem, chip))
    return error;
  if (mayInterleaveParts(problem, chip)) {
    llvm::Expected<Choice> choice =
        choosePlan(ofInterleavedParts(problem), chip, options);
    if (choice)
      return choice;
    // Four products of parts may do what is asked.
    llvm::consumeError(choice.takeError());
  }
  // Integers have the same sum in any order.
  if (problem.isReproducible && !problem.order &&
      !isInteger(problem.accumulator)) {
    llvm::Expected<SumOrder> order = commonOrder(problem, chip, options);
    if (!order)
      return order.takeError();
    Problem ordered = problem;
    ordered.order = *order;
    return choosePlan(ordered, chip, options);
  }
  bool wantsGroups =
      problem.unit == Unit::WarpGroup && problem.source == Source::Memory;
  llvm::SmallVector<RatedAtom, 4> atoms =
      wantsGroups ? atomsOf(problem, chip, Unit::WarpGroup)
                  : usefulAtoms(problem, chip, options.calibrationFor(chip));
  if (atoms.empty())
    return missingAtom(problem, chip);
  if (!problem.unit && problem.source == Source::Memory)
    llvm::append_range(atoms, atomsOf(problem, chip, Unit::WarpGroup));
  if (problem.order && !wantsGroups)
    addAtomOf(*problem.order, problem, chip, atoms);
  Grids grids = enumerateGrids(problem);
  if (grids.empty())
    return missingGrid(problem);

  Choice choice;
  if (problem.source == Source::Block) {
    auto groupAtoms = atomsOf(problem, chip, Unit::WarpGroup);
    if (problem.unit == Unit::WarpGroup || problem.unit == Unit::Lane)
      atoms.clear();
    if (!problem.unit || problem.unit == Unit::WarpGroup)
      llvm::append_range(atoms, groupAtoms);
    addBlockCandidates(problem, chip, options, grids, atoms, choice);
  }
  // What takes longer than a plan that is there is not looked for, unless that
  // is one by lanes, beside which the order of sums wants another.
  bool isBounded =
      options.kept == Kept::Best && options.model == CostModel::Calibrated;
  double mostCycles = unlimited;
  auto add = [&](const Tiling &tiling) -> Candidate & {
    choice.candidates.push_back(makeCandidate(tiling, problem, chip, options));
    Candidate &candidate = choice.candidates.back();
    if (isBounded && candidate.fits() && !candidate.plan.atom->isLane() &&
        !isTight(candidate.resources, chip))
      mostCycles = std::min(mostCycles, candidate.score);
    return candidate;
  };
  for (const Tiling &tiling :
       packedTilings(problem, chip, options.calibrationFor(chip)))
    add(tiling);
  Problem unordered = problem;
  unordered.order = std::nullopt;
  bool isSearched =
      problem.source == Source::Memory && problem.unit != Unit::Lane;
  struct Search {
    GridSearch search;
    bool isOrdered;
  };
  std::vector<Search> searches;
  for (const WarpGrid &grid : isSearched ? grids : Grids()) {
    if (problem.hasLayers && grid.k > 1)
      continue;
    for (const RatedAtom &atom : atoms) {
      bool isOrdered = !problem.order || (problem.order->atom == atom.atom &&
                                          problem.order->layers == grid.k);
      if (isOrdered || options.kept == Kept::All)
        searches.push_back(
            {GridSearch(isOrdered ? problem : unordered, chip, atom, grid,
                        options.calibrationFor(chip)),
             isOrdered});
    }
  }
  // Where one of the first is good, the others need not be looked at.
  llvm::SmallVector<Search *> bestFirst =
      llvm::map_to_vector(searches, [](Search &search) { return &search; });
  llvm::stable_sort(bestFirst, [](const Search *a, const Search *b) {
    return a->search.leastCycles() < b->search.leastCycles();
  });
  for (Search *each : bestFirst) {
    auto &[search, isOrdered] = *each;
    search.run(mostCycles);
    for (PlanForm form : memoryForms) {
      if (const auto &best = search.best(form)) {
        Candidate &candidate = add(*best);
        if (!isOrdered)
          candidate.rejected = "adds up in another order than for other "
                               "batches";
      }
      if (const auto &misfit = search.misfit(form);
          misfit && options.kept == Kept::All)
        add(*misfit);
    }
  }
  llvm::sort(choice.candidates, [&](const Candidate &a, const Candidate &b) {
    return sortKey(a, problem, options.model, chip) <
           sortKey(b, problem, options.model, chip);
  });
  if (choice.best())
    return choice;
  std::string reason = choice.candidates.empty()
                           ? whyNone(problem, chip)
                           : choice.candidates.front().rejected;
  return llvm::createStringError("no plan fits target '" + chip.name.str() +
                                 "': " + reason);
}

Candidate kami::evaluatePlan(const Plan &plan, const Problem &problem,
                             const Chip &chip, const PlannerOptions &options) {
  if (plan.interleavesParts && mayInterleaveParts(problem, chip))
    return evaluatePlan(plan, ofInterleavedParts(problem), chip, options);
  Tiling tiling;
  tiling.plan = plan;
  tiling.misfit = findMisfit(plan, problem, chip);
  if (tiling.misfit.reason != Misfit::None &&
      tiling.misfit.reason < Misfit::NotGatheredA) {
    Candidate candidate;
    candidate.plan = plan;
    candidate.rejected = explain(tiling.misfit, plan, problem, chip);
    return candidate;
  }
  Partition partition = plan.partition();
  tiling.resources =
      resourcesOf(*plan.atom, partition, plan.slices, chip.warpSize,
                  plan.exchange(problem.source), problem.sums());
  if (!tiling.misfit)
    tiling.cost = calibratedCost(workOf(problem, plan), *plan.atom, partition,
                                 plan.slices, tiling.resources, chip,
                                 options.calibrationFor(chip), plan.exchange());
  return makeCandidate(tiling, problem, chip, options);
}
