//===- Partition.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/Partition.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace kami;
using llvm::alignTo;
using llvm::divideCeil;

WarpPlace kami::warpPlace(const WarpGrid &grid, int64_t warp) {
  return {warp / grid.n % grid.m, warp % grid.n, warp / (grid.n * grid.m)};
}

int64_t kami::warpsWithin(const WarpGrid &grid, BarrierScope scope) {
  switch (scope) {
  case BarrierScope::Row:
    return grid.n;
  case BarrierScope::Column:
    return grid.m;
  case BarrierScope::Layer:
    return grid.m * grid.n;
  case BarrierScope::Block:
    return grid.warps();
  }
  llvm_unreachable("unknown scope");
}

int64_t kami::groupOf(const WarpGrid &grid, BarrierScope scope,
                      const WarpPlace &place) {
  switch (scope) {
  case BarrierScope::Row:
    return place.layer * grid.m + place.row;
  case BarrierScope::Column:
    return place.layer * grid.n + place.column;
  case BarrierScope::Layer:
    return place.layer;
  case BarrierScope::Block:
    return 0;
  }
  llvm_unreachable("unknown scope");
}

Partition::Partition(const Extents &tile, const WarpGrid &grid,
                     const Extents &atom, int64_t sliceK)
    : tile(tile), grid(grid), sliceK(sliceK), atomM(atom.m) {
  warpM = alignTo(divideCeil(tile.m, grid.m), atom.m);
  warpN = alignTo(divideCeil(tile.n, grid.n), atom.n);
  stages = std::lcm(grid.m, grid.n);
  stageK = alignTo(divideCeil(tile.k, stages * grid.k), sliceK);
  slicesPerStage = stageK / sliceK;
  activeStages = divideCeil(tile.k, stageK * grid.k);
}

// Stages are dealt in turn, so the first owner holds the most.
int64_t Partition::heldA() const {
  return divideCeil(activeStages, grid.n) * slicesPerStage;
}

int64_t Partition::heldB() const {
  return divideCeil(activeStages, grid.m) * slicesPerStage;
}
