//===- SimulatorAsyncCopyTest.cpp -----------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that arrive when they are waited for, at both levels, and the ways of
// not waiting.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <cmath>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

using AsyncCopyTest = SimulatorTest;

constexpr char preamble[] = R"(
!tile = memref<8x16xf32, #gpu.address_space<workgroup>>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
)";

constexpr char arguments[] = "%a : memref<6x16xf32>, %out : memref<64xf32>";

constexpr char tile[] = R"(
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c16 = arith.constant 16 : index
%c64 = arith.constant 64 : index
%thread = gpu.thread_id x
%bytes = gpu.dynamic_shared_memory : !bytes
%s = memref.view %bytes[%c0][] : !bytes to !tile
)";

/// Threads 0 to 63 store row 7 - t / 16, which others have copied.
constexpr char store[] = R"(
%c7 = arith.constant 7 : index
%up = arith.divui %thread, %c16 : index
%row = arith.subi %c7, %up : index
%column = arith.remui %thread, %c16 : index
%x = memref.load %s[%row, %column] : !tile
memref.store %x, %out[%thread] : memref<64xf32>
)";

constexpr char copy[] =
    "kami.copy_async %a to %s by 64 : memref<6x16xf32> to !tile\n"
    "kami.copy_commit\n";

} // namespace

TEST_F(AsyncCopyTest, FillsWithZeros) {
  std::vector<double> values(96);
  for (int i = 0; i != 96; ++i)
    values[i] = i + 1;
  MemRef a = array({6, 16}, f32(), values), out = array({64}, f32());
  ASSERT_TRUE(succeeded(
      run(arguments,
          std::string(tile) + copy + "kami.copy_wait 0\ngpu.barrier\n" + store,
          {}, {64, 1, 1}, 512, {Argument(a), Argument(out)}, preamble)))
      << message;
  // Rows 7 and 6 are beyond the matrix, 5 and 4 are in it.
  for (int64_t i = 0; i != 64; ++i)
    EXPECT_EQ(at(out, {i}), i < 32 ? 0 : (7 - i / 16) * 16 + i % 16 + 1) << i;
}

TEST_F(AsyncCopyTest, ArrivesNoSoonerThanItIsWaitedFor) {
  MemRef a = array({6, 16}, f32(), std::vector<double>(96, 1));
  MemRef out = array({64}, f32());
  ASSERT_TRUE(succeeded(
      run(arguments, std::string(tile) + copy + "gpu.barrier\n" + store, {},
          {64, 1, 1}, 512, {Argument(a), Argument(out)}, preamble)))
      << message;
  EXPECT_TRUE(std::isnan(at(out, {63})));
  // Of two groups, the first has arrived when one is still on its way.
  std::string two = std::string(tile) + copy + "kami.copy_commit\n" +
                    "kami.copy_wait 1\ngpu.barrier\n" + store;
  ASSERT_TRUE(succeeded(run(arguments, two, {}, {64, 1, 1}, 512,
                            {Argument(a), Argument(out)}, preamble)))
      << message;
  EXPECT_EQ(at(out, {63}), 1);
}

TEST_F(AsyncCopyTest, NeedsABarrier) {
  MemRef a = array({6, 16}, f32(), std::vector<double>(96, 1));
  MemRef out = array({64}, f32());
  EXPECT_TRUE(failed(
      run(arguments, std::string(tile) + copy + "kami.copy_wait 0\n" + store,
          {}, {64, 1, 1}, 512, {Argument(a), Argument(out)}, preamble)));
  EXPECT_EQ(report.violation, Violation::UnwrittenRead) << message;
  // One before the wait is none after it.
  EXPECT_TRUE(failed(
      run(arguments,
          std::string(tile) + copy + "gpu.barrier\nkami.copy_wait 0\n" + store,
          {}, {64, 1, 1}, 512, {Argument(a), Argument(out)}, preamble)));
  EXPECT_EQ(report.violation, Violation::Race) << message;
}

