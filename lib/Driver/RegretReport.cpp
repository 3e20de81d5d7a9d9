//===- RegretReport.cpp - The planner's choices, judged by rows ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Regret.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace kami;

/// Predictions this near to the measurement are right.
static constexpr double near = 0.2;

static bool isSame(const RegretProblem &a, const RegretProblem &b) {
  return a.type == b.type && a.extents == b.extents;
}

static ProblemRegret judge(const RegretProblem &problem, const BlockRows &rows,
                           const llvm::StringMap<const BlockRow *> &byKey,
                           const PlannerOptions &planner) {
  ProblemRegret result;
  result.problem = problem;
  Problem question = problem.problem();
  llvm::Expected<Choice> choice = choosePlan(question, *rows.chip, planner);
  if (!choice) {
    result.reason = llvm::toString(choice.takeError());
    return result;
  }
  for (const Candidate &candidate : choice->candidates) {
    ++result.candidates;
    const BlockRow *row =
        byKey.lookup(rowKey(rowOf(question, candidate, false)));
    if (!row || !row->wasTimed())
      continue;
    ++result.timed;
    double error = std::fabs(candidate.block.total / row->cycles - 1);
    result.close += error <= near;
    if (!result.fastest || row->cycles < result.fastest->cycles)
      result.fastest = row;
    if (&candidate == choice->best())
      result.choice = row;
  }
  return result;
}

std::vector<ProblemRegret> kami::judgeRegret(const BlockRows &rows, bool all,
                                             const Calibration *calibration) {
  PlannerOptions planner;
  planner.kept = Kept::Fitting;
  planner.calibration = calibration;
  llvm::StringMap<const BlockRow *> byKey;
  std::vector<RegretProblem> problems;
  auto addProblem = [&](const RegretProblem &problem) {
    if (llvm::none_of(problems, [&](const RegretProblem &other) {
          return isSame(problem, other);
        }))
      problems.push_back(problem);
  };
  for (const BlockRow &row : rows.rows) {
    byKey[rowKey(row)] = &row;
    addProblem({row.type, row.extents()});
  }
  if (all)
    for (const RegretProblem &problem : regretProblems())
      addProblem(problem);
  std::vector<ProblemRegret> results;
  for (const RegretProblem &problem : problems)
    results.push_back(judge(problem, rows, byKey, planner));
  return results;
}

//===----------------------------------------------------------------------===//
// Markdown
//===----------------------------------------------------------------------===//

/// "wgmma 4x1x1 resident, k 16, 0+1".
static std::string printPlan(const Plan &plan) {
  return llvm::formatv("{0} {1}x{2}x{3} {4}, k {5}, {6}+{7}",
                       name(plan.atom->instruction), plan.grid.m, plan.grid.n,
                       plan.grid.k, name(plan.transport), plan.slices.k,
                       plan.slices.sharedA, plan.slices.sharedB);
}

static void printProblem(const ProblemRegret &problem, llvm::raw_ostream &os) {
  const Extents &extents = problem.problem.extents;
  os << llvm::formatv("| {0} | {1}×{2}×{3} | ", name(problem.problem.type),
                      extents.m, extents.n, extents.k);
  if (!problem.reason.empty()) {
    os << "– | – | " << problem.reason << " | – | – | – | – | – |\n";
    return;
  }
  os << problem.candidates << " | " << problem.timed << " | ";
  if (problem.choice)
    os << printPlan(problem.choice->plan) << " | "
       << llvm::formatv("{0:F1} | ", problem.choice->teraflops);
  else
    os << "not timed | – | ";
  if (problem.fastest)
    os << llvm::formatv("{0}, {1:F1} | ", printPlan(problem.fastest->plan),
                        problem.fastest->teraflops);
  else
    os << "– | ";
  if (problem.choice)
    os << llvm::formatv("{0:F3} | ", problem.regret());
  else
    os << "– | ";
  if (problem.timed > 0)
    os << llvm::formatv("{0:F0} % | ", 100.0 * problem.close / problem.timed);
  else
    os << "– | ";
  os << (problem.choice ? llvm::itostr(problem.choice->spillBytes) : "–")
     << " |\n";
}

void kami::printRegret(llvm::ArrayRef<ProblemRegret> problems,
                       const BlockRows &rows, llvm::raw_ostream &os) {
  os << "| type | m×n×k | candidates | timed | choice | TFLOPS | fastest, "
        "TFLOPS | regret | within 20 % | bytes spilled |\n"
     << "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  int64_t judged = 0, timed = 0, close = 0;
  double sum = 0;
  const ProblemRegret *worst = nullptr;
  for (const ProblemRegret &problem : problems) {
    printProblem(problem, os);
    timed += problem.timed;
    close += problem.close;
    if (!problem.choice)
      continue;
    ++judged;
    sum += problem.regret();
    if (!worst || problem.regret() > worst->regret())
      worst = &problem;
  }
  os << "\n" << rows.device << ": ";
  if (!worst) {
    os << "no choice of the planner was timed\n";
    return;
  }
  const Extents &extents = worst->problem.extents;
  os << llvm::formatv(
      "mean regret {0:F3} over {1} products, worst {2:F3} ({3} {4}×{5}×{6}); "
      "{7:F0} % of {8} candidates predicted within 20 %\n",
      sum / judged, judged, worst->regret(), name(worst->problem.type),
      extents.m, extents.n, extents.k, 100.0 * close / timed, timed);
}

llvm::Error kami::reportRegret(const RegretOptions &options,
                               llvm::raw_ostream &os) {
  BlockRows rows;
  for (const std::string &path : options.rows)
    if (llvm::Error error = loadRows(path, rows))
      return error;
  if (rows.rows.empty())
    return llvm::createStringError("expected rows, but got none");
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(options.calibration, *rows.chip);
  if (!loaded)
    return loaded.takeError();
  printRegret(judgeRegret(rows, /*all=*/true, *loaded ? &**loaded : nullptr),
              rows, os);
  return llvm::Error::success();
}
