//===- BlockModelTest.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/BlockModel.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
struct BlockModel : testing::Test {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));

  BlockCost cost(llvm::StringRef name, const Extents &extents,
                 const WarpGrid &grid, const Slicing &slicing,
                 const Exchange &exchange) const {
    const Atom &atom = *findAtom(name);
    Partition partition(extents, grid, atom.shape, slicing.k);
    return blockCost(
        atom, partition, slicing, exchange,
        resourcesOf(atom, partition, slicing, chip.warpSize, exchange), chip,
        calibrationOf(chip));
  }
};

constexpr Exchange staged = {Transport::Staged, Source::Block, Source::Block};
} // namespace

// One product of the instruction's shape: a warp waits for the sums of each of
// its k steps. The lanes' multiply-adds wait less; a sum of two numbers times
// another is three products.
TEST_F(BlockModel, AWarpWaitsForItsInstructions) {
  double matrix = cost("mma_sync.m16n8k8.f32.tf32", {16, 8, 16}, {1, 1, 1},
                       {8, 0, 0}, staged)
                      .computation;
  double thrice = cost("mma_sync.m16n8k8.f32.tf32x3", {16, 8, 16}, {1, 1, 1},
                       {8, 0, 0}, staged)
                      .computation;
  double lanes =
      cost("fma.m16n8k1.f32.f32", {16, 8, 16}, {1, 1, 1}, {1, 0, 0}, staged)
          .computation;
  EXPECT_DOUBLE_EQ(matrix, 2 * 33);
  EXPECT_DOUBLE_EQ(thrice, 3 * matrix);
  // 16 steps of 128 multiply-adds by 32 lanes at 0.7 of their rate.
  EXPECT_NEAR(lanes, 16 * 4 / 0.7, 1e-9);
}