TEST_F(AsyncCopyTest, RowsAreAsAlignedAsPromised) {
  auto copyOf = [](const std::string &row) {
    return std::string(tile) + "%rows = memref.subview %a[" + row +
           ", 0] [4, 16] [1, 1] : memref<6x18xf32> to "
           "memref<4x16xf32, strided<[18, 1], offset: " +
           std::to_string(std::stoi(row) * 18) +
           ">>\nkami.copy_async %rows to %s by 64 aligned_rows : "
           "memref<4x16xf32, strided<[18, 1], offset: " +
           std::to_string(std::stoi(row) * 18) +
           ">> to !tile\nkami.copy_commit\nkami.copy_wait 0\n";
  };
  MemRef a = array({6, 18}, f32(), std::vector<double>(108, 1));
  MemRef out = array({64}, f32());
  for (const char *row : {"0", "1"}) {
    EXPECT_TRUE(failed(run("%a : memref<6x18xf32>, %out : memref<64xf32>",
                           copyOf(row), {}, {64, 1, 1}, 512,
                           {Argument(a), Argument(out)}, preamble)));
    EXPECT_EQ(report.violation, Violation::Unaligned) << message;
  }
  EXPECT_NE(message.find("expected line 0 to begin at a multiple of 16 bytes, "
                         "but it begins at 72"),
            std::string::npos)
      << message;
}

// What is placed for the matrix unit lies in its order, zeros behind it, and is
// fenced where the wait says so.
TEST_F(AsyncCopyTest, PlacesForTheMatrixUnit) {
  constexpr char types[] = R"(
#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x16xf16, a, k_major, swizzle = 32>
#b = #kami.shared_matrix<16x64xf16, b, mn_major, swizzle = 128>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!part = memref<2048xi8, #gpu.address_space<workgroup>>
!c = !kami.fragment<16x8xf32, c, #wgmma>
)";
  constexpr char start[] = R"(
%c0 = arith.constant 0 : index
%c2048 = arith.constant 2048 : index
%zero = arith.constant 0.0 : f32
%bytes = gpu.dynamic_shared_memory : !bytes
%first = memref.view %bytes[%c0][] : !bytes to !part
%second = memref.view %bytes[%c2048][] : !bytes to !part
kami.place_async %a to %first in #a by 128 : memref<64x5xf16>, !part
kami.place_async %b to %second in #b by 128 : memref<5x8xf16>, !part
kami.copy_commit
)";
  std::vector<double> left(64 * 5), right(5 * 8);
  for (size_t i = 0; i != left.size(); ++i)
    left[i] = int(i % 7) - 3;
  for (size_t i = 0; i != right.size(); ++i)
    right[i] = int(i % 5) - 2;
  MemRef a = array({64, 5}, f16(), left), b = array({5, 8}, f16(), right);
  MemRef c = array({64, 8}, f32());
  auto kernel = [&](llvm::StringRef wait) {
    return std::string(start) + wait.str() + R"(
gpu.barrier
%none = kami.fill %zero : f32 -> !c
%d = kami.group_mma %first[%c0, %c0] in #a, %second[%c0, %c0] in #b, %none depth 16 : !part, !part, !c
%row, %column, %layer = kami.warp_coordinates [4, 1, 1]
%c16 = arith.constant 16 : index
%at = arith.muli %row, %c16 : index
kami.store %d, %c[%at, %c0] row_in_bounds column_in_bounds : !c, memref<64x8xf32>
)";
  };
  constexpr char matrices[] =
      "%a : memref<64x5xf16>, %b : memref<5x8xf16>, %c : memref<64x8xf32>";
  ASSERT_TRUE(
      succeeded(run(matrices, kernel("kami.copy_wait 0 for_matrix_unit"), {},
                    {128}, 4096, {a, b, c}, types)))
      << message;
  for (int64_t i = 0; i != 64; ++i)
    for (int64_t j = 0; j != 8; ++j) {
      double sum = 0;
      for (int64_t k = 0; k != 5; ++k)
        sum += left[i * 5 + k] * right[k * 8 + j];
      EXPECT_EQ(at(c, {i, j}), sum) << i << ", " << j;
    }
  EXPECT_TRUE(failed(run(matrices, kernel("kami.copy_wait 0"), {}, {128}, 4096,
                         {a, b, c}, types)));
  EXPECT_EQ(report.violation, Violation::MissingFence) << message;
}

