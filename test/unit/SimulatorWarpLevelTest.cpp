//===- SimulatorWarpLevelTest.cpp -----------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator on kernels at warp level.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <cmath>

using namespace kami::sim;
using namespace mlir;

static const char *aliases = R"(
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!a = !kami.fragment<16x32xf16, a, #atom>
!b = !kami.fragment<32x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<?xi8, #gpu.address_space<workgroup>>
)";

static double pattern(int64_t i, int64_t j, int64_t salt) {
  return double((i * 7 + j * 3 + salt * 5) % 9) - 4;
}

static std::vector<double> matrix(int64_t rows, int64_t columns, int salt) {
  std::vector<double> values;
  for (int64_t i = 0; i != rows; ++i)
    for (int64_t j = 0; j != columns; ++j)
      values.push_back(pattern(i, j, salt));
  return values;
}

static double product(int64_t i, int64_t j, int64_t k) {
  double sum = 0;
  for (int64_t l = 0; l != k; ++l)
    sum += pattern(i, l, 1) * pattern(l, j, 2);
  return sum;
}

/// One warp, sizes that are no multiples, α and β.
TEST_F(SimulatorTest, LoadMultiplyStore) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%zero = arith.constant 0.0 : f32
%alpha = arith.constant 2.0 : f32
%fa = kami.load %a[%c0, %c0] : memref<13x23xf16> -> !a
%fb = kami.load %b[%c0, %c0] : memref<23x11xf16> -> !b
%fc = kami.fill %zero : f32 -> !c
%d = kami.mma %fa, %fb, %fc : !a, !b, !c
kami.store %d, %c[%c0, %c0] alpha(%alpha : f32) beta(%beta : f32) : !c, memref<13x11xf32>
)";
  for (double beta : {0.0, 0.5}) {
    std::vector<double> old = matrix(13, 11, 3);
    if (beta == 0)
      old.assign(old.size(), NAN);
    MemRef c = array({13, 11}, f32(), old);
    Argument betaBits = Argument::scalar(fromDouble(*formatOf(f32()), beta));
    ASSERT_TRUE(
        succeeded(run("%a : memref<13x23xf16>, %b : memref<23x11xf16>, %c : "
                      "memref<13x11xf32>, %beta : f32",
                      body, {}, {32}, 0,
                      {array({13, 23}, f16(), matrix(13, 23, 1)),
                       array({23, 11}, f16(), matrix(23, 11, 2)), c, betaBits},
                      aliases)))
        << message;
    for (int64_t i = 0; i != 13; ++i)
      for (int64_t j = 0; j != 11; ++j)
        EXPECT_EQ(at(c, {i, j}),
                  2 * product(i, j, 23) + (beta ? beta * pattern(i, j, 3) : 0));
    EXPECT_EQ(report.buffers[0].bytesRead, 13 * 23 * 2);
    EXPECT_EQ(report.buffers[0].maxReadsPerByte, 1);
    EXPECT_EQ(report.buffers[2].bytesRead, beta ? 13 * 11 * 4 : 0);
    EXPECT_EQ(report.buffers[2].bytesWritten, 13 * 11 * 4);
    EXPECT_EQ(report.matrixInstructions.at("m16n8k16 f16 f32"), 4);
  }
}

