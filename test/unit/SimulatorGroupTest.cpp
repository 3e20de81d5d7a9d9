//===- SimulatorGroupTest.cpp ---------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of four warps: exact results, what is counted, and each way of
// using them wrongly.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

class GroupTest : public SimulatorTest {
protected:
  GroupTest() { context.loadDialect<NVVM::NVVMDialect>(); }
};

/// Small integers, so that every sum is exact.
double pattern(int64_t i, int64_t j, int64_t seed) {
  return (i * 7 + j * 3 + seed * 5) % 11 - 5;
}

std::vector<double> matrix(int64_t rows, int64_t columns, int64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i != rows; ++i)
    for (int64_t j = 0; j != columns; ++j)
      values.push_back(pattern(i, j, seed));
  return values;
}

double product(int64_t i, int64_t j, int64_t k) {
  double sum = 0;
  for (int64_t l = 0; l != k; ++l)
    sum += pattern(i, l, 1) * pattern(l, j, 2);
  return sum;
}

std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

constexpr char preamble[] = R"(
#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
!shared = memref<?xi8, #gpu.address_space<workgroup>>
)";

/// 64 × n × k: each of four warps has 16 rows of A and C, and writes a quarter
/// of B's columns.
struct Product {
  int64_t n = 64, k = 64;
  std::string atom = "#wgmma", type = "f16";
  std::string layout = "k_major, swizzle = 128";
  int64_t shared() const { return n * k * (type == "f16" ? 2 : 4); }

  std::string types() const {
    std::string s = preamble;
    auto fragment = [&](int64_t rows, int64_t columns, std::string element,
                        std::string role) {
      return "!" + role + " = !kami.fragment<" + std::to_string(rows) + "x" +
             std::to_string(columns) + "x" + element + ", " + role + ", " +
             atom + ">\n";
    };
    s += "#b = #kami.shared_matrix<" + std::to_string(k) + "x" +
         std::to_string(n) + "x" + type + ", b, " + layout + ">\n";
    return s + fragment(16, k, type, "a") + fragment(k, n / 4, type, "b") +
           fragment(16, n, "f32", "c");
  }
  std::string arguments() const {
    auto memref = [](int64_t rows, int64_t columns, std::string element) {
      return "memref<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "x" + element + ">";
    };
    return "%a : " + memref(64, k, type) + ", %b : " + memref(k, n, type) +
           ", %c : " + memref(64, n, "f32");
  }
  std::string body() const {
    std::string s = R"(
%c0 = arith.constant 0 : index
%c16 = arith.constant 16 : index
%quarter = arith.constant QUARTER : index
%zero = arith.constant 0.0 : f32
%row, %column, %layer = kami.warp_coordinates [4, 1, 1]
%m = arith.muli %row, %c16 : index
%n = arith.muli %row, %quarter : index
%shared = gpu.dynamic_shared_memory : !shared
%fa = kami.load %a[%m, %c0] : memref<64xKxTYPE> -> !a
%fb = kami.load %b[%c0, %n] : memref<KxNxTYPE> -> !b
%fc = kami.fill %zero : f32 -> !c
kami.place %fb, %shared[%c0, %n] in #b : !b, !shared
gpu.barrier
%d = kami.group_mma %fa, %shared[%c0, %c0] in #b, %fc : !a, !shared, !c
kami.store %d, %c[%m, %c0] : !c, memref<64xNxf32>
)";
    for (auto [from, to] :
         {std::pair("QUARTER", std::to_string(n / 4)),
          std::pair("64xKxTYPE", "64x" + std::to_string(k) + "x" + type),
          std::pair("KxNxTYPE",
                    std::to_string(k) + "x" + std::to_string(n) + "x" + type),
          std::pair("64xNxf32", "64x" + std::to_string(n) + "xf32")})
      s = replace(s, from, to);
    return s;
  }
};

} // namespace

