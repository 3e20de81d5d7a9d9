//===- SimulatorHostTest.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "kami/Simulator/Host.h"

using namespace kami::sim;
using namespace mlir;

namespace {
class HostTest : public SimulatorTest {
protected:
  LogicalResult runMain(const std::string &text, ArrayRef<Argument> arguments) {
    source = text;
    parse(text);
    if (!module)
      return failure();
    return runHost(module->lookupSymbol<func::FuncOp>("main"), arguments,
                   memory, simulatingHandler(options, reports), results);
  }

  std::vector<SimulatorReport> reports;
  SmallVector<Argument> results;
};
} // namespace

/// A batch of launches over subviews, with a copy back by structured ops.
TEST_F(HostTest, LaunchesKernels) {
  ASSERT_TRUE(
      succeeded(runMain(R"(
module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @scale(%x : memref<32xf32, strided<[?], offset: ?>>, %f : f32) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<32xf32, strided<[?], offset: ?>>
    %w = arith.mulf %v, %f : f32
    memref.store %w, %x[%t] : memref<32xf32, strided<[?], offset: ?>>
    gpu.return
  }
}
func.func private @one(%x : memref<?x32xf32>, %i : index, %f : f32) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %row = memref.subview %x[%i, 0] [1, 32] [1, 1] : memref<?x32xf32> to memref<32xf32, strided<[1], offset: ?>>
  %cast = memref.cast %row : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32, strided<[?], offset: ?>>
  gpu.launch_func @m::@scale blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    args(%cast : memref<32xf32, strided<[?], offset: ?>>, %f : f32)
  return
}
func.func @main(%x : memref<?x32xf32>, %f : f32) -> (memref<?x32xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x32xf32>
  scf.for %i = %c0 to %n step %c1 {
    func.call @one(%x, %i, %f) : (memref<?x32xf32>, index, f32) -> ()
  }
  %y = memref.alloc(%n) : memref<?x32xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<?x32xf32>) outs(%y : memref<?x32xf32>) {
    ^bb0(%a : f32, %b : f32):
      %s = arith.addf %a, %f : f32
      linalg.yield %s : f32
  }
  return %y, %n : memref<?x32xf32>, index
}
}
)",
                        {array({3, 32}, f32(), std::vector<double>(96, 7)),
                         Argument::scalar(fromDouble(*formatOf(f32()), 3))})))
      << message;
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].bits, 3u);
  EXPECT_EQ(at(results[0].memref, {0, 0}), 24);
  EXPECT_EQ(at(results[0].memref, {2, 31}), 24);
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[2].globalBytesRead(), 128);
}

TEST_F(HostTest, OutOfBounds) {
  EXPECT_TRUE(failed(runMain(R"(
func.func @main(%x : memref<4xf32>) -> f32 {
  %c4 = arith.constant 4 : index
  %v = memref.load %x[%c4] : memref<4xf32>
  return %v : f32
}
)",
                             {array({4}, f32())})));
  EXPECT_EQ(line, lineOf(source, "memref.load"));
  EXPECT_EQ(message,
            "out-of-bounds access: index 4 in dimension 0 of extent 4");
}

TEST_F(HostTest, UnknownOp) {
  EXPECT_TRUE(failed(runMain(R"(
func.func @main(%x : i32) -> i32 {
  %v = math.ctpop %x : i32
  return %v : i32
}
)",
                             {Argument::scalar(1)})));
  EXPECT_EQ(line, lineOf(source, "math.ctpop"));
  EXPECT_EQ(message, "cannot interpret 'math.ctpop'");
}
