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
    options.keepRejected = false;
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

  /// Whether the addresses of a matrix's elements are a constant apart. Where
  /// they are not, warp groups of tf32, whose lanes write C across its rows,
  /// have too many of them: ptxas 13.0 spills 2.4 KB for 128 × 256 × 32 tiles.
  static bool hasKnownStrides(GemmOp op) {
    return llvm::all_of(
        ValueRange{op.getA(), op.getB(), op.getC()}, [](Value operand) {
          auto type = dyn_cast<MemRefType>(operand.getType());
          SmallVector<int64_t> strides;
          int64_t offset;
          return !type ||
                 (succeeded(type.getStridesAndOffset(strides, offset)) &&
                  llvm::all_of(ArrayRef(strides).take_back(2),
                               ShapedType::isStatic));
        });
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
    problem->tile = constraints.tile;
    if (!problem->unit && problem->operand == ElementKind::TF32 &&
        !hasKnownStrides(op))
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

  /// Registers that are left to a thread which copies from products whose
  /// strides are known only at run time. Elements of 16 bits are multiplied by
  /// groups: of 128 × 128 × 32 tiles, two blocks of 128 registers take 83 µs
  /// where one of 210 takes 97, though ptxas 13.0 spills 190 bytes outside of
  /// the loop over k (256 products up to 512; H200, 2026-11-22). tf32 and f64
  /// spill in it with fewer.
  static int64_t registersOfCopies(const Problem &problem) {
    bool isNarrow = std::min(byteWidth(problem.operand),
                             byteWidth(problem.operandB())) <= 2;
    return isNarrow ? 128 : 168;
  }

  /// The tiles that are worth trying for products of any size, where sizes are
  /// typical.
  static llvm::SmallVector<Extents> tilesForAll(const Problem &problem) {
    if (problem.tile)
      return {*problem.tile};
    int64_t bytes =
        std::max(byteWidth(problem.operand), byteWidth(problem.operandB()));
    constexpr int64_t sides[] = {16, 32, 64, 128}, depths[] = {16, 32, 64};
    auto isFar = [](int64_t side, int64_t extent) {
      return side > 16 && side >= 2 * extent;
    };
    // Of products up to 512 a side, f16 and tf32 took tiles of 32 along k, f64
    // of 16, and squares of 64 or 128, best (H200, 2026-11-22): each tile of k
    // has its addresses and bounds to find anew, and deeper ones have more of
    // them than there are registers.
    auto isWrong = [&](int64_t depth, int64_t extent) {
      return (depth < 32 && depth < extent && bytes < 8) ||
             (depth > 32 && bytes > 1);
    };
    // Unless the shorter side is all there is.
    auto isOblong = [&](int64_t m, int64_t n) {
      return std::max(m, n) >= 64 && ((m < n && m < problem.extents.m) ||
                                      (n < m && n < problem.extents.n));
    };
    llvm::SmallVector<Extents> tiles;
    bool isDeep = bytes == 2 && problem.extents.k >= 128;
    auto addUnlessFar = [&](const Extents &tile) {
      if (!isFar(tile.m, problem.extents.m) &&
          !isFar(tile.n, problem.extents.n) &&
          !isFar(tile.k, problem.extents.k))
        tiles.push_back(tile);
    };
    for (int64_t m : sides)
      for (int64_t n : sides)
        for (int64_t k : depths)
          if (!isWrong(k, problem.extents.k) && !isOblong(m, n) &&
              (!isDeep || std::max(m, n) < 128))
            addUnlessFar({m, n, k});
    // Of large products, one group has the fewest waits with these: f16 up to
    // 512 a side takes 74 µs, 80 with 64 × 64 × 64 and 88 with 128 × 128 × 32;
    // tf32 161, 174 with 64 × 64 × 32 and 162 with 128 × 128 × 32; but up to
    // 256 a side 32 with 128 × 64 × 32 and 29 with 64 × 64 × 32 (256 products;
    // H200, 2026-11-22).
    auto addIfLarge = [&](const Extents &tile) {
      if (2 * problem.extents.m >= 3 * tile.m &&
          2 * problem.extents.n >= 3 * tile.n)
        addUnlessFar(tile);
    };
    if (isDeep)
      addIfLarge({64, 128, 64});
    if (bytes == 4)
      addIfLarge({128, 64, 32});
    return tiles;
  }

  struct Way {
    std::optional<Transport> transport;
    std::optional<Unit> unit;
  };

  /// Tiles of C that products have which are spread evenly from nothing to
  /// twice the typical extents.
  static double tilesOfSpread(const Problem &problem) {
    auto along = [](int64_t typical, int64_t tile) {
      constexpr int64_t parts = 8;
      double sum = 0;
      for (int64_t part = 0; part != parts; ++part)
        sum += llvm::divideCeil(
            std::max<int64_t>(typical * (2 * part + 1) / parts, 1), tile);
      return sum / parts;
    };
    return problem.batch * along(problem.extents.m, problem.tile->m) *
           along(problem.extents.n, problem.tile->n);
  }

  /// The best candidate for tiles of the problem's extents, one after the
  /// other: with more than one stage, so that something is on its way while a
  /// tile of k is multiplied, if it is not all of k.
  static llvm::Expected<Candidate>
  chooseForTile(Problem problem, const Chip &chip,
                const PlannerOptions &options) {
    // So many that it does not matter how they fill the chip.
    problem.batch = std::min<int64_t>(problem.batch * 64, maxExtent);
    llvm::SmallVector<std::optional<int64_t>, 3> stages = {std::nullopt};
    bool isCopied = problem.transport == Transport::Copied;
    if (isCopied && !problem.stages && problem.tile->k < 2 * problem.extents.k)
      stages = {2, 3, 4};
    std::optional<Candidate> best;
    std::string reason;
    for (std::optional<int64_t> count : stages) {
      if (count)
        problem.stages = count;
      llvm::Expected<Choice> choice = choosePlan(problem, chip, options);
      if (!choice)
        reason = llvm::toString(choice.takeError());
      else if (!best || choice->best()->score < best->score)
        best = *choice->best();
    }
    if (best)
      return *best;
    return llvm::createStringError(reason);
  }

  /// How long products of their own sizes take with such tiles: as many as each
  /// multiprocessor has, and one more, since tiles are dealt out whole.
  static double timeOfSpread(const Candidate &candidate, const Problem &problem,
                             const Chip &chip) {
    // Groups that round one operand take three quarters of what the model
    // says, beside others: 256 products of tf32 up to 512 × 512 × 512 take
    // 161 µs, and by warps, which it prefers, 181; rows that are not aligned,
    // up to 256 × 256 × 128, 45 and 56 (H200, 2026-11-22).
    bool isRounding = candidate.plan.unit() == Unit::WarpGroup &&
                      problem.operand == ElementKind::TF32;
    double tile =
        candidate.score / candidate.calibrated.blocks * (isRounding ? 0.75 : 1);
    return tile * (tilesOfSpread(problem) + chip.multiprocessors);
  }

  /// The best candidate for products of any size.
  static llvm::Expected<Candidate> chooseForAll(Problem problem,
                                                const Chip &chip,
                                                const PlannerOptions &options) {
    // The next tile is another product's, more often than not: to look for it
    // early cost what it gained.
    problem.mayPrefetch = false;
    // Nobody knows where rows begin.
    problem.isSkewed = true;
    llvm::SmallVector<Extents> tiles = tilesForAll(problem);
    std::string reason;
    // Copies wait for no lane, and make the most of rows that are not aligned.
    // Groups whose operands never are in registers leave these to them.
    std::optional<Unit> unit = problem.unit;
    bool isCopied = problem.isCopyable && chip.copiesAsync;
    llvm::SmallVector<llvm::SmallVector<Way, 2>> preferences;
    const Way byGroups = {Transport::Copied, Unit::WarpGroup};
    if (isCopied && !unit && readsEitherOrder(byteWidth(problem.operand)))
      preferences.push_back({byGroups});
    if (isCopied && unit)
      preferences.push_back({{Transport::Copied, unit}});
    else if (isCopied)
      preferences.push_back({byGroups, {Transport::Copied, Unit::Warp}});
    preferences.push_back({{std::nullopt, unit}});
    for (llvm::ArrayRef<Way> ways : preferences) {
      std::optional<Candidate> best;
      double least = 0;
      for (const Way &way : ways) {
        problem.transport = way.transport;
        problem.unit = way.unit;
        problem.leastRegisters = way.transport ? registersOfCopies(problem)
                                               : chip.maxRegistersPerThread;
        bool isRounding =
            way.unit == Unit::WarpGroup && problem.operand == ElementKind::TF32;
        for (const Extents &tile : tiles) {
          problem.tile = tile;
          // Rows of a group, columns of C, are 64. To use fewer is worth it
          // only for lack of tiles.
          if (isRounding && tile.n < 64 &&
              tilesOfSpread(problem) >= chip.multiprocessors)
            continue;
          llvm::Expected<Candidate> candidate =
              chooseForTile(problem, chip, options);
          if (!candidate) {
            reason = llvm::toString(candidate.takeError());
            continue;
          }
          double time = timeOfSpread(*candidate, problem, chip);
          if (best && time >= least)
            continue;
          best = *candidate;
          least = time;
        }
      }
      if (best)
        return *best;
    }
    return llvm::createStringError(reason);
  }

  /// As many blocks as the chip holds at a time share the tiles.
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
    problem->tile = constraints.tile;
    PlannerOptions calibrated = options;
    calibrated.calibration = loaded ? &*loaded : nullptr;
    if (problem->isReproducible) {
      llvm::Expected<Candidate> reference =
          chooseForAll(withReferenceBatch(*problem), **chip, calibrated);
      if (!reference)
        return op.emitOpError(llvm::toString(reference.takeError()));
      problem->order = sumOrderOf(reference->plan);
    }
    llvm::Expected<Candidate> best = chooseForAll(*problem, **chip, calibrated);
    if (!best)
      return op.emitOpError(llvm::toString(best.takeError()));
    Plan plan = best->plan;
    plan.teams = 1;
    plan.blocks =
        (*chip)->multiprocessors * residentBlocks(best->resources, **chip);
    if (!plan.atom->isLowered())
      return op.emitOpError("no lowering yet for target '")
             << (*chip)->name << "'";
    op.setPlanAttr(toAttribute(&getContext(), plan));
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