// 1 + 3/2^11 is halfway between two numbers of tf32, and goes to the even one;
// the matrix unit would cut its low bits off.
TEST_F(AsyncCopyTest, RoundsWhatWasPlaced) {
  constexpr char types[] = R"(
#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x8xf32, a, k_major, swizzle = 32>
#b = #kami.shared_matrix<8x8xf32, b, k_major, swizzle = 32>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!part = memref<2048xi8, #gpu.address_space<workgroup>>
!c = !kami.fragment<16x8xf32, c, #wgmma>
)";
  constexpr char start[] = R"(
%c0 = arith.constant 0 : index
%c2048 = arith.constant 2048 : index
%zero = arith.constant 0.0 : f32
%bytes = gpu.dynamic_shared_memory : !bytes
%first = memref.view %bytes[%c0][] : !bytes to !part
%second = memref.view %bytes[%c2048][] : !bytes to !part
kami.place_async %a to %first in #a by 128 : memref<64x8xf32>, !part
kami.place_async %b to %second in #b by 128 : memref<8x8xf32>, !part
kami.copy_commit
kami.copy_wait 0
)";
  constexpr char roundA[] =
      "kami.round_placed %a to %first in #a by 128 : memref<64x8xf32>, !part\n";
  constexpr char roundB[] = "kami.round_placed %b to %second in #b by 128 : "
                            "memref<8x8xf32>, !part\n";
  std::vector<double> left(64 * 8, 0), right(8 * 8, 0);
  for (int64_t i = 0; i != 64; ++i)
    left[i * 8] = i % 2 ? -(1 + 3.0 / 2048) : 1 + 3.0 / 2048;
  right[0] = 1;
  right[1] = 1 + 1.0 / 4096;
  MemRef a = array({64, 8}, f32(), left), b = array({8, 8}, f32(), right);
  MemRef c = array({64, 8}, f32());
  auto kernel = [&](const std::string &rounds) {
    return std::string(start) + rounds + R"(
gpu.barrier
%none = kami.fill %zero : f32 -> !c
%d = kami.group_mma %first[%c0, %c0] in #a, %second[%c0, %c0] in #b, %none depth 8 : !part, !part, !c
%row, %column, %layer = kami.warp_coordinates [4, 1, 1]
%c16 = arith.constant 16 : index
%at = arith.muli %row, %c16 : index
kami.store %d, %c[%at, %c0] row_in_bounds column_in_bounds : !c, memref<64x8xf32>
)";
  };
  constexpr char matrices[] =
      "%a : memref<64x8xf32>, %b : memref<8x8xf32>, %c : memref<64x8xf32>";
  ASSERT_TRUE(succeeded(run(matrices, kernel(std::string(roundA) + roundB), {},
                            {128}, 4096, {a, b, c}, types)))
      << message;
  for (int64_t i = 0; i != 64; ++i) {
    double expected = (i % 2 ? -1 : 1) * (1 + 4.0 / 2048);
    EXPECT_EQ(at(c, {i, 0}), expected) << i;
    EXPECT_EQ(at(c, {i, 1}), expected) << i;
  }
  // The fence is the op's: without it, there is none.
  EXPECT_TRUE(
      failed(run(matrices, kernel(""), {}, {128}, 4096, {a, b, c}, types)));
  EXPECT_EQ(report.violation, Violation::MissingFence) << message;
}

TEST_F(AsyncCopyTest, WantsTheBlocksThreads) {
  MemRef a = array({6, 16}, f32()), out = array({64}, f32());
  EXPECT_TRUE(failed(run(arguments, std::string(tile) + copy, {}, {32, 1, 1},
                         512, {Argument(a), Argument(out)}, preamble)));
  EXPECT_NE(message.find("expected a block of 64 threads, but got 32"),
            std::string::npos)
      << message;
}