TEST_F(GroupTest, EveryLayoutIsExact) {
  std::vector<Product> products = {
      {64, 64, "#wgmma", "f16", "k_major, swizzle = 128"},
      {32, 128, "#wgmma", "f16", "k_major, swizzle = 128"},
      {96, 32, "#wgmma", "f16", "k_major, swizzle = 64"},
      {64, 48, "#wgmma", "f16", "k_major, swizzle = 32"},
      {64, 16, "#wgmma", "f16", "k_major, swizzle = 16"},
      {64, 32, "#wgmma", "f16", "mn_major, swizzle = 128"},
      {32, 32, "#wgmma", "f16", "mn_major, swizzle = 64"},
      {32, 16, "#wgmma", "f16", "mn_major, swizzle = 16"},
      {32, 32, "#tf32", "f32", "k_major, swizzle = 128"},
      {288, 16, "#wgmma", "f16", "k_major, swizzle = 32"},
  };
  for (const Product &p : products) {
    SCOPED_TRACE(p.layout + " " + std::to_string(p.n) + " " +
                 std::to_string(p.k));
    Type element = p.type == "f16" ? f16() : f32();
    for (WarpOrder order : {WarpOrder::InOrder, WarpOrder::Random}) {
      options.order = order;
      MemRef c = array({64, p.n}, f32());
      ASSERT_TRUE(
          succeeded(run(p.arguments(), p.body(), {}, {128}, p.shared(),
                        {array({64, p.k}, element, matrix(64, p.k, 1)),
                         array({p.k, p.n}, element, matrix(p.k, p.n, 2)), c},
                        p.types())))
          << message;
      for (int64_t i = 0; i != 64; ++i)
        for (int64_t j = 0; j != p.n; ++j)
          ASSERT_EQ(at(c, {i, j}), product(i, j, p.k)) << i << " " << j;
    }
    // B is written once, a register at a time without conflicts, and read once
    // for the group.
    EXPECT_EQ(report.shared.written, p.shared());
    EXPECT_EQ(report.shared.read, 0);
    EXPECT_EQ(report.shared.matrixRead, p.shared());
    EXPECT_EQ(report.intervals.back().matrixRead, p.shared());
    EXPECT_EQ(report.maxBankConflict, 1);
  }
  // The last is wider than one instruction.
  EXPECT_EQ(report.matrixInstructions.at("m64n256k16 f16 f32"), 1);
  EXPECT_EQ(report.matrixInstructions.at("m64n32k16 f16 f32"), 1);
}

// Both operands in shared memory, two row tiles a warp: 128 x 16 x 64.
TEST_F(GroupTest, BothOperandsInSharedMemory) {
  std::string types = std::string(preamble) + R"(
#a = #kami.shared_matrix<128x64xf16, a, k_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!a = !kami.fragment<32x64xf16, a, #wgmma>
!b = !kami.fragment<64x16xf16, b, #wgmma>
!c = !kami.fragment<32x16xf32, c, #wgmma>
!one = !kami.fragment<16x16xf32, c, #wgmma>
!bytes = memref<16384xi8, #gpu.address_space<workgroup>>
)";
  std::string body = R"(
%c0 = arith.constant 0 : index
%c16 = arith.constant 16 : index
%c32 = arith.constant 32 : index
%size = arith.constant 16384 : index
%zero = arith.constant 0.0 : f32
%row, %column, %layer = kami.warp_coordinates [4, 1, 1]
%m = arith.muli %row, %c32 : index
%n = arith.muli %row, %c16 : index
%shared = gpu.dynamic_shared_memory : !shared
%bufA = memref.view %shared[%c0][] : !shared to !bytes
%bufB = memref.view %shared[%size][] : !shared to !bytes
%fa = kami.load %a[%m, %c0] : memref<128x64xf16> -> !a
%fb = kami.load %b[%c0, %n] : memref<64x64xf16> -> !b
%fc = kami.fill %zero : f32 -> !c
kami.place %fa, %bufA[%m, %c0] in #a : !a, !bytes
kami.place %fb, %bufB[%c0, %n] in #b : !b, !bytes
gpu.barrier
%d = kami.group_mma %bufA[%c0, %c0] in #a, %bufB[%c0, %c16] in #b, %fc depth 64 : !bytes, !bytes, !c
kami.store %d, %c[%m, %c0] : !c, memref<128x16xf32>
)";
  MemRef c = array({128, 16}, f32());
  ASSERT_TRUE(
      succeeded(run("%a : memref<128x64xf16>, %b : memref<64x64xf16>, %c : "
                    "memref<128x16xf32>",
                    body, {}, {128}, 32768,
                    {array({128, 64}, f16(), matrix(128, 64, 1)),
                     array({64, 64}, f16(), matrix(64, 64, 2)), c},
                    types)))
      << message;
  // Row tile i of warp w is rows 64 i + 16 w, which this kernel stores at
  // 32 w + 16 i.
  for (int64_t i = 0; i != 128; ++i)
    for (int64_t j = 0; j != 16; ++j)
      ASSERT_EQ(at(c, {i, j}),
                product(i % 32 / 16 * 64 + i / 32 * 16 + i % 16, j + 16, 64));
  EXPECT_EQ(report.matrixInstructions.at("m64n16k16 f16 f32"), 8);
  EXPECT_EQ(report.shared.matrixRead, 128 * 64 * 2 + 2 * 16 * 64 * 2);
}