/// A region on fragments, one of them a vector as a matrix with stride 0, and
/// columns that are set to zero.
TEST_F(SimulatorTest, MapAndClip) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%m = memref.reinterpret_cast %v to offset: [0], sizes: [16, 11], strides: [0, 1] : memref<11xf16> to memref<16x11xf16, strided<[0, 1]>>
%x = kami.load %a[%c0, %c0] : memref<13x11xf32> -> !c
%y = kami.load %m[%c0, %c0] row_in_bounds : memref<16x11xf16, strided<[0, 1]>> -> !h
%z = kami.map (%ex = %x : !c, %ey = %y : !h) -> !c {
  %two = arith.constant 2.0 : f32
  %w = arith.extf %ey : f16 to f32
  %p = arith.mulf %ex, %two : f32
  %s = arith.addf %p, %w : f32
  kami.yield %s : f32
}
%k = kami.clip %z at column %limit : !c
%r = kami.clip %k at row %last : !c
%one = kami.map (%e = %r : !c) -> !c {
  %c = arith.constant 1.0 : f32
  kami.yield %c : f32
}
kami.store %r, %a[%c0, %c0] : !c, memref<13x11xf32>
kami.store %one, %b[%c0, %c0] : !c, memref<2x2xf32>
)";
  std::string aliasesWithHalf =
      std::string(aliases) + "!h = !kami.fragment<16x16xf16, c, #atom>\n";
  for (int64_t limit : {-3, 5, 40}) {
    MemRef a = array({13, 11}, f32(), matrix(13, 11, 1));
    MemRef b = array({2, 2}, f32());
    ASSERT_TRUE(
        succeeded(run("%a : memref<13x11xf32>, %b : memref<2x2xf32>, "
                      "%v : memref<11xf16>, %limit : index, %last : index",
                      body, {}, {32}, 0,
                      {a, b, array({11}, f16(), matrix(1, 11, 2)),
                       Argument::scalar(uint64_t(limit)), Argument::scalar(12)},
                      aliasesWithHalf)))
        << message;
    for (int64_t i = 0; i != 13; ++i)
      for (int64_t j = 0; j != 11; ++j)
        EXPECT_EQ(at(a, {i, j}), j < limit && i < 12
                                     ? 2 * pattern(i, j, 1) + pattern(0, j, 2)
                                     : 0);
    EXPECT_EQ(at(b, {1, 1}), 1);
    // Each element is read once: a lane's registers of one column share it, and
    // so do the lanes of one access.
    EXPECT_EQ(report.buffers[2].bytesRead, 11 * 2);
  }
}

TEST_F(SimulatorTest, BrokenPromiseOfBounds) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%fa = kami.load %a[%c0, %c0] row_in_bounds : memref<13x23xf16> -> !a
)";
  ASSERT_TRUE(failed(run("%a : memref<13x23xf16>", body, {}, {32}, 0,
                         {array({13, 23}, f16())}, aliases)));
  EXPECT_EQ(report.violation, Violation::OutOfBounds);
  EXPECT_EQ(line, lineOf(source, "kami.load"));
  EXPECT_EQ(message, "out-of-bounds access: index 13 in dimension 0 of extent "
                     "13 by warp 0, lane 20, block 0");
}

/// A grid of 2 × 2 × 1 multiplies 32 × 32 by 32 × 32: two stages of k = 32 / 2.
static std::string twoByTwo(bool shiftB) {
  return std::string(R"(
%c0 = arith.constant 0 : index
%c16 = arith.constant 16 : index
%size = arith.constant 1024 : index
%zero = arith.constant 0.0 : f32
%row, %column, %layer = kami.warp_coordinates [2, 2, 1]
%m = arith.muli %row, %c16 : index
%n = arith.muli %column, %c16 : index
%shared = gpu.dynamic_shared_memory : !shared
%bufA = memref.view %shared[%c0][] : !shared to memref<1024xi8, #gpu.address_space<workgroup>>
%bufB = memref.view %shared[)") +
         (shiftB ? "%c16" : "%size") +
         R"(][] : !shared to memref<1024xi8, #gpu.address_space<workgroup>>
%a0 = kami.load %a[%m, %n] : memref<32x32xf16> -> !kami.fragment<16x16xf16, a, #atom>
%b0 = kami.load %b[%m, %n] : memref<32x32xf16> -> !kami.fragment<16x16xf16, b, #atom>
%fc = kami.fill %zero : f32 -> !c
%a1, %b1 = kami.broadcast in [2, 2, 1]
  %a0 : !kami.fragment<16x16xf16, a, #atom> along row from 0 via %bufA : memref<1024xi8, #gpu.address_space<workgroup>>,
  %b0 : !kami.fragment<16x16xf16, b, #atom> along column from 0 via %bufB : memref<1024xi8, #gpu.address_space<workgroup>>
%d1 = kami.mma %a1, %b1, %fc : !kami.fragment<16x16xf16, a, #atom>, !kami.fragment<16x16xf16, b, #atom>, !c
%a2, %b2 = kami.broadcast in [2, 2, 1]
  %a0 : !kami.fragment<16x16xf16, a, #atom> along row from 1 via %bufA : memref<1024xi8, #gpu.address_space<workgroup>>,
  %b0 : !kami.fragment<16x16xf16, b, #atom> along column from 1 via %bufB : memref<1024xi8, #gpu.address_space<workgroup>>
%d2 = kami.mma %a2, %b2, %d1 : !kami.fragment<16x16xf16, a, #atom>, !kami.fragment<16x16xf16, b, #atom>, !c
kami.store %d2, %c[%m, %n] : !c, memref<32x32xf32>
)";
}

