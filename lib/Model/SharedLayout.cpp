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
/// How one operand travels within a tile.
struct Operand {
  /// Bytes of one slice of every row (of A) or column (of B), over all layers.
  int64_t sliceBytes;
  /// Warps that need the slice, and its owner's slices that stay in registers.
  int64_t group;
  int64_t kept;

  Operand(int64_t sliceBytes, int64_t group, int64_t kept)
      : sliceBytes(sliceBytes), group(group), kept(kept) {}

  /// Of `active` slices of a stage that the owner counts from `firstHeld`,
  /// those in registers. They come first, since the parked ones are the last.
  int64_t inRegisters(int64_t active, int64_t firstHeld) const {
    return std::clamp<int64_t>(kept - firstHeld, 0, active);
  }
};

/// Both operands of a tile.
struct Operands {
  Operand a;
  Operand b;

  Operands(const Partition &partition, const Slicing &slicing,
           ElementBytes element)
      : a(partition.grid.m * partition.grid.k * partition.sliceElementsA() *
              element.operand,
          partition.grid.n, partition.heldA() - slicing.sharedA),
        b(partition.grid.n * partition.grid.k * partition.sliceElementsB() *
              element.operand,
          partition.grid.m, partition.heldB() - slicing.sharedB) {}
};
} // namespace

/// Adds the stage's traffic and returns the slices that were broadcast.
static int64_t addStage(SharedTraffic &traffic, const Operand &operand,
                        int64_t active, int64_t firstHeld) {
  int64_t kept = operand.inRegisters(active, firstHeld);
  int64_t sent = operand.group > 1 ? kept : 0;
  int64_t parked = active - kept;
  traffic.written += sent * operand.sliceBytes;
  traffic.read += (sent * (operand.group - 1) + parked * operand.group) *
                  operand.sliceBytes;
  return sent;
}

static void addStage(SharedTraffic &traffic, const Partition &partition,
                     const Operands &operands, int64_t stage) {
  int64_t active = activeSlices(partition, stage);
  int64_t sentA = addStage(traffic, operands.a, active,
                           partition.heldIndexA(stage, /*slice=*/0));
  int64_t sentB = addStage(traffic, operands.b, active,
                           partition.heldIndexB(stage, /*slice=*/0));
  // A and B of one slice share a pair of barriers.
  traffic.barriers += 2 * std::max(sentA, sentB);
}

static void addParking(SharedTraffic &traffic, const Partition &partition,
                       const Slicing &slicing, const Operands &operands) {
  if (slicing.sharedA + slicing.sharedB == 0)
    return;
  for (int64_t stage = 0; stage < partition.activeStages; ++stage) {
    int64_t active = activeSlices(partition, stage);
    int64_t keptA = operands.a.inRegisters(
        active, partition.heldIndexA(stage, /*slice=*/0));
    int64_t keptB = operands.b.inRegisters(
        active, partition.heldIndexB(stage, /*slice=*/0));
    traffic.written += (active - keptA) * operands.a.sliceBytes +
                       (active - keptB) * operands.b.sliceBytes;
  }
  ++traffic.barriers;
}

SharedTraffic kami::stageTraffic(const Partition &partition,
                                 const Slicing &slicing, ElementBytes element,
                                 int64_t stage) {
  Operands operands(partition, clampSlicing(partition, slicing), element);
  SharedTraffic traffic;
  addStage(traffic, partition, operands, stage);
  return traffic;
}

SharedTraffic kami::parkingTraffic(const Partition &partition,
                                   const Slicing &unclamped,
                                   ElementBytes element) {
  Slicing slicing = clampSlicing(partition, unclamped);
  SharedTraffic traffic;
  addParking(traffic, partition, slicing,
             Operands(partition, slicing, element));
  return traffic;
}

SharedTraffic kami::tileTraffic(const Partition &partition,
                                const Slicing &unclamped,
                                ElementBytes element) {
  Slicing slicing = clampSlicing(partition, unclamped);
  Operands operands(partition, slicing, element);
  SharedTraffic traffic;
  addParking(traffic, partition, slicing, operands);
  for (int64_t stage = 0; stage < partition.activeStages; ++stage)
    addStage(traffic, partition, operands, stage);
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
  SharedTraffic reduce = reduceTraffic(partition, element);
  block.written += reduce.written;
  block.read += reduce.read;
  block.barriers += reduce.barriers;
  return block;
}
