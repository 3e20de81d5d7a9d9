//===- AtomPlans.h - Plans that show how an atom behaves -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_ATOMPLANS_H
#define KAMI_LIB_DRIVER_ATOMPLANS_H

#include "kami/Plan/Planner.h"

namespace kami {

/// A candidate of the product that an atom is measured by.
struct AtomPlan {
  Problem problem;
  Candidate candidate;
};

/// Eight independent sums of one warp and nothing else, or a group of warps
/// with A in registers: the atom at its rate. Nothing where no plan fits.
std::optional<AtomPlan> ratePlan(const Atom &atom, const Chip &chip);
/// One sum, which every instruction waits for.
std::optional<AtomPlan> latencyPlan(const Atom &atom, const Chip &chip);
/// Up to `count` plans whose reads of parked slices keep shared memory about as
/// busy as the tensor cores, without a barrier.
std::vector<AtomPlan> readPlans(const Atom &atom, const Chip &chip,
                                const Calibration &calibration, size_t count);
/// Up to `count` plans that exchange much between few barriers.
std::vector<AtomPlan> exchangePlans(const Atom &atom, const Chip &chip,
                                    const Calibration &calibration,
                                    size_t count);

} // namespace kami

#endif // KAMI_LIB_DRIVER_ATOMPLANS_H
