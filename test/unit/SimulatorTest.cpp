//===- SimulatorTest.cpp --------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator on kernels at target level: results, and what it catches.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace kami::sim;
using namespace mlir;

/// Every thread writes its number to shared memory and reads its neighbour's.
static std::string exchange(const std::string &barrier,
                            const std::string &written = "%t") {
  return R"(
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c64 = arith.constant 64 : index
%c0 = arith.constant 0 : index
%t = gpu.thread_id x
%bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
%i = arith.index_cast %t : index to i32
%f = arith.sitofp %i : i32 to f32
memref.store %f, %s[)" +
         written + R"(] : memref<64xf32, #gpu.address_space<workgroup>>
)" + barrier +
         R"(
%n0 = arith.addi %t, %c1 : index
%n = arith.remui %n0, %c64 : index
%v = memref.load %s[%n] : memref<64xf32, #gpu.address_space<workgroup>>
memref.store %v, %out[%t] : memref<64xf32>
)";
}

TEST_F(SimulatorTest, ThreadsExchangeThroughSharedMemory) {
  for (WarpOrder order :
       {WarpOrder::InOrder, WarpOrder::Reversed, WarpOrder::Random}) {
    options.order = order;
    MemRef out = array({64}, f32());
    ASSERT_TRUE(succeeded(run("%out : memref<64xf32>", exchange("gpu.barrier"),
                              {}, {64}, 256, {out})))
        << message;
    for (int64_t i = 0; i != 64; ++i)
      EXPECT_EQ(at(out, {i}), (i + 1) % 64);
  }
  EXPECT_EQ(report.barriers, 1);
  EXPECT_EQ(report.shared.written, 256);
  EXPECT_EQ(report.shared.read, 256);
  ASSERT_EQ(report.intervals.size(), 2u);
  EXPECT_EQ(report.intervals[0].written, 256);
  EXPECT_EQ(report.intervals[0].read, 0);
  EXPECT_EQ(report.intervals[1].read, 256);
  EXPECT_EQ(report.globalBytesWritten(), 256);
  EXPECT_EQ(report.sharedAccesses, 4);
  EXPECT_EQ(report.maxBankConflict, 1);
  EXPECT_EQ(report.violation, Violation::None);
}

