//===- SharedLayoutTest.cpp ---------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/SharedLayout.h"
#include "gtest/gtest.h"
#include <random>

using namespace kami;

static constexpr ElementBytes halves = {2, 4};
static constexpr ElementBytes doubles = {8, 8};

// 64×64×64 f16 on 4 warps, 1D: a slice of B is 16 × 64 halves, 2048 bytes.
TEST(SharedLayout, OneDimensionStaged) {
  Partition partition({64, 64, 64}, {4, 1, 1}, {16, 8, 16}, 16);
  SharedLayout layout = sharedLayout(partition, {16, 0, 0}, halves);
  EXPECT_EQ(layout.broadcastA.bytes, 0);
  EXPECT_EQ(layout.broadcastB.offset, 0);
  EXPECT_EQ(layout.broadcastB.bytes, 2048);
  EXPECT_EQ(layout.bytes, 2048);

  // Each stage: 2048 bytes written, three warps read them.
  SharedTraffic stage = stageTraffic(partition, {16, 0, 0}, halves, 0);
  EXPECT_EQ(stage.written, 2048);
  EXPECT_EQ(stage.read, 3 * 2048);
  EXPECT_EQ(stage.barriers, 2);
  SharedTraffic tile = tileTraffic(partition, {16, 0, 0}, halves);
  EXPECT_EQ(tile.written + tile.read, 4 * 4 * 2048);
  EXPECT_EQ(tile.barriers, 8);
}

// The same gathered, with 3 of 4 slices of A (16 × 16 halves) parked as well.
TEST(SharedLayout, OneDimensionGathered) {
  Partition partition({64, 64, 64}, {4, 1, 1}, {16, 8, 16}, 16);
  Slicing slicing = {16, 3, 1};
  SharedLayout layout = sharedLayout(partition, slicing, halves);
  EXPECT_EQ(layout.parkedA.bytes, 4 * 3 * 512);
  EXPECT_EQ(layout.parkedB.offset, 4 * 3 * 512);
  EXPECT_EQ(layout.parkedB.bytes, 4 * 2048);
  EXPECT_EQ(layout.broadcastB.bytes, 0);
  EXPECT_EQ(layout.bytes, 6144 + 8192);

  SharedTraffic tile = tileTraffic(partition, slicing, halves);
  EXPECT_EQ(tile.written, 6144 + 8192);
  EXPECT_EQ(tile.read, 6144 + 4 * 8192);
  EXPECT_EQ(tile.barriers, 1);
  // Two tiles along k: once more everything, and a barrier between.
  SharedTraffic block = blockTraffic(partition, slicing, halves, 2);
  EXPECT_EQ(block.written, 2 * tile.written);
  EXPECT_EQ(block.barriers, 3);
}

// 2D: a slice of A from each row, a slice of B from each column; 5 of 8 slices
// of A and all of B parked.
TEST(SharedLayout, TwoDimensionsPartlyParked) {
  Partition partition({128, 128, 128}, {4, 2, 1}, {16, 8, 8}, 8);
  EXPECT_EQ(partition.heldA(), 8);
  EXPECT_EQ(partition.heldB(), 4);
  SharedLayout layout = sharedLayout(partition, {8, 5, 9}, doubles);
  EXPECT_EQ(layout.parkedA.bytes, 8 * 5 * 32 * 8 * 8);
  EXPECT_EQ(layout.parkedB.bytes, 8 * 4 * 64 * 8 * 8);
  EXPECT_EQ(layout.broadcastA.offset, 81920 + 131072);
  EXPECT_EQ(layout.broadcastA.bytes, 4 * 32 * 8 * 8);
  EXPECT_EQ(layout.broadcastB.bytes, 0);
  EXPECT_EQ(layout.bytes, 221184);
}

