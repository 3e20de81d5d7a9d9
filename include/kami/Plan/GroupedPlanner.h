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

/// A plan for products that each have sizes of their own, which are known on
/// the device only: the problem's extents are typical ones, its batch is their
/// number. As many blocks as the chip holds at a time share their tiles. Where
/// the problem is reproducible, sums have the order of the choice for the
/// reference batch. Errors are `choosePlan`'s.
llvm::Expected<Plan> chooseGroupedPlan(const Problem &problem, const Chip &chip,
                                       const PlannerOptions &options = {});

} // namespace kami

#endif // KAMI_PLAN_GROUPEDPLANNER_H
