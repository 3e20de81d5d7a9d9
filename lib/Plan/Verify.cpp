//===- Verify.cpp -------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Verify.h"
#include "kami/Layout/SharedMatrix.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kami;
using llvm::Twine;

/// Far above what registers can hold, and small enough that no product of
/// extents overflows.
static constexpr int64_t maxTileExtent = 1 << 16;

static bool isWithin(const Extents &extents, int64_t limit) {
  auto inRange = [&](int64_t extent) { return extent >= 1 && extent <= limit; };
  return inRange(extents.m) && inRange(extents.n) && inRange(extents.k);
}

Misfit kami::findMisfit(const Resources &resources, const Chip &chip) {
  if (resources.threads > chip.maxThreadsPerBlock)
    return {Misfit::Threads, resources.threads, chip.maxThreadsPerBlock};
  // What is set aside for unfavourable cases beyond `registerOverhead` is no
  // need: it only puts plans behind others (see `isTight`).
  int64_t registers = chip.maxRegisters(resources.threads);
  int64_t needed = resources.registers.total() - resources.registers.overhead +
                   registerOverhead;
  if (needed > registers)
    return {Misfit::Registers, needed, registers};
  if (resources.shared.bytes > chip.sharedPerBlock)
    return {Misfit::SharedBytes, resources.shared.bytes, chip.sharedPerBlock};
  return {};
}

bool kami::copiesToUnit(const Atom &atom, const Partition &partition) {
  return unitReadsCopies(partition, byteWidth(atom.operand),
                         byteWidth(atom.operandB()));
}

static Misfit findMisfitOfForm(const Plan &plan, const Problem &problem,
                               const Chip &chip) {
  if (!isWithin(problem.extents, maxExtent) || problem.batch < 1 ||
      problem.batch > maxExtent)
    return {Misfit::BadExtents};
  if (!plan.atom)
    return {Misfit::NoAtom};
  if (!chip.findRate(*plan.atom))
    return {Misfit::AtomNotOfChip};
  if (!isMultipliedAs(problem.operand, plan.atom->operand) ||
      !isMultipliedAs(problem.operandB(), plan.atom->operandB()))
    return {Misfit::WrongOperand};
  if (plan.atom->accumulator != problem.accumulator)
    return {Misfit::WrongAccumulator};
  Extents grid = {plan.grid.m, plan.grid.n, plan.grid.k};
  if (!isWithin(grid, maxTileExtent))
    return {Misfit::BadGrid};
  // Each factor is at most 2^16, so that the product cannot overflow.
  int64_t threads = plan.grid.warps() * plan.atom->lanes(chip.warpSize);
  if (threads > chip.maxThreadsPerBlock)
    return {Misfit::Threads, threads, chip.maxThreadsPerBlock};
  if (plan.teams < 1 || plan.teams > chip.maxThreadsPerBlock ||
      plan.teams * threads > chip.maxThreadsPerBlock)
    return {Misfit::Threads,
            std::clamp<int64_t>(plan.teams, 0, maxTileExtent) * threads,
            chip.maxThreadsPerBlock};
  constexpr int64_t mostRounds = 256;
  if (plan.rounds < 1 || plan.rounds > mostRounds ||
      (plan.rounds > 1 && !plan.atom->isLane()))
    return {Misfit::NotPacked};
  if (plan.atom->isOpaque() && (plan.teams > 1 || !plan.interleave.isPlain()))
    return {Misfit::NotOpaque};
  if (!isWithin(plan.tile, maxTileExtent))
    return {Misfit::BadTile, 0, maxTileExtent};
  if (plan.slices.k < 1 || plan.slices.k > maxTileExtent ||
      plan.slices.k % plan.atom->shape.k != 0)
    return {Misfit::BadSlice, plan.slices.k, plan.atom->shape.k};
  if (int64_t parked = std::min(plan.slices.sharedA, plan.slices.sharedB);
      parked < 0)
    return {Misfit::BadParked, parked};
  return {};
}

/// Whether there is a row for the last lane.
static bool hasRows(const Plan &plan) {
  return (plan.grid.m - 1) * plan.partition().warpM < plan.tile.m;
}

/// Whether a packed plan's form is right: single warps, or lanes that each have
/// rows, with one tile.
static bool packs(const Plan &plan, const Problem &problem) {
  constexpr int64_t mostProducts = 1 << 13;
  const Extents &extents = problem.extents;
  bool isLane = plan.unit() == Unit::Lane;
  return problem.packable > 0 && plan.tile == extents && plan.stages == 1 &&
         !plan.prefetches && plan.packedProducts() <= mostProducts &&
         (isLane ? plan.grid.n == 1 && hasRows(plan) : plan.grid.warps() == 1);
}

/// Whether tiles of operands that are copied are as they may be: of warps that
/// each have a product they may be interleaved.
static bool mayInterleaveCopied(const Plan &plan) {
  return plan.interleave.isPlain() ||
         (plan.isPacked() && plan.unit() == Unit::Warp);
}

