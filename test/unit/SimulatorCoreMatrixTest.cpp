//===- SimulatorCoreMatrixTest.cpp ----------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix and stmatrix: what a lane gets is typed from the figures of the PTX
// ISA (9.0, 9.7.14.5.15), and the ways of using them wrongly.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

using CoreMatrixTest = SimulatorTest;

constexpr char preamble[] = R"(
!m16 = memref<32x8xf16, #gpu.address_space<workgroup>>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
)";

/// Fills 32 × 8 numbers with 8 · row + column; lane l writes row l.
constexpr char fill[] = R"(
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%lane = gpu.thread_id x
%bytes = gpu.dynamic_shared_memory : !bytes
%s = memref.view %bytes[%c0][] : !bytes to !m16
scf.for %j = %c0 to %c8 step %c1 {
  %i8 = arith.muli %lane, %c8 : index
  %n = arith.addi %i8, %j : index
  %i = arith.index_cast %n : index to i32
  %x = arith.sitofp %i : i32 to f16
  memref.store %x, %s[%lane, %j] : !m16
}
gpu.barrier
)";

/// Lane l stores its elements of matrix i to row l of columns 2i and 2i + 1.
std::string storeRegisters(int matrices) {
  std::string body;
  for (int i = 0; i != matrices; ++i)
    for (int p = 0; p != 2; ++p) {
      std::string id = std::to_string(2 * i + p);
      body += "%e" + id + " = vector.extract %r[" + std::to_string(i) + ", " +
              std::to_string(p) + "] : f16 from vector<" +
              std::to_string(matrices) + "x2xf16>\n%j" + id +
              " = arith.constant " + id + " : index\nmemref.store %e" + id +
              ", %out[%lane, %j" + id + "] : memref<32x8xf16>\n";
    }
  return body;
}

std::string load(int matrices, bool transposes, std::string row = "%lane",
                 std::string column = "%c0") {
  return "%r = nvgpu.ldmatrix %s[" + row + ", " + column +
         "] {numTiles = " + std::to_string(matrices) +
         " : i32, transpose = " + (transposes ? "true" : "false") +
         "} : !m16 -> vector<" + std::to_string(matrices) + "x2xf16>\n";
}

} // namespace

// The figure: threads 0 to 3 have row 0, two elements each, threads 4 to 7 row
// 1, and so on. Rows 8i to 8i + 7 are matrix i.
TEST_F(CoreMatrixTest, LanesGetNeighboursOfARow) {
  MemRef out = array({32, 8}, f16());
  ASSERT_TRUE(succeeded(run("%out : memref<32x8xf16>",
                            fill + load(4, false) + storeRegisters(4), {},
                            {32, 1, 1}, 512, {Argument(out)}, preamble)))
      << message;
  // Rows of lanes 0 to 7, 12 and 31 for matrix 0: 8 · row + column.
  double figure[][3] = {{0, 0, 1},    {1, 2, 3},   {2, 4, 5},   {3, 6, 7},
                        {4, 8, 9},    {5, 10, 11}, {6, 12, 13}, {7, 14, 15},
                        {12, 24, 25}, {31, 62, 63}};
  for (auto [lane, first, second] : figure)
    for (int64_t i = 0; i != 4; ++i) {
      EXPECT_EQ(at(out, {int64_t(lane), 2 * i}), 64 * i + first) << lane;
      EXPECT_EQ(at(out, {int64_t(lane), 2 * i + 1}), 64 * i + second) << lane;
    }
  // 32 lines of 16 bytes.
  EXPECT_EQ(report.shared.read, 512);
}

// With .trans, thread 0 has rows 0 and 1 of column 0, thread 1 rows 2 and 3 of
// it, thread 4 rows 0 and 1 of column 1.
TEST_F(CoreMatrixTest, LanesGetNeighboursOfAColumn) {
  MemRef out = array({32, 8}, f16());
  ASSERT_TRUE(succeeded(run("%out : memref<32x8xf16>",
                            fill + load(2, true) + storeRegisters(2), {},
                            {32, 1, 1}, 512, {Argument(out)}, preamble)))
      << message;
  double figure[][3] = {{0, 0, 8}, {1, 16, 24}, {2, 32, 40}, {3, 48, 56},
                        {4, 1, 9}, {5, 17, 25}, {28, 7, 15}, {31, 55, 63}};
  for (auto [lane, first, second] : figure)
    for (int64_t i = 0; i != 2; ++i) {
      EXPECT_EQ(at(out, {int64_t(lane), 2 * i}), 64 * i + first) << lane;
      EXPECT_EQ(at(out, {int64_t(lane), 2 * i + 1}), 64 * i + second) << lane;
    }
  EXPECT_EQ(report.shared.read, 256);
}

// Of one matrix, the addresses of lanes 8 to 31 do not matter.
TEST_F(CoreMatrixTest, OtherLanesAddressNothing) {
  MemRef out = array({32, 8}, f16());
  std::string far = "%far = arith.muli %lane, %c8 : index\n"
                    "%isLine = arith.cmpi ult, %lane, %c8 : index\n"
                    "%row = arith.select %isLine, %lane, %far : index\n";
  ASSERT_TRUE(
      succeeded(run("%out : memref<32x8xf16>",
                    fill + far + load(1, false, "%row") + storeRegisters(1), {},
                    {32, 1, 1}, 512, {Argument(out)}, preamble)))
      << message;
  EXPECT_EQ(at(out, {31, 1}), 63);
  EXPECT_EQ(report.shared.read, 128);
}

