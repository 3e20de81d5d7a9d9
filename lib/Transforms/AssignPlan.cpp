//===- AssignPlan.cpp - Choose how each product is split -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Chain.h"
#include "kami/Plan/GroupedPlanner.h"
#include "kami/Plan/Planner.h"
#include "kami/Plan/Request.h"
#include "kami/Transforms/Passes.h"

namespace kami {
#define GEN_PASS_DEF_KAMIASSIGNPLAN
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {
struct AssignPlan : kami::impl::KamiAssignPlanBase<AssignPlan> {
  using KamiAssignPlanBase::KamiAssignPlanBase;

  void runOnOperation() override {
    Problem constraints;
    PlannerOptions options;
    options.kept = Kept::Best;
    if (failed(parseOptions(constraints, options)))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](Operation *op) {
      auto product = dyn_cast<GemmOp>(op);
      if (product && !product.getPlan())
        return WalkResult(assign(product, constraints, options));
      auto grouped = dyn_cast<GroupedGemmOp>(op);
      if (grouped && !grouped.getPlan())
        return WalkResult(assign(grouped, constraints, options));
      auto chain = dyn_cast<ChainOp>(op);
      if (chain && !chain.getFirst())
        return WalkResult(assign(chain, constraints, options));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult parseOptions(Problem &constraints, PlannerOptions &options) {
    Operation *op = getOperation();
    if (algorithm != "auto") {
      constraints.algorithm = parseAlgorithm(algorithm);
      if (!constraints.algorithm)
        return op->emitError("expected algorithm auto, 1d, 2d or 3d, but got '")
               << algorithm << "'";
    }
    if (unit != "auto") {
      constraints.unit = parseUnit(unit);
      if (!constraints.unit)
        return op->emitError(
                   "expected unit auto, warp, warpgroup or lane, but got '")
               << unit << "'";
    }
    if (warps < 0)
      return op->emitError("expected a positive number of warps, but got ")
             << warps.getValue();
    if (stages < 0)
      return op->emitError("expected a positive number of stages, but got ")
             << stages.getValue();
    if (stages > 0)
      constraints.stages = stages;
    if (!mayAskTaken(taken))
      return op->emitError("expected up to ")
             << PlanAttr::mostTaken << " turns, or -1 for none, but got "
             << taken.getValue();
    constraints.taken = askedTaken(taken);
    if (products < 0 || products > maxExtent)
      return op->emitError("expected from 0 to ")
             << maxExtent << " products, but got " << products.getValue();
    if (copies != "auto") {
      constraints.bulk = parseCopies(copies);
      if (!constraints.bulk)
        return op->emitError("expected copies auto, threads or bulk, but got '")
               << copies << "'";
    }
    if (!tile.empty()) {
      llvm::Expected<Extents> extents = parseExtents("tile", tile);
      if (!extents)
        return op->emitError(llvm::toString(extents.takeError()));
      constraints.tile = *extents;
    }
    if (warps > 0)
      constraints.warps = warps;
    if (model != "calibrated" && model != "paper")
      return op->emitError("expected model calibrated or paper, but got '")
             << model << "'";
    options.model = model == "paper" ? CostModel::Paper : CostModel::Calibrated;
    return success();
  }

  static bool hasUnknownBatch(GemmOp op) {
    return ShapedType::isDynamicShape(op.getCType().getShape().drop_back(2));
  }

  /// The file that was asked for, once. A module has one target.
  LogicalResult loadCalibrationOf(Operation *op, const Chip &chip) {
    if (loaded)
      return success();
    llvm::Expected<std::optional<Calibration>> file =
        loadCalibration(calibration, chip);
    if (!file)
      return op->emitOpError(llvm::toString(file.takeError()));
    loaded = std::move(*file);
    return success();
  }

  LogicalResult assign(GemmOp op, const Problem &constraints,
                       const PlannerOptions &options) {
    FailureOr<const Chip *> chip = targetOf(op);
    FailureOr<Problem> problem = problemOf(op);
    if (failed(chip) || failed(problem))
      return failure();
    problem->algorithm = constraints.algorithm;
    problem->warps = constraints.warps;
    problem->unit = constraints.unit;
    problem->stages = constraints.stages;
    problem->bulk = constraints.bulk;
    if (problem->hasLayers && problem->algorithm == Algorithm::ThreeD)
      return op.emitOpError("expected no layers of a plan where sums have "
                            "layers of run time");
    problem->taken = constraints.taken;
    problem->tile = constraints.tile;
    if (products > 0 && hasUnknownBatch(op)) {
      problem->batch = products;
      problem->packable = std::min(problem->packable, problem->batch);
    }
    // Warp groups of tf32, whose lanes write C across its rows, have too many
    // addresses then: ptxas 13.0 spills 2.4 KB for 128 × 256 × 32 tiles, and
    // 0.3 where the copy engine brings operands.
    if (!problem->unit && problem->operand == ElementKind::TF32 &&
        problem->hasRuntimeStrides && !problem->isAligned)
      problem->unit = Unit::Warp;
    if (PlanAttr distribution = op.getDistribution()) {
      op.setPlanAttr(distribution);
      return success();
    }
    if (auto kernel = op->getParentOfType<gpu::GPUFuncOp>())
      if (failed(constrainToBlock(op, kernel, *problem)))
        return failure();
    PlannerOptions withCalibration = options;
    if (failed(loadCalibrationOf(op, **chip)))
      return failure();
    if (loaded)
      withCalibration.calibration = &*loaded;
    llvm::Expected<Choice> choice =
        choosePlan(*problem, **chip, withCalibration);
    if (!choice)
      return op.emitOpError(llvm::toString(choice.takeError()));
    Plan plan = choice->best()->plan;
    // A kernel's author has given its warps something to do.
    if (op->getParentOfType<gpu::GPUFuncOp>())
      plan.teams = 1;
    if (!plan.atom->isLowered())
      return op.emitOpError("no lowering yet for target '")
             << (*chip)->name << "'; its plans can be read with kami-plan";
    op.setPlanAttr(toAttribute(&getContext(), plan));
    return success();
  }

  LogicalResult assign(GroupedGemmOp op, const Problem &constraints,
                       const PlannerOptions &options) {
    FailureOr<const Chip *> chip = targetOf(op);
    FailureOr<Problem> problem = problemOf(op);
    if (failed(chip) || failed(problem) ||
        failed(loadCalibrationOf(op, **chip)))
      return failure();
    problem->algorithm = constraints.algorithm;
    problem->warps = constraints.warps;
    problem->unit = constraints.unit;
    problem->stages = constraints.stages;
    problem->bulk = constraints.bulk;
    problem->taken = constraints.taken;
    problem->tile = constraints.tile;
    PlannerOptions calibrated = options;
    calibrated.calibration = loaded ? &*loaded : nullptr;
    llvm::Expected<Plan> plan = chooseGroupedPlan(*problem, **chip, calibrated);
    if (!plan)
      return op.emitOpError(llvm::toString(plan.takeError()));
    if (!plan->atom->isLowered())
      return op.emitOpError("no lowering yet for target '")
             << (*chip)->name << "'";
    op.setPlanAttr(toAttribute(&getContext(), *plan));
    return success();
  }

  LogicalResult assign(ChainOp op, const Problem &constraints,
                       const PlannerOptions &options) {
    FailureOr<const Chip *> chip = targetOf(op);
    FailureOr<ChainProblem> problem = problemOf(op);
    if (failed(chip) || failed(problem))
      return failure();
    problem->warps = constraints.warps;
    if (failed(loadCalibrationOf(op, **chip)))
      return failure();
    PlannerOptions calibrated = options;
    calibrated.calibration = loaded ? &*loaded : nullptr;
    llvm::Expected<std::vector<ChainCandidate>> choice =
        chooseChain(*problem, **chip, calibrated);
    if (!choice)
      return op.emitOpError(llvm::toString(choice.takeError()));
    const ChainPlan &plan = choice->front().plan;
    if (!plan.first.atom->isLowered())
      return op.emitOpError("no lowering yet for target '")
             << (*chip)->name << "'";
    op.setAssociation(plan.order == ChainOrder::Left ? Association::Left
                                                     : Association::Right);
    op.setFirstAttr(toAttribute(&getContext(), plan.first));
    op.setSecondAttr(toAttribute(&getContext(), plan.second));
    return success();
  }

  std::optional<Calibration> loaded;

  /// All of C in one tile, and the kernel's warps.
  static LogicalResult constrainToBlock(GemmOp op, gpu::GPUFuncOp kernel,
                                        Problem &problem) {
    // Deeper products are summed tile by tile.
    constexpr int64_t maxDepth = 256;
    for (auto [name, extent] :
         {std::pair("m", op.getM()), std::pair("n", op.getN())})
      if (ShapedType::isDynamic(extent))
        return op.emitOpError("expected an extent of ")
               << name << " known at compile time inside a kernel";
    if (!problem.tile)
      problem.tile = {problem.extents.m, problem.extents.n,
                      std::min(problem.extents.k, maxDepth)};
    std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
    if (!block || problem.warps)
      return success();
    FailureOr<const Chip *> chip = targetOf(op);
    if (failed(chip))
      return failure();
    int64_t threads = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
    if (threads % (*chip)->warpSize != 0)
      return op.emitOpError("expected a known_block_size of whole warps of ")
             << (*chip)->warpSize << " threads, but got " << threads;
    problem.warps = threads / (*chip)->warpSize;
    return success();
  }
};
} // namespace
