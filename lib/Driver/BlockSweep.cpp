//===- BlockSweep.cpp - Random products inside a block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SweepCases.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/BlockKernel.h"
#include "kami/Plan/Explain.h"

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

class BlockSweep : public SweepCases<BlockCase> {
public:
  using SweepCases::SweepCases;

private:
  llvm::Expected<BlockCase> drawCase(int64_t number, const Chip &chip) override;
  llvm::Expected<RunResult> runOn(const BlockCase &one,
                                  DeviceKind device) override;
  std::string checkTraffic(const BlockCase &one,
                           const sim::SimulatorReport &report) override;
  void print(int64_t number, const BlockCase &one) override;
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
  // Not every size fits one block in every type.
  for (int attempt = 0;; ++attempt) {
    one.problem.extents = {extent(), extent(), extent()};
    llvm::Expected<Plan> plan = drawPlan(one.problem, chip);
    if (plan) {
      one.plan = *plan;
      break;
    }
    if (attempt == 10)
      return plan.takeError();
    llvm::consumeError(plan.takeError());
  }
  one.operands.blocks = 1 + below(2);
  one.operands.sets = below(2) ? 1 : one.operands.blocks;
  one.repeats = 1 + below(3);
  one.operands.typeA = one.problem.operand;
  one.operands.typeB = one.problem.operandB();
  one.run = drawRun(number);
  one.run.poisoned.push_back(2);
  return one;
}

llvm::Expected<RunResult> BlockSweep::runOn(const BlockCase &one,
                                            DeviceKind device) {
  OwningOpRef<ModuleOp> module =
      buildBlockProgram(&context, one.plan, one.operands, one.repeats);
  return runModule(*module, one.run, std::nullopt, device);
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

llvm::Expected<SweepResult> kami::runBlockSweep(const SweepOptions &options,
                                                llvm::raw_ostream &os) {
  return BlockSweep(options, os).run();
}
