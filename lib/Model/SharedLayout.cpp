//===- SharedLayout.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/SharedLayout.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kami;

/// Alignment of a region: the widest access to shared memory.
static constexpr int64_t regionAlignment = 16;

Slicing kami::clampSlicing(const Partition &partition, Slicing slicing) {
  slicing.sharedA = std::min(slicing.sharedA, partition.heldA());
  slicing.sharedB = std::min(slicing.sharedB, partition.heldB());
  return slicing;
}

SharedLayout kami::sharedLayout(const Partition &partition,
                                const Slicing &unclamped,
                                ElementBytes element) {
  Slicing slicing = clampSlicing(partition, unclamped);
  const WarpGrid &grid = partition.grid;
  SharedLayout layout;
  layout.sliceBytesA = partition.sliceElementsA() * element.operand;
  layout.sliceBytesB = partition.sliceElementsB() * element.operand;

  int64_t end = 0;
  auto append = [&](SharedRegion &region, int64_t bytes) {
    region = {end, bytes};
    end += llvm::alignTo(bytes, regionAlignment);
  };
  append(layout.parkedA, grid.warps() * slicing.sharedA * layout.sliceBytesA);
  append(layout.parkedB, grid.warps() * slicing.sharedB * layout.sliceBytesB);
  if (grid.n > 1 && slicing.sharedA < partition.heldA())
    append(layout.broadcastA, grid.m * grid.k * layout.sliceBytesA);
  if (grid.m > 1 && slicing.sharedB < partition.heldB())
    append(layout.broadcastB, grid.n * grid.k * layout.sliceBytesB);
  if (grid.k > 1)
    layout.reduce.bytes = grid.m * grid.n * partition.warpM * partition.warpN *
                          element.accumulator;
  layout.bytes = std::max(end, layout.reduce.bytes);
  return layout;
}

int64_t kami::activeSlices(const Partition &partition, int64_t stage) {
  int64_t first = partition.sliceOffset(stage, 0);
  if (first >= partition.tile.k)
    return 0;
  int64_t slices = llvm::divideCeil(partition.tile.k - first, partition.sliceK);
  return std::min(slices, partition.slicesPerStage);
}

int64_t kami::activeSlices(const Partition &partition) {
  int64_t last = partition.activeStages - 1;
  return last * partition.slicesPerStage + activeSlices(partition, last);
}

namespace {
/// How one operand's slices of a stage travel. The slices in registers come
/// first, since the parked ones are the last that a warp holds.
struct StageSlices {
  int64_t inRegisters;
  int64_t parked;
};
} // namespace

static StageSlices splitA(const Partition &partition, const Slicing &slicing,
                          int64_t stage) {
  int64_t active = activeSlices(partition, stage);
  int64_t kept = partition.heldA() - slicing.sharedA -
                 partition.heldIndexA(stage, /*slice=*/0);
  kept = std::clamp<int64_t>(kept, 0, active);
  return {kept, active - kept};
}

static StageSlices splitB(const Partition &partition, const Slicing &slicing,
                          int64_t stage) {
  int64_t active = activeSlices(partition, stage);
  int64_t kept = partition.heldB() - slicing.sharedB -
                 partition.heldIndexB(stage, /*slice=*/0);
  kept = std::clamp<int64_t>(kept, 0, active);
  return {kept, active - kept};
}

SharedTraffic kami::stageTraffic(const Partition &partition,
                                 const Slicing &unclamped, ElementBytes element,
                                 int64_t stage) {
  Slicing slicing = clampSlicing(partition, unclamped);
  const WarpGrid &grid = partition.grid;
  StageSlices a = splitA(partition, slicing, stage);
  StageSlices b = splitB(partition, slicing, stage);
  // One slice of every row, and of every column, over all layers.
  int64_t bytesA =
      grid.m * grid.k * partition.sliceElementsA() * element.operand;
  int64_t bytesB =
      grid.n * grid.k * partition.sliceElementsB() * element.operand;
  int64_t sentA = grid.n > 1 ? a.inRegisters : 0;
  int64_t sentB = grid.m > 1 ? b.inRegisters : 0;

  SharedTraffic traffic;
  traffic.written = sentA * bytesA + sentB * bytesB;
  traffic.read = sentA * (grid.n - 1) * bytesA + a.parked * grid.n * bytesA +
                 sentB * (grid.m - 1) * bytesB + b.parked * grid.m * bytesB;
  traffic.barriers = 2 * std::max(sentA, sentB);
  return traffic;
}

SharedTraffic kami::parkingTraffic(const Partition &partition,
                                   const Slicing &unclamped,
                                   ElementBytes element) {
  Slicing slicing = clampSlicing(partition, unclamped);
  const WarpGrid &grid = partition.grid;
  SharedTraffic traffic;
  for (int64_t stage = 0; stage < partition.activeStages; ++stage)
    traffic.written +=
        splitA(partition, slicing, stage).parked * grid.m * grid.k *
            partition.sliceElementsA() * element.operand +
        splitB(partition, slicing, stage).parked * grid.n * grid.k *
            partition.sliceElementsB() * element.operand;
  traffic.barriers = slicing.sharedA + slicing.sharedB > 0;
  return traffic;
}

static void add(SharedTraffic &sum, const SharedTraffic &traffic) {
  sum.written += traffic.written;
  sum.read += traffic.read;
  sum.barriers += traffic.barriers;
}

SharedTraffic kami::tileTraffic(const Partition &partition,
                                const Slicing &slicing, ElementBytes element) {
  SharedTraffic traffic = parkingTraffic(partition, slicing, element);
  for (int64_t stage = 0; stage < partition.activeStages; ++stage)
    add(traffic, stageTraffic(partition, slicing, element, stage));
  return traffic;
}

SharedTraffic kami::reduceTraffic(const Partition &partition,
                                  ElementBytes element) {
  int64_t rounds = partition.grid.k - 1;
  int64_t bytes =
      rounds * partition.paddedM() * partition.paddedN() * element.accumulator;
  return {bytes, bytes, 2 * rounds};
}

SharedTraffic kami::blockTraffic(const Partition &partition,
                                 const Slicing &slicing, ElementBytes element,
                                 int64_t kTiles) {
  SharedTraffic tile = tileTraffic(partition, slicing, element);
  SharedTraffic block = {tile.written * kTiles, tile.read * kTiles,
                         tile.barriers * kTiles};
  if (slicing.sharedA + slicing.sharedB > 0)
    block.barriers += kTiles - 1;
  add(block, reduceTraffic(partition, element));
  return block;
}
