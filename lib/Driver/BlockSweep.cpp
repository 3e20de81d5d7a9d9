//===- BlockSweep.cpp - Random products inside a block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Driver/BlockKernel.h"
#include "kami/Driver/Sweep.h"
#include "kami/Plan/Explain.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>

using namespace kami;
using namespace mlir;

namespace {

struct BlockCase {
  Problem problem;
  Plan plan;
  BlockOperands operands;
  int64_t repeats = 1;
  RunOptions run;
};

class BlockSweep {
public:
  BlockSweep(const SweepOptions &options, llvm::raw_ostream &os)
      : options(options), os(os), random(options.seed) {
    loadAllDialects(context);
  }

  llvm::Expected<SweepResult> run();

private:
  int64_t below(int64_t bound) { return int64_t(random() % uint64_t(bound)); }
  llvm::Expected<BlockCase> drawCase(int64_t number, const Chip &chip);
  llvm::Expected<RunResult> runOn(const BlockCase &one, DeviceKind device);
  std::string judge(const BlockCase &one, double &error);
  std::string checkTraffic(const BlockCase &one,
                           const sim::SimulatorReport &report);
  void print(int64_t number, const BlockCase &one);

  const SweepOptions &options;
  llvm::raw_ostream &os;
  std::mt19937_64 random;
  MLIRContext context;
};

} // namespace

/// What the chip multiplies, by its atoms with a lowering.
static SmallVector<const Atom *> loweredAtoms(const Chip &chip) {
  SmallVector<const Atom *> atoms;
  for (llvm::ArrayRef<AtomRate> rates : {chip.atoms, chip.groupAtoms})
    for (const AtomRate &rate : rates)
      if (const Atom *atom = findAtom(rate.atom); !atom->mapA.empty())
        atoms.push_back(atom);
  return atoms;
}

llvm::Expected<BlockCase> BlockSweep::drawCase(int64_t number,
                                               const Chip &chip) {
  BlockCase one;
  SmallVector<const Atom *> atoms = loweredAtoms(chip);
  const Atom *atom = atoms[number % atoms.size()];
  one.problem.operand = atom->operand;
  one.problem.otherOperand = atom->otherOperand;
  one.problem.accumulator = atom->accumulator;
  one.problem.source = Source::Block;
  static constexpr int64_t usual[] = {1, 8, 16, 17, 32, 40, 64, 72};
  auto extent = [&] {
    return std::min(options.maxExtent,
                    below(2) ? usual[below(8)] : 1 + below(100));
  };
  PlannerOptions planner;
  planner.keepRejected = false;
  // Not every size fits one block in every type.
  for (int attempt = 0;; ++attempt) {
    one.problem.extents = {extent(), extent(), extent()};
    llvm::Expected<Choice> choice = choosePlan(one.problem, chip, planner);
    if (choice) {
      one.plan = choice->candidates[below(choice->candidates.size())].plan;
      break;
    }
    if (attempt == 10)
      return choice.takeError();
    llvm::consumeError(choice.takeError());
  }
  one.operands.blocks = 1 + below(2);
  one.operands.sets = below(2) ? 1 : one.operands.blocks;
  one.repeats = 1 + below(3);
  one.run.repeats = 0;
  one.run.seed = options.seed * 1000003 + number;
  one.run.inputs = below(2) ? InputKind::Integers : InputKind::Random;
  constexpr sim::WarpOrder orders[] = {sim::WarpOrder::InOrder,
                                       sim::WarpOrder::Reversed,
                                       sim::WarpOrder::Random};
  one.run.warpOrder = orders[below(3)];
  one.run.poisoned.push_back(2);
  return one;
}

llvm::Expected<RunResult> BlockSweep::runOn(const BlockCase &one,
                                            DeviceKind device) {
  CompileOptions compile;
  compile.chip = options.chip;
  RunOptions run = one.run;
  run.device = device;
  Compilation compilation;
  OwningOpRef<ModuleOp> module =
      buildBlockProgram(&context, one.plan, one.operands, one.repeats);
  return compileAndRun(*module, compile, run, compilation);
}

/// What the simulator counted against what the plan says: operands that stay in
/// shared memory are written once, the rest is moved by every product.
std::string BlockSweep::checkTraffic(const BlockCase &one,
                                     const sim::SimulatorReport &report) {
  const Plan &plan = one.plan;
  Partition partition = plan.partition();
  ElementBytes bytes{byteWidth(plan.atom->operand),
                     byteWidth(plan.atom->accumulator)};
  SharedTraffic product = productTraffic(partition, plan.slices, bytes,
                                         plan.exchange(Source::Block));
  int64_t parkedByAll =
      parkingTraffic(partition, plan.slices, bytes, plan.exchange()).written;
  int64_t parkedByProduct = parkingTraffic(partition, plan.slices, bytes,
                                           plan.exchange(Source::Block))
                                .written;
  int64_t written =
      (one.repeats * product.written + parkedByAll - parkedByProduct) *
      one.operands.blocks;
  int64_t read = one.repeats * product.read * one.operands.blocks;
  if (report.shared.written != written || report.shared.read != read)
    return llvm::formatv("shared memory: {0} bytes written and {1} read, the "
                         "plan says {2} and {3}",
                         report.shared.written, report.shared.read, written,
                         read);
  if (report.maxBankConflict > 1)
    return llvm::formatv("{0}-way bank conflicts", report.maxBankConflict);
  return "";
}

/// Why the case is wrong; empty if it is right.
std::string BlockSweep::judge(const BlockCase &one, double &error) {
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

void BlockSweep::print(int64_t number, const BlockCase &one) {
  const Extents &extents = one.problem.extents;
  os << "case " << number << ": " << extents.m << "x" << extents.n << "x"
     << extents.k << " " << names(one.problem.operand, one.problem.operandB())
     << " " << one.operands.blocks << " blocks of " << one.operands.sets
     << " sets, repeated " << one.repeats << " times"
     << (one.run.inputs == InputKind::Integers ? " integers" : " random")
     << " | " << summary(one.plan) << " | " << toAttribute(&context, one.plan)
     << "\n";
  os.flush();
}

llvm::Expected<SweepResult> BlockSweep::run() {
  llvm::Expected<const Chip *> chip = findChip(options.chip);
  if (!chip)
    return chip.takeError();
  SweepResult result;
  for (int64_t number = 0; number != options.count; ++number) {
    llvm::Expected<BlockCase> one = drawCase(number, **chip);
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

llvm::Expected<SweepResult> kami::runBlockSweep(const SweepOptions &options,
                                                llvm::raw_ostream &os) {
  return BlockSweep(options, os).run();
}
