//===- Explain.h - A choice in words ------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_EXPLAIN_H
#define KAMI_PLAN_EXPLAIN_H

#include "kami/Plan/Chain.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kami {

/// Which candidates to print: the best of each algorithm, or all of them.
enum class Detail { BestOfEach, All };

/// A table, one line a candidate. Cycles are those of one block over its whole
/// k loop, split into computation, communication and memory; `total` and
/// `against the best` are by the model that was asked for.
void explainText(const Choice &choice, const Problem &problem, const Chip &chip,
                 const PlannerOptions &options, Detail detail,
                 llvm::raw_ostream &os);

/// The best candidate's figures as members of an object, and, with
/// `Detail::All`, every candidate's under "candidates". Keys in cycles end in
/// `_cycles`, in bytes in `_bytes`.
llvm::json::Object explainJSON(const Choice &choice, const Problem &problem,
                               const Chip &chip, const PlannerOptions &options,
                               Detail detail);

/// The same for a chain of two products: both plans, and where the intermediate
/// stays.
void explainText(llvm::ArrayRef<ChainCandidate> candidates,
                 const ChainProblem &problem, const Chip &chip, Detail detail,
                 llvm::raw_ostream &os);
llvm::json::Object explainJSON(llvm::ArrayRef<ChainCandidate> candidates,
                               const ChainProblem &problem, const Chip &chip,
                               Detail detail);

/// One plan in one line: "1d 8x1x1 tile 128x128x128 mma_sync... staged, slices
/// of 16, 2 of A and 0 of B in shared memory".
std::string summary(const Plan &plan);

} // namespace kami

#endif // KAMI_PLAN_EXPLAIN_H
