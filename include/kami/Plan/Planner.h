//===- Planner.h - From a problem to a scored choice --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates how a block's warps may split a product, keeps for every grid,
// atom and transport the best tiling that fits the chip, and sorts by predicted
// cycles. Knows no chip by name: everything comes from Target's tables through
// Model's formulas.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_PLANNER_H
#define KAMI_PLAN_PLANNER_H

#include "kami/Model/BlockModel.h"
#include "kami/Model/PaperModel.h"
#include "kami/Plan/Problem.h"
#include <string>
#include <vector>

namespace kami {

/// What candidates are compared by.
enum class CostModel {
  /// Cycles of the whole problem on the whole device.
  Calibrated,
  /// The paper's T_all, plus the sum over layers, of one product on one
  /// multiprocessor.
  Paper,
};

/// "calibrated", "paper".
llvm::StringRef name(CostModel model);

/// Parameters of the paper's machine that a user gives; the others are the
/// chip's.
struct PaperOverrides {
  std::optional<double> latencyShared, bandwidthShared, thetaR, thetaW,
      tensorCores, opsPerCycle;
};

/// Which candidates somebody will look at.
enum class Kept {
  /// Those that do not fit as well, with their reasons.
  All,
  Fitting,
  /// The best one; which others are there beside it is not said.
  Best,
};

struct PlannerOptions {
  CostModel model = CostModel::Calibrated;
  /// What the device was measured to do; without it, `calibrationOf` the chip.
  const Calibration *calibration = nullptr;
  PaperOverrides paper;
  Kept kept = Kept::All;

  const Calibration &calibrationFor(const Chip &chip) const {
    return calibration ? *calibration : calibrationOf(chip);
  }
};

/// Figures under the symbols of the paper, by the model that was asked for.
struct Costs {
  /// Bytes of one stage through shared memory (padded under `Calibrated`).
  double volume = 0;
  /// Cycles of one stage's communication, and of one warp's computation in it.
  double communication = 0;
  double computation = 0;
  /// Cycles of everything; under `Paper` without the sum over layers.
  double total = 0;
};

struct Candidate {
  Plan plan;
  Resources resources;
  /// Barriers of one k tile and the sum over layers.
  int64_t barriers = 0;
  Costs costs;
  PaperCost paper;
  CalibratedCost calibrated;
  /// For a product inside a block; `calibrated` counts memory, too.
  BlockCost block;
  /// What candidates are sorted by, in cycles.
  double score = 0;
  /// Why it cannot be; empty when it fits.
  std::string rejected;

  bool fits() const { return rejected.empty(); }
};

struct Choice {
  /// Those that fit first, best first.
  std::vector<Candidate> candidates;

  /// The plan to use, or null where none fits.
  const Candidate *best() const {
    bool any = !candidates.empty() && candidates.front().fits();
    return any ? &candidates.front() : nullptr;
  }
};

/// Ties go to fewer warps, then fewer barriers, then, of operands in device
/// memory, to warps that share columns and all have some, then more rows, then
/// more columns, then the staged transport, so that the choice is the same
/// everywhere. Where the problem is reproducible, sums have the order of the
/// choice for the reference batch. Errors: an extent out of range, types that
/// the chip has no atom for, constraints that no grid meets, and a problem for
/// which nothing fits.
llvm::Expected<Choice> choosePlan(const Problem &problem, const Chip &chip,
                                  const PlannerOptions &options = {});

/// The problem that any number of such products is, as far as their sums'
/// order goes.
Problem withReferenceBatch(const Problem &problem);

/// The candidate that is this plan, scored as the planner does; `rejected` says
/// what `verifyPlan` says.
Candidate evaluatePlan(const Plan &plan, const Problem &problem,
                       const Chip &chip, const PlannerOptions &options = {});

} // namespace kami

#endif // KAMI_PLAN_PLANNER_H