// The sum over layers overlays the operands: 2·2 tiles of 32 × 32 sums.
TEST(SharedLayout, ReductionOverlays) {
  Partition partition({64, 64, 64}, {2, 2, 2}, {16, 8, 16}, 16);
  SharedLayout layout = sharedLayout(partition, {16, 0, 0}, halves);
  EXPECT_EQ(layout.broadcastA.bytes, 4 * 1024);
  EXPECT_EQ(layout.broadcastB.bytes, 4 * 1024);
  EXPECT_EQ(layout.reduce.offset, 0);
  EXPECT_EQ(layout.reduce.bytes, 64 * 64 * 4);
  EXPECT_EQ(layout.bytes, 64 * 64 * 4);

  SharedTraffic reduce = reduceTraffic(partition, halves);
  EXPECT_EQ(reduce.written, 64 * 64 * 4);
  EXPECT_EQ(reduce.read, 64 * 64 * 4);
  EXPECT_EQ(reduce.barriers, 2);
}

// V_cm of the paper, (1) and (5), on extents that need no padding.
TEST(SharedLayout, StagesMoveThePapersVolume) {
  Partition oneD({64, 32, 64}, {4, 1, 1}, {16, 8, 16}, 16);
  SharedTraffic stage = stageTraffic(oneD, {16, 0, 0}, halves, 1);
  EXPECT_EQ(stage.written + stage.read, 64 * 32 * 2);
  Partition twoD({64, 32, 96}, {2, 2, 1}, {16, 8, 16}, 48);
  stage = stageTraffic(twoD, {48, 0, 0}, halves, 1);
  EXPECT_EQ(stage.written + stage.read, (64 * 96 + 96 * 32) * 2);
}

namespace {
/// Counts what the header's words make every single warp do.
struct Replay {
  const Partition &partition;
  Slicing slicing;
  ElementBytes element;
  SharedTraffic traffic;

  bool isParkedA(int64_t stage, int64_t slice) const {
    return partition.heldIndexA(stage, slice) >=
           partition.heldA() - slicing.sharedA;
  }
  bool isParkedB(int64_t stage, int64_t slice) const {
    return partition.heldIndexB(stage, slice) >=
           partition.heldB() - slicing.sharedB;
  }

  void slice(int64_t stage, int64_t index) {
    const WarpGrid &grid = partition.grid;
    int64_t bytesA = partition.sliceElementsA() * element.operand;
    int64_t bytesB = partition.sliceElementsB() * element.operand;
    bool sends = (grid.n > 1 && !isParkedA(stage, index)) ||
                 (grid.m > 1 && !isParkedB(stage, index));
    traffic.barriers += sends ? 2 : 0;
    for (int64_t warp = 0; warp < grid.warps(); ++warp) {
      WarpPlace place = warpPlace(grid, warp);
      bool ownsA = place.column == partition.ownerColumn(stage);
      bool ownsB = place.row == partition.ownerRow(stage);
      if (isParkedA(stage, index)) {
        traffic.written += ownsA ? bytesA : 0;
        traffic.read += bytesA;
      } else if (grid.n > 1) {
        (ownsA ? traffic.written : traffic.read) += bytesA;
      }
      if (isParkedB(stage, index)) {
        traffic.written += ownsB ? bytesB : 0;
        traffic.read += bytesB;
      } else if (grid.m > 1) {
        (ownsB ? traffic.written : traffic.read) += bytesB;
      }
    }
  }

  void tile() {
    traffic.barriers += slicing.sharedA > 0 || slicing.sharedB > 0;
    for (int64_t stage = 0; stage < partition.stages; ++stage)
      for (int64_t index = 0; index < partition.slicesPerStage; ++index)
        if (partition.isActive(stage, index))
          slice(stage, index);
  }
};
} // namespace

TEST(SharedLayout, TrafficIsTheSumOverWarps) {
  std::mt19937 random(7);
  auto from = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 500; ++i) {
    Partition partition({from(1, 100), from(1, 100), from(1, 300)},
                        {from(1, 4), from(1, 4), from(1, 3)}, {16, 8, 16},
                        16 * from(1, 2));
    Slicing slicing = {partition.sliceK, from(0, partition.heldA()),
                       from(0, partition.heldB())};
    Replay replay = {partition, slicing, halves, {}};
    replay.tile();
    SharedTraffic tile = tileTraffic(partition, slicing, halves);
    ASSERT_EQ(tile.written, replay.traffic.written);
    ASSERT_EQ(tile.read, replay.traffic.read);
    ASSERT_EQ(tile.barriers, replay.traffic.barriers);
  }
}

