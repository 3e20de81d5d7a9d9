//===- BlockSearch.h - Every way to split a block's product --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_PLAN_BLOCKSEARCH_H
#define KAMI_LIB_PLAN_BLOCKSEARCH_H

#include "kami/Plan/Problem.h"
#include "kami/Target/Chip.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace kami {

/// Which warps own a part of A and of B: all, or, where k is too short to be
/// dealt to all of them, some.
enum class Owners { All, Some };

/// The plans worth a look for one block's product of distributed operands: all
/// of the product is one tile. Every transport that differs, several slice
/// widths, and none, half or all of what an operand's slices may leave to
/// shared memory. Grids in which some warp has nothing to do are left out.
/// Whether they fit the chip is not looked at.
std::vector<Plan> enumerateBlockPlans(const Problem &problem, const Chip &chip,
                                      llvm::ArrayRef<WarpGrid> grids,
                                      llvm::ArrayRef<RatedAtom> atoms,
                                      Owners owners);

} // namespace kami

#endif // KAMI_LIB_PLAN_BLOCKSEARCH_H