// Each warp reads the rows of A that the next one placed, and multiplies them
// by the first columns of a matrix of ones on the diagonal.
TEST_F(GroupTest, LoadsWhatWasPlaced) {
  for (const std::string order :
       {"k_major, swizzle = 128", "k_major, swizzle = 32",
        "mn_major, swizzle = 128", "mn_major, swizzle = 64",
        "mn_major, swizzle = 32", "mn_major, swizzle = 16"}) {
    SCOPED_TRACE(order);
    std::string types = std::string(preamble) + "#a = #kami.shared_matrix<" +
                        "64x32xf32, a, " + order + R"(>
#b = #kami.shared_matrix<32x32xf32, b, k_major, swizzle = 128>
!a = !kami.fragment<16x32xf32, a, #tf32>
!b = !kami.fragment<32x8xf32, b, #tf32>
!c = !kami.fragment<16x32xf32, c, #tf32>
!bufA = memref<8192xi8, #gpu.address_space<workgroup>>
!bufB = memref<4096xi8, #gpu.address_space<workgroup>>
)";
    std::string body = R"(
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c8 = arith.constant 8 : index
%c16 = arith.constant 16 : index
%size = arith.constant 8192 : index
%zero = arith.constant 0.0 : f32
%row, %column, %layer = kami.warp_coordinates [4, 1, 1]
%after = arith.addi %row, %c1 : index
%other = arith.remui %after, %c4 : index
%m = arith.muli %row, %c16 : index
%next = arith.muli %other, %c16 : index
%n = arith.muli %row, %c8 : index
%shared = gpu.dynamic_shared_memory : !shared
%bufA = memref.view %shared[%c0][] : !shared to !bufA
%bufB = memref.view %shared[%size][] : !shared to !bufB
%fa = kami.load %a[%m, %c0] : memref<64x32xf32> -> !a
%fb = kami.load %b[%c0, %n] : memref<32x32xf32> -> !b
%fc = kami.fill %zero : f32 -> !c
kami.place %fa, %bufA[%m, %c0] in #a : !a, !bufA
kami.place %fb, %bufB[%c0, %n] in #b : !b, !bufB
gpu.barrier
%fo = kami.load_placed %bufA[%next, %c0] in #a : !bufA -> !a
%d = kami.group_mma %fo, %bufB[%c0, %c0] in #b, %fc : !a, !bufB, !c
kami.store %d, %c[%m, %c0] : !c, memref<64x32xf32>
)";
    std::vector<double> ones(32 * 32, 0);
    for (int64_t i = 0; i != 32; ++i)
      ones[i * 33] = 1;
    MemRef c = array({64, 32}, f32());
    ASSERT_TRUE(
        succeeded(run("%a : memref<64x32xf32>, %b : memref<32x32xf32>, %c : "
                      "memref<64x32xf32>",
                      body, {}, {128}, 12288,
                      {array({64, 32}, f32(), matrix(64, 32, 1)),
                       array({32, 32}, f32(), ones), c},
                      types)))
        << message;
    for (int64_t i = 0; i != 64; ++i)
      for (int64_t j = 0; j != 32; ++j)
        ASSERT_EQ(at(c, {i, j}), pattern((i + 16) % 64, j, 1));
    EXPECT_EQ(report.shared.read, 64 * 32 * 4);
  }
}