// Two buffers in turn need one barrier a slice, and one more before the next
// tile where the first buffer was the last to be read: 4 stages leave the
// second.
TEST(SharedLayout, DoubleBuffered) {
  Exchange exchange = {Transport::DoubleBuffered};
  Partition four({64, 64, 64}, {4, 1, 1}, {16, 8, 16}, 16);
  SharedLayout layout = sharedLayout(four, {16, 0, 0}, halves, exchange);
  EXPECT_EQ(layout.broadcastB.bytes, 2 * 2048);
  SharedTraffic tile = tileTraffic(four, {16, 0, 0}, halves, exchange);
  EXPECT_EQ(tile.written + tile.read, 4 * 4 * 2048);
  EXPECT_EQ(tile.barriers, 4);
  EXPECT_FALSE(leavesReads(four, {16, 0, 0}, exchange));
  SharedTraffic block = blockTraffic(four, {16, 0, 0}, halves, 3, exchange);
  EXPECT_EQ(block.barriers, 12);

  Partition three({48, 64, 48}, {3, 1, 1}, {16, 8, 16}, 16);
  EXPECT_TRUE(leavesReads(three, {16, 0, 0}, exchange));
  block = blockTraffic(three, {16, 0, 0}, halves, 3, exchange);
  EXPECT_EQ(block.barriers, 3 * 3 + 2);
}

// Of operands that are distributed already, what is resident stays, in front of
// what every product uses anew.
TEST(SharedLayout, ResidentOperandsStay) {
  Partition partition({64, 64, 64}, {2, 2, 2}, {16, 8, 16}, 16);
  ASSERT_EQ(partition.heldA(), 1);
  Slicing slicing = {16, 1, 1};
  Exchange resident = {Transport::Resident, Source::Block, Source::Block};
  SharedLayout layout = sharedLayout(partition, slicing, halves, resident);
  // 8 warps with a slice of 32 × 16 halves of A, and of B.
  EXPECT_EQ(layout.kept, 2 * 8 * 1024);
  EXPECT_EQ(layout.reduce.offset, layout.kept);
  EXPECT_EQ(layout.bytes, layout.kept + 64 * 64 * 4);
  EXPECT_FALSE(writesShared(partition, slicing, resident));
  SharedTraffic product = productTraffic(partition, slicing, halves, resident);
  // Nothing of A and B is written; each of 2 stages is read by all 8 warps.
  SharedTraffic reduce = reduceTraffic(partition, halves);
  EXPECT_EQ(product.written, reduce.written);
  EXPECT_EQ(product.read, reduce.read + 2 * 2 * 8 * 1024);
  EXPECT_EQ(product.barriers, reduce.barriers);
}

// Gathered, every product writes its operands again, a barrier after the reads
// of the one before and another one before its own.
TEST(SharedLayout, GatheredOperandsAreWrittenByEveryProduct) {
  Partition partition({64, 64, 64}, {4, 1, 1}, {16, 8, 16}, 16);
  Slicing slicing = {16, 0, 1};
  Exchange gathered = {Transport::Gathered, Source::Block, Source::Block};
  SharedLayout layout = sharedLayout(partition, slicing, halves, gathered);
  EXPECT_EQ(layout.kept, 0);
  EXPECT_EQ(layout.bytes, 64 * 64 * 2);
  SharedTraffic product = productTraffic(partition, slicing, halves, gathered);
  EXPECT_EQ(product.written, 64 * 64 * 2);
  EXPECT_EQ(product.read, 4 * 64 * 64 * 2);
  EXPECT_EQ(product.barriers, 2);
  // Half of A, which nobody else needs, may live in shared memory all the same.
  EXPECT_EQ(sharedLayout(partition, {16, 2, 1}, halves, gathered).kept,
            4 * 2 * 512);
}

