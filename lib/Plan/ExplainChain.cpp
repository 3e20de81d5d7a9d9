//===- ExplainChain.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Explain.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;

/// The first of each order, or all.
static std::vector<const ChainCandidate *>
shown(llvm::ArrayRef<ChainCandidate> candidates, Detail detail) {
  std::vector<const ChainCandidate *> some;
  bool seen[2] = {false, false};
  for (const ChainCandidate &candidate : candidates) {
    bool &isSeen = seen[candidate.plan.order == ChainOrder::Right];
    if (detail == Detail::All || !isSeen)
      some.push_back(&candidate);
    isSeen = true;
  }
  return some;
}

static llvm::StringRef place(const ChainCandidate &candidate) {
  return candidate.keepsRegisters ? "registers" : "shared memory";
}

void kami::explainText(llvm::ArrayRef<ChainCandidate> candidates,
                       const ChainProblem &problem, const Chip &chip,
                       Detail detail, llvm::raw_ostream &os) {
  os << llvm::formatv("A·B·C, {0}x{1} · {1}x{2} · {2}x{3}, batch {4}, {5} into "
                      "{6}, on {7}\n",
                      problem.m, problem.k, problem.n, problem.q, problem.batch,
                      name(problem.operand), name(problem.accumulator),
                      chip.name);
  for (const ChainCandidate *candidate : shown(candidates, detail)) {
    os << (candidate->plan.order == ChainOrder::Left
               ? "(A·B)·C"
               : "A·(B·C), as transposes: (Cᵀ·Bᵀ)·Aᵀ")
       << llvm::formatv(
              ": {0:f0} cycles, {1:f2} of the best's; {2:f0} operations with "
              "padding; {3} registers, {4} bytes of shared memory\n",
              candidate->cycles, candidate->cycles / candidates.front().cycles,
              candidate->operations, candidate->registers,
              candidate->sharedBytes)
       << "  first  " << summary(candidate->plan.first) << "\n"
       << "  second " << summary(candidate->plan.second) << "\n"
       << "  the intermediate goes from one to the other in "
       << place(*candidate) << "\n";
  }
}

llvm::json::Object kami::explainJSON(llvm::ArrayRef<ChainCandidate> candidates,
                                     const ChainProblem &problem,
                                     const Chip &chip, Detail detail) {
  llvm::json::Array list;
  for (const ChainCandidate *candidate : shown(candidates, detail))
    list.push_back(
        llvm::json::Object{{"association", name(candidate->plan.order)},
                           {"cycles", candidate->cycles},
                           {"operations", candidate->operations},
                           {"registers", candidate->registers},
                           {"shared_bytes", candidate->sharedBytes},
                           {"intermediate", place(*candidate)},
                           {"first", summary(candidate->plan.first)},
                           {"second", summary(candidate->plan.second)}});
  return llvm::json::Object{
      {"target", chip.name},
      {"m", problem.m},
      {"k", problem.k},
      {"n", problem.n},
      {"q", problem.q},
      {"batch", problem.batch},
      {"type", name(problem.operand)},
      {"accumulator", name(problem.accumulator)},
      {"association", name(candidates.front().plan.order)},
      {"candidates", std::move(list)}};
}