// stmatrix is the inverse.
TEST_F(CoreMatrixTest, StoresWhatItLoads) {
  for (std::string transpose : {"", " transpose"}) {
    MemRef out = array({32, 8}, f16());
    std::string body = fill + load(4, !transpose.empty()) + R"(
%c512 = arith.constant 512 : index
%t = memref.view %bytes[%c512][] : !bytes to !m16
kami.stmatrix %r, %t[%lane, %c0])" +
                       transpose + R"( : vector<4x2xf16>, !m16
gpu.barrier
scf.for %j = %c0 to %c8 step %c1 {
  %x = memref.load %t[%lane, %j] : !m16
  memref.store %x, %out[%lane, %j] : memref<32x8xf16>
})";
    report = {};
    ASSERT_TRUE(succeeded(run("%out : memref<32x8xf16>", body, {}, {32, 1, 1},
                              1024, {Argument(out)}, preamble)))
        << message;
    for (int64_t i = 0; i != 32; ++i)
      for (int64_t j = 0; j != 8; ++j)
        EXPECT_EQ(at(out, {i, j}), 8 * i + j);
    EXPECT_EQ(report.shared.written, 1024);
  }
}

// A matrix is a wavefront. Rows of 64 elements begin in one bank each, so that
// the 8 of a matrix come one after the other; of rows of 72 elements, which
// begin 4 banks further each, they come at once.
TEST_F(CoreMatrixTest, CountsBankConflicts) {
  for (auto [width, conflict] : {std::pair(64, 8), std::pair(72, 1)}) {
    std::string types = std::string(preamble) + "!wide = memref<32x" +
                        std::to_string(width) +
                        "xf16, #gpu.address_space<workgroup>>\n";
    std::string body = R"(
%c0 = arith.constant 0 : index
%lane = gpu.thread_id x
%bytes = gpu.dynamic_shared_memory : !bytes
%s = memref.view %bytes[%c0][] : !bytes to !wide
%zero = arith.constant dense<0.0> : vector<4x2xf16>
kami.stmatrix %zero, %s[%lane, %c0] : vector<4x2xf16>, !wide
)";
    report = {};
    ASSERT_TRUE(succeeded(run("", body, {}, {32, 1, 1}, 8192, {}, types)))
        << message;
    EXPECT_EQ(report.maxBankConflict, conflict);
    EXPECT_EQ(report.wavefronts, 4 * conflict);
    EXPECT_EQ(report.idealWavefronts, 4);
  }
}

TEST_F(CoreMatrixTest, LinesAreAligned) {
  // Rows of 12 elements are 24 bytes apart.
  std::string body = R"(
%c0 = arith.constant 0 : index
%lane = gpu.thread_id x
%bytes = gpu.dynamic_shared_memory : !bytes
%s = memref.view %bytes[%c0][] : !bytes to !odd
%zero = arith.constant dense<0.0> : vector<1x2xf16>
kami.stmatrix %zero, %s[%lane, %c0] : vector<1x2xf16>, !odd
)";
  std::string types =
      std::string(preamble) +
      "!odd = memref<32x12xf16, #gpu.address_space<workgroup>>\n";
  EXPECT_TRUE(failed(run("", body, {}, {32, 1, 1}, 1024, {}, types)));
  EXPECT_EQ(report.violation, Violation::Unaligned);
  EXPECT_NE(message.find("address 24 is not a multiple of 16"),
            std::string::npos)
      << message;
  EXPECT_EQ(line, lineOf(source, "kami.stmatrix"));
}

TEST_F(CoreMatrixTest, LinesAreInTheMatrix) {
  MemRef out = array({32, 8}, f16());
  EXPECT_TRUE(failed(run("%out : memref<32x8xf16>",
                         fill + load(1, false, "%lane", "%c1"), {}, {32, 1, 1},
                         1024, {Argument(out)}, preamble)));
  EXPECT_EQ(report.violation, Violation::OutOfBounds);
  EXPECT_NE(message.find("index 1 to 8 in dimension 1 of extent 8"),
            std::string::npos)
      << message;
}

TEST_F(CoreMatrixTest, LinesAreWritten) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%lane = gpu.thread_id x
%bytes = gpu.dynamic_shared_memory : !bytes
%s = memref.view %bytes[%c0][] : !bytes to !m16
)";
  EXPECT_TRUE(failed(
      run("", body + load(4, false), {}, {32, 1, 1}, 512, {}, preamble)));
  EXPECT_EQ(report.violation, Violation::UnwrittenRead);
}

// Two warps store to the same lines.
TEST_F(CoreMatrixTest, LinesAreRacedFor) {
  std::string body = R"(
%c0 = arith.constant 0 : index
%c32 = arith.constant 32 : index
%thread = gpu.thread_id x
%lane = arith.remui %thread, %c32 : index
%bytes = gpu.dynamic_shared_memory : !bytes
%s = memref.view %bytes[%c0][] : !bytes to !m16
%zero = arith.constant dense<0.0> : vector<4x2xf16>
kami.stmatrix %zero, %s[%lane, %c0] : vector<4x2xf16>, !m16
)";
  EXPECT_TRUE(failed(run("", body, {}, {64, 1, 1}, 512, {}, preamble)));
  EXPECT_EQ(report.violation, Violation::Race);
}

TEST_F(CoreMatrixTest, AllLanesTakePart) {
  std::string body = std::string(fill) + R"(
%isFirst = arith.cmpi ult, %lane, %c8 : index
scf.if %isFirst {
)" + load(1, false) + "}\n";
  EXPECT_TRUE(failed(run("", body, {}, {32, 1, 1}, 512, {}, preamble)));
  EXPECT_EQ(report.violation, Violation::Unsupported);
}
