//===- ChainTest.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Chain.h"
#include "gtest/gtest.h"

using namespace kami;

static const Chip &h200() { return **findChip("sm_90"); }

static ChainCandidate best(const ChainProblem &problem) {
  auto candidates = chooseChain(problem, h200());
  if (!candidates) {
    ADD_FAILURE() << llvm::toString(candidates.takeError());
    return {};
  }
  return candidates->front();
}

// (U·Vᵀ)·X of rank 16, all else 256: 2·256²·(16 + 64) operations from the left,
// 2·256·16·64·2 from the right, a tenth of them.
TEST(Chain, AssociatesByCost) {
  ChainProblem lowRank{256, 16, 256, 64};
  lowRank.batch = 4096;
  ChainCandidate low = best(lowRank);
  EXPECT_EQ(low.plan.order, ChainOrder::Right);
  EXPECT_LT(low.operations, 2.0 * 256 * 256 * 80 / 4 * lowRank.batch);
  // (x·B)·C with few rows of x is the other way round.
  ChainProblem few{16, 256, 256, 256};
  few.batch = 4096;
  EXPECT_EQ(best(few).plan.order, ChainOrder::Left);
}

TEST(Chain, ObeysConstraints) {
  ChainProblem problem{256, 16, 256, 64};
  problem.order = ChainOrder::Left;
  problem.warps = 2;
  auto candidates = chooseChain(problem, h200());
  ASSERT_TRUE(bool(candidates));
  for (const ChainCandidate &candidate : *candidates) {
    EXPECT_EQ(candidate.plan.order, ChainOrder::Left);
    EXPECT_EQ(candidate.plan.first.grid.warps(), 2);
    EXPECT_EQ(candidate.plan.second.grid.warps(), 2);
  }
}

TEST(Chain, EveryCandidateFitsAndIsInOrder) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::F64,
                           ElementKind::TF32, ElementKind::F32}) {
    ChainProblem problem{50, 23, 37, 41};
    problem.operand = kind;
    problem.accumulator = defaultAccumulator(kind);
    auto candidates = chooseChain(problem, h200());
    ASSERT_TRUE(bool(candidates));
    double before = 0;
    for (const ChainCandidate &candidate : *candidates) {
      EXPECT_GE(candidate.cycles, before);
      before = candidate.cycles;
      EXPECT_FALSE(verifyChain(candidate.plan, problem, h200()));
      EXPECT_EQ(candidate.plan.first.tile.m, candidate.plan.second.tile.m);
      EXPECT_EQ(candidate.plan.first.tile.n, candidate.plan.second.tile.k);
      EXPECT_LE(candidate.registers, 255);
      // 16-bit sums are operands where they are.
      EXPECT_EQ(candidate.keepsRegisters, kind == ElementKind::F16);
    }
  }
}

TEST(Chain, Errors) {
  auto message = [](const ChainProblem &problem, llvm::StringRef chip) {
    auto candidates = chooseChain(problem, **findChip(chip));
    return candidates ? std::string() : llvm::toString(candidates.takeError());
  };
  EXPECT_EQ(message({0, 1, 1, 1}, "sm_90"),
            "expected extents and a batch from 1 to 2147483648, but got 0");
  ChainProblem problem{64, 64, 64, 64};
  problem.warps = 64;
  EXPECT_EQ(message(problem, "sm_90"), "expected 1 to 32 warps, but got 64");
}

// 96 bytes of a row are padded to 128 + 16, so that the rows of 8 lanes start
// in banks 0, 4, 8, ..., 28.
TEST(Chain, RelayedRowsMeetNoConflicts) {
  RelayShape shape(64, 48, 2);
  EXPECT_EQ(shape.stride, 72);
  EXPECT_EQ(shape.bytes(), 64 * 144);
}
