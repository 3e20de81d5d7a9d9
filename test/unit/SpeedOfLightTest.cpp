//===- SpeedOfLightTest.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpeedOfLight.h"
#include "kami/Driver/Compile.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
bool isBulk(const LightVariant &variant) { return variant.isBulk; }
} // namespace

/// Every variant on every chip of NVIDIA's is PTX that assembles, into as few
/// registers as let the threads that it asks for be resident.
TEST(SpeedOfLight, Assembles) {
  if (findPtxas().empty())
    GTEST_SKIP() << "no ptxas";
  for (llvm::StringRef name : {"sm_80", "sm_90", "sm_120"}) {
    const Chip &chip = **findChip(name);
    for (const LightVariant &variant : lightVariants(chip)) {
      llvm::Expected<AssemblerReport> report =
          assemble(lightKernel(variant, chip), chip.name, nullptr);
      ASSERT_TRUE(bool(report)) << name.str() << ", " << variant.describe()
                                << ": " << llvm::toString(report.takeError());
      EXPECT_EQ(report->spillBytes, 0) << variant.describe();
      int64_t threads = std::max<int64_t>(variant.blocks, 1) * variant.threads;
      EXPECT_LE(report->registers * threads, chip.registers)
          << variant.describe();
      EXPECT_LE(variant.sharedBytes(), chip.sharedPerBlock);
    }
  }
}

TEST(SpeedOfLight, CopyEngine) {
  EXPECT_FALSE(llvm::any_of(lightVariants(**findChip("sm_80")), isBulk));
  EXPECT_TRUE(llvm::any_of(lightVariants(**findChip("sm_90")), isBulk));
}

TEST(SpeedOfLight, OperationRate) {
  const Chip &chip = **findChip("sm_90");
  // docs/Performance.md: the instructions alone, measured on an H200.
  std::optional<OperationRate> f64 = operationRate(chip, ElementKind::F64);
  ASSERT_TRUE(f64.has_value());
  EXPECT_NEAR(f64->teraflops, 66.4, 0.05);
  EXPECT_EQ(f64->provenance, Provenance::Measured);
  // `wgmma`, which is faster than a warp's instruction.
  EXPECT_GT(operationRate(chip, ElementKind::F16)->teraflops, 700);
}

TEST(LightTime, LongerOfBoth) {
  BenchmarkRow row;
  EXPECT_EQ(row.ofLight(10), 0);
  row.light.operations = 8;
  EXPECT_EQ(row.ofLight(10), 0);
  row.light.bytes = 4;
  EXPECT_EQ(row.ofLight(10), 0.8);
  row.light.bytes = 9;
  EXPECT_EQ(row.ofLight(10), 0.9);
  EXPECT_EQ(row.ofLight(0), 0);
}

TEST(BenchmarkRow, BestPeer) {
  BenchmarkRow row;
  EXPECT_EQ(row.bestPeer(), 0);
  row.torch = 7;
  row.cublas.median = 6;
  EXPECT_EQ(row.bestPeer(), 6);
  row.triton.median = 5;
  EXPECT_EQ(row.bestPeer(), 5);
}

/// What is written is read as it was.
TEST(BenchmarkRow, RoundTrip) {
  BenchmarkRow row;
  row.type = ElementKind::TF32;
  row.n = 48;
  row.batch = 10000;
  row.algorithm = "auto";
  row.plan = "1d 1x1x1 tile 48x48x16, \"copied\"";
  row.kami = {72.5, 72.4, 72.9};
  row.cublas = {78.3, 78, 79};
  row.triton = {90, 89, 91};
  row.tritonSetting = "64x64x32, warps 4, stages 2";
  row.torch = 80.5;
  row.light = {66.5, "256 threads, 2 words", 3.25};
  row.registers = 252;
  std::string text;
  llvm::raw_string_ostream os(text);
  BenchmarkTable table(os, TableFormat::CSV);
  BenchmarkDevice device;
  device.name = "NVIDIA H200";
  device.chip = "sm_90";
  device.cublas = "13.1.0";
  device.triton = "3.5.0";
  table.begin(device, BenchmarkOptions());
  table.add(row);
  llvm::Expected<BenchmarkRows> rows = parseBenchmarkRows(text, "rows");
  ASSERT_TRUE(bool(rows)) << llvm::toString(rows.takeError());
  ASSERT_EQ(rows->rows.size(), 1u);
  const BenchmarkRow &read = rows->rows.front();
  EXPECT_EQ(read.type, row.type);
  EXPECT_EQ(read.n, 48);
  EXPECT_EQ(read.batch, 10000);
  EXPECT_EQ(read.plan, row.plan);
  EXPECT_EQ(read.kami.most, 72.9);
  EXPECT_EQ(read.cublas.least, 78);
  EXPECT_EQ(read.triton.median, 90);
  EXPECT_EQ(read.tritonSetting, row.tritonSetting);
  EXPECT_EQ(read.torch, 80.5);
  EXPECT_EQ(read.light.microseconds(), 66.5);
  EXPECT_EQ(read.light.operations, 3.25);
  EXPECT_EQ(read.light.kernel, row.light.kernel);
  EXPECT_EQ(read.registers, 252);
  EXPECT_EQ(rows->device.name, "NVIDIA H200");
  EXPECT_EQ(rows->device.cublas, "13.1.0");
  EXPECT_EQ(rows->device.triton, "3.5.0");
}
