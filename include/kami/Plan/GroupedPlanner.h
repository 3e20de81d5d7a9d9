//===- GroupedPlanner.h - One plan for products of any size ---*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_GROUPEDPLANNER_H
#define KAMI_PLAN_GROUPEDPLANNER_H

#include "kami/Plan/Planner.h"

namespace kami {

/// Of a block's tiles, how many are listed in its shared memory at a time, in
/// so many words of 64 bits each. A plan leaves room for them.
constexpr int64_t listedTiles = 32;
constexpr int64_t listedWords = 13;
constexpr int64_t listBytes = listedTiles * listedWords * 8;

/// A block's tiles are dealt for so many turns at a time, a whole number of
/// lists: to deal, it looks at all products twice. It keeps two words of 32
/// bits of each tile behind the list.
constexpr int64_t dealtTurns = 256;
constexpr int64_t dealtBytes = dealtTurns * 2 * 4;

/// Where products are dealt there is a word instead, rounded up: how many tiles
/// those have that are listed.
constexpr int64_t productWordBytes = 8;

/// Tiles are taken of so many products at most, whose places in the order of
/// all tiles are a word of 32 bits each; behind these are as many more words as
/// a block keeps of how far it is.
constexpr int64_t takenProducts = 512;
constexpr int64_t progressWords = 4;

/// Bytes behind the list that it takes to take tiles, if any are taken.
constexpr int64_t takenBytes(int64_t taken) {
  return taken == 0 ? 0 : (takenProducts + progressWords) * 4;
}

/// Bytes of a block's shared memory that such a plan's list takes, with all
/// that is behind it: what is dealt, or how many tiles the products have.
int64_t listRoom(const Plan &plan);

/// The chip as what fills a block sees it where so many bytes of its shared
/// memory are taken.
Chip withoutBytes(Chip chip, int64_t bytes);

/// The chip as plans of such products see it, but for as many bytes more.
inline Chip withoutTileList(Chip chip, int64_t more = 0) {
  return withoutBytes(chip, listBytes + dealtBytes + more);
}

/// A plan for products that each have sizes of their own, which are known on
/// the device only: the problem's extents are typical ones, its batch is their
/// number. As many blocks as the chip holds at a time share their tiles. Where
/// the problem is reproducible, sums have the order of the choice for the
/// reference batch. Errors are `choosePlan`'s.
llvm::Expected<Plan> chooseGroupedPlan(const Problem &problem, const Chip &chip,
                                       const PlannerOptions &options = {});

} // namespace kami

#endif // KAMI_PLAN_GROUPEDPLANNER_H
