//===- BlockSearch.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSearch.h"
#include "kami/Layout/SharedMatrix.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace kami;

namespace {
/// The plans of one grid and atom.
class BlockSearch {
public:
  BlockSearch(const Problem &problem, const Atom &atom, const WarpGrid &grid,
              Owners owners, std::vector<Plan> &plans)
      : problem(problem), atom(atom), grid(grid), owners(owners), plans(plans) {
  }

  void run();

private:
  void runGroups();
  void tryWidth(int64_t sliceK);
  void add(Transport transport, const Slicing &slices) {
    plans.push_back({&atom, problem.extents, grid, transport, slices});
  }
  bool wants(Transport transport) const {
    return !problem.transport || problem.transport == transport;
  }

  const Problem &problem;
  const Atom &atom;
  WarpGrid grid;
  Owners owners;
  std::vector<Plan> &plans;
};
} // namespace

/// Whether every row, column and layer of warps has elements of C and, if all
/// have to own some, of A and B.
static bool isBusy(const Partition &partition, Owners owners) {
  const Extents &tile = partition.tile;
  const WarpGrid &grid = partition.grid;
  return (grid.m - 1) * partition.warpM < tile.m &&
         (grid.n - 1) * partition.warpN < tile.n &&
         (grid.k - 1) * partition.stageK < tile.k &&
         (owners == Owners::Some || partition.activeStages == partition.stages);
}

/// The one way in which groups of warps may share a product: rows of them, with
/// B where their unit reads it.
void BlockSearch::runGroups() {
  if (grid.n != 1 || grid.k != 1 || grid.m % warpsPerGroup != 0 ||
      !wants(Transport::Resident))
    return;
  Partition partition(problem.extents, grid, atom.shape, atom.shape.k);
  if ((grid.m - warpsPerGroup) * partition.warpM < problem.extents.m)
    for (int64_t sharedA : {int64_t(0), partition.heldA()})
      add(Transport::Resident, {atom.shape.k, sharedA, partition.heldB()});
}

void BlockSearch::run() {
  if (atom.instruction == Instruction::Wgmma)
    return runGroups();
  Partition narrowest(problem.extents, grid, atom.shape, atom.shape.k);
  if (!isBusy(narrowest, owners))
    return;
  int64_t steps = narrowest.stageK / atom.shape.k;
  // Of slices that are a multiple of each other, those of a few elements only
  // have more barriers.
  constexpr int64_t narrow = 8;
  for (int64_t width = 1; width <= steps; width *= 2)
    if (steps % width == 0 &&
        (width * atom.shape.k >= narrow || steps % (2 * width) != 0))
      tryWidth(width * atom.shape.k);
}

/// None, some quarters and all of `held`.
static llvm::SmallVector<int64_t, 5> shares(int64_t held) {
  llvm::SmallVector<int64_t, 5> counts = {0, held / 4, held / 2, 3 * held / 4,
                                          held};
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

void BlockSearch::tryWidth(int64_t sliceK) {
  Partition partition(problem.extents, grid, atom.shape, sliceK);
  int64_t heldA = partition.heldA(), heldB = partition.heldB();
  bool sendsA = grid.n > 1, sendsB = grid.m > 1;
  for (int64_t sharedA : shares(heldA)) {
    for (int64_t sharedB : shares(heldB)) {
      Slicing slices = {sliceK, sharedA, sharedB};
      bool sends = (sendsA && sharedA < heldA) || (sendsB && sharedB < heldB);
      // With nothing left to send, all transports but one are the same.
      if (wants(Transport::Staged) && (sends || !(sendsA || sendsB)))
        add(Transport::Staged, slices);
      if (wants(Transport::DoubleBuffered) && sends)
        add(Transport::DoubleBuffered, slices);
      if (sends || !(sendsA || sendsB))
        continue;
      for (Transport transport : {Transport::Gathered, Transport::Resident})
        if (wants(transport))
          add(transport, slices);
    }
  }
}

std::vector<Plan> kami::enumerateBlockPlans(const Problem &problem,
                                            const Chip &,
                                            llvm::ArrayRef<WarpGrid> grids,
                                            llvm::ArrayRef<RatedAtom> atoms,
                                            Owners owners) {
  std::vector<Plan> plans;
  for (const WarpGrid &grid : grids)
    for (const RatedAtom &atom : atoms)
      BlockSearch(problem, *atom.atom, grid, owners, plans).run();
  return plans;
}