//===----------------------------------------------------------------------===//
// Errors at warp level
//===----------------------------------------------------------------------===//

namespace {
struct Mistake {
  std::string body;
  Violation violation;
  std::string where;
  std::string message;
  int64_t threads = 128;
};
} // namespace

TEST_F(GroupTest, Mistakes) {
  Product p;
  std::string body = p.body();
  Mistake mistakes[] = {
      {replace(body, "gpu.barrier", ""), Violation::Race, "%d = kami.group_mma",
       "race: byte 0 of shared memory is read by warp 0, lane 0, block 0, and "
       "written by warp 0, lane 0, with no barrier between"},
      {replace(body, "kami.place %fb, %shared[%c0, %n] in #b : !b, !shared",
               ""),
       Violation::UnwrittenRead, "%d = kami.group_mma",
       "read of unwritten shared memory: byte 0 by the matrix unit for warp 0, "
       "block 0"},
      {replace(body, "kami.store",
               "kami.place %fb, %shared[%c0, %c0] in #b : !b, !shared\n"
               "kami.store"),
       Violation::Race, "kami.place %fb, %shared[%c0, %c0]",
       "race: byte 0 of shared memory is written by warp 0, lane 0, block 0, "
       "and read by other lanes, with no barrier between"},
      {replace(body, "%shared[%c0, %c0]", "%shared[%c16, %c0]"),
       Violation::OutOfBounds, "%d = kami.group_mma",
       "out-of-bounds access: 64 by k 64 from 0 and k 16 of a matrix of 64 by "
       "k 64"},
      {replace(body, "%shared[%c0, %n]", "%shared[%c0, %quarter]"),
       Violation::Race, "kami.place",
       "race: byte 2048 of shared memory is written by warp 1, lane 0, block "
       "0, and written by warp 0, lane 0, with no barrier between"},
      {replace(replace(body, "%d = kami.group_mma",
                       "%two = arith.constant 2 : index\n"
                       "%small = arith.cmpi ult, %row, %two : index\n"
                       "%d = scf.if %small -> !c {\n"
                       "%in = kami.group_mma"),
               "kami.store",
               "scf.yield %in : !c\n} else {\n"
               "scf.yield %fc : !c\n}\nkami.store"),
       Violation::DivergentGroup, "%in = kami.group_mma",
       "divergent group: warp 2 does not execute what other warps of its group "
       "do"},
  };
  for (const Mistake &mistake : mistakes) {
    EXPECT_TRUE(failed(
        run(p.arguments(), mistake.body, {}, {128}, p.shared(),
            {array({64, 64}, f16(), matrix(64, 64, 1)),
             array({64, 64}, f16(), matrix(64, 64, 2)), array({64, 64}, f32())},
            p.types())));
    EXPECT_EQ(report.violation, mistake.violation);
    EXPECT_EQ(message, mistake.message);
    EXPECT_EQ(line, lineOf(source, mistake.where));
  }
}

/// Two windows of one matrix: the warps of a group must mean the same.
TEST_F(GroupTest, WarpsOfAGroupReadOneWindow) {
  Product p;
  p.n = 128;
  std::string body = replace(p.body(), "%shared[%c0, %c0]", "%shared[%c0, %m]");
  body =
      replace(body, "kami.store %d, %c[%m, %c0] : !c, memref<64x128xf32>", "");
  std::string types = replace(p.types(), "!c = !kami.fragment<16x128",
                              "!c = !kami.fragment<16x64");
  ASSERT_TRUE(failed(run(p.arguments(), body, {}, {128}, p.shared(),
                         {array({64, 64}, f16(), matrix(64, 64, 1)),
                          array({64, 128}, f16(), matrix(64, 128, 2)),
                          array({64, 128}, f32())},
                         types)));
  EXPECT_EQ(report.violation, Violation::DivergentGroup) << message;
  EXPECT_EQ(line, lineOf(source, "%d = kami.group_mma"));
  EXPECT_EQ(message,
            "divergent group: warp 1 executes it with other windows (bytes 0 "
            "and 2048) than another warp of its group (bytes 0 and 0)");
}