TEST_F(SimulatorTest, BroadcastBytes) {
  for (WarpOrder order :
       {WarpOrder::InOrder, WarpOrder::Reversed, WarpOrder::Random}) {
    options.order = order;
    MemRef c = array({32, 32}, f32());
    ASSERT_TRUE(
        succeeded(run("%a : memref<32x32xf16>, %b : memref<32x32xf16>, %c : "
                      "memref<32x32xf32>",
                      twoByTwo(false), {}, {128}, 2048,
                      {array({32, 32}, f16(), matrix(32, 32, 1)),
                       array({32, 32}, f16(), matrix(32, 32, 2)), c},
                      aliases)))
        << message;
    for (int64_t i = 0; i != 32; ++i)
      for (int64_t j = 0; j != 32; ++j)
        ASSERT_EQ(at(c, {i, j}), product(i, j, 32));
  }
  // Two rows and two columns, each a message of 512 bytes that one warp writes
  // and one other reads.
  ASSERT_EQ(report.intervals.size(), 5u);
  for (int stage : {0, 1}) {
    EXPECT_EQ(report.intervals[2 * stage].written, 4 * 512);
    EXPECT_EQ(report.intervals[2 * stage].read, 0);
    EXPECT_EQ(report.intervals[2 * stage + 1].written, 0);
    EXPECT_EQ(report.intervals[2 * stage + 1].read, 4 * 512);
  }
  EXPECT_EQ(report.barriers, 4);
  EXPECT_EQ(report.maxBankConflict, 1);
  EXPECT_EQ(report.wavefronts, report.idealWavefronts);
  EXPECT_EQ(report.buffers[0].maxReadsPerByte, 1);
  EXPECT_EQ(report.buffers[1].maxReadsPerByte, 1);
  EXPECT_EQ(report.matrixInstructions.at("m16n8k16 f16 f32"), 16);
}

TEST_F(SimulatorTest, OverlappingBroadcastBuffersRace) {
  ASSERT_TRUE(failed(
      run("%a : memref<32x32xf16>, %b : memref<32x32xf16>, %c : "
          "memref<32x32xf32>",
          twoByTwo(true), {}, {128}, 2048,
          {array({32, 32}, f16(), matrix(32, 32, 1)),
           array({32, 32}, f16(), matrix(32, 32, 2)), array({32, 32}, f32())},
          aliases)));
  EXPECT_EQ(report.violation, Violation::Race);
  EXPECT_EQ(line, lineOf(source, "%a1, %b1 = kami.broadcast"));
}

TEST_F(SimulatorTest, ReduceAddsLayers) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%c128 = arith.constant 128 : index
%row, %column, %layer = kami.warp_coordinates [1, 1, 4]
%i = arith.index_cast %layer : index to i64
%one = arith.constant 1.0 : f64
%f0 = arith.sitofp %i : i64 to f64
%f = arith.addf %f0, %one : f64
%shared = gpu.dynamic_shared_memory : !shared
%buf = memref.view %shared[%c0][] : !shared to memref<1024xi8, #gpu.address_space<workgroup>>
%v = kami.fill %f : f64 -> !kami.fragment<16x8xf64, c, #dmma>
%s = kami.reduce in [1, 1, 4] %v via %buf : !kami.fragment<16x8xf64, c, #dmma>, memref<1024xi8, #gpu.address_space<workgroup>>
%first = arith.cmpi eq, %layer, %c0 : index
scf.if %first {
  kami.store %s, %c[%c0, %c0] : !kami.fragment<16x8xf64, c, #dmma>, memref<16x8xf64>
}
)";
  MemRef c = array({16, 8}, f64());
  ASSERT_TRUE(succeeded(
      run("%c : memref<16x8xf64>", body, {}, {128}, 1024, {c}, aliases)))
      << message;
  EXPECT_EQ(at(c, {0, 0}), 10);
  EXPECT_EQ(at(c, {15, 7}), 10);
  EXPECT_EQ(report.barriers, 6);
  EXPECT_EQ(report.shared.written, 3 * 1024);
  EXPECT_EQ(report.shared.read, 3 * 1024);
}