// Rows wait for A, columns for B, and the whole layer where both travel; sums
// over layers and what separates products are the block's.
TEST(SharedLayout, BarriersHoldUpThoseThatTalk) {
  const Extents atom = {16, 8, 16};
  Exchange staged,
      distributed = {Transport::Staged, Source::Block, Source::Block};
  staged.isScoped = distributed.isScoped = true;
  Partition square({64, 64, 64}, {2, 2, 1}, atom, 16);
  ASSERT_EQ(square.heldA(), 2);
  EXPECT_EQ(exchangeScope(square, {16, 0, 0}, staged), BarrierScope::Block);
  EXPECT_EQ(exchangeScope(square, {16, 0, 2}, staged), BarrierScope::Block);
  EXPECT_EQ(exchangeScope(square, {16, 0, 2}, distributed), BarrierScope::Row);
  EXPECT_EQ(exchangeScope(square, {16, 2, 1}, distributed),
            BarrierScope::Column);
  SharedTraffic rows = productTraffic(square, {16, 0, 2}, halves, distributed);
  EXPECT_EQ(rows.barriers, 8);
  EXPECT_EQ(rows.scopedBarriers, 8);

  Partition cube({64, 64, 64}, {2, 2, 2}, atom, 16);
  EXPECT_EQ(exchangeScope(cube, {16, 0, 0}, staged), BarrierScope::Layer);
  SharedTraffic layers = blockTraffic(cube, {16, 0, 0}, halves, 2, staged);
  EXPECT_EQ(layers.barriers, 2 * 4 + 2);
  EXPECT_EQ(layers.scopedBarriers, 2 * 4);

  Partition line({64, 64, 64}, {4, 1, 1}, atom, 16);
  EXPECT_EQ(exchangeScope(line, {16, 0, 0}, staged), BarrierScope::Block);
  staged.isScoped = false;
  EXPECT_EQ(exchangeScope(cube, {16, 0, 0}, staged), BarrierScope::Block);
}

// Parts of an operand that stays are as large as tiles of the one that passes
// by, at most, alike, and of whole swizzle rows where there is room for them.
TEST(SharedLayout, OperandsThatStayComeInParts) {
  auto stagesOf = [](int64_t rows, int64_t columns, int64_t k) {
    Partition partition({rows, columns, k}, {8, 1, 1}, {16, 8, 8}, 8);
    return stationaryStages(partition, /*operandBytes=*/4);
  };
  struct {
    int64_t columns, k, bytes, depth, count;
  } cases[] = {{32, 256, 32 * 1024, 64, 4}, {64, 256, 64 * 1024, 128, 2},
               {40, 200, 35 * 1024, 64, 4}, {16, 256, 16 * 1024, 32, 8},
               {8, 64, 4096, 8, 8},         {64, 8, 4096, 8, 1}};
  for (const auto &expected : cases) {
    StationaryStages stages = stagesOf(128, expected.columns, expected.k);
    EXPECT_EQ(stages.bytes, expected.bytes) << expected.columns;
    EXPECT_EQ(stages.depth, expected.depth) << expected.columns;
    EXPECT_EQ(stages.count, expected.count) << expected.columns;
  }
  Partition partition({128, 32, 256}, {8, 1, 1}, {16, 8, 8}, 8);
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.unit = Unit::WarpGroup;
  exchange.stages = 5;
  exchange.prefetches = exchange.bulk = exchange.stationary = true;
  SharedLayout layout = sharedLayout(partition, {8}, {4, 4}, exchange);
  EXPECT_EQ(layout.copiedA.bytes, 5 * 32 * 1024);
  EXPECT_EQ(layout.copiedB.bytes, layout.copiedA.bytes);
  EXPECT_EQ(layout.maps.offset, 5 * 32 * 1024);
  // A stage waits for one copy, and says to all warps that it is free.
  EXPECT_EQ(layout.barriers.bytes, 2 * 5 * 8);
}
