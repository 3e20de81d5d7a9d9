//===- DriverTest.cpp - What kernels do against what papers say -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GemmSpec.h"
#include "kami/Driver/Run.h"
#include "kami/Model/PaperModel.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {

/// Runs an f16 cube on a staged grid with one slice a stage and nothing parked:
/// the paper's algorithm as it stands.
sim::SimulatorReport runPaperAlgorithm(WarpGrid grid, int64_t sliceK,
                                       int64_t extent = 64) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  GemmSpec spec;
  spec.extents = {extent, extent, extent};
  CompileOptions compile;
  compile.plan = Plan();
  compile.plan->atom = findAtom("mma_sync.m16n8k16.f32.f16");
  compile.plan->tile = spec.extents;
  compile.plan->grid = grid;
  compile.plan->slices.k = sliceK;
  RunOptions run;
  run.inputs = InputKind::Integers;
  run.poisoned = {2};
  Compilation compilation;
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(&context, spec);
  llvm::Expected<RunResult> result =
      compileAndRun(*module, compile, run, compilation);
  EXPECT_TRUE(bool(result));
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  EXPECT_TRUE(result->ok);
  return result->reports.front();
}

/// Stage z writes in interval 2z and reads in 2z + 1. Together they must move
/// the paper's V_cm.
void expectVolume(const sim::SimulatorReport &report, int64_t stages,
                  double volume) {
  ASSERT_GE(report.intervals.size(), size_t(2 * stages));
  for (int64_t stage = 0; stage != stages; ++stage) {
    const sim::SharedTraffic &write = report.intervals[2 * stage];
    const sim::SharedTraffic &read = report.intervals[2 * stage + 1];
    EXPECT_EQ(write.read, 0);
    EXPECT_EQ(read.written, 0);
    EXPECT_EQ(write.written + read.read, volume) << "stage " << stage;
  }
}

TEST(Volume, OneDIsEquationOne) {
  sim::SimulatorReport report = runPaperAlgorithm({4, 1, 1}, 16);
  expectVolume(report, 4, 64 * 64 * 2);
  EXPECT_EQ(report.barriers, 8);
}

TEST(Volume, TwoDIsEquationFive) {
  sim::SimulatorReport report = runPaperAlgorithm({2, 2, 1}, 32);
  expectVolume(report, 2, (64 * 64 + 64 * 64) * 2);
  EXPECT_EQ(report.barriers, 4);
}

TEST(Volume, ThreeDIsEquationNine) {
  sim::SimulatorReport report = runPaperAlgorithm({2, 2, 2}, 16);
  expectVolume(report, 2, (64 * 64 + 64 * 64) * 2);
  // Two more for the sum over two layers, whose bytes the paper leaves out: one
  // layer's partial sums are written and read once.
  EXPECT_EQ(report.barriers, 6);
  EXPECT_EQ(report.intervals.back().read, 64 * 64 * 4);
}

TEST(Volume, OneWarpStaysInRegisters) {
  sim::SimulatorReport report = runPaperAlgorithm({1, 1, 1}, 16, 32);
  EXPECT_EQ(report.shared.written + report.shared.read, 0);
  EXPECT_EQ(report.barriers, 0);
}

TEST(Volume, EachElementIsReadOnceByABlock) {
  for (WarpGrid grid :
       {WarpGrid{4, 1, 1}, WarpGrid{2, 2, 1}, WarpGrid{2, 2, 2}}) {
    sim::SimulatorReport report = runPaperAlgorithm(grid, 16);
    ASSERT_EQ(report.buffers.size(), 3u);
    for (int operand : {0, 1}) {
      EXPECT_EQ(report.buffers[operand].bytesRead, 64 * 64 * 2);
      EXPECT_EQ(report.buffers[operand].maxReadsPerByte, 1);
    }
    EXPECT_EQ(report.buffers[2].bytesRead, 0);
    EXPECT_EQ(report.buffers[2].bytesWritten, 64 * 64 * 4);
  }
}

TEST(ErrorBound, GrowsNoFasterThanTheSquareRoot) {
  Problem problem;
  problem.operand = ElementKind::F16;
  problem.accumulator = ElementKind::F32;
  problem.extents = {1, 1, 1};
  double one = errorBound(problem, ElementKind::F32);
  problem.extents.k = 10000;
  EXPECT_LE(errorBound(problem, ElementKind::F32), 100 * one);
}

} // namespace