TEST_F(SimulatorTest, ShareAndFetchNeedABarrier) {
  std::string body = R"(
%zero = arith.constant 0.0 : f64
%c0 = arith.constant 0 : index
%row, %column, %layer = kami.warp_coordinates [1, 2, 1]
%shared = gpu.dynamic_shared_memory : !shared
%buf = memref.view %shared[%c0][] : !shared to memref<2048xi8, #gpu.address_space<workgroup>>
%v = kami.fill %zero : f64 -> !kami.fragment<16x8xf64, c, #dmma>
kami.share %v, %buf[%column] : !kami.fragment<16x8xf64, c, #dmma>, memref<2048xi8, #gpu.address_space<workgroup>>
gpu.barrier
%w = kami.fetch %buf[%c0] : memref<2048xi8, #gpu.address_space<workgroup>> -> !kami.fragment<16x8xf64, c, #dmma>
)";
  ASSERT_TRUE(succeeded(run("", body, {}, {64}, 2048, {}, aliases))) << message;
  body.erase(body.find("gpu.barrier"), 11);
  ASSERT_TRUE(failed(run("", body, {}, {64}, 2048, {}, aliases)));
  EXPECT_EQ(report.violation, Violation::Race);
  EXPECT_EQ(line, lineOf(source, "%w = kami.fetch"));
}

TEST_F(SimulatorTest, BlockThatIsNotTheGrid) {
  std::string body = "%row, %column, %layer = kami.warp_coordinates [2, 2, 1]";
  ASSERT_TRUE(failed(run("", body, {}, {64}, 0, {}, aliases)));
  EXPECT_EQ(message, "expected a block of 4 warps, but got 64 threads");
}

/// m16n8k8 in f64, through the op of target level.
TEST_F(SimulatorTest, KamiMmaSync) {
  std::string body = R"(
%a = arith.constant dense<2.0> : vector<4xf64>
%b = arith.constant dense<3.0> : vector<2xf64>
%z = arith.constant dense<1.0> : vector<4xf64>
%d = kami.mma_sync %a, %b, %z atom #dmma : vector<4xf64>, vector<2xf64>, vector<4xf64>
%lane = gpu.lane_id
%e = vector.extract %d[3] : f64 from vector<4xf64>
memref.store %e, %c[%lane] : memref<32xf64>
)";
  MemRef c = array({32}, f64());
  ASSERT_TRUE(
      succeeded(run("%c : memref<32xf64>", body, {}, {32}, 0, {c}, aliases)))
      << message;
  EXPECT_EQ(at(c, {17}), 49);
  EXPECT_EQ(report.matrixInstructions.at("m16n8k8 f64 f64"), 1);
}

//===----------------------------------------------------------------------===//
// Types that a matrix unit reads in another way, and products without one
//===----------------------------------------------------------------------===//

static const char *typeAliases = R"(
#tf32 = #kami.mma_atom<mma_sync 16x8x4, f32, f32, f32, ["nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32"]>
#tf32x3 = #kami.mma_atom<mma_sync 16x8x4, f32, f32, f32, ["nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32"], products = 3>
#fma = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
#imma = #kami.mma_atom<mma_sync 16x8x16, ui8, i8, i32, ["nv.a.16x16.b8", "nv.b.16x8.b8", "nv.c.16x8.b32"]>
!shared = memref<?xi8, #gpu.address_space<workgroup>>
)";

/// 1 · 1 summed with x · 1, where x has bits that tf32 has not.
TEST_F(SimulatorTest, FragmentsOfF32) {
  float x = 1 + std::ldexp(3.0f, -12) + std::ldexp(1.0f, -22);
  MemRef a = array({1, 1}, f32(), {x}), b = array({1, 1}, f32(), {1.0});
  auto multiply = [&](const std::string &atom, const std::string &k) {
    MemRef c = array({1, 1}, f32());
    std::string types = ", #" + atom + ">";
    std::string body = R"(
%c0 = arith.constant 0 : index
%zero = arith.constant 0.0 : f32
%fa = kami.load %a[%c0, %c0] : memref<1x1xf32> -> !kami.fragment<16x)" +
                       k + "xf32, a" + types + R"(
%fb = kami.load %b[%c0, %c0] : memref<1x1xf32> -> !kami.fragment<)" +
                       k + "x8xf32, b" + types + R"(
%fc = kami.fill %zero : f32 -> !kami.fragment<16x8xf32, c)" +
                       types + R"(
%d = kami.mma %fa, %fb, %fc : !kami.fragment<16x)" +
                       k + "xf32, a" + types + ", !kami.fragment<" + k +
                       "x8xf32, b" + types + ", !kami.fragment<16x8xf32, c" +
                       types + R"(