/// Whether a plan's warp groups are where they may be.
static bool standsInGroups(const Plan &plan) {
  const WarpGrid grid = plan.partition().grid;
  if (grid.m % warpsPerGroup != 0 || grid.n != 1 || grid.k != 1)
    return false;
  bool isCopied = plan.transport == Transport::Copied;
  if (!plan.isTransposed())
    return isCopied || plan.transport == Transport::Resident;
  return isCopied && !readsEitherOrder(byteWidth(plan.atom->operand));
}

Misfit kami::findMisfit(const Plan &plan, const Problem &problem,
                        const Chip &chip) {
  if (plan.interleavesParts && mayInterleaveParts(problem, chip))
    return findMisfit(plan, ofInterleavedParts(problem), chip);
  if (plan.interleavesParts != problem.interleavesParts)
    return {Misfit::NotInterleaved};
  if (Misfit misfit = findMisfitOfForm(plan, problem, chip))
    return misfit;
  const WarpGrid &grid = plan.grid;
  bool isCopied = plan.transport == Transport::Copied;
  if (plan.unit() == Unit::WarpGroup && !standsInGroups(plan))
    return {Misfit::NotGroups, warpsPerGroup};
  if (plan.unit() == Unit::WarpGroup && isCopied &&
      !copiesToUnit(*plan.atom, plan.partition()))
    return {Misfit::NotUnitCopies, maxGroupColumns};
  if (plan.stages < 1 ||
      (!isCopied && (plan.stages > 1 || plan.relaysC || plan.skewed)) ||
      (plan.skewed && plan.isPacked()) ||
      (isCopied && (!chip.copiesAsync || !problem.isCopyable || grid.k != 1 ||
                    (plan.unit() == Unit::WarpGroup &&
                     plan.widens(problem.operand, problem.operandB())) ||
                    plan.slices.sharedA + plan.slices.sharedB > 0 ||
                    !mayInterleaveCopied(plan))))
    return {Misfit::NotCopied};
  if ((plan.isPacked() && !packs(plan, problem)) ||
      (plan.unit() == Unit::Lane && !plan.isPacked()))
    return {Misfit::NotPacked};
  if (problem.isComplex && isCopied &&
      (plan.relaysC || plan.prefetches || plan.skewed ||
       plan.unit() != Unit::Warp))
    return {Misfit::NotOfParts};
  if (problem.hasLayers &&
      (grid.k != 1 || plan.isPacked() || plan.prefetches || plan.bulk))
    return {Misfit::NotOneLayer};
  if (plan.bulk &&
      (!isCopied || plan.unit() != Unit::WarpGroup || !chip.copiesBulk))
    return {Misfit::NotBulk};
  if (plan.taken > 0 && (plan.blocks == 0 || !chip.numbersLaunches))
    return {Misfit::NotTaken};
  if (plan.prefetches && (plan.stages < 2 || plan.blocks == 0))
    return {Misfit::NotInTurn};
  if (plan.stationary && (!plan.bulk || !plan.prefetches || plan.relaysC ||
                          readsEitherOrder(byteWidth(plan.atom->operand))))
    return {Misfit::NotStationary};
  Partition partition = plan.partition();
  Slicing slicing = clampSlicing(partition, plan.slices);
  if (plan.unit() == Unit::WarpGroup && slicing.sharedA != 0 &&
      slicing.sharedA != partition.heldA())
    return {Misfit::NotGroups, warpsPerGroup};
  bool gathered = plan.exchange().parksBroadcasts();
  if (gathered && plan.grid.n > 1 && slicing.sharedA < partition.heldA())
    return {Misfit::NotGatheredA, partition.heldA(), slicing.sharedA};
  if (gathered && plan.grid.m > 1 && slicing.sharedB < partition.heldB())
    return {Misfit::NotGatheredB, partition.heldB(), slicing.sharedB};
  return findMisfit(resourcesOf(*plan.atom, partition, slicing, chip.warpSize,
                                plan.exchange(problem.source), problem.sums()),
                    chip);
}

static std::string explainForm(const Misfit &misfit, const Plan &plan,
                               const Problem &problem, const Chip &chip) {
  switch (misfit.reason) {
  case Misfit::BadExtents:
    return "expected extents and a batch from 1 to 2147483648";
  case Misfit::NoAtom:
    return "the plan names no atom";
  case Misfit::AtomNotOfChip:
    return ("target '" + chip.name + "' has no atom '" + plan.atom->name + "'")
        .str();
  case Misfit::WrongOperand:
    return ("atom '" + plan.atom->name + "' multiplies " +
            names(plan.atom->operand, plan.atom->operandB()) + ", expected " +
            names(problem.operand, problem.operandB()))
        .str();
  case Misfit::WrongAccumulator:
    return ("atom '" + plan.atom->name + "' accumulates in " +
            name(plan.atom->accumulator) + ", expected " +
            name(problem.accumulator))
        .str();
  case Misfit::BadGrid:
    return "expected a grid of at least 1 warp in each dimension, but got " +
           llvm::itostr(plan.grid.m) + "x" + llvm::itostr(plan.grid.n) + "x" +
           llvm::itostr(plan.grid.k);
  default:
    llvm_unreachable("not a matter of form");
  }
}

