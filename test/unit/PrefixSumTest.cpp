//===- PrefixSumTest.cpp - Sums of a warp's lanes -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `kami.prefix_sum` as the simulator executes it, and what it is lowered to.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "kami/Conversion/KamiToNVGPU/KamiToNVGPU.h"
#include "mlir/Pass/PassManager.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

class PrefixSumTest : public SimulatorTest,
                      public testing::WithParamInterface<bool> {};

} // namespace

TEST_P(PrefixSumTest, SumsAreEachWarps) {
  parse(R"(
gpu.module @m attributes {kami.target = #kami.target<"sm_90">} {
gpu.func @k(%in: memref<64xi32>, %before: memref<64xi32>, %all: memref<64xi32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %thread = gpu.thread_id x
  %value = memref.load %in[%thread] : memref<64xi32>
  %b, %a = kami.prefix_sum %value
  memref.store %b, %before[%thread] : memref<64xi32>
  memref.store %a, %all[%thread] : memref<64xi32>
  gpu.return
}
}
)");
  if (GetParam()) {
    PassManager passes(&context);
    passes.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>().addPass(
        createConvertKamiToNVGPU());
    ASSERT_TRUE(succeeded(passes.run(*module))) << message;
  }
  std::vector<double> values(64);
  for (int64_t i = 0; i != 64; ++i)
    values[i] = double(i * 37 % 11);
  auto i32 = IntegerType::get(&context, 32);
  MemRef in = array({64}, i32, values);
  MemRef before = array({64}, i32, std::vector<double>(64));
  MemRef all = array({64}, i32, std::vector<double>(64));
  ASSERT_TRUE(succeeded(simulateLaunch(find<gpu::GPUFuncOp>(), {1}, {64}, 0,
                                       {in, before, all}, options, report)))
      << message;
  for (int64_t warp = 0; warp != 2; ++warp) {
    double sum = 0;
    for (int64_t lane = 0; lane != 32; ++lane) {
      EXPECT_EQ(at(before, {warp * 32 + lane}), sum);
      sum += values[warp * 32 + lane];
    }
    for (int64_t lane = 0; lane != 32; ++lane)
      EXPECT_EQ(at(all, {warp * 32 + lane}), sum);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, PrefixSumTest, testing::Bool());