//===----------------------------------------------------------------------===//
// Target level
//===----------------------------------------------------------------------===//

namespace {
constexpr char targetTypes[] = R"(
#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<16x16xf16, b, k_major, swizzle = 32>
!shared = memref<?xi8, #gpu.address_space<workgroup>>
!d = !kami.matrix_descriptor<#b>
)";
/// B is a constant 16 × 16 matrix, of which each thread writes 4 bytes.
constexpr char targetBody[] = R"(
%c0 = arith.constant 0 : index
%c4 = arith.constant 4 : index
%two = arith.constant dense<2.0> : vector<8xf16>
%three = arith.constant dense<3.0> : vector<2xf16>
%one = arith.constant dense<1.0> : vector<4xf32>
%t = gpu.thread_id x
%shared = gpu.dynamic_shared_memory : !shared
%pairs = memref.view %shared[%c0][%c128] : !shared to memref<?xvector<2xf16>, #gpu.address_space<workgroup>>
memref.store %three, %pairs[%t] : memref<?xvector<2xf16>, #gpu.address_space<workgroup>>
nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
gpu.barrier
%desc = kami.matrix_descriptor %shared[%c0, %c0] : !shared -> !d
%r:3 = kami.wgmma_fence %two, %one, %one : vector<8xf16>, vector<4xf32>, vector<4xf32>
%s:2 = kami.wgmma %r#0, %desc, [%r#1, %r#2] atom #wgmma : vector<8xf16>, !d, vector<4xf32>
%u:2 = kami.wgmma %r#0, %desc, [%s#0, %s#1] atom #wgmma : vector<8xf16>, !d, vector<4xf32>
%g:2 = kami.wgmma_commit [%u#0, %u#1] : vector<4xf32>
%v:2 = kami.wgmma_wait [%g#0, %g#1] : vector<4xf32>
%e = vector.extract %v#1[3] : f32 from vector<4xf32>
memref.store %e, %c[%t] : memref<128xf32>
)";
std::string targetKernel() {
  return "%c32 = arith.constant 32 : index\n"
         "%c128 = arith.constant 128 : index\n" +
         std::string(targetBody);
}
} // namespace

TEST_F(GroupTest, TargetLevel) {
  MemRef c = array({128}, f32());
  ASSERT_TRUE(succeeded(run("%c : memref<128xf32>", targetKernel(), {}, {128},
                            512, {c}, targetTypes)))
      << message;
  // 1 + 2 · 16 · 2 · 3
  EXPECT_EQ(at(c, {0}), 193);
  EXPECT_EQ(at(c, {127}), 193);
  EXPECT_EQ(report.matrixInstructions.at("m64n16k16 f16 f32"), 2);
  EXPECT_EQ(report.shared.matrixRead, 2 * 512);
}

TEST_F(GroupTest, CountsCWhereAsked) {
  // 1 + 16 · 2 · 3 and without the 1, then the same product once more.
  for (auto [accumulates, expected] : {std::pair(1, 193), std::pair(0, 192)}) {
    MemRef c = array({128}, f32());
    std::string body = "%adds = arith.constant " + std::to_string(accumulates) +
                       " : i1\n" +
                       replace(targetKernel(), "[%r#1, %r#2] atom",
                               "[%r#1, %r#2] if %adds atom");
    ASSERT_TRUE(succeeded(
        run("%c : memref<128xf32>", body, {}, {128}, 512, {c}, targetTypes)))
        << message;
    EXPECT_EQ(at(c, {0}), expected);
    EXPECT_EQ(at(c, {127}), expected);
  }
}

