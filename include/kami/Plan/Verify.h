//===- Verify.h - Whether a plan fits -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that a plan obeys on a chip. The planner's rejections and the
// errors about plans written by hand are the same words.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_VERIFY_H
#define KAMI_PLAN_VERIFY_H

#include "kami/Model/Resources.h"
#include "kami/Plan/Problem.h"
#include <string>

namespace kami {

/// Why a plan cannot be: what it needs and what there is. A plain value, since
/// a planner makes thousands of them and prints few.
struct Misfit {
  enum Reason {
    None,
    NoAtom,
    AtomNotOfChip,
    WrongOperand,
    WrongAccumulator,
    BadExtents,
    BadGrid,
    NotOpaque,
    BadTile,
    BadSlice,
    BadParked,
    NotGroups,
    NotUnitCopies,
    NotCopied,
    NotPacked,
    NotOneLayer,
    NotOfParts,
    NotInterleaved,
    NotInTurn,
    NotBulk,
    NotTaken,
    NotStationary,
    NotGatheredA,
    NotGatheredB,
    Threads,
    Registers,
    SharedBytes,
  };
  Reason reason = None;
  int64_t needed = 0;
  int64_t available = 0;

  explicit operator bool() const { return reason != None; }
};

/// Whether the matrix unit can read copied operands as they lie in memory, and
/// each warp's rows of C follow each other.
bool copiesToUnit(const Atom &atom, const Partition &partition);

/// The limits of a chip on a plan whose form is right; cheap. `resources` are
/// the plan's.
Misfit findMisfit(const Resources &resources, const Chip &chip);

/// All rules, in the order of the reasons above.
Misfit findMisfit(const Plan &plan, const Problem &problem, const Chip &chip);

/// "needs 384 registers a thread, the chip has 255"; empty for no misfit.
std::string explain(const Misfit &misfit, const Plan &plan,
                    const Problem &problem, const Chip &chip);

/// Success, or the reason why this plan cannot compute this problem there. The
/// problem's constraints (algorithm, warps, transport, grid) play no part.
llvm::Error verifyPlan(const Plan &plan, const Problem &problem,
                       const Chip &chip);

} // namespace kami

#endif // KAMI_PLAN_VERIFY_H
