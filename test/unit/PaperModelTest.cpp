//===- PaperModelTest.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The worked examples of "KAMI" (SC '25), section 4: m = n = k = 8, FP64,
// L_sm = 22, θ = 1, B_sm = 128, O_tc = 32, n_tc = 4.
//
//===----------------------------------------------------------------------===//

#include "kami/Model/PaperModel.h"
#include "gtest/gtest.h"

using namespace kami;

static PaperMachine exampleMachine() {
  PaperMachine machine;
  machine.latencyShared = 22;
  machine.bandwidthShared = 128;
  machine.tensorCores = 4;
  machine.opsPerCycle = 32;
  return machine;
}

static const PaperProduct example = {{8, 8, 8}, 8, 8};

static void expectCost(const PaperCost &cost, double volume,
                       double communication, double computation, double total) {
  EXPECT_DOUBLE_EQ(cost.volume, volume);
  EXPECT_DOUBLE_EQ(cost.communication, communication);
  EXPECT_DOUBLE_EQ(cost.computation, computation);
  EXPECT_DOUBLE_EQ(cost.total, total);
}

TEST(PaperModel, WorkedExamples) {
  expectCost(paperCost1D(example, 2, exampleMachine()), 512, 26, 8, 60);
  expectCost(paperCost2D(example, 4, exampleMachine()), 1024, 30, 4, 68);
  expectCost(paperCost3D(example, 8, exampleMachine()), 1024, 30, 2, 68);
}

TEST(PaperModel, GeneralGridReducesToTheWorkedExamples) {
  expectCost(paperCost(example, {2, 1, 1}, exampleMachine()), 512, 26, 8, 60);
  expectCost(paperCost(example, {2, 2, 1}, exampleMachine()), 1024, 30, 4, 68);
  expectCost(paperCost(example, {2, 2, 2}, exampleMachine()), 1024, 30, 2, 68);
}

TEST(PaperModel, GeneralGridReducesToTheThreeElsewhere) {
  PaperMachine machine = exampleMachine();
  machine.thetaR = 0.5;
  machine.thetaW = 0.25;
  PaperProduct product = {{48, 80, 96}, 2, 4};
  auto expectSame = [](const PaperCost &a, const PaperCost &b) {
    EXPECT_NEAR(a.volume, b.volume, 1e-9 * b.volume);
    EXPECT_NEAR(a.communication, b.communication, 1e-9 * b.communication);
    EXPECT_NEAR(a.computation, b.computation, 1e-9 * b.computation);
    EXPECT_NEAR(a.total, b.total, 1e-9 * b.total);
    EXPECT_NEAR(a.layerSum, b.layerSum, 1e-9);
  };
  for (int q = 2; q <= 5; ++q) {
    expectSame(paperCost(product, {q, 1, 1}, machine),
               paperCost1D(product, q, machine));
    expectSame(paperCost(product, {q, q, 1}, machine),
               paperCost2D(product, q * q, machine));
    expectSame(paperCost(product, {q, q, q}, machine),
               paperCost3D(product, q * q * q, machine));
  }
}

// By the closed form: L·s + ([pn>1]·mk + [pm>1]·kn)·s_e/B + ... on a grid of
// 2 × 4: 22·4 + (64·8 + 64·8)/128 + (3·64·8 + 1·64·8)/128 + 1024/128.
TEST(PaperModel, RectangularGrid) {
  PaperCost cost = paperCost(example, {2, 4, 1}, exampleMachine());
  EXPECT_DOUBLE_EQ(cost.stages, 4);
  EXPECT_DOUBLE_EQ(cost.total, 88 + 8 + 16 + 8);
}

// One layer more: 64 sums of 8 bytes written and read, 512/128 cycles each.
TEST(PaperModel, SumOverLayersStandsApart) {
  PaperCost cost = paperCost(example, {2, 2, 2}, exampleMachine());
  EXPECT_DOUBLE_EQ(cost.layerSum, 8);
  EXPECT_DOUBLE_EQ(paperCost(example, {2, 2, 1}, exampleMachine()).layerSum, 0);
}

// Nobody listens, so nothing is written.
TEST(PaperModel, OneWarpSendsNothing) {
  PaperCost cost = paperCost(example, {1, 1, 1}, exampleMachine());
  EXPECT_DOUBLE_EQ(cost.volume, 0);
  EXPECT_DOUBLE_EQ(cost.total, 22 + 8);
  EXPECT_DOUBLE_EQ(paperCost1D(example, 1, exampleMachine()).total, 22 + 4 + 8);
}
