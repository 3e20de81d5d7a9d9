//===- SimulatorSPIRVTest.cpp ---------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooperative matrices: products against those by hand, and what the simulator
// does not take for an answer.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

class SPIRVTest : public SimulatorTest {
protected:
  SPIRVTest() {
    context.loadDialect<spirv::SPIRVDialect>();
    options.warpSize = 8;
  }

  Type i32() { return IntegerType::get(&context, 32); }
};

constexpr char types[] = R"(
!aa = !spirv.coopmatrix<2x8xi8, Subgroup, MatrixA>
!bb = !spirv.coopmatrix<8x4xi8, Subgroup, MatrixB>
!cc = !spirv.coopmatrix<2x4xi32, Subgroup, MatrixAcc>
!p8 = !spirv.ptr<i8, CrossWorkgroup>
!p32 = !spirv.ptr<i32, CrossWorkgroup>
)";

/// Loads of a 2 × 8 by `LAYOUTA` and b 8 × 4, their product added to 7, a
/// store.
std::string product(const std::string &signs, const std::string &layoutA) {
  std::string strideA = layoutA == "RowMajor" ? "8" : "16";
  return R"(
%zero = arith.constant 0 : i64
%s4 = arith.constant 4 : i32
%seven = arith.constant 7 : i32
%sa = arith.constant )" +
         strideA + R"( : i32
%pa = builtin.unrealized_conversion_cast %a : memref<128xi8> to !p8
%pb = builtin.unrealized_conversion_cast %b : memref<32xi8> to !p8
%pc = builtin.unrealized_conversion_cast %c : memref<8xi32> to !p32
%qa = spirv.InBoundsPtrAccessChain %pa[%zero] : !p8, i64 -> !p8
%qb = spirv.InBoundsPtrAccessChain %pb[%zero] : !p8, i64 -> !p8
%qc = spirv.InBoundsPtrAccessChain %pc[%zero] : !p32, i64 -> !p32
%x = spirv.KHR.CooperativeMatrixLoad %qa, %sa, <)" +
         layoutA + R"(> : !p8, i32 -> !aa
%y = spirv.KHR.CooperativeMatrixLoad %qb, %s4, <RowMajor> : !p8, i32 -> !bb
%z = spirv.CompositeConstruct %seven : (i32) -> !cc
%d = spirv.KHR.CooperativeMatrixMulAdd %x, %y, %z)" +
         signs + R"( : !aa, !bb -> !cc
spirv.KHR.CooperativeMatrixStore %qc, %d, %s4, <RowMajor> : !p32, !cc, i32
)";
}

constexpr char arguments[] =
    "%a : memref<128xi8>, %b : memref<32xi8>, %c : memref<8xi32>";

} // namespace

// Without a sign, 255 is what -1 is with one.
TEST_F(SPIRVTest, ProductsOfIntegersWithAndWithoutASign) {
  Type i8 = IntegerType::get(&context, 8);
  for (bool isSigned : {true, false}) {
    std::vector<double> a(128, -1), b(32, 3);
    MemRef c = array({8}, i32());
    ASSERT_TRUE(succeeded(
        run(arguments,
            product(isSigned ? ", <ASigned|BSigned|CSigned|ResultSigned>" : "",
                    "RowMajor"),
            {}, {8}, 0, {array({128}, i8, a), array({32}, i8, b), c}, types)))
        << message;
    for (int64_t i = 0; i != 8; ++i)
      EXPECT_EQ(at(c, {i}), 7 + 8 * 3 * (isSigned ? -1 : 255));
  }
  EXPECT_EQ(report.matrixInstructions.at("m2n4k8 ui8 i32"), 1);
}

// A's element (i, k) is at k · stride + i.
TEST_F(SPIRVTest, ColumnMajorMatrices) {
  Type i8 = IntegerType::get(&context, 8);
  std::vector<double> a(128), b(32);
  for (int64_t i = 0; i != 128; ++i)
    a[i] = i % 11 - 5;
  for (int64_t i = 0; i != 32; ++i)
    b[i] = i % 7 - 3;
  MemRef c = array({8}, i32());
  ASSERT_TRUE(succeeded(
      run(arguments,
          product(", <ASigned|BSigned|CSigned|ResultSigned>", "ColumnMajor"),
          {}, {8}, 0, {array({128}, i8, a), array({32}, i8, b), c}, types)))
      << message;
  for (int64_t i = 0; i != 2; ++i)
    for (int64_t j = 0; j != 4; ++j) {
      double expected = 7;
      for (int64_t k = 0; k != 8; ++k)
        expected += a[k * 16 + i] * b[k * 4 + j];
      EXPECT_EQ(at(c, {i * 4 + j}), expected) << i << ", " << j;
    }
}

namespace {
/// A lane's element of shared memory becomes a matrix, or a matrix lanes'
/// elements; `BARRIER` stands between.
std::string exchange(bool loadsMatrix, const std::string &barrier) {
  std::string single = loadsMatrix ? "memref.store %x, %s[%lane] : !shared\n"
                                   : "%r = memref.load %s[%lane] : !shared\n";
  std::string whole =
      loadsMatrix
          ? "%r = spirv.KHR.CooperativeMatrixLoad %q, %stride, <RowMajor> : "
            "!pe, i32 -> !m\n"
          : "spirv.KHR.CooperativeMatrixStore %q, %z, %stride, <RowMajor> : "
            "!pe, !m, i32\n";
  return R"(
%lane = gpu.lane_id
%x = arith.constant 1.0 : f32
%zero = arith.constant 0 : i32
%stride = arith.constant 4 : i32
%z = spirv.CompositeConstruct %x : (f32) -> !m
%p = builtin.unrealized_conversion_cast %s : !shared to !ps
%q = spirv.AccessChain %p[%zero] : !ps, i32 -> !pe
)" + (loadsMatrix ? single + barrier + whole : whole + barrier + single);
}