kami.store %d, %c[%c0, %c0] : !kami.fragment<16x8xf32, c)" +
                       types + ", memref<1x1xf32>";
    EXPECT_TRUE(succeeded(run("%a: memref<1x1xf32>, %b: memref<1x1xf32>, "
                              "%c: memref<1x1xf32>",
                              body, {}, {32}, 0, {a, b, c}, typeAliases)))
        << message;
    return at(c, {0, 0});
  };
  // 3 · 2^-12 is nearer to 2^-10 than to 0.
  EXPECT_EQ(multiply("tf32", "4"), 1 + std::ldexp(1, -10));
  EXPECT_EQ(report.matrixInstructions.at("m16n8k4 tf32 f32"), 1);
  // The rest, -2^-12 + 2^-22, has 10 bits.
  EXPECT_EQ(multiply("tf32x3", "4"), x);
  EXPECT_EQ(report.matrixInstructions.at("m16n8k4 tf32 f32"), 3);
  EXPECT_EQ(multiply("fma", "1"), x);
  EXPECT_EQ(report.matrixInstructions.at("m16n8k1 fma f32 f32"), 1);
}

/// 16 · 255 · -128, with A's bytes without a sign; the sum wraps on the way.
TEST_F(SimulatorTest, IntegersWrapAndHaveTheAtomsSigns) {
  mlir::Type i8 = mlir::IntegerType::get(&context, 8),
             i32 = mlir::IntegerType::get(&context, 32);
  MemRef a = array({1, 16}, i8, std::vector<double>(16, -1)),
         b = array({16, 1}, i8, std::vector<double>(16, -128)),
         c = array({1, 1}, i32, {-2147483648.0});
  std::string body = R"(
%c0 = arith.constant 0 : index
%one = arith.constant 1 : i32
%zero = arith.constant 0 : i32
%fa = kami.load %a[%c0, %c0] : memref<1x16xi8> -> !kami.fragment<16x16xui8, a, #imma>
%fb = kami.load %b[%c0, %c0] : memref<16x1xi8> -> !kami.fragment<16x8xi8, b, #imma>
%fc = kami.fill %zero : i32 -> !kami.fragment<16x8xi32, c, #imma>
%d = kami.mma %fa, %fb, %fc : !kami.fragment<16x16xui8, a, #imma>, !kami.fragment<16x8xi8, b, #imma>, !kami.fragment<16x8xi32, c, #imma>
kami.store %d, %c[%c0, %c0] alpha(%one : i32) beta(%one : i32) : !kami.fragment<16x8xi32, c, #imma>, memref<1x1xi32>
)";
  ASSERT_TRUE(succeeded(
      run("%a: memref<1x16xi8>, %b: memref<16x1xi8>, %c: memref<1x1xi32>", body,
          {}, {32}, 0, {a, b, c}, typeAliases)))
      << message;
  EXPECT_EQ(at(c, {0, 0}), 2147483648.0 - 16 * 255 * 128);
  EXPECT_EQ(report.matrixInstructions.at("m16n8k16 ui8 i8 i32"), 1);
}

/// Replicas write once and are read at once: 16 · 4 bytes each way, though each
/// of 32 lanes gets two of the numbers. So does what is loaded from a matrix.
TEST_F(SimulatorTest, ReplicasAreCountedOnce) {
  MemRef a = array({16, 1}, f32(), matrix(16, 1, 1));
  std::string body = R"(
%c0 = arith.constant 0 : index
%shared = gpu.dynamic_shared_memory : !shared
%buf = memref.view %shared[%c0][] : !shared to memref<64xi8, #gpu.address_space<workgroup>>
%f = kami.load %a[%c0, %c0] : memref<16x1xf32> -> !kami.fragment<16x1xf32, a, #fma>
kami.share %f, %buf[%c0] : !kami.fragment<16x1xf32, a, #fma>, memref<64xi8, #gpu.address_space<workgroup>>
gpu.barrier
%g = kami.fetch %buf[%c0] : memref<64xi8, #gpu.address_space<workgroup>> -> !kami.fragment<16x1xf32, a, #fma>
)";
  ASSERT_TRUE(succeeded(
      run("%a: memref<16x1xf32>", body, {}, {32}, 64, {a}, typeAliases)))
      << message;
  EXPECT_EQ(report.shared.written, 64);
  EXPECT_EQ(report.shared.read, 64);
  EXPECT_EQ(report.maxBankConflict, 1);
  EXPECT_EQ(report.buffers[0].bytesRead, 64);
  EXPECT_EQ(report.buffers[0].maxReadsPerByte, 1);
}
