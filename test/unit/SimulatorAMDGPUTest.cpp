//===- SimulatorAMDGPUTest.cpp --------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amdgpu.mfma and amdgpu.wmma: what lanes get, against products by hand, and
// what the simulator does not take for an answer.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

class AMDGPUTest : public SimulatorTest {
protected:
  AMDGPUTest() {
    context.loadDialect<amdgpu::AMDGPUDialect>();
    options.warpSize = 64;
  }
};

std::vector<double> pattern(int64_t count, int64_t factor) {
  std::vector<double> values;
  for (int64_t i = 0; i != count; ++i)
    values.push_back((i * factor + i / 5) % 13 - 6);
  return values;
}

/// Of f16, one value for each lane and the same in all of its registers.
constexpr char splats[] = R"(
%lane = gpu.lane_id
%c4 = arith.constant 4 : index
%c16 = arith.constant 16 : index
%low = arith.remui %lane, %c16 : index
%of = arith.index_cast %SOURCE : index to i32
%h = arith.uitofp %of : i32 to f16
%x = vector.broadcast %h : f16 to vector<16xf16>
%y = vector.broadcast %h : f16 to vector<4xf16>
%one = arith.constant dense<1.0> : vector<16xf16>
%four = arith.constant dense<1.0> : vector<4xf16>
%z = arith.constant dense<0.0> : vector<8xf32>
%w = arith.constant dense<0.0> : vector<4xf32>
)";

std::string splatsOf(const std::string &source, const std::string &rest) {
  std::string text = splats;
  return text.replace(text.find("SOURCE"), 6, source) + rest;
}

} // namespace

// MI200 ISA, section 7, f64: lane l has A's row l % 16 of term l / 16, B's
// column l % 16, and of D rows l / 16, 4 on, 8 on and 12 on.
TEST_F(AMDGPUTest, MfmaAgainstANaiveProduct) {
  std::string body = R"(
%lane = gpu.lane_id
%c4 = arith.constant 4 : index
%c8 = arith.constant 8 : index
%c12 = arith.constant 12 : index
%c16 = arith.constant 16 : index
%i = arith.remui %lane, %c16 : index
%k = arith.divui %lane, %c16 : index
%x = memref.load %a[%i, %k] : memref<16x4xf64>
%y = memref.load %b[%k, %i] : memref<4x16xf64>
%z = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : vector<4xf64>
%d = amdgpu.mfma 16x16x4 %x * %y + %z blgp = none : f64, f64, vector<4xf64>
%r1 = arith.addi %k, %c4 : index
%r2 = arith.addi %k, %c8 : index
%r3 = arith.addi %k, %c12 : index
%d0 = vector.extract %d[0] : f64 from vector<4xf64>
%d1 = vector.extract %d[1] : f64 from vector<4xf64>
%d2 = vector.extract %d[2] : f64 from vector<4xf64>
%d3 = vector.extract %d[3] : f64 from vector<4xf64>
memref.store %d0, %c[%k, %i] : memref<16x16xf64>
memref.store %d1, %c[%r1, %i] : memref<16x16xf64>
memref.store %d2, %c[%r2, %i] : memref<16x16xf64>
memref.store %d3, %c[%r3, %i] : memref<16x16xf64>
)";
  std::vector<double> a = pattern(64, 7), b = pattern(64, 5);
  MemRef c = array({16, 16}, f64());
  ASSERT_TRUE(succeeded(run(
      "%a : memref<16x4xf64>, %b : memref<4x16xf64>, %c : memref<16x16xf64>",
      body, {}, {64}, 0,
      {array({16, 4}, f64(), a), array({4, 16}, f64(), b), c})))
      << message;
  for (int64_t i = 0; i != 16; ++i)
    for (int64_t j = 0; j != 16; ++j) {
      double expected = i / 4;
      for (int64_t k = 0; k != 4; ++k)
        expected += a[i * 4 + k] * b[k * 16 + j];
      EXPECT_EQ(at(c, {i, j}), expected) << i << ", " << j;
    }
  EXPECT_EQ(report.matrixInstructions.at("m16n16k4 f64 f64"), 1);
}

// Blocks of 4 × 4 with one B are products of 64 rows. Another B in one of them
// is not what anybody here means.
TEST_F(AMDGPUTest, BlocksHaveOneB) {
  std::string multiply = "%d = amdgpu.mfma 4x4x4 %four * %y + %w {blocks = 16 "
                         ": i32} blgp = none : vector<4xf16>, vector<4xf16>, "
                         "vector<4xf32>\n";
  ASSERT_TRUE(failed(run("", splatsOf("lane", multiply), {}, {64}, 0, {})));
  EXPECT_EQ(report.violation, Violation::Unsupported);
  EXPECT_EQ(line, lineOf(source, "amdgpu.mfma"));
  EXPECT_EQ(message, "expected lanes to hold the same element of B alike, but "
                     "lane 4 of warp 0 does not");
  std::string same = "%column = arith.remui %lane, %c4 : index\n";
  std::string body = splatsOf("column", multiply);
  size_t at = body.find("%of =");
  ASSERT_TRUE(succeeded(run("", body.insert(at, same), {}, {64}, 0, {})))
      << message;
  EXPECT_EQ(report.matrixInstructions.at("m64n4k4 f16 f32"), 1);
}