TEST_F(GroupTest, MistakesAtTargetLevel) {
  std::string fence = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>,"
                      " space = #nvvm.shared_space<cta>}\n";
  std::string body = targetKernel();
  Mistake mistakes[] = {
      {replace(body, fence, ""), Violation::MissingFence, "%s:2 = kami.wgmma",
       "missing fence: byte 0 of shared memory is read by the matrix unit for "
       "warp 0, and warp 0, lane 0 executes no proxy fence between writing it "
       "and the barrier"},
      // Behind the barrier it comes too late.
      {replace(replace(body, fence, ""), "gpu.barrier\n",
               "gpu.barrier\n" + fence),
       Violation::MissingFence, "%s:2 = kami.wgmma",
       "missing fence: byte 0 of shared memory is read by the matrix unit for "
       "warp 0, and warp 0, lane 0 executes no proxy fence between writing it "
       "and the barrier"},
      {replace(body, "gpu.barrier", ""), Violation::Race, "%s:2 = kami.wgmma",
       "race: byte 0 of shared memory is read by warp 0, lane 0, block 0, and "
       "written by warp 0, lane 0, with no barrier between"},
      {replace(body, "%shared[%c0, %c0]", "%shared[%c0, %c4]"),
       Violation::Unaligned, "%desc = ",
       "expected a place that is a multiple of 8 along n and of 16 along k, "
       "but got 4 and 0"},
      {replace(body, "[%r#1, %r#2]", "[%one, %one]"), Violation::Unsupported,
       "%s:2 = kami.wgmma",
       "missing fence: a register of this instruction does not come from "
       "'kami.wgmma_fence'"},
      {replace(body, "extract %v#1", "extract %g#1"), Violation::Unsupported,
       "%e = vector.extract",
       "missing wait: a register is used that an instruction may not have "
       "written yet"},
      {replace(body, "extract %v#1", "extract %u#1"), Violation::Unsupported,
       "%e = vector.extract",
       "missing wait: a register is used that an instruction may not have "
       "written yet"},
      {replace(replace(body, "%desc = ",
                       "%isFirst = arith.cmpi ult, %t, %c32 : index\n%desc = "),
               "[%r#1, %r#2] atom", "[%r#1, %r#2] if %isFirst atom"),
       Violation::DivergentGroup, "%s:2 = kami.wgmma",
       "divergent group: warp 1 executes it with another choice of whether C "
       "counts than another warp of its group"},
      {body, Violation::DivergentGroup, "%s:2 = kami.wgmma",
       "expected 4 warps from warp 4 on, but the block has 6 warps", 192},
  };
  for (const Mistake &mistake : mistakes) {
    MemRef c = array({128}, f32());
    std::string body = mistake.body;
    if (mistake.threads != 128) {
      // More threads than C and B have places for.
      body = replace(body, "%t = gpu.thread_id x",
                     "%x = gpu.thread_id x\n"
                     "%t = arith.remui %x, %c128 : index");
      body = replace(body, "memref.store %three",
                     "%low = arith.cmpi ult, %x, %c128 : index\n"
                     "scf.if %low {\nmemref.store %three");
      body = replace(body, "nvvm.fence", "}\nnvvm.fence");
    }
    EXPECT_TRUE(failed(run("%c : memref<128xf32>", body, {}, {mistake.threads},
                           512, {c}, targetTypes)));
    EXPECT_EQ(report.violation, mistake.violation);
    EXPECT_EQ(message, mistake.message);
    EXPECT_EQ(line, lineOf(source, mistake.where));
  }
}

// Static shared memory is aligned to its elements unless the kernel says more.
TEST_F(GroupTest, MatrixInStaticMemory) {
  std::string types = std::string(targetTypes);
  std::string kernel = R"(
gpu.module @m {
gpu.func @k() workgroup(%buffer : memref<512xi8, #gpu.address_space<workgroup>> ALIGN) kernel {
%c0 = arith.constant 0 : index
%desc = kami.matrix_descriptor %buffer[%c0, %c0] : memref<512xi8, #gpu.address_space<workgroup>> -> !d
gpu.return
}
}
)";
  parse(types + replace(kernel, "ALIGN", ""));
  EXPECT_TRUE(failed(simulateLaunch(find<gpu::GPUFuncOp>(), {}, {128}, 0, {},
                                    options, report)));
  EXPECT_EQ(report.violation, Violation::Unaligned);
  EXPECT_EQ(message,
            "expected a matrix that starts at a multiple of 256 bytes, but got "
            "byte 0 of shared memory that is aligned to 1");
  parse(types + replace(kernel, "ALIGN", "{llvm.align = 256 : i64}"));
  EXPECT_TRUE(succeeded(simulateLaunch(find<gpu::GPUFuncOp>(), {}, {128}, 0, {},
                                       options, report)))
      << message;
}