// Each thread copies four elements, the last ones of a row's three only.
TEST_F(AsyncCopyTest, PiecesReadWhatTheyAreTold) {
  std::vector<double> values(96);
  for (int i = 0; i != 96; ++i)
    values[i] = i + 1;
  MemRef a = array({6, 16}, f32(), values), out = array({64}, f32());
  std::string body = std::string(tile) + R"(
%c3 = arith.constant 3 : index
%c4 = arith.constant 4 : index
%c6 = arith.constant 6 : index
%c12 = arith.constant 12 : index
%line = arith.divui %thread, %c4 : index
%piece = arith.remui %thread, %c4 : index
%at = arith.muli %piece, %c4 : index
%last = arith.cmpi eq, %at, %c12 : index
%some = arith.select %last, %c3, %c4 : index
%inside = arith.cmpi ult, %line, %c6 : index
%count = arith.select %inside, %some, %c0 : index
%c8 = arith.constant 8 : index
%exists = arith.cmpi ult, %line, %c8 : index
scf.if %exists {
  %t = nvgpu.device_async_copy %a[%line, %at], %s[%line, %at], 4, %count : memref<6x16xf32> to !tile
}
nvvm.cp.async.commit.group
nvvm.cp.async.wait.group 0
gpu.barrier
)" + store;
  ASSERT_TRUE(succeeded(run(arguments, body, {}, {64, 1, 1}, 512,
                            {Argument(a), Argument(out)}, preamble)))
      << message;
  for (int64_t i = 0; i != 64; ++i)
    EXPECT_EQ(at(out, {i}),
              i < 32 || i % 16 == 15 ? 0 : (7 - i / 16) * 16 + i % 16 + 1)
        << i;
}

TEST_F(AsyncCopyTest, PiecesAreAligned) {
  MemRef a = array({6, 16}, f32()), out = array({64}, f32());
  std::string body = std::string(tile) +
                     "%t = nvgpu.device_async_copy %a[%c0, %c1], %s[%c0, %c0], "
                     "4 : memref<6x16xf32> to !tile\n";
  EXPECT_TRUE(failed(run(arguments, body, {}, {32, 1, 1}, 512,
                         {Argument(a), Argument(out)}, preamble)));
  EXPECT_EQ(report.violation, Violation::Unaligned) << message;
}

// A warp shuffles as far as its lanes go.
TEST_F(AsyncCopyTest, Shuffles) {
  MemRef out = array({4, 32}, f32());
  std::string body = R"(
%lane = gpu.lane_id
%i = arith.index_cast %lane : index to i32
%width = arith.constant 32 : i32
%two = arith.constant 2 : i32
)";
  const char *modes[] = {"up", "down", "xor", "idx"};
  for (int i = 0; i != 4; ++i) {
    std::string id = std::to_string(i);
    body += "%v" + id + ", %p" + id + " = gpu.shuffle " + modes[i] +
            " %i, %two, %width : i32\n%f" + id + " = arith.sitofp %v" + id +
            " : i32 to f32\n%r" + id + " = arith.constant " + id +
            " : index\nmemref.store %f" + id + ", %out[%r" + id +
            ", %lane] : memref<4x32xf32>\n";
  }
  ASSERT_TRUE(succeeded(
      run("%out : memref<4x32xf32>", body, {}, {32, 1, 1}, 0, {Argument(out)})))
      << message;
  for (int64_t lane = 0; lane != 32; ++lane) {
    EXPECT_EQ(at(out, {0, lane}), lane < 2 ? lane : lane - 2);
    EXPECT_EQ(at(out, {1, lane}), lane > 29 ? lane : lane + 2);
    EXPECT_EQ(at(out, {2, lane}), lane ^ 2);
    EXPECT_EQ(at(out, {3, lane}), 2);
  }
}
