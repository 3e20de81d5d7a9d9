//===- GroupedSweep.cpp - Random products of many sizes -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SweepCases.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/GroupedSpec.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/GroupedPlanner.h"

using namespace kami;
using namespace mlir;

namespace {

struct GroupedCase {
  GroupedSpec spec;
  Plan plan;
  RunOptions run;
};

class GroupedSweep : public SweepCases<GroupedCase> {
public:
  using SweepCases::SweepCases;

private:
  llvm::Expected<GroupedCase> drawCase(int64_t number,
                                       const Chip &chip) override;
  llvm::Expected<RunResult> runOn(const GroupedCase &one,
                                  DeviceKind device) override;
  std::string checkTraffic(const GroupedCase &one,
                           const sim::SimulatorReport &report) override;
  void print(int64_t number, const GroupedCase &one) override;

  int64_t drawExtent();
  GroupedSpec drawSpec();
};

} // namespace

/// Every eighth is 0.
int64_t GroupedSweep::drawExtent() {
  static constexpr int64_t usual[] = {0, 1, 8, 16, 17, 32, 64, 100};
  return std::min(options.maxExtent,
                  below(2) ? usual[below(8)] : 1 + below(options.maxExtent));
}

GroupedSpec GroupedSweep::drawSpec() {
  GroupedSpec spec;
  spec.operand = options.types[below(options.types.size())];
  spec.accumulator = spec.output = defaultAccumulator(spec.operand);
  if (!isInteger(spec.operand) &&
      byteWidth(spec.operand) < byteWidth(spec.accumulator) && below(2))
    spec.output = spec.operand;
  spec.transposeA = below(3) == 0;
  spec.transposeB = below(3) == 0;
  spec.bytes = below(2);
  spec.narrowSizes = below(2);
  // Now and then more products than a block has threads to count them, or than
  // it lists tiles at a time.
  static constexpr int64_t few = 6, many = 33, most = 129;
  int64_t kind = below(12);
  int64_t count = kind == 0  ? most + below(150)
                  : kind < 4 ? many + below(70)
                             : 1 + below(few);
  // Matrices that are all aligned, or not.
  bool isAligned = below(3) == 0;
  bool scales = below(2);
  for (int64_t i = 0; i != count; ++i) {
    GroupedProduct &product = spec.products.emplace_back();
    product.extents = {drawExtent(), drawExtent(), drawExtent()};
    // Small ones, of all depths.
    if (count >= many)
      product.extents = {below(20), below(20), below(below(8) ? 20 : 300)};
    product.leading =
        packedLeading(product.extents, spec.transposeA, spec.transposeB);
    for (unsigned j = 0; j != 3; ++j) {
      product.gap[j] = isAligned ? 0 : below(5);
      int64_t &leading = product.leading[j];
      leading += isAligned ? 0 : below(4);
      if (isAligned)
        leading = (leading + 7) / 8 * 8;
    }
    if (scales) {
      product.alpha = 1 - double(below(3));
      product.beta = double(below(3)) - 1;
    }
  }
  if (below(3) == 0)
    spec.epilogue = {below(2) == 0, below(2) == 0, below(2) == 0,
                     below(2) == 0};
  return spec;
}

llvm::Expected<GroupedCase> GroupedSweep::drawCase(int64_t number,
                                                   const Chip &chip) {
  GroupedCase one;
  one.spec = drawSpec();
  Problem problem;
  static constexpr int64_t typical[] = {16, 48, 100, 128};
  problem.extents = {typical[below(4)], typical[below(4)], typical[below(4)]};
  problem.operand = one.spec.operand;
  problem.otherOperand = one.spec.otherOperand;
  problem.accumulator = one.spec.accumulator;
  problem.output = one.spec.output;
  problem.batch = one.spec.products.size();
  constexpr int64_t mostBlocks = 7;
  Chip remaining = withoutTileList(chip, takenBytes(mostTaken) + ticketBytes);
  llvm::Expected<Plan> plan = drawPlan(problem, remaining);
  if (!plan)
    return plan.takeError();
  one.plan = *plan;
  one.plan.teams = 1;
  one.plan.blocks = 1 + below(mostBlocks);
  if (one.plan.transport == Transport::Copied)
    drawStages(draw, one.plan, problem, remaining);
  if (chip.numbersLaunches)
    one.plan.taken = draw.pick<int64_t>({0, 1, 2, 3, mostTaken});
  one.plan.dealsProducts = one.plan.taken == 0 && draw.oneIn(2);
  one.run = drawRun(number);
  if (llvm::all_of(one.spec.products, [](const GroupedProduct &product) {
        return product.beta == 0;
      }))
    one.run.poisoned.push_back(2);
  return one;
}

llvm::Expected<RunResult> GroupedSweep::runOn(const GroupedCase &one,
                                              DeviceKind device) {
  OwningOpRef<ModuleOp> module = buildModule(&context, one.spec);
  return runModule(*module, one.run, one.plan, device);
}

/// How much is moved depends on the sizes, which the plan does not know.
std::string GroupedSweep::checkTraffic(const GroupedCase &,
                                       const sim::SimulatorReport &) {
  return "";
}

void GroupedSweep::print(int64_t number, const GroupedCase &one) {
  const GroupedSpec &spec = one.spec;
  os << "case " << number << ": " << names(spec.operand, spec.operandB())
     << " -> " << name(spec.output) << (spec.transposeA ? " A^T" : "")
     << (spec.transposeB ? " B^T" : "") << (spec.bytes ? " bytes" : "")
     << spec.epilogue.str()
     << (one.run.inputs == InputKind::Integers ? " integers" : " random");
  for (const GroupedProduct &product : spec.products)
    os << " " << product.extents.m << "x" << product.extents.n << "x"
       << product.extents.k;
  os << " | " << summary(one.plan) << " | " << toAttribute(&context, one.plan)
     << "\n";
  os.flush();
}

llvm::Expected<SweepResult> kami::runGroupedSweep(const SweepOptions &options,
                                                  llvm::raw_ostream &os) {
  return GroupedSweep(options, os).run();
}
