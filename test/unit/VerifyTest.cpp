//===- VerifyTest.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Verify.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
struct Verify : testing::Test {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  Plan plan;

  Verify() {
    problem.extents = {64, 64, 64};
    plan.atom = findAtom("mma_sync.m16n8k16.f32.f16");
    plan.tile = {64, 64, 64};
    plan.grid = {2, 2, 1};
    plan.slices.k = 16;
  }

  std::string reason() const {
    return llvm::toString(verifyPlan(plan, problem, chip));
  }
};
} // namespace

TEST_F(Verify, AcceptsWhatFits) { EXPECT_EQ(reason(), ""); }

TEST_F(Verify, Atoms) {
  plan.atom = nullptr;
  EXPECT_EQ(reason(), "the plan names no atom");
  plan.atom = findAtom("wmma.m16n16k16.f32.f16");
  EXPECT_EQ(reason(), "target 'sm_90' has no atom 'wmma.m16n16k16.f32.f16'");
  plan.atom = findAtom("mma_sync.m16n8k16.f32.bf16");
  EXPECT_EQ(reason(), "atom 'mma_sync.m16n8k16.f32.bf16' multiplies bf16, "
                      "expected f16");
  plan.atom = findAtom("mma_sync.m16n8k16.f16.f16");
  EXPECT_EQ(reason(), "atom 'mma_sync.m16n8k16.f16.f16' accumulates in f16, "
                      "expected f32");
}

TEST_F(Verify, AtomsOfTwoTypes) {
  problem.operand = ElementKind::I8;
  problem.otherOperand = ElementKind::U8;
  problem.accumulator = ElementKind::I32;
  plan.atom = findAtom("mma_sync.m16n8k16.i32.i8");
  EXPECT_EQ(reason(), "atom 'mma_sync.m16n8k16.i32.i8' multiplies i8, "
                      "expected i8 x u8");
  plan.atom = findAtom("mma_sync.m16n8k16.i32.i8.u8");
  EXPECT_EQ(reason(), "");
}

TEST_F(Verify, TakenTiles) {
  const char *expected =
      "expected tiles to be taken only by blocks in turn, of a chip that "
      "numbers its launches (NVIDIA's)";
  plan.taken = 2;
  EXPECT_EQ(reason(), expected);
  plan.blocks = 132;
  EXPECT_EQ(reason(), "");
  Chip other = chip;
  other.numbersLaunches = false;
  EXPECT_EQ(llvm::toString(verifyPlan(plan, problem, other)), expected);
}

TEST_F(Verify, Form) {
  plan.grid = {2, 0, 1};
  EXPECT_EQ(reason(), "expected a grid of at least 1 warp in each dimension, "
                      "but got 2x0x1");
  plan.grid = {2, 2, 1};
  plan.tile = {64, -64, 64};
  EXPECT_EQ(reason(),
            "expected tile extents from 1 to 65536, but got 64x-64x64");
  plan.tile = {64, 64, 64};
  plan.slices.k = 24;
  EXPECT_EQ(reason(), "expected a slice width that is a positive multiple of "
                      "16, but got 24");
  plan.slices.k = 0;
  EXPECT_EQ(reason(), "expected a slice width that is a positive multiple of "
                      "16, but got 0");
  plan.slices = {16, -1, 0};
  EXPECT_EQ(reason(),
            "expected a count of slices in shared memory, but got -1");
  problem.batch = 0;
  EXPECT_EQ(reason(), "expected extents and a batch from 1 to 2147483648");
}

TEST_F(Verify, GatheredKeepsNothingBack) {
  plan.transport = Transport::Gathered;
  plan.slices = {16, 1, 2};
  EXPECT_EQ(reason(), "gathered needs all 2 slices of A in shared memory, but "
                      "got 1");
  plan.slices = {16, 2, 1};
  EXPECT_EQ(reason(), "gathered needs all 2 slices of B in shared memory, but "
                      "got 1");
  plan.slices = {16, 99, 99};
  EXPECT_EQ(reason(), "");
}

TEST_F(Verify, Limits) {
  plan.grid = {33, 1, 1};
  EXPECT_EQ(reason(), "needs 1056 threads, a block may have 1024");
  // 128 × 128 doubles of C, A and B over 8 warps are 384 registers, and a
  // staged slice of B, 16 × 128, is 128 more.
  problem.extents = plan.tile = {128, 128, 128};
  problem.operand = problem.accumulator = ElementKind::F64;
  plan.atom = findAtom("mma_sync.m16n8k8.f64.f64");
  plan.grid = {8, 1, 1};
  plan.slices = {16, 0, 0};
  EXPECT_EQ(reason(), "needs 552 registers a thread, the chip has 255");
  // All of A and B in shared memory: 2 · 128 · 128 · 8 bytes.
  plan.slices = {16, 8, 1};
  EXPECT_EQ(reason(),
            "needs 262144 bytes of shared memory, a block may use 232448");
}

TEST_F(Verify, HugeNumbersAreRefusedNotMultiplied) {
  constexpr int64_t huge = int64_t(1) << 62;
  plan.grid = {huge, huge, huge};
  EXPECT_NE(reason(), "");
  plan.grid = {1, 1, 1};
  plan.tile = {huge, huge, huge};
  EXPECT_NE(reason(), "");
  plan.tile = {65536, 65536, 65536};
  EXPECT_NE(reason(), "");
  plan.tile = {64, 64, 64};
  plan.slices = {huge, huge, huge};
  EXPECT_NE(reason(), "");
}

// 192³ f16 as one tile on 12 warps: everything gathered.
TEST_F(Verify, OneTileOf192) {
  problem.extents = plan.tile = {192, 192, 192};
  plan.grid = {12, 1, 1};
  plan.transport = Transport::Gathered;
  plan.slices = {16, 12, 1};
  EXPECT_EQ(reason(), "");
}

TEST_F(Verify, PartsOfComplexNumbersAreCopiedAsTheyLie) {
  problem.isComplex = true;
  problem.operand = problem.accumulator = ElementKind::F64;
  plan.atom = findAtom("mma_sync.m16n8k8.f64.f64");
  plan.tile = {32, 32, 16};
  plan.slices = {8, 0, 0};
  plan.transport = Transport::Copied;
  plan.stages = 2;
  EXPECT_EQ(reason(), "");
  auto isRefused = [&] {
    return llvm::StringRef(reason()).starts_with(
        "expected copied operands of complex numbers");
  };
  plan.relaysC = true;
  EXPECT_TRUE(isRefused());
  plan.relaysC = false;
  plan.skewed = true;
  EXPECT_TRUE(isRefused());
  plan.skewed = false;
  plan.blocks = 4;
  EXPECT_EQ(reason(), "");
  plan.prefetches = true;
  EXPECT_TRUE(isRefused());
}

TEST_F(Verify, LayersOfRunTimeAreAllThatThereAre) {
  problem.hasLayers = true;
  EXPECT_EQ(reason(), "");
  plan.grid = {1, 1, 4};
  EXPECT_TRUE(llvm::StringRef(reason()).starts_with("expected one layer"));
  problem.hasLayers = false;
  EXPECT_EQ(reason(), "");
}