// RDNA3 ISA, section 7.9: lanes 16 to 31 hold A and B once more.
TEST_F(AMDGPUTest, HalvesOfRDNA3AreAlike) {
  options.warpSize = 32;
  std::string multiply =
      "%d = amdgpu.wmma 16x16x16 %x * %one + %z : vector<16xf16>, "
      "vector<16xf16>, vector<8xf32>\n";
  ASSERT_TRUE(failed(run("", splatsOf("lane", multiply), {}, {32}, 0, {})));
  EXPECT_EQ(line, lineOf(source, "amdgpu.wmma"));
  EXPECT_EQ(message, "expected lanes to hold the same element of A alike, but "
                     "lane 16 of warp 0 does not");
  // Row i of A is 16 times i, and lane l has rows l / 16, 2 on, 4 on, ....
  std::string store = "%e = vector.extract %d[3] : f32 from vector<8xf32>\n"
                      "memref.store %e, %m[%lane] : memref<32xf32>\n";
  MemRef m = array({32}, f32());
  ASSERT_TRUE(
      succeeded(run("%m : memref<32xf32>", splatsOf("low", multiply + store),
                    {}, {32}, 0, {m})))
      << message;
  for (int64_t lane = 0; lane != 32; ++lane)
    EXPECT_EQ(at(m, {lane}), 16 * (6 + lane / 16)) << lane;
}

// With or without a sign, 255 is 255 or -1.
TEST_F(AMDGPUTest, WmmaSigns) {
  options.warpSize = 32;
  for (auto [flag, expected] :
       {std::pair("", -16.0), std::pair("{unsignedA}", 16 * 255.0)}) {
    std::string body = R"(
%lane = gpu.lane_id
%x = arith.constant dense<255> : vector<8xi8>
%y = arith.constant dense<1> : vector<8xi8>
%z = arith.constant dense<0> : vector<8xi32>
%d = amdgpu.wmma 16x16x16 %x * %y + %z FLAG : vector<8xi8>, vector<8xi8>, vector<8xi32>
%e = vector.extract %d[5] : i32 from vector<8xi32>
memref.store %e, %m[%lane] : memref<32xi32>
)";
    body.replace(body.find("FLAG"), 4, flag);
    MemRef m = array({32}, IntegerType::get(&context, 32));
    ASSERT_TRUE(succeeded(run("%m : memref<32xi32>", body, {}, {32}, 0, {m})))
        << message;
    EXPECT_EQ(
        toSigned(*formatOf(m.elementType), readBits(m.buffer->bytes.data(), 4)),
        expected);
  }
}

// Without the barrier, the other wave reads what was not written.
TEST_F(AMDGPUTest, LdsBarrier) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%words = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xi32, #gpu.address_space<workgroup>>
%c127 = arith.constant 127 : index
%thread = gpu.thread_id x
%other = arith.subi %c127, %thread : index
%value = arith.index_cast %thread : index to i32
memref.store %value, %words[%thread] : memref<128xi32, #gpu.address_space<workgroup>>
amdgpu.lds_barrier
%read = memref.load %words[%other] : memref<128xi32, #gpu.address_space<workgroup>>
memref.store %read, %m[%thread] : memref<128xi32>
)";
  MemRef m = array({128}, IntegerType::get(&context, 32));
  ASSERT_TRUE(succeeded(run("%m : memref<128xi32>", body, {}, {128}, 512, {m})))
      << message;
  EXPECT_EQ(readBits(m.buffer->bytes.data() + 4 * 5, 4), 122u);
  EXPECT_EQ(report.barriers, 1);
  body.erase(body.find("amdgpu.lds_barrier"), 18);
  EXPECT_TRUE(failed(run("%m : memref<128xi32>", body, {}, {128}, 512, {m})));
}

TEST_F(AMDGPUTest, WhatIsNotSimulated) {
  std::string operands = R"(
%x = arith.constant dense<0.0> : vector<4xf16>
%z = arith.constant dense<0.0> : vector<4xf32>
)";
  auto error = [&](const std::string &op) {
    EXPECT_TRUE(failed(run("", operands + op, {}, {64}, 0, {})));
    return message;
  };
  EXPECT_EQ(error("%d = amdgpu.mfma 16x16x16 %x * %x + %z {cbsz = 1 : i32} "
                  "blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>"),
            "cannot simulate an mfma with permuted, negated or rounded "
            "operands");
  // 16 rows in 4 blocks are 64, of which no map is known.
  EXPECT_EQ(error("%w = arith.constant dense<0.0> : vector<16xf32>\n"
                  "%d = amdgpu.mfma 16x16x4 %x * %x + %w {blocks = 4 : i32} "
                  "blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>"),
            "no fragment map 'cdna.b.4x16.b16' is known");
  options.warpSize = 32;
  EXPECT_EQ(error("%d = amdgpu.mfma 16x16x16 %x * %x + %z blgp = none : "
                  "vector<4xf16>, vector<4xf16>, vector<4xf32>"),
            "expected a warp of 64 lanes, but got 32");
}
