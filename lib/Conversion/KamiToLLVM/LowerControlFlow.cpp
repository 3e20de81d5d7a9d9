//===- LowerControlFlow.cpp - Branches instead of regions -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op with regions splits its block, and what follows it moves to a new
// one. From the first to the last, as upstream's pass goes, all that follows
// moves each time: of f16 33³, whose lanes ask of each element whether it is
// there, that took 12 of the 50 ms of all passes. From the last to the first,
// what has moved once stays.
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_KAMILOWERCONTROLFLOW
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {
struct LowerControlFlow
    : kami::impl::KamiLowerControlFlowBase<LowerControlFlow> {
  void runOnOperation() override {
    // The last one of a block first, and each before those in its regions,
    // since a loop that is converted has to have one block.
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder, ReverseIterator>(
        [&](Operation *op) {
          if (isa<scf::SCFDialect>(op->getDialect()) && op->getNumRegions() > 0)
            ops.push_back(op);
        });
    // The driver begins at the end of its list.
    std::reverse(ops.begin(), ops.end());
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableFolding(false)
        .enableConstantCSE(false);
    if (failed(applyOpPatternsGreedily(ops, std::move(patterns), config)))
      return signalPassFailure();
  }
};
} // namespace