TEST_F(SimulatorTest, MissingBarrierIsARace) {
  MemRef out = array({64}, f32());
  options.order = WarpOrder::Reversed;
  ASSERT_TRUE(
      failed(run("%out : memref<64xf32>", exchange(""), {}, {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::Race);
  EXPECT_EQ(line, lineOf(source, "%v = memref.load"));
  EXPECT_NE(message.find("race: byte 132 of shared memory is read by warp 1, "
                         "lane 0, block 0, and written by warp 1, lane 1"),
            std::string::npos)
      << message;
}

TEST_F(SimulatorTest, ShiftedAddressIsARace) {
  MemRef out = array({64}, f32());
  std::string body = exchange("gpu.barrier", "%h");
  size_t view = body.find("%bytes = ");
  body.insert(view, "%h = arith.divui %t, %c2 : index\n");
  ASSERT_TRUE(failed(run("%out : memref<64xf32>", body, {}, {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::Race);
  EXPECT_EQ(line, lineOf(source, "memref.store %f"));
  EXPECT_NE(message.find("race: byte 0 of shared memory is written by warp 0, "
                         "lane 1, block 0, and written by warp 0, lane 0"),
            std::string::npos)
      << message;
}

TEST_F(SimulatorTest, WritePastTheEnd) {
  MemRef out = array({64}, f32());
  ASSERT_TRUE(failed(run("%out : memref<64xf32>", exchange("gpu.barrier"), {},
                         {96}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::OutOfBounds);
  EXPECT_EQ(line, lineOf(source, "memref.store %f"));
  EXPECT_EQ(message, "out-of-bounds access: index 64 in dimension 0 of extent "
                     "64 by warp 2, lane 0, block 0");
}

TEST_F(SimulatorTest, SharedMemoryTooSmall) {
  MemRef out = array({64}, f32());
  ASSERT_TRUE(failed(run("%out : memref<64xf32>", exchange("gpu.barrier"), {},
                         {64}, 128, {out})));
  EXPECT_EQ(report.violation, Violation::OutOfBounds);
  EXPECT_EQ(line, lineOf(source, "memref.view"));
}

TEST_F(SimulatorTest, BeyondTheAllocation) {
  // A view that claims more than there is.
  MemRef out = array({16}, f32());
  out.sizes[0] = 64;
  ASSERT_TRUE(failed(run("%out : memref<64xf32>", exchange("gpu.barrier"), {},
                         {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::OutOfBounds);
  EXPECT_EQ(message, "out-of-bounds access: bytes 64 to 67 of array of 64 "
                     "bytes by warp 0, lane 16, block 0");
}

TEST_F(SimulatorTest, UnwrittenSharedRead) {
  MemRef out = array({64}, f32());
  std::string body = exchange("gpu.barrier");
  size_t store = body.find("memref.store %f");
  body.erase(store, body.find('\n', store) - store);
  ASSERT_TRUE(failed(run("%out : memref<64xf32>", body, {}, {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::UnwrittenRead);
  EXPECT_EQ(line, lineOf(source, "%v = memref.load"));
  EXPECT_EQ(message, "read of unwritten shared memory: byte 4 by warp 0, lane "
                     "0, block 0");
}

TEST_F(SimulatorTest, WhatAnEarlierBlockWroteIsUnwritten) {
  MemRef out = array({64}, f32());
  std::string body = exchange("gpu.barrier");
  size_t store = body.find("memref.store %f");
  std::string line = body.substr(store, body.find('\n', store) - store);
  body.replace(store, line.size(),
               "%b = gpu.block_id x\n%first = arith.cmpi eq, %b, %c0 : index\n"
               "scf.if %first {\n" +
                   line + "\n}");
  ASSERT_TRUE(
      failed(run("%out : memref<64xf32>", body, {2}, {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::UnwrittenRead);
  EXPECT_NE(message.find("block 1"), std::string::npos);
}

TEST_F(SimulatorTest, BlocksThatWriteTheSameBytesRace) {
  MemRef out = array({64}, f32());
  ASSERT_TRUE(failed(run("%out : memref<64xf32>", exchange("gpu.barrier"), {2},
                         {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::Race);
  EXPECT_EQ(line, lineOf(source, "memref.store %v"));
  EXPECT_NE(message.find("another block"), std::string::npos) << message;
}

TEST_F(SimulatorTest, BarrierUnderADivergentMask) {
  MemRef out = array({64}, f32());
  std::string barrier = "%lower = arith.cmpi ult, %t, %c2 : index\n"
                        "scf.if %lower {\ngpu.barrier\n}";
  ASSERT_TRUE(failed(
      run("%out : memref<64xf32>", exchange(barrier), {}, {64}, 256, {out})));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
  EXPECT_EQ(line, lineOf(source, "gpu.barrier"));
  EXPECT_EQ(message, "divergent barrier: only 2 of 32 lanes arrive at it in "
                     "warp 0, block 0");
}

TEST_F(SimulatorTest, BarrierThatOneWarpSkips) {
  std::string body = R"(
%t = gpu.thread_id x
%c32 = arith.constant 32 : index
%lower = arith.cmpi ult, %t, %c32 : index
scf.if %lower {
gpu.barrier
}
)";
  ASSERT_TRUE(failed(run("", body, {}, {64}, 0, {})));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
  EXPECT_EQ(line, lineOf(source, "gpu.barrier"));
  EXPECT_EQ(message, "divergent barrier: warp 0 waits at it, but warp 1 has "
                     "ended, block 0");
}

TEST_F(SimulatorTest, WarpsAtDifferentBarriers) {
  std::string body = R"(
%t = gpu.thread_id x
%c32 = arith.constant 32 : index
%lower = arith.cmpi ult, %t, %c32 : index
scf.if %lower {
gpu.barrier
} else {
gpu.barrier
}
)";
  ASSERT_TRUE(failed(run("", body, {}, {64}, 0, {})));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
  EXPECT_EQ(message, "divergent barrier: warp 0 waits at it, but warp 1 waits "
                     "at another, block 0");
}

TEST_F(SimulatorTest, UnknownOpIsAnError) {
  std::string body = "%t = gpu.thread_id x\n%c = arith.constant 0 : i32\n"
                     "%s = math.ctpop %c : i32";
  ASSERT_TRUE(failed(run("", body, {}, {32}, 0, {})));
  EXPECT_EQ(line, lineOf(source, "math.ctpop"));
  EXPECT_EQ(message, "cannot simulate 'math.ctpop'");
}

TEST_F(SimulatorTest, LoopsAndDivergentBranches) {
  std::string body = R"(
%t = gpu.thread_id x
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c4 = arith.constant 4 : index
%one = arith.constant 1.0 : f32
%zero = arith.constant 0.0 : f32
%a, %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %zero, %y = %one) -> (f32, f32) {
  %next = arith.addf %x, %y : f32
  scf.yield %y, %next : f32, f32
}
%odd0 = arith.remui %t, %c2 : index
%odd = arith.cmpi eq, %odd0, %c1 : index
%r = scf.if %odd -> f32 {
  %m = arith.mulf %a, %b : f32
  scf.yield %m : f32
} else {
  %m = arith.negf %a : f32
  scf.yield %m : f32
}
memref.store %r, %out[%t] : memref<32xf32>
)";
  MemRef out = array({32}, f32());
  ASSERT_TRUE(succeeded(run("%out : memref<32xf32>", body, {}, {32}, 0, {out})))
      << message;
  // Fibonacci numbers: a = 3, b = 5 after four steps from (0, 1).
  EXPECT_EQ(at(out, {0}), -3);
  EXPECT_EQ(at(out, {1}), 15);
  EXPECT_EQ(at(out, {31}), 15);
}

TEST_F(SimulatorTest, LanesLeaveALoopOneByOne) {
  std::string body = R"(
%t = gpu.thread_id x
%c1 = arith.constant 1 : index
%c3 = arith.constant 3 : index
%c7 = arith.constant 7 : index
%one = arith.constant 1.0 : f32
%zero = arith.constant 0.0 : f32
%first = arith.remui %t, %c3 : index
%last = arith.remui %t, %c7 : index
%sum = scf.for %i = %first to %last step %c1 iter_args(%x = %zero) -> f32 {
  %next = scf.for %j = %c1 to %i step %c1 iter_args(%y = %x) -> f32 {
    %more = arith.addf %y, %one : f32
    scf.yield %more : f32
  }
  scf.yield %next : f32
}
memref.store %sum, %out[%t] : memref<32xf32>
)";
  MemRef out = array({32}, f32());
  ASSERT_TRUE(succeeded(run("%out : memref<32xf32>", body, {}, {32}, 0, {out})))
      << message;
  for (int64_t t = 0; t != 32; ++t) {
    double sum = 0;
    for (int64_t i = t % 3; i < t % 7; ++i)
      sum += std::max<int64_t>(i - 1, 0);
    EXPECT_EQ(at(out, {t}), sum);
  }
}

TEST_F(SimulatorTest, BarrierThatOnlySomeLanesReachInALoop) {
  std::string body = R"(
%t = gpu.thread_id x
%c1 = arith.constant 1 : index
scf.for %i = %c1 to %t step %c1 {
  gpu.barrier
}
)";
  ASSERT_TRUE(failed(run("", body, {}, {32}, 0, {})));
  EXPECT_EQ(line, lineOf(source, "gpu.barrier"));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
}

/// Each lane reads a word of shared memory at `stride` times its number.
static std::string strided(int stride) {
  return R"(
%t = gpu.thread_id x
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c32 = arith.constant 32 : index
%c1024 = arith.constant 1024 : index
%zero = arith.constant 0.0 : f32
scf.for %i = %c0 to %c1024 step %c32 {
  %at = arith.addi %i, %t : index
  memref.store %zero, %s[%at] : memref<1024xf32, 3>
}
gpu.barrier
%stride = arith.constant )" +
         std::to_string(stride) + R"( : index
%word = arith.muli %t, %stride : index
%v = memref.load %s[%word] : memref<1024xf32, 3>
)";
}

TEST_F(SimulatorTest, BankConflicts) {
  for (auto [stride, degree] :
       {std::pair(0, 1), std::pair(1, 1), std::pair(2, 2), std::pair(3, 1),
        std::pair(8, 8), std::pair(32, 32)}) {
    source = "gpu.module @m {\ngpu.func @k() workgroup(%s : memref<1024xf32, "
             "3>) kernel {\n" +
             strided(stride) + "gpu.return\n}\n}";
    parse(source);
    ASSERT_TRUE(succeeded(simulateLaunch(find<gpu::GPUFuncOp>(), {}, {32}, 0,
                                         {}, options, report)))
        << message;
    EXPECT_EQ(report.maxBankConflict, degree) << "stride " << stride;
    EXPECT_EQ(report.idealWavefronts, 33);
    EXPECT_EQ(report.wavefronts, 32 + degree);
  }
}

/// Vectors of 16 bytes: a quarter warp is served at a time.
TEST_F(SimulatorTest, WideAccessesAreServedByQuarterWarps) {
  std::string body = R"(
%t = gpu.thread_id x
%c0 = arith.constant 0 : index
%v = arith.constant dense<1.0> : vector<4xf32>
%bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xvector<4xf32>, #gpu.address_space<workgroup>>
memref.store %v, %s[%t] : memref<32xvector<4xf32>, #gpu.address_space<workgroup>>
)";
  ASSERT_TRUE(succeeded(run("", body, {}, {32}, 512, {}))) << message;
  EXPECT_EQ(report.sharedAccesses, 1);
  EXPECT_EQ(report.wavefronts, 4);
  EXPECT_EQ(report.idealWavefronts, 4);
  EXPECT_EQ(report.shared.written, 512);
}

/// CDNA serves reads of 16 bytes for lanes 0 to 3 with 20 to 23, 4 to 7 with 16
/// to 19, and so on (ROCm documentation, Composable Kernel). Here lanes with
/// bit 4 read 4 places beside their own: neighbours find all banks, those eight
/// half of them.
TEST_F(SimulatorTest, WideReadsAreServedForTheChipsGroups) {
  std::string body = R"(
%t = gpu.thread_id x
%c0 = arith.constant 0 : index
%c4 = arith.constant 4 : index
%c16 = arith.constant 16 : index
%v = arith.constant dense<1.0> : vector<4xf32>
%bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
memref.store %v, %s[%t] : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
gpu.barrier
%bit = arith.andi %t, %c16 : index
%step = arith.divui %bit, %c4 : index
%place = arith.xori %t, %step : index
%r = memref.load %s[%place] : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
)";
  options.warpSize = 64;
  ASSERT_TRUE(succeeded(run("", body, {}, {64}, 1024, {}))) << message;
  EXPECT_EQ(report.idealWavefronts, 16);
  EXPECT_EQ(report.wavefronts, 16);
  const unsigned cdna[] = {1, 2, 20};
  options.wideReadLanes = cdna;
  report = {};
  ASSERT_TRUE(succeeded(run("", body, {}, {64}, 1024, {}))) << message;
  EXPECT_EQ(report.idealWavefronts, 16);
  EXPECT_EQ(report.wavefronts, 8 + 2 * 8);
  EXPECT_EQ(report.maxBankConflict, 2);
}

TEST_F(SimulatorTest, UnalignedVector) {
  std::string body = R"(
%c1 = arith.constant 1 : index
%v = vector.load %in[%c1] {alignment = 8} : memref<8xf32>, vector<2xf32>
)";
  MemRef in = array({8}, f32());
  ASSERT_TRUE(failed(run("%in : memref<8xf32>", body, {}, {32}, 0, {in})));
  EXPECT_EQ(report.violation, Violation::Unaligned);
  EXPECT_EQ(message, "unaligned access: address 4 is not a multiple of 8 by "
                     "warp 0, lane 0, block 0");
  size_t attribute = body.find("{alignment = 8}");
  body.erase(attribute, 15);
  ASSERT_TRUE(succeeded(run("%in : memref<8xf32>", body, {}, {32}, 0, {in})));
  // All lanes read the same 8 bytes, at once.
  EXPECT_EQ(report.buffers[0].bytesRead, 8);
  EXPECT_EQ(report.buffers[0].maxReadsPerByte, 1);
}

/// Lane l holds, of A (16 × 16), rows l / 4 and l / 4 + 8; of B (16 × 8) column
/// l / 4; of C (16 × 8), rows as A and columns 2 (l % 4) and the next (PTX
/// ISA).
TEST_F(SimulatorTest, MmaSyncAgainstANaiveProduct) {
  std::string body = R"(
%lane = gpu.lane_id
%c2 = arith.constant 2 : index
%c4 = arith.constant 4 : index
%c8 = arith.constant 8 : index
%g = arith.divui %lane, %c4 : index
%m = arith.remui %lane, %c4 : index
%x = arith.muli %m, %c2 : index
%g8 = arith.addi %g, %c8 : index
%x8 = arith.addi %x, %c8 : index
%c1 = arith.constant 1 : index
%x1 = arith.addi %x, %c1 : index
%x9 = arith.addi %x8, %c1 : index
%a0 = memref.load %a[%g, %x] : memref<16x16xf16>
%a1 = memref.load %a[%g, %x1] : memref<16x16xf16>
%a2 = memref.load %a[%g8, %x] : memref<16x16xf16>
%a3 = memref.load %a[%g8, %x1] : memref<16x16xf16>
%a4 = memref.load %a[%g, %x8] : memref<16x16xf16>
%a5 = memref.load %a[%g, %x9] : memref<16x16xf16>
%a6 = memref.load %a[%g8, %x8] : memref<16x16xf16>
%a7 = memref.load %a[%g8, %x9] : memref<16x16xf16>
%b0 = memref.load %b[%x, %g] : memref<16x8xf16>
%b1 = memref.load %b[%x1, %g] : memref<16x8xf16>
%b2 = memref.load %b[%x8, %g] : memref<16x8xf16>
%b3 = memref.load %b[%x9, %g] : memref<16x8xf16>
%fa = vector.from_elements %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : vector<4x2xf16>
%fb = vector.from_elements %b0, %b1, %b2, %b3 : vector<2x2xf16>
%fc = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
%d = nvgpu.mma.sync(%fa, %fb, %fc) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
%d0 = vector.extract %d[0, 0] : f32 from vector<2x2xf32>
%d1 = vector.extract %d[0, 1] : f32 from vector<2x2xf32>
%d2 = vector.extract %d[1, 0] : f32 from vector<2x2xf32>
%d3 = vector.extract %d[1, 1] : f32 from vector<2x2xf32>
memref.store %d0, %c[%g, %x] : memref<16x8xf32>
memref.store %d1, %c[%g, %x1] : memref<16x8xf32>
memref.store %d2, %c[%g8, %x] : memref<16x8xf32>
memref.store %d3, %c[%g8, %x1] : memref<16x8xf32>
)";
  std::vector<double> a(256), b(128);
  for (int i = 0; i != 256; ++i)
    a[i] = (i * 7 + i / 16) % 11 - 5;
  for (int i = 0; i != 128; ++i)
    b[i] = (i * 5 + i / 8) % 13 - 6;
  MemRef c = array({16, 8}, f32());
  ASSERT_TRUE(succeeded(run(
      "%a : memref<16x16xf16>, %b : memref<16x8xf16>, %c : memref<16x8xf32>",
      body, {}, {32}, 0,
      {array({16, 16}, f16(), a), array({16, 8}, f16(), b), c})))
      << message;
  for (int64_t i = 0; i != 16; ++i) {
    for (int64_t j = 0; j != 8; ++j) {
      double expected = i < 8 ? 1 + j % 2 : 3 + j % 2;
      for (int64_t k = 0; k != 16; ++k)
        expected += a[i * 16 + k] * b[k * 8 + j];
      EXPECT_EQ(at(c, {i, j}), expected) << i << ", " << j;
    }
  }
  EXPECT_EQ(report.matrixInstructions.at("m16n8k16 f16 f32"), 1);
  EXPECT_EQ(report.buffers[0].maxReadsPerByte, 1);
  EXPECT_EQ(report.buffers[1].bytesRead, 256);
}

TEST_F(SimulatorTest, MmaSyncUnderADivergentMask) {
  std::string body = R"(
%lane = gpu.lane_id
%c4 = arith.constant 4 : index
%some = arith.cmpi ult, %lane, %c4 : index
%a = arith.constant dense<0.0> : vector<1x1xf64>
%c = arith.constant dense<0.0> : vector<1x2xf64>
scf.if %some {
  %d = nvgpu.mma.sync(%a, %a, %c) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
}
)";
  ASSERT_TRUE(failed(run("", body, {}, {32}, 0, {})));
  EXPECT_EQ(line, lineOf(source, "nvgpu.mma.sync"));
  EXPECT_EQ(message, "expected all 32 lanes of the warp, but only 4 are active "
                     "in warp 0, block 0");
}
