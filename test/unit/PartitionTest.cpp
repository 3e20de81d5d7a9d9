//===- PartitionTest.cpp ------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/Partition.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <vector>

using namespace kami;

namespace {
struct Sample {
  Extents tile;
  WarpGrid grid;
  Extents atom;
  int64_t sliceK;
};
} // namespace

static std::vector<Sample> samples() {
  std::mt19937 random(20250101);
  auto from = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const Extents atoms[] = {{16, 8, 16}, {16, 8, 8}, {8, 8, 4}};
  std::vector<Sample> all;
  for (int i = 0; i < 200; ++i) {
    Extents atom = atoms[from(0, 2)];
    all.push_back({{from(1, 70), from(1, 70), from(1, 130)},
                   {from(1, 4), from(1, 4), from(1, 3)},
                   atom,
                   atom.k * from(1, 3)});
  }
  return all;
}

TEST(Partition, WarpsAreNumberedLayerByLayerRowByRow) {
  WarpGrid grid = {2, 3, 2};
  int64_t warp = 0;
  for (int64_t layer = 0; layer < 2; ++layer)
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t column = 0; column < 3; ++column, ++warp) {
        WarpPlace place = warpPlace(grid, warp);
        EXPECT_EQ(place.layer, layer);
        EXPECT_EQ(place.row, row);
        EXPECT_EQ(place.column, column);
      }
}

// Algorithm 1 on 4 warps: C_i is m/p × n, B_i is k/p × n, A_i is m/p × k.
TEST(Partition, OneDimension) {
  Partition partition({64, 64, 64}, {4, 1, 1}, {16, 8, 16}, 16);
  EXPECT_EQ(partition.warpM, 16);
  EXPECT_EQ(partition.warpN, 64);
  EXPECT_EQ(partition.stages, 4);
  EXPECT_EQ(partition.stageK, 16);
  EXPECT_EQ(partition.heldA(), 4);
  EXPECT_EQ(partition.heldB(), 1);
}

// Algorithm 3 on 8 warps: A is m/q × k/q², B is k/q² × n/q.
TEST(Partition, ThreeDimensions) {
  Partition partition({64, 64, 64}, {2, 2, 2}, {16, 8, 16}, 16);
  EXPECT_EQ(partition.warpM, 32);
  EXPECT_EQ(partition.warpN, 32);
  EXPECT_EQ(partition.stages, 2);
  EXPECT_EQ(partition.stageK, 16);
  EXPECT_EQ(partition.heldA() * partition.sliceK, 64 / 4);
  EXPECT_EQ(partition.heldB() * partition.sliceK, 64 / 4);
}

// Sizes that do not divide: 3 warps share 40 rows as 16 each.
TEST(Partition, PadsToWholeInstructions) {
  Partition partition({40, 20, 50}, {3, 1, 1}, {16, 8, 16}, 16);
  EXPECT_EQ(partition.warpM, 16);
  EXPECT_EQ(partition.paddedM(), 48);
  EXPECT_EQ(partition.warpN, 24);
  EXPECT_EQ(partition.stageK, 32);
  EXPECT_EQ(partition.activeStages, 2);
}

TEST(Partition, EveryElementOfCHasOneWarpPerLayer) {
  for (const Sample &sample : samples()) {
    Partition partition(sample.tile, sample.grid, sample.atom, sample.sliceK);
    ASSERT_EQ(partition.warpM % sample.atom.m, 0);
    ASSERT_EQ(partition.warpN % sample.atom.n, 0);
    std::map<std::pair<int64_t, int64_t>, int64_t> owners;
    for (int64_t warp = 0; warp < sample.grid.warps(); ++warp) {
      WarpPlace place = warpPlace(sample.grid, warp);
      for (int64_t i = 0; i < partition.warpM; ++i)
        for (int64_t j = 0; j < partition.warpN; ++j)
          ++owners[{place.row * partition.warpM + i,
                    place.column * partition.warpN + j}];
    }
    for (int64_t i = 0; i < sample.tile.m; ++i)
      for (int64_t j = 0; j < sample.tile.n; ++j)
        ASSERT_EQ((owners[{i, j}]), sample.grid.k);
  }
}

TEST(Partition, EveryKIsMultipliedOnceAndOwnedOnce) {
  for (const Sample &sample : samples()) {
    Partition partition(sample.tile, sample.grid, sample.atom, sample.sliceK);
    std::vector<int64_t> terms(partition.stages * partition.stageK *
                               sample.grid.k);
    for (int64_t stage = 0; stage < partition.stages; ++stage) {
      ASSERT_LT(partition.ownerColumn(stage), sample.grid.n);
      ASSERT_LT(partition.ownerRow(stage), sample.grid.m);
      for (int64_t slice = 0; slice < partition.slicesPerStage; ++slice) {
        if (!partition.isActive(stage, slice))
          continue;
        ASSERT_LT(stage, partition.activeStages);
        for (int64_t layer = 0; layer < sample.grid.k; ++layer)
          for (int64_t i = 0; i < sample.sliceK; ++i)
            ++terms[partition.sliceOffset(stage, slice) +
                    layer * partition.stageK + i];
      }
    }
    ASSERT_GE(int64_t(terms.size()), sample.tile.k);
    for (int64_t k = 0; k < sample.tile.k; ++k)
      ASSERT_EQ(terms[k], 1) << "k " << k;
  }
}

// The slices that a column's warps hold are numbered without gaps or clashes.
TEST(Partition, HeldSlicesAreNumberedFromZero) {
  for (const Sample &sample : samples()) {
    Partition partition(sample.tile, sample.grid, sample.atom, sample.sliceK);
    std::map<std::pair<int64_t, int64_t>, int64_t> heldA, heldB;
    for (int64_t stage = 0; stage < partition.activeStages; ++stage)
      for (int64_t slice = 0; slice < partition.slicesPerStage; ++slice) {
        int64_t a = partition.heldIndexA(stage, slice);
        int64_t b = partition.heldIndexB(stage, slice);
        ASSERT_LT(a, partition.heldA());
        ASSERT_LT(b, partition.heldB());
        ASSERT_EQ((heldA[{partition.ownerColumn(stage), a}]++), 0);
        ASSERT_EQ((heldB[{partition.ownerRow(stage), b}]++), 0);
        // As the header words it.
        ASSERT_EQ(a % partition.slicesPerStage, slice);
        ASSERT_EQ(partition.ownerColumn(stage) +
                      a / partition.slicesPerStage * sample.grid.n,
                  stage);
      }
  }
}
