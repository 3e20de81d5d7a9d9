//===- VerifyTarget.cpp - Refuse plans that the target cannot execute ----===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Plan/Chain.h"
#include "kami/Plan/GroupedPlanner.h"
#include "kami/Plan/Verify.h"
#include "kami/Transforms/Passes.h"

namespace kami {
#define GEN_PASS_DEF_KAMIVERIFYTARGET
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {
struct VerifyTarget : kami::impl::KamiVerifyTargetBase<VerifyTarget> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (auto product = dyn_cast<GemmOp>(op))
        return WalkResult(verifyOne(product));
      if (auto chain = dyn_cast<ChainOp>(op))
        return WalkResult(verifyOne(chain));
      if (auto grouped = dyn_cast<GroupedGemmOp>(op)) {
        if (op->getParentOfType<gpu::GPUFuncOp>())
          return WalkResult(
              op->emitOpError("expected no grouped products inside a kernel"));
        return WalkResult(verifyOne(grouped));
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult verifyOne(ChainOp op) {
    if (op->getParentOfType<gpu::GPUFuncOp>())
      return op.emitOpError("expected no chain inside a kernel; kami.gemm and "
                            "kami.redistribute make one there");
    if (!op.getFirst())
      return op.emitOpError("expected plans; kami-assign-plan chooses them");
    FailureOr<const Chip *> chip = targetOf(op);
    FailureOr<ChainProblem> problem = problemOf(op);
    if (failed(chip) || failed(problem))
      return failure();
    FailureOr<ChainPlan> plan = toPlan(op);
    if (failed(plan))
      return failure();
    if (llvm::Error error = verifyChain(*plan, *problem, **chip))
      return op.emitOpError("cannot execute these plans on ")
             << (*chip)->name << ": " << llvm::toString(std::move(error));
    return success();
  }

  template <typename ProductOp> static LogicalResult verifyOne(ProductOp op) {
    if (!op.getPlan())
      return op.emitOpError("expected a plan; kami-assign-plan chooses one");
    FailureOr<const Chip *> chip = targetOf(op);
    FailureOr<Problem> problem = problemOf(op);
    FailureOr<Plan> plan = toPlan(op, *op.getPlan());
    if (failed(chip) || failed(problem) || failed(plan))
      return failure();
    constexpr bool isGrouped = std::is_same_v<ProductOp, GroupedGemmOp>;
    if (isGrouped && (*chip)->spirv != SpirvFlavor::None)
      return op.emitOpError("expected a target whose kernels read matrices at "
                            "positions that memory holds, but got ")
             << (*chip)->name << ", which takes SPIR-V";
    if (isGrouped && plan->stationary)
      return op.emitOpError("expected a plan without a stationary operand");
    Chip remaining = **chip;
    if (isGrouped)
      remaining = withoutBytes(remaining, listRoom(*plan));
    else if (plan->dealsProducts)
      return op.emitOpError("expected products to be dealt only of products of "
                            "sizes of their own (kami.grouped_gemm)");
    else if (plan->taken > 0 && !plan->prefetches)
      return op.emitOpError("expected tiles to be taken only of products of "
                            "sizes of their own (kami.grouped_gemm), or where "
                            "the next one is prefetched");
    if (llvm::Error error = verifyPlan(*plan, *problem, remaining))
      return op.emitOpError("cannot execute this plan on ")
             << (*chip)->name << ": " << llvm::toString(std::move(error));
    return success();
  }
};
} // namespace
