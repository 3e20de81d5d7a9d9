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
                      const WarpGrid &grid, const Slicing &slicing,
                      const Exchange &exchange = {}) const {
    Partition partition(tile, grid, atom.shape, slicing.k);
    return calibratedCost(
        work, atom, partition, slicing,
        resourcesOf(atom, partition, slicing, chip.warpSize, exchange), chip,
        calibration, exchange);
  }
};

/// One product of f16 in rows of pieces of so many bytes.
Work singleProduct(int64_t size, int64_t piece) {
  Work work = {{size, size, size}, 1, 2, 2, 2};
  work.pieceA = work.pieceB = piece;
  work.isFew = true;
  work.accessA = work.accessB = piece;
  return work;
}

Exchange copiedIn(int64_t stages) {
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.stages = stages;
  return exchange;
}
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

TEST_F(CalibratedModel, LowerBoundOfSingleProductsIsOne) {
  Slicing slicing = {16, 0, 0};
  for (int64_t size : {5, 64, 200, 1000})
    for (int64_t tile : {16, 32, 64, 128}) {
      Work work = singleProduct(size, size % 8 == 0 ? 16 : 2);
      double bound =
          leastCycles(work, atom, tile, tile, {2, 1, 1}, chip, calibration);
      for (int64_t depth : {32, 64}) {
        Extents extents = {tile, tile, depth};
        EXPECT_LE(bound, cost(work, extents, {2, 1, 1}, slicing).total);
        for (int64_t stages : {1, 2, 3})
          EXPECT_LE(
              bound,
              cost(work, extents, {2, 1, 1}, slicing, copiedIn(stages)).total);
      }
    }
}

// Nothing hides the steps of few blocks: 512³ of f16 by tiles of 64 × 64 × 128
// takes 3.0 µs in three stages and 3.6 in two, 200³ 4.6 by warps that load it
// in two layers, where 1.8 were expected (H200, 2026-11-28).
TEST_F(CalibratedModel, SingleProductsAreSums) {
  Slicing slicing = {16, 0, 0};
  auto copied = [&](int64_t size, int64_t piece, int64_t stages) {
    return cost(singleProduct(size, piece), {64, 64, 64}, {2, 2, 1}, slicing,
                copiedIn(stages))
        .total;
  };
  EXPECT_LT(copied(512, 16, 3), copied(512, 16, 2));
  EXPECT_LT(copied(512, 16, 3), copied(512, 2, 3));
  EXPECT_LT(copied(512, 16, 3), copied(1024, 16, 3));
  Work few = singleProduct(200, 16), batch = few;
  batch.isFew = false;
  Extents tile = {16, 16, 200};
  EXPECT_GT(cost(few, tile, {1, 1, 2}, slicing).total,
            cost(batch, tile, {1, 1, 2}, slicing).total);
}

TEST_F(CalibratedModel, ALaunchCostsItsFloor) {
  CalibratedCost one = cost({{1, 1, 1}, 1}, {1, 1, 1}, {1, 1, 1}, {16, 0, 0});
  EXPECT_DOUBLE_EQ(one.launch, calibration.launchMicroseconds * 1980);
  EXPECT_GT(one.total, one.launch);
}
