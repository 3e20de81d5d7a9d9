//===- CalibratedModelTest.cpp ------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/CalibratedModel.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
struct CalibratedModel : testing::Test {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  const Atom &atom = *findAtom("mma_sync.m16n8k16.f32.f16");
  const Calibration &calibration = calibrationOf(chip);

  CalibratedCost cost(const Work &work, const Extents &tile,
                      const WarpGrid &grid, const Slicing &slicing) const {
    Partition partition(tile, grid, atom.shape, slicing.k);
    return calibratedCost(work, atom, partition, slicing,
                          resourcesOf(atom, partition, slicing, chip.warpSize),
                          chip, calibration);
  }
};
} // namespace

// A block's tensor-core cycles, on all multiprocessors at once, are the 627
// TFLOPS that products of this instruction reach that send nothing (6.83 cycles
// each, kami-bench calibrate), of the 643 of a loop of it.
TEST_F(CalibratedModel, TensorCoresRunAtTheMeasuredRate) {
  CalibratedCost one =
      cost({{128, 128, 128}, 16384}, {128, 128, 128}, {4, 1, 1}, {16, 0, 2});
  double perSecond = 2.0 * 128 * 128 * 128 * chip.multiprocessors *
                     chip.boostMHz * 1e6 / one.tensorCores;
  EXPECT_NEAR(perSecond * 1e-12, 627, 1);
}

TEST_F(CalibratedModel, PaddingIsWork) {
  CalibratedCost whole =
      cost({{32, 32, 32}, 1}, {32, 32, 32}, {2, 1, 1}, {16, 0, 0});
  CalibratedCost padded =
      cost({{17, 25, 17}, 1}, {17, 25, 17}, {2, 1, 1}, {16, 0, 0});
  EXPECT_EQ(whole.tensorCores, padded.tensorCores);
  EXPECT_GT(whole.memoryBandwidth, padded.memoryBandwidth);
}

// 1D on 4 warps, 64³: 4 stages with 2 barriers and 8192 bytes each.
TEST_F(CalibratedModel, CommunicationCountsBytesAndBarriers) {
  CalibratedCost one =
      cost({{64, 64, 64}, 1}, {64, 64, 64}, {4, 1, 1}, {16, 0, 0});
  EXPECT_DOUBLE_EQ(one.sharedBandwidth, 4 * 8192 / calibration.sharedBandwidth);
  EXPECT_DOUBLE_EQ(one.sharedLatency, 8 * calibration.sharedLatency);
  EXPECT_DOUBLE_EQ(one.barriers,
                   8 * (calibration.barrier + 4 * calibration.barrierPerWarp));
  EXPECT_DOUBLE_EQ(one.blocks, 1);
}

// 1 GB and more through a device: as fast as its memory, and hardly slower.
TEST_F(CalibratedModel, LargeBatchesRunAtTheMemorysSpeed) {
  Work work = {{64, 64, 64}, 100000};
  CalibratedCost many = cost(work, {64, 64, 64}, {2, 2, 1}, {16, 0, 0});
  double bytes = 100000.0 * (2 * 64 * 64 * 2 + 64 * 64 * 4);
  double seconds = many.total / (chip.boostMHz * 1e6);
  double bandwidth = bytes / seconds * 1e-9;
  EXPECT_LT(bandwidth, calibration.memoryBandwidth);
  EXPECT_GT(bandwidth, calibration.memoryBandwidth / 2);
}

TEST_F(CalibratedModel, LowerBoundIsOne) {
  Slicing slicing = {16, 0, 0};
  for (int64_t batch : {1, 100, 20000})
    for (int64_t size : {5, 64, 200})
      for (int64_t tile : {32, 64}) {
        Work work = {{size, size, size}, batch};
        double bound =
            leastCycles(work, atom, tile, tile, {2, 1, 1}, chip, calibration);
        for (int64_t depth : {32, 64})
          EXPECT_LE(bound,
                    cost(work, {tile, tile, depth}, {2, 1, 1}, slicing).total);
      }
}

TEST_F(CalibratedModel, ALaunchCostsItsFloor) {
  CalibratedCost one = cost({{1, 1, 1}, 1}, {1, 1, 1}, {1, 1, 1}, {16, 0, 0});
  EXPECT_DOUBLE_EQ(one.launch, calibration.launchMicroseconds * 1980);
  EXPECT_GT(one.total, one.launch);
}
