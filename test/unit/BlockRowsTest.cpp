//===- BlockRowsTest.cpp ------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BlockBenchmark.h"
#include "kami/Driver/Figures.h"
#include "kami/Driver/Regret.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
/// A row of 64³ f16 by a plan of its own, that took `cycles`.
BlockRow makeRow(int64_t columns, double cycles) {
  BlockRow row;
  row.plan.atom = findAtom("mma_sync.m16n8k16.f32.f16");
  row.plan.tile = {64, 64, 64};
  row.plan.grid = {1, columns, 1};
  row.plan.transport = Transport::DoubleBuffered;
  row.plan.slices = {16, 0, 1};
  row.registers = 168;
  row.spillBytes = 8;
  row.cycles = cycles;
  row.teraflops = 400;
  row.cublasDx = {559.5, "cublasdx 0.4.0, \"128\" threads, suggested"};
  return row;
}

std::string print(llvm::ArrayRef<BlockRow> rows) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printHeader(describeRun("NVIDIA H200", "sm_90", 13000, 16384), os);
  for (const BlockRow &row : rows)
    kami::print(row, os);
  return text;
}
} // namespace

TEST(BlockRows, RoundTrip) {
  BlockRows rows;
  std::string text = print({makeRow(2, 250.5), makeRow(4, 300)});
  EXPECT_TRUE(llvm::StringRef(text).starts_with(
      "# NVIDIA H200, sm_90, CUDA 13.0, 16384 blocks\ntype,m,n,k,choice,"));
  ASSERT_FALSE(bool(parseRows(text, "rows", rows)));
  ASSERT_EQ(rows.rows.size(), 2u);
  EXPECT_EQ(rows.device, "NVIDIA H200");
  EXPECT_EQ(rows.chip->name, "sm_90");
  const BlockRow &row = rows.rows[0];
  EXPECT_EQ(rowKey(row), rowKey(makeRow(2, 0)));
  EXPECT_NE(rowKey(row), rowKey(rows.rows[1]));
  EXPECT_EQ(row.cycles, 250.5);
  EXPECT_EQ(row.spillBytes, 8);
  EXPECT_EQ(row.cublasDx.teraflops, 559.5);
  EXPECT_EQ(row.cublasDx.variant, "cublasdx 0.4.0, \"128\" threads, suggested");
  EXPECT_TRUE(row.wasTimed());
}

// A later row is a better one; half a line is nobody's.
TEST(BlockRows, AppendedToByInterruptedRuns) {
  BlockRows rows;
  std::string text = print({makeRow(2, 250.5)}) + print({makeRow(2, 260)});
  text += "f16,64,64,64,0,mma_sync,mma_sy";
  ASSERT_FALSE(bool(parseRows(text, "rows", rows)));
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_EQ(rows.rows[0].cycles, 260);
  llvm::Error other = parseRows("# NVIDIA GeForce RTX 4090, sm_89, CUDA 13.0\n",
                                "others", rows);
  EXPECT_EQ(llvm::toString(std::move(other)),
            "others:1: expected rows of NVIDIA H200, but got rows of NVIDIA "
            "GeForce RTX 4090");
}

// The list has every kind of product, each once.
TEST(Regret, ListOfProducts) {
  llvm::ArrayRef<RegretProblem> problems = regretProblems();
  EXPECT_GE(problems.size(), 60u);
  for (size_t i = 0; i != problems.size(); ++i)
    for (size_t j = 0; j != i; ++j)
      EXPECT_FALSE(problems[i].type == problems[j].type &&
                   problems[i].extents == problems[j].extents);
}

TEST(Regret, ShardsAreParsed) {
  RegretOptions options;
  EXPECT_FALSE(bool(parseShard("2/8", options)));
  EXPECT_EQ(options.shard, 2);
  EXPECT_EQ(options.shards, 8);
  for (const char *bad : {"", "3", "8/8", "-1/4", "a/b", "1/0"})
    EXPECT_EQ(llvm::toString(parseShard(bad, options)),
              "expected --shard=i/n with i from 0 to n - 1, but got '" +
                  std::string(bad) + "'");
}

// Twice the cycles of the fastest is a regret of 2.
TEST(Regret, IsTheChoiceOverTheFastest) {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  PlannerOptions planner;
  planner.kept = Kept::Fitting;
  Problem problem = RegretProblem{ElementKind::F16, {32, 32, 32}}.problem();
  Choice choice = llvm::cantFail(choosePlan(problem, chip, planner));
  BlockRows rows;
  rows.chip = &chip;
  rows.device = "a device";
  for (const Candidate &candidate : choice.candidates) {
    BlockRow row = rowOf(problem, candidate, false);
    row.cycles = &candidate == choice.best() ? 100 : 1000;
    rows.rows.push_back(row);
  }
  rows.rows.back().cycles = 50;
  std::vector<ProblemRegret> judged = judgeRegret(rows, false, nullptr);
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].candidates, int64_t(choice.candidates.size()));
  EXPECT_EQ(judged[0].timed, judged[0].candidates);
  EXPECT_DOUBLE_EQ(judged[0].regret(), 2);
}

TEST(BlockTable, MarkdownIsTheTableOfTheDocumentation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  BlockTable table(os, TableFormat::Markdown);
  table.begin("a run", "no peers");
  BlockRow row = makeRow(2, 250);
  row.teraflops = 895.2;
  table.add(row);
  EXPECT_EQ(text, "a run; no peers; TFLOPS\n\n"
                  "| type | n, or m×n×k | plan | kami | cuBLASDx | CuTe | "
                  "instruction | × cuBLASDx | bytes of local memory |\n"
                  "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
                  "| f16 | 64 | mma.sync 1x2x1 double_buffered | 895 | 560 | – "
                  "| – | 1.60 | 8 |\n");
}

TEST(Chart, TicksAreRoundNumbers) {
  EXPECT_DOUBLE_EQ(tickDistance(900, 5), 200);
  EXPECT_DOUBLE_EQ(tickDistance(1000, 5), 200);
  EXPECT_DOUBLE_EQ(tickDistance(1001, 5), 250);
  EXPECT_DOUBLE_EQ(tickDistance(0.07, 5), 0.02);
  EXPECT_DOUBLE_EQ(tickDistance(0, 5), 1);
}

// Bars from 0: the one of half the value is half as high, and nothing is where
// nothing was measured.
TEST(Chart, BarsAreAsHighAsTheirValues) {
  Figure figure;
  figure.title = "a < b";
  Chart chart;
  chart.categories = {"16", "32", "64"};
  chart.series = {{"kami", {500.0, 1000.0, std::nullopt}}};
  figure.charts = {chart};
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSVG(figure, os);
  llvm::StringRef svg = text;
  EXPECT_TRUE(svg.contains("a &lt; b"));
  EXPECT_TRUE(
      svg.contains("height='105.0' fill='#0072B2'><title>kami, 16: 500<"));
  EXPECT_TRUE(
      svg.contains("height='210.0' fill='#0072B2'><title>kami, 32: 1000<"));
  EXPECT_FALSE(svg.contains("kami, 64"));
}

TEST(Figures, OthersAreErrors) {
  BlockRows rows;
  rows.chip = llvm::cantFail(findChip("sm_90"));
  EXPECT_EQ(llvm::toString(makeFigure(12, rows, nullptr).takeError()),
            "unknown figure 12, expected one of: 8, 9, 10, 11, 14, 15");
  EXPECT_EQ(llvm::toString(makeFigure(8, rows, nullptr).takeError()),
            "no row has anything to show in figure 8");
}