std::string kami::explain(const Misfit &misfit, const Plan &plan,
                          const Problem &problem, const Chip &chip) {
  auto gathered = [&](llvm::StringRef operand) {
    return (name(plan.transport) + " needs all " + Twine(misfit.needed) +
            " slices of " + operand + " in shared memory, but got " +
            Twine(misfit.available))
        .str();
  };
  switch (misfit.reason) {
  case Misfit::None:
    return "";
  case Misfit::BadTile:
    return ("expected tile extents from 1 to " + Twine(misfit.available) +
            ", but got " + Twine(plan.tile.m) + "x" + Twine(plan.tile.n) + "x" +
            Twine(plan.tile.k))
        .str();
  case Misfit::BadSlice:
    return ("expected a slice width that is a positive multiple of " +
            Twine(misfit.available) + ", but got " + Twine(misfit.needed))
        .str();
  case Misfit::NotOpaque:
    return "expected one team, and tiles that are not interleaved, for "
           "cooperative matrices";
  case Misfit::BadParked:
    return ("expected a count of slices in shared memory, but got " +
            Twine(misfit.needed))
        .str();
  case Misfit::NotGroups:
    return ("expected a grid of rows of " + Twine(misfit.needed) +
            " warps in unison, one column and one layer, with B resident and A "
            "as a whole in registers or in shared memory, or both copied; or "
            "of one row with both copied for tf32")
        .str();
  case Misfit::NotUnitCopies:
    return ("expected warps in unison with copied operands of 16 bits and 16 "
            "rows a warp, or of tf32, and " +
            Twine(misfit.needed) + " columns at most, but got " +
            Twine(plan.tile.m) + "x" + Twine(plan.tile.n) + " for " +
            Twine(plan.grid.warps()) + " warps")
        .str();
  case Misfit::NotCopied:
    return "expected copied operands only of warps or lanes in one layer, "
           "without slices in shared memory or, but in packs of warps, "
           "interleaved tiles, where they lie in device memory as they are "
           "multiplied and the chip copies "
           "asynchronously, and several stages only of those";
  case Misfit::NotPacked:
    return "expected teams of copied operands, and lanes, only for products "
           "that follow each other in a batch, in matrices without gaps: "
           "single warps, or lanes with rows of C, with all of a product in "
           "one tile and one stage";
  case Misfit::NotOneLayer:
    return "expected one layer, and neither packs, prefetches nor bulk copies, "
           "where sums have layers of run time";
  case Misfit::NotOfParts:
    return "expected copied operands of complex numbers, whose parts are no "
           "rows, only for warps, with no prefetches, no skewed rows and no "
           "relayed C";
  case Misfit::NotInterleaved:
    return "expected interleaved parts only of complex matrices, and always of "
           "such as are seen as reals, whose rows have adjacent elements, "
           "without complex scales or layers, by a chip that copies "
           "asynchronously";
  case Misfit::NotInTurn:
    return "expected what comes next to be prefetched only by blocks in turn, "
           "of operands copied in two stages or more";
  case Misfit::NotBulk:
    return "expected bulk copies only of operands that are copied for warp "
           "groups, by a chip with a copy engine (sm_90)";
  case Misfit::NotTaken:
    return "expected tiles to be taken only by blocks in turn, of a chip that "
           "numbers its launches (NVIDIA's)";
  case Misfit::NotStationary:
    return "expected a stationary operand only of tf32 that is copied in bulk, "
           "where what comes next is prefetched and C is not relayed";
  case Misfit::NotGatheredA:
    return gathered("A");
  case Misfit::NotGatheredB:
    return gathered("B");
  case Misfit::Threads:
    return ("needs " + Twine(misfit.needed) + " threads, a block may have " +
            Twine(misfit.available))
        .str();
  case Misfit::Registers:
    return ("needs " + Twine(misfit.needed) +
            " registers a thread, the chip has " + Twine(misfit.available))
        .str();
  case Misfit::SharedBytes:
    return ("needs " + Twine(misfit.needed) +
            " bytes of shared memory, a block may use " +
            Twine(misfit.available))
        .str();
  default:
    return explainForm(misfit, plan, problem, chip);
  }
}

llvm::Error kami::verifyPlan(const Plan &plan, const Problem &problem,
                             const Chip &chip) {
  if (Misfit misfit = findMisfit(plan, problem, chip))
    return llvm::createStringError(explain(misfit, plan, problem, chip));
  return llvm::Error::success();
}
