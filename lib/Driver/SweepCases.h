//===- SweepCases.h - Draw a case, run it, judge it ------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_SWEEPCASES_H
#define KAMI_LIB_DRIVER_SWEEPCASES_H

#include "Draw.h"
#include "kami/Driver/Sweep.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"

namespace kami {

/// What all sweeps have in common. A `Case` has its `RunOptions` as `run`.
template <typename Case> class SweepCases {
public:
  SweepCases(const SweepOptions &options, llvm::raw_ostream &os)
      : options(options), os(os), draw(options.seed) {
    loadAllDialects(context);
  }
  virtual ~SweepCases() = default;

  llvm::Expected<SweepResult> run();

protected:
  virtual llvm::Expected<Case> drawCase(int64_t number, const Chip &chip) = 0;
  virtual llvm::Expected<RunResult> runOn(const Case &one,
                                          DeviceKind device) = 0;
  /// What the simulator counted against what the plan says; empty if it agrees.
  virtual std::string checkTraffic(const Case &one,
                                   const sim::SimulatorReport &report) = 0;
  virtual void print(int64_t number, const Case &one) = 0;

  int64_t below(int64_t bound) { return draw.below(bound); }
  /// Inputs and the order of warps; the numbers of all sweeps are drawn alike.
  RunOptions drawRun(int64_t number);
  /// One of the plans that fit; of every third case the planner's choice for a
  /// large batch.
  llvm::Expected<Plan> drawPlan(const Problem &problem, const Chip &chip);
  /// With a plan, or those that the module has.
  llvm::Expected<RunResult> runModule(mlir::ModuleOp module, RunOptions run,
                                      const std::optional<Plan> &plan,
                                      DeviceKind device);

  const SweepOptions &options;
  llvm::raw_ostream &os;
  Draw draw;
  mlir::MLIRContext context;

private:
  std::string judge(const Case &one, double &error);
};

template <typename Case> RunOptions SweepCases<Case>::drawRun(int64_t number) {
  RunOptions run;
  run.repeats = 0;
  run.seed = options.seed * 1000003 + number;
  run.inputs = below(2) ? InputKind::Integers : InputKind::Random;
  run.warpOrder = draw.pick({sim::WarpOrder::InOrder, sim::WarpOrder::Reversed,
                             sim::WarpOrder::Random});
  return run;
}

template <typename Case>
llvm::Expected<Plan> SweepCases<Case>::drawPlan(const Problem &problem,
                                                const Chip &chip) {
  PlannerOptions planner;
  planner.kept = Kept::Fitting;
  bool isChosen = draw.oneIn(3);
  llvm::Expected<Choice> choice = choosePlan(
      isChosen ? withReferenceBatch(problem) : problem, chip, planner);
  if (!choice)
    return choice.takeError();
  if (isChosen)
    return choice->best()->plan;
  return choice->candidates[below(choice->candidates.size())].plan;
}

template <typename Case>
llvm::Expected<RunResult>
SweepCases<Case>::runModule(mlir::ModuleOp module, RunOptions run,
                            const std::optional<Plan> &plan,
                            DeviceKind device) {
  CompileOptions compile;
  compile.chip = options.chip;
  compile.plan = plan;
  run.device = device;
  Compilation compilation;
  return compileAndRun(module, compile, run, compilation);
}

/// Why the case is wrong; empty if it is right.
template <typename Case>
std::string SweepCases<Case>::judge(const Case &one, double &error) {
  llvm::Expected<RunResult> result = runOn(one, options.device);
  if (!result)
    return llvm::toString(result.takeError());
  error = result->maxError;
  if (!result->ok)
    return llvm::formatv("error {0:e} of |A||B|, bound {1:e}", result->maxError,
                         result->bound);
  for (const sim::SimulatorReport &report : result->reports) {
    std::string reason = checkTraffic(one, report);
    if (!reason.empty())
      return reason;
  }
  if (!options.compareWithSimulator || one.run.inputs != InputKind::Integers)
    return "";
  llvm::Expected<RunResult> simulated = runOn(one, DeviceKind::Simulator);
  if (!simulated)
    return llvm::toString(simulated.takeError());
  if (simulated->contents != result->contents)
    return "the simulator computes other bits";
  return "";
}

template <typename Case> llvm::Expected<SweepResult> SweepCases<Case>::run() {
  llvm::Expected<const Chip *> chip = chipOn(options.device, options.chip);
  if (!chip)
    return chip.takeError();
  SweepResult result;
  for (int64_t number = 0; number != options.count; ++number) {
    llvm::Expected<Case> one = drawCase(number, **chip);
    if (!one)
      return one.takeError();
    if (options.verbose)
      print(number, *one);
    double error = 0;
    std::string reason = judge(*one, error);
    result.worstError = std::max(result.worstError, error);
    if (reason.empty()) {
      ++result.passed;
      continue;
    }
    ++result.failed;
    print(number, *one);
    os << "  " << reason << "\n";
  }
  return result;
}

} // namespace kami

#endif // KAMI_LIB_DRIVER_SWEEPCASES_H