constexpr char sharedTypes[] = R"(
!shared = memref<8xf32, #gpu.address_space<workgroup>>
!m = !spirv.coopmatrix<2x4xf32, Subgroup, MatrixAcc>
!ps = !spirv.ptr<!spirv.array<8 x f32>, Workgroup>
!pe = !spirv.ptr<f32, Workgroup>
)";
constexpr char barrier[] = "spirv.ControlBarrier <Subgroup>, <Subgroup>, "
                           "<AcquireRelease|WorkgroupMemory>\n";
} // namespace

// Nobody knows which lane moves which element.
TEST_F(SPIRVTest, LanesWaitForMatricesInSharedMemory) {
  for (bool loadsMatrix : {true, false}) {
    std::string wrap = ") workgroup(%s : !shared";
    EXPECT_TRUE(succeeded(
        run(wrap, exchange(loadsMatrix, barrier), {}, {8}, 0, {}, sharedTypes)))
        << message;
    EXPECT_TRUE(failed(
        run(wrap, exchange(loadsMatrix, ""), {}, {8}, 0, {}, sharedTypes)));
    EXPECT_EQ(report.violation, Violation::Race) << message;
  }
}

// Vulkan asks for lines at multiples of 16 bytes, or of a line's.
TEST_F(SPIRVTest, UnalignedLines) {
  std::string body = exchange(true, barrier);
  std::string odd = body;
  odd.replace(odd.find("4 : i32"), 1, "3");
  EXPECT_TRUE(failed(
      run(") workgroup(%s : !shared", odd, {}, {8}, 0, {}, sharedTypes)));
  EXPECT_EQ(report.violation, Violation::Unaligned);
  EXPECT_EQ(message, "unaligned matrix: stride 12 is not a multiple of 16 by "
                     "warp 0, lane 0, block 0");
}

TEST_F(SPIRVTest, MatricesBeyondTheirMemory) {
  std::string body = exchange(true, barrier);
  body.replace(body.find("0 : i32"), 1, "4");
  EXPECT_TRUE(failed(
      run(") workgroup(%s : !shared", body, {}, {8}, 0, {}, sharedTypes)));
  EXPECT_EQ(report.violation, Violation::OutOfBounds);
}

// A row of words of 16 bytes holds four f32 each: lines are as many words
// apart.
TEST_F(SPIRVTest, MatricesInWords) {
  std::string body = R"(
%zero = spirv.Constant 0 : i32
%one = arith.constant 1 : i32
%stride = arith.constant 2 : i32
%w = builtin.unrealized_conversion_cast %a : memref<16xf32> to memref<4xvector<4xi32>>
%p = builtin.unrealized_conversion_cast %w : memref<4xvector<4xi32>> to !pw
%q = spirv.AccessChain %p[%zero, %one] : !pw, i32, i32 -> !pe
%r = spirv.KHR.CooperativeMatrixLoad %q, %stride, <RowMajor> : !pe, i32 -> !m
%o = builtin.unrealized_conversion_cast %c : memref<8xf32> to !pf
%t = spirv.AccessChain %o[%zero, %zero] : !pf, i32, i32 -> !pg
%four = arith.constant 4 : i32
spirv.KHR.CooperativeMatrixStore %t, %r, %four, <RowMajor> : !pg, !m, i32
)";
  std::vector<double> a(16);
  for (int64_t i = 0; i != 16; ++i)
    a[i] = i;
  MemRef c = array({8}, f32());
  ASSERT_TRUE(succeeded(run("%a : memref<16xf32>, %c : memref<8xf32>", body, {},
                            {8}, 0, {array({16}, f32(), a), c}, R"(
!m = !spirv.coopmatrix<2x4xf32, Subgroup, MatrixAcc>
!pw = !spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<4xi32>, stride=16> [0])>, StorageBuffer>
!pe = !spirv.ptr<vector<4xi32>, StorageBuffer>
!pf = !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
!pg = !spirv.ptr<f32, StorageBuffer>
)"))) << message;
  for (int64_t i = 0; i != 8; ++i)
    EXPECT_EQ(at(c, {i}), i < 4 ? 4 + i : 8 + i);
}

// Half of a subgroup has no matrix.
TEST_F(SPIRVTest, SubgroupsAreConverged) {
  std::string body = R"(
%lane = gpu.lane_id
%four = arith.constant 4 : index
%first = arith.cmpi ult, %lane, %four : index
scf.if %first {
  spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
}
)";
  EXPECT_TRUE(failed(run("", body, {}, {8}, 0, {})));
  EXPECT_EQ(message, "expected all 8 lanes of the warp, but only 4 are active "
                     "in warp 0, block 0");
}

TEST_F(SPIRVTest, WhatIsNotSimulated) {
  EXPECT_TRUE(failed(run("",
                         "spirv.ControlBarrier <Workgroup>, <Workgroup>, "
                         "<AcquireRelease|WorkgroupMemory>",
                         {}, {8}, 0, {})));
  EXPECT_EQ(message, "expected a barrier of a subgroup");
  EXPECT_TRUE(failed(run("",
                         "spirv.MemoryBarrier <Subgroup>, "
                         "<AcquireRelease|UniformMemory>",
                         {}, {8}, 0, {})));
  EXPECT_EQ(message,
            "expected a barrier of a subgroup that orders workgroup memory");
}
