//===- AtomPlans.cpp - Plans that show how an atom behaves ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomPlans.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace kami;

static Problem problemOf(const Atom &atom, const Extents &extents) {
  Problem problem;
  problem.extents = extents;
  problem.operand = atom.operand;
  problem.otherOperand = atom.otherOperand;
  problem.accumulator = atom.accumulator;
  problem.source = Source::Block;
  return problem;
}

/// The plan, if it fits.
static std::optional<AtomPlan> fitting(const Problem &problem, const Plan &plan,
                                       const Chip &chip) {
  Candidate candidate = evaluatePlan(plan, problem, chip);
  if (!candidate.fits())
    return std::nullopt;
  return AtomPlan{problem, std::move(candidate)};
}

std::optional<AtomPlan> kami::ratePlan(const Atom &atom, const Chip &chip) {
  const Extents &shape = atom.shape;
  if (atom.instruction == Instruction::Wgmma) {
    // As wide and as deep as the products that warp groups are good for.
    Extents extents = {64, 64, 4 * shape.k};
    Plan plan = {
        &atom, extents, {4, 1, 1}, Transport::Resident, {shape.k, 0, 1}};
    plan.slices.sharedB = plan.partition().heldB();
    return fitting(problemOf(atom, extents), plan, chip);
  }
  Extents extents = {2 * shape.m, 4 * shape.n, 2 * shape.k};
  Plan plan = {&atom, extents, {1, 1, 1}, Transport::Staged, {shape.k, 0, 0}};
  return fitting(problemOf(atom, extents), plan, chip);
}

std::optional<AtomPlan> kami::latencyPlan(const Atom &atom, const Chip &chip) {
  const Extents &shape = atom.shape;
  if (atom.instruction == Instruction::Wgmma) {
    Extents extents = {64, 8, 8 * shape.k};
    Plan plan = {
        &atom, extents, {4, 1, 1}, Transport::Resident, {shape.k, 0, 1}};
    plan.slices.sharedB = plan.partition().heldB();
    return fitting(problemOf(atom, extents), plan, chip);
  }
  Extents extents = {shape.m, shape.n, 8 * shape.k};
  Plan plan = {&atom, extents, {1, 1, 1}, Transport::Staged, {shape.k, 0, 0}};
  return fitting(problemOf(atom, extents), plan, chip);
}

/// All plans of the atom that fit, of products that several warps share.
static std::vector<AtomPlan> allPlans(const Atom &atom, const Chip &chip,
                                      const Calibration &calibration) {
  std::vector<AtomPlan> plans;
  PlannerOptions options;
  options.kept = Kept::Fitting;
  options.calibration = &calibration;
  for (int64_t n : {32, 64}) {
    Problem problem = problemOf(atom, {n, n, n});
    llvm::Expected<Choice> choice = choosePlan(problem, chip, options);
    if (!choice) {
      llvm::consumeError(choice.takeError());
      continue;
    }
    for (Candidate &candidate : choice->candidates) {
      double warpsPerCore = candidate.block.residentBlocks *
                            candidate.plan.grid.warps() / chip.tensorCores;
      // A few registers are left, so that nothing spills.
      constexpr int64_t spare = 40;
      bool isRoomy = candidate.resources.registers.total() + spare <=
                     chip.maxRegistersPerThread;
      bool isEven = candidate.plan.grid.warps() % chip.tensorCores == 0;
      if (candidate.plan.atom == &atom && warpsPerCore >= 2 && isRoomy &&
          isEven && candidate.plan.grid.k == 1)
        plans.push_back({problem, std::move(candidate)});
    }
  }
  return plans;
}

/// The `count` plans of the highest score above 0.
static std::vector<AtomPlan>
highest(std::vector<AtomPlan> plans, size_t count,
        llvm::function_ref<double(const BlockCost &)> score) {
  llvm::erase_if(plans, [&](const AtomPlan &plan) {
    return score(plan.candidate.block) <= 0;
  });
  llvm::stable_sort(plans, [&](const AtomPlan &a, const AtomPlan &b) {
    return score(a.candidate.block) > score(b.candidate.block);
  });
  if (plans.size() > count)
    plans.erase(plans.begin() + count, plans.end());
  return plans;
}

std::vector<AtomPlan> kami::readPlans(const Atom &atom, const Chip &chip,
                                      const Calibration &calibration,
                                      size_t count) {
  return highest(allPlans(atom, chip, calibration), count,
                 [](const BlockCost &cost) {
                   double most = std::max(cost.tensorCores, cost.reads);
                   double least = std::min(cost.tensorCores, cost.reads);
                   // Less than a fifth of the time would drown in its spread.
                   bool shows = cost.exchange == 0 && least > most / 5;
                   return shows ? least / most : 0;
                 });
}

std::vector<AtomPlan> kami::exchangePlans(const Atom &atom, const Chip &chip,
                                          const Calibration &calibration,
                                          size_t count) {
  return highest(
      allPlans(atom, chip, calibration), count, [](const BlockCost &cost) {
        bool shows = cost.residentBlocks >= 2 &&
                     cost.exchange > cost.total / 5 &&
                     cost.barriers / cost.residentBlocks < cost.exchange / 3;
        return shows ? cost.exchange / cost.total : 0;
      });
}
