//===- Draw.cpp -----------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Draw.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Layout/SharedMatrix.h"
#include "kami/Plan/Verify.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kami;

void kami::drawStages(Draw &draw, Plan &plan, const Problem &problem,
                      const Chip &chip) {
  Plan drawn = plan;
  if (draw.oneIn(2))
    drawn.tile.k = plan.atom->shape.k * (1 + draw.below(4));
  // Where a tile of k ends within a piece of 16 bytes, the next one's lines are
  // skewed otherwise.
  if (draw.oneIn(4))
    drawn.tile.k -= draw.below(std::min(drawn.tile.k, plan.atom->shape.k));
  drawn.stages = 1 + draw.below(4);
  drawn.prefetches = drawn.stages > 1 && drawn.blocks > 0 && !draw.oneIn(4);
  drawn.skewed = draw.oneIn(2);
  drawn.bulk =
      drawn.unit() == Unit::WarpGroup && chip.copiesBulk && draw.oneIn(2);
  bool isWide = problem.output && byteWidth(*problem.output) > 2;
  if (isWide &&
      byteWidth(*problem.output) <= relayedWidth(byteWidth(problem.operand)))
    drawn.relaysC = draw.oneIn(2);
  drawn.taken = 0;
  if (drawn.prefetches && chip.numbersLaunches && !draw.oneIn(4))
    drawn.taken = draw.oneIn(2) ? mostTaken : 1 + draw.below(3);
  if (!findMisfit(drawn, problem, chip))
    plan = drawn;
}

void kami::drawStationary(Draw &draw, Plan &plan, const Problem &problem,
                          const Chip &chip) {
  if (plan.unit() != Unit::WarpGroup || plan.transport != Transport::Copied ||
      !draw.oneIn(2))
    return;
  Plan drawn = plan;
  drawn.stationary = drawn.bulk = drawn.prefetches = true;
  drawn.relaysC = false;
  drawn.tile.k = llvm::alignTo(problem.extents.k, drawn.slices.k);
  int64_t &passing = drawn.isTransposed() ? drawn.tile.m : drawn.tile.n;
  passing = groupColumnGranule * (1 + draw.below(8));
  drawn.stages = 2 + draw.below(7);
  drawn.blocks = std::max<int64_t>(drawn.blocks, 1);
  if (!findMisfit(drawn, problem, chip))
    plan = drawn;
}
