//===- SimulatorBarrierTest.cpp - Barriers of some of the warps -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which accesses barriers order that hold up only some of a block's warps.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace kami::sim;
using namespace mlir;

/// The body, with %s for 128 words of shared memory.
static std::string sharedWords(const std::string &body) {
  return R"(
%bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%start = arith.constant 0 : index
%s = memref.view %bytes[%start][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xf32, #gpu.address_space<workgroup>>
)" + body;
}

/// Every thread writes a word, waits at the barrier, and reads the word of the
/// thread whose index differs by `distance`, a power of two.
static std::string passWords(const std::string &barrier, int distance) {
  return R"(
%t = gpu.thread_id x
%w = arith.index_cast %t : index to i32
%f = arith.sitofp %w : i32 to f32
memref.store %f, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
)" + barrier +
         R"(
%distance = arith.constant )" +
         std::to_string(distance) + R"( : index
%other = arith.xori %t, %distance : index
%v = memref.load %s[%other] : memref<128xf32, #gpu.address_space<workgroup>>
memref.store %v, %out[%t] : memref<128xf32>
)";
}

/// Four warps in two pairs, which pass words on through barriers of their own:
/// each thread waits for its pair, and reads of the warp that is `distance`
/// away.
static std::string inPairs(int distance) {
  return passWords(R"(
%c64 = arith.constant 64 : index
%threads = arith.constant 64 : i32
%one = arith.constant 1 : index
%pair = arith.divui %t, %c64 : index
%name = arith.addi %pair, %one : index
%number = arith.index_cast %name : index to i32
nvvm.barrier id = %number number_of_threads = %threads
)",
                   32 * distance);
}

TEST_F(SimulatorTest, PairsOfWarpsHaveBarriersOfTheirOwn) {
  MemRef out = array({128}, f32());
  for (WarpOrder order : {WarpOrder::InOrder, WarpOrder::Reversed}) {
    options.order = order;
    ASSERT_TRUE(succeeded(run("%out : memref<128xf32>", sharedWords(inPairs(1)),
                              {}, {128}, 512, {out})))
        << message;
    EXPECT_EQ(at(out, {0}), 32);
    EXPECT_EQ(at(out, {100}), 68);
    EXPECT_EQ(report.barriers, 1);
    ASSERT_EQ(report.intervals.size(), 2u);
    EXPECT_EQ(report.intervals[0].written, 512);
    EXPECT_EQ(report.intervals[1].read, 512);
  }
}

TEST_F(SimulatorTest, ABarrierOfOthersOrdersNothing) {
  MemRef out = array({128}, f32());
  ASSERT_TRUE(failed(run("%out : memref<128xf32>", sharedWords(inPairs(2)), {},
                         {128}, 512, {out})));
  EXPECT_EQ(report.violation, Violation::Race);
  EXPECT_EQ(line, lineOf(source, "%v = memref.load"));
}

/// A warp knows what those know that it met: 0 writes, meets 1, which then
/// meets 2, which reads. Without the second meeting it is a race.
TEST_F(SimulatorTest, BarriersPassKnowledgeOn) {
  auto body = [](bool secondMeeting) {
    std::string meeting =
        secondMeeting
            ? "scf.if %later {\nnvvm.barrier id = %two number_of_threads = "
              "%threads\n}\n"
            : "";
    return R"(
%t = gpu.thread_id x
%c0 = arith.constant 0 : index
%c32 = arith.constant 32 : index
%c64 = arith.constant 64 : index
%one = arith.constant 1 : i32
%two = arith.constant 2 : i32
%threads = arith.constant 64 : i32
%x = arith.constant 3.0 : f32
%first = arith.cmpi ult, %t, %c32 : index
%early = arith.cmpi ult, %t, %c64 : index
%later = arith.cmpi uge, %t, %c32 : index
%last = arith.cmpi uge, %t, %c64 : index
scf.if %first {
  memref.store %x, %s[%t] : memref<128xf32, #gpu.address_space<workgroup>>
}
scf.if %early {
  nvvm.barrier id = %one number_of_threads = %threads
}
)" + meeting +
           R"(
scf.if %last {
  %at = arith.subi %t, %c64 : index
  %v = memref.load %s[%at] : memref<128xf32, #gpu.address_space<workgroup>>
  memref.store %v, %out[%at] : memref<128xf32>
}
)";
  };
  MemRef out = array({128}, f32());
  ASSERT_TRUE(succeeded(run("%out : memref<128xf32>", sharedWords(body(true)),
                            {}, {96}, 512, {out})))
      << message;
  EXPECT_EQ(at(out, {31}), 3);
  EXPECT_TRUE(failed(run("%out : memref<128xf32>", sharedWords(body(false)), {},
                         {96}, 512, {out})));
  EXPECT_EQ(report.violation, Violation::Race);
}

TEST_F(SimulatorTest, ABarrierThatTooFewReach) {
  std::string body = R"(
%t = gpu.thread_id x
%c32 = arith.constant 32 : index
%number = arith.constant 3 : i32
%threads = arith.constant 64 : i32
%lower = arith.cmpi ult, %t, %c32 : index
scf.if %lower {
  nvvm.barrier id = %number number_of_threads = %threads
}
)";
  ASSERT_TRUE(failed(run("", body, {}, {128}, 0, {})));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
  EXPECT_EQ(message, "divergent barrier: warp 0 waits at it for 2 warps in "
                     "all, but warp 1 has ended, block 0");
}

/// Lanes of a warp pass words on: each reads its neighbour's.
static std::string amongLanes(const std::string &barrier) {
  return passWords(barrier, 1);
}

TEST_F(SimulatorTest, LanesWaitForEachOther) {
  MemRef out = array({128}, f32());
  std::string body = sharedWords(amongLanes(R"(
%all = arith.constant -1 : i32
nvvm.bar.warp.sync %all : i32
)"));
  ASSERT_TRUE(
      succeeded(run("%out : memref<128xf32>", body, {}, {64}, 512, {out})))
      << message;
  EXPECT_EQ(at(out, {6}), 7);
  // No warp waits for another one.
  EXPECT_EQ(report.barriers, 0);
  EXPECT_EQ(report.intervals.size(), 1u);

  EXPECT_TRUE(failed(run("%out : memref<128xf32>", sharedWords(amongLanes("")),
                         {}, {64}, 512, {out})));
  EXPECT_EQ(report.violation, Violation::Race);
}

TEST_F(SimulatorTest, ABarrierOfSomeLanes) {
  ASSERT_TRUE(failed(run("", R"(
%some = arith.constant 15 : i32
nvvm.bar.warp.sync %some : i32
)",
                         {}, {32}, 0, {})));
  EXPECT_EQ(report.violation, Violation::Unsupported);
  EXPECT_EQ(message,
            "expected a barrier of all lanes of a warp, but got mask 15");
}
