//===- Search.cpp -------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace kami;
using llvm::alignTo;
using llvm::divideCeil;

/// Extents of C up to this one are tried without cutting, and so are depths.
/// 16 warps of 255 registers hold 256 × 256 sums of 32 bits at most.
static constexpr int64_t maxWholeExtent = 256;
static constexpr int64_t maxWholeDepth = 512;
static constexpr int64_t cutExtents[] = {192, 128, 96, 64, 32, 16};
static constexpr int64_t cutDepths[] = {128, 64, 32};

/// Tile extents along m or n, largest first: the whole extent, or a part that
/// whole instructions of all warps fill.
llvm::SmallVector<int64_t, 8>
GridSearch::tileExtents(int64_t extent, int64_t parts,
                        int64_t atomExtent) const {
  int64_t unit = parts * atomExtent;
  llvm::SmallVector<int64_t, 8> extents;
  if (extent <= std::max(maxWholeExtent, unit))
    extents.push_back(extent);
  for (int64_t cut : cutExtents)
    if (cut % unit == 0 && cut < extent)
      extents.push_back(cut);
  if (unit < extent && !llvm::is_contained(extents, unit))
    extents.push_back(unit);
  return extents;
}

/// Tile extents along k, largest first: the whole extent, or a multiple of what
/// gives every stage and layer whole instructions.
llvm::SmallVector<int64_t, 8> GridSearch::tileDepths() const {
  int64_t extent = problem.extents.k;
  int64_t unit = std::lcm(grid.m, grid.n) * grid.k * atom.atom->shape.k;
  llvm::SmallVector<int64_t, 8> depths;
  if (extent <= std::max(maxWholeDepth, unit))
    depths.push_back(extent);
  for (int64_t cut : cutDepths) {
    int64_t depth = alignTo(cut, unit);
    if (depth < extent && !llvm::is_contained(depths, depth))
      depths.push_back(depth);
  }
  return depths;
}

bool GridSearch::wants(Transport transport) const {
  // With nobody to send to, both transports are the same.
  if (transport == Transport::Gathered && grid.m == 1 && grid.n == 1 &&
      problem.transport != Transport::Gathered)
    return false;
  return !problem.transport || problem.transport == transport;
}

void GridSearch::run() {
  const Extents &shape = atom.atom->shape;
  llvm::SmallVector<int64_t, 8> depths = tileDepths();
  llvm::SmallVector<int64_t, 8> columns =
      tileExtents(problem.extents.n, grid.n, shape.n);
  for (int64_t m : tileExtents(problem.extents.m, grid.m, shape.m))
    for (int64_t n : columns)
      for (size_t i = 0; i < depths.size() && !cannotWin(m, n); ++i)
        tryTile({m, n, depths[i]});
}

bool GridSearch::cannotWin(int64_t tileM, int64_t tileN) const {
  double worst = 0;
  for (Transport transport : {Transport::Staged, Transport::Gathered}) {
    if (!wants(transport))
      continue;
    if (!bests[size_t(transport)])
      return false;
    worst = std::max(worst, bests[size_t(transport)]->cost.total);
  }
  return leastCycles({problem.extents, problem.batch}, *atom.atom, *atom.rate,
                     tileM, tileN, grid, chip) >= worst;
}

void GridSearch::tryTile(const Extents &tile) {
  int64_t atomK = atom.atom->shape.k;
  Partition partition(tile, grid, atom.atom->shape, atomK);
  if (wants(Transport::Gathered))
    tryGathered(partition);
  if (!wants(Transport::Staged))
    return;
  // Wider slices have fewer barriers; those that do not divide a stage waste.
  int64_t steps = partition.stageK / atomK;
  for (int64_t width : {4, 2, 1}) {
    if (steps % width != 0)
      continue;
    Partition sliced(tile, grid, atom.atom->shape, atomK * width);
    auto &best = bests[size_t(Transport::Staged)];
    tryStaged(sliced);
    if (best && best->plan.tile == tile)
      return;
  }
}

/// The fewest parked slices of one operand with which a thread's registers
/// suffice, or nothing more than `held` where no count does.
int64_t GridSearch::parkedUntilFit(const Partition &partition, Slicing slicing,
                                   int64_t Slicing::*count,
                                   int64_t held) const {
  auto missing = [&](int64_t parked) {
    slicing.*count = parked;
    return registersPerThread(*atom.atom, partition, slicing, chip.warpSize)
               .total() -
           registerLimit;
  };
  if (missing(0) <= 0)
    return 0;
  if (missing(held) > 0)
    return held;
  // Registers fall with every slice, but for the first and the last one, which
  // change how the rest is fetched.
  int64_t low = 0, high = held;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    (missing(middle) > 0 ? low : high) = middle;
  }
  return high;
}

void GridSearch::tryStaged(const Partition &partition) {
  int64_t heldA = partition.heldA(), heldB = partition.heldB();
  int64_t sliceK = partition.sliceK;
  if (tryPlan(partition, Transport::Staged, {sliceK, 0, 0}))
    return;
  auto parkA = [&](int64_t sharedB) {
    Slicing slicing = {sliceK, 0, sharedB};
    slicing.sharedA =
        parkedUntilFit(partition, slicing, &Slicing::sharedA, heldA);
    return slicing;
  };
  auto parkB = [&](int64_t sharedA) {
    Slicing slicing = {sliceK, sharedA, 0};
    slicing.sharedB =
        parkedUntilFit(partition, slicing, &Slicing::sharedB, heldB);
    return slicing;
  };
  tryPlan(partition, Transport::Staged, parkA(0));
  tryPlan(partition, Transport::Staged, parkB(0));
  tryPlan(partition, Transport::Staged, parkB(heldA));
  tryPlan(partition, Transport::Staged, parkA(heldB));
}

void GridSearch::tryGathered(const Partition &partition) {
  int64_t heldA = partition.heldA(), heldB = partition.heldB();
  Slicing slicing = {partition.sliceK, 0, 0};
  if (grid.n > 1)
    slicing.sharedA = heldA;
  if (grid.m > 1)
    slicing.sharedB = heldB;
  if (grid.n == 1)
    slicing.sharedA =
        parkedUntilFit(partition, slicing, &Slicing::sharedA, heldA);
  if (grid.m == 1)
    slicing.sharedB =
        parkedUntilFit(partition, slicing, &Slicing::sharedB, heldB);
  tryPlan(partition, Transport::Gathered, slicing);
}

void GridSearch::keepMisfit(const Plan &plan, const Resources &resources,
                            const Misfit &misfit) {
  // Tiles come largest first, and the first is the one worth telling about.
  auto &kept = misfits[size_t(plan.transport)];
  if (!kept)
    kept = Tiling{plan, resources, {}, misfit};
}

bool GridSearch::tryPlan(const Partition &partition, Transport transport,
                         const Slicing &slicing) {
  Plan plan = {atom.atom, partition.tile, grid, transport, slicing};
  Resources resources =
      resourcesOf(*atom.atom, partition, slicing, chip.warpSize);
  if (Misfit misfit = findMisfit(resources, chip)) {
    keepMisfit(plan, resources, misfit);
    return false;
  }
  CalibratedCost cost =
      calibratedCost({problem.extents, problem.batch}, *atom.atom, *atom.rate,
                     partition, slicing, resources, chip);
  auto &best = bests[size_t(transport)];
  if (!best || cost.total < best->cost.total)
    best = Tiling{plan, resources, cost, {}};
  return true;
}
