//===- RollSlices.cpp - Stages that differ by their slot as a loop --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage's product is a handful of matrix instructions, but hundreds of
// multiply-adds where lanes do them. All stages in a row are then thousands of
// instructions, most of what it takes to compile a kernel.
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kami {
#define GEN_PASS_DEF_KAMIROLLSLICES
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// Fewer stages than these are no loop.
static constexpr size_t leastStages = 3;

namespace {
/// A slot as a sum of a value, or none, and a constant.
struct SlotSum {
  Value base;
  int64_t constant = 0;

  explicit SlotSum(Value slot) : base(slot) {
    if (std::optional<int64_t> known = getConstantIntValue(slot)) {
      base = Value();
      constant = *known;
    } else if (auto sum = slot.getDefiningOp<arith::AddIOp>()) {
      if (std::optional<int64_t> added = getConstantIntValue(sum.getRhs())) {
        base = sum.getLhs();
        constant = *added;
      }
    }
  }
  bool isFollowedBy(const SlotSum &next) const {
    return base == next.base && constant + 1 == next.constant;
  }
};

/// A product of slices that both lie in shared memory.
struct Stage {
  MmaOp mma;
  FetchOp a, b;

  static std::optional<Stage> of(MmaOp mma);
  /// Whether the other one differs by its slots alone, which are the next, and
  /// adds to this one's sums, nothing else happening in between.
  bool isFollowedBy(Stage next);
};
} // namespace

std::optional<Stage> Stage::of(MmaOp mma) {
  auto fetchOf = [&](Value fragment) {
    auto fetch = fragment.getDefiningOp<FetchOp>();
    return fetch && fetch->hasOneUse() && fetch->getBlock() == mma->getBlock()
               ? fetch
               : FetchOp();
  };
  Stage stage = {mma, fetchOf(mma.getA()), fetchOf(mma.getB())};
  if (mma.getA().getType().getAtom().getInstruction() != InstructionKind::Fma ||
      !stage.a || !stage.b)
    return std::nullopt;
  return stage;
}

bool Stage::isFollowedBy(Stage next) {
  auto isNext = [](FetchOp one, FetchOp other) {
    return one.getBuffer() == other.getBuffer() &&
           one.getResult().getType() == other.getResult().getType() &&
           SlotSum(one.getSlot()).isFollowedBy(SlotSum(other.getSlot()));
  };
  if (next.mma.getC() != mma.getResult() || !mma->hasOneUse() ||
      next.mma.getFirstAttr() != mma.getFirstAttr() ||
      mma->getBlock() != next.mma->getBlock() || !isNext(a, next.a) ||
      !isNext(b, next.b))
    return false;
  for (Operation *op = mma->getNextNode(); op != next.mma;
       op = op->getNextNode())
    if (op != next.a && op != next.b && !isPure(op))
      return false;
  return true;
}

/// Replaces the stages by a loop over their slots.
static void roll(SmallVectorImpl<Stage> &stages) {
  Stage first = stages.front();
  MmaOp last = stages.back().mma;
  ImplicitLocOpBuilder b(first.mma.getLoc(), first.mma);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value zero = constant(0), one = constant(1), count = constant(stages.size());
  auto loop =
      scf::ForOp::create(b, zero, count, one, ValueRange(first.mma.getC()));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto fetch = [&](FetchOp op) -> Value {
      Value slot =
          arith::AddIOp::create(b, op.getSlot(), loop.getInductionVar());
      return FetchOp::create(b, op.getResult().getType(), op.getBuffer(), slot);
    };
    Value a = fetch(first.a);
    Value product = MmaOp::create(b, last.getType(), a, fetch(first.b),
                                  loop.getRegionIterArgs().front(),
                                  first.mma.getFirstAttr());
    scf::YieldOp::create(b, product);
  }
  last.getResult().replaceAllUsesWith(loop.getResult(0));
  for (Stage stage : llvm::reverse(stages)) {
    stage.mma->erase();
    for (FetchOp fetch : {stage.a, stage.b}) {
      Operation *slot = fetch.getSlot().getDefiningOp();
      fetch->erase();
      if (slot && isOpTriviallyDead(slot))
        slot->erase();
    }
  }
}

namespace {
struct RollSlices : kami::impl::KamiRollSlicesBase<RollSlices> {
  void runOnOperation() override {
    SmallVector<SmallVector<Stage>> runs;
    getOperation().walk([&](MmaOp mma) {
      std::optional<Stage> stage = Stage::of(mma);
      if (!stage)
        return;
      if (runs.empty() || !runs.back().back().isFollowedBy(*stage))
        runs.emplace_back();
      runs.back().push_back(*stage);
    });
    for (SmallVector<Stage> &run : runs)
      if (run.size() >= leastStages)
        roll(run);
  }
};
} // namespace
