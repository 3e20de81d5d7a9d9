//===- Interleaving.h - Tiles whose elements lanes find side by side ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_INTERLEAVING_H
#define KAMI_PLAN_INTERLEAVING_H

#include "kami/Plan/Plan.h"
#include "kami/Plan/Problem.h"
#include "kami/Target/Chip.h"

namespace kami {

/// The groups of tiles for which a lane's accesses to the operands in memory
/// are as wide as they can be, 16 bytes at most: along k where A's or B's rows
/// of k are adjacent, along n and m where theirs are. Plain where the problem
/// does not say how its operands lie.
Interleave interleavingOf(const Problem &problem, const Atom &atom,
                          const Partition &partition);

/// Bytes of A and of B that a lane loads at once from rows that consist of
/// pieces of so many bytes.
struct LaneAccess {
  int64_t a, b;
};
LaneAccess accessOf(const Problem &problem, const Atom &atom,
                    const Interleave &groups, int64_t pieceA, int64_t pieceB);

/// The groups for which fewest lanes meet in a bank of shared memory where a
/// warp has all of a product that lies there as it does in device memory, row
/// by row without gaps. Plain where lanes access more than single elements of
/// less than a bank's width, and where nothing is gained. The order of sums is
/// that of plain tiles.
Interleave bankInterleavingOf(const Problem &problem, const Atom &atom,
                              const Partition &partition, const Chip &chip);

} // namespace kami

#endif // KAMI_PLAN_INTERLEAVING_H
