//===- SimulatorBulkCopyTest.cpp ------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <cmath>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

constexpr char preamble[] = R"(
#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x8xf32, a, k_major, swizzle = 32>
#b = #kami.shared_matrix<8x8xf32, b, k_major, swizzle = 32>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!maps = memref<256xi8, #gpu.address_space<workgroup>>
!barriers = memref<2xi64, #gpu.address_space<workgroup>>
!free = memref<1xi64, #gpu.address_space<workgroup>>
!left = memref<2048xi8, #gpu.address_space<workgroup>>
!right = memref<256xi8, #gpu.address_space<workgroup>>
!c = !kami.fragment<16x8xf32, c, #wgmma>
)";

constexpr char arguments[] =
    "%a : memref<64x12xf32>, %b : memref<6x12xf32>, %c : memref<64x8xf32>";

/// Of A, columns 4 to 11, and of Bᵀ rows from 1 on, of which there are five.
class BulkCopyTest : public SimulatorTest {
protected:
  BulkCopyTest() {
    for (int i = 0; i != 64 * 12; ++i)
      left.push_back(1 + 3 * std::ldexp(i % 5, -11));
    for (int i = 0; i != 6 * 12; ++i)
      right.push_back(i % 7 - 3);
  }

  LogicalResult runWith(const std::string &copies, const std::string &wait,
                        const std::string &product = multiplied) {
    a = array({64, 12}, f32(), left);
    b = array({6, 12}, f32(), right);
    c = array({64, 8}, f32());
    return run(arguments, std::string(start) + copies + wait + product, {},
               {128}, 4096, {a, b, c}, preamble);
  }

  static constexpr char start[] = R"(
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c2048 = arith.constant 2048 : index
%c2304 = arith.constant 2304 : index
%c2560 = arith.constant 2560 : index
%even = arith.constant 0 : i32
%odd = arith.constant 1 : i32
%zero = arith.constant 0.0 : f32
%bytes = gpu.dynamic_shared_memory : !bytes
%first = memref.view %bytes[%c0][] : !bytes to !left
%second = memref.view %bytes[%c2048][] : !bytes to !right
%maps = memref.view %bytes[%c2304][] : !bytes to !maps
%barriers = memref.view %bytes[%c2560][] : !bytes to !barriers
%bt = memref.transpose %b (i, j) -> (j, i) : memref<6x12xf32> to memref<12x6xf32, strided<[1, 12]>>
kami.mbarrier_init %barriers arrivals 2 : !barriers
kami.tensor_map %a as #a in %maps[%c0] rounded : memref<64x12xf32>, !maps
kami.tensor_map %bt as #b in %maps[%c1] : memref<12x6xf32, strided<[1, 12]>>, !maps
kami.acquire_map %maps[%c0] : !maps
kami.acquire_map %maps[%c1] : !maps
)";
  static constexpr char both[] = R"(
kami.place_bulk %maps[%c0] at[%c0, %c4] to %first in #a arrive %barriers[%c1] : !maps, !left, !barriers
kami.place_bulk %maps[%c1] at[%c4, %c1] to %second in #b arrive %barriers[%c1] : !maps, !right, !barriers
)";
  static constexpr char multiplied[] = R"(
gpu.barrier
%none = kami.fill %zero : f32 -> !c
%d = kami.group_mma %first[%c0, %c0] in #a, %second[%c0, %c0] in #b, %none depth 8 : !left, !right, !c
%row, %column, %layer = kami.warp_coordinates [4, 1, 1]
%c16 = arith.constant 16 : index
%at = arith.muli %row, %c16 : index
kami.store %d, %c[%at, %c0] row_in_bounds column_in_bounds : !c, memref<64x8xf32>
)";
  static constexpr char wait[] =
      "kami.mbarrier_wait %barriers[%c1] parity %even : !barriers\n";

  static constexpr char waitThemselves[] =
      "kami.mbarrier_wait %barriers[%c1] parity %even every_warp : !barriers\n";
  /// The product without its barrier.
  static std::string atOnce() {
    return StringRef(multiplied).split("gpu.barrier\n").second.str();
  }

  double toTF32(double value) {
    ElementFormat format = *formatOf(f32());
    return toDouble(format, roundToTF32(fromDouble(format, value)));
  }

  std::vector<double> left, right;
  MemRef a, b, c;
};

} // namespace

// A box begins anywhere in the matrix, is rounded where the map says so, and
// has zeros beyond it; what the matrix unit reads needs no fence.
TEST_F(BulkCopyTest, BringsRoundedBoxes) {
  ASSERT_TRUE(succeeded(runWith(both, wait))) << message;
  for (int64_t i = 0; i != 64; ++i)
    for (int64_t j = 0; j != 8; ++j) {
      double sum = 0;
      for (int64_t k = 0; k != 8 && j < 5; ++k)
        sum += toTF32(left[i * 12 + 4 + k]) * right[(1 + j) * 12 + 4 + k];
      EXPECT_EQ(at(c, {i, j}), sum) << i << ", " << j;
    }
}

// A map of a batch has boxes of each of its matrices, and none across them.
TEST_F(BulkCopyTest, BringsBoxesOfABatch) {
  std::string halves = R"(
%halves = memref.reinterpret_cast %a to offset: [0], sizes: [2, 32, 12], strides: [384, 12, 1] : memref<64x12xf32> to memref<2x32x12xf32>
kami.tensor_map %halves as #a in %maps[%c0] rounded : memref<2x32x12xf32>, !maps
kami.acquire_map %maps[%c0] : !maps
kami.place_bulk %maps[%c0] at[%c0, %c4] of[%c1] to %first in #a arrive %barriers[%c1] : !maps, !left, !barriers
kami.place_bulk %maps[%c1] at[%c4, %c1] to %second in #b arrive %barriers[%c1] : !maps, !right, !barriers
)";
  ASSERT_TRUE(succeeded(runWith(halves, wait))) << message;
  for (int64_t i = 0; i != 64; ++i)
    for (int64_t j = 0; j != 8; ++j) {
      double sum = 0;
      for (int64_t k = 0; k != 8 && i < 32 && j < 5; ++k)
        sum +=
            toTF32(left[(32 + i) * 12 + 4 + k]) * right[(1 + j) * 12 + 4 + k];
      EXPECT_EQ(at(c, {i, j}), sum) << i << ", " << j;
    }
}

TEST_F(BulkCopyTest, SeesNothingBeforeTheWait) {
  EXPECT_TRUE(failed(runWith(both, "")));
  EXPECT_EQ(report.violation, Violation::MissingFence) << message;
  // The phase of the other parity counts as over.
  EXPECT_TRUE(
      failed(runWith(both, "kami.mbarrier_wait %barriers[%c1] parity %odd : "
                           "!barriers\n")));
  EXPECT_EQ(report.violation, Violation::MissingFence) << message;
}

TEST_F(BulkCopyTest, FindsWaitsForEver) {
  EXPECT_TRUE(failed(runWith("", wait)));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
  EXPECT_NE(message.find("waits for ever: warp 0 at an mbarrier, where 0 of 2 "
                         "have arrived"),
            std::string::npos)
      << message;
  EXPECT_TRUE(failed(runWith("gpu.barrier\n", waitThemselves)));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier);
}

// A phase without copies is over as soon as somebody arrives in their place.
TEST_F(BulkCopyTest, ArrivesWithoutCopies) {
  std::string without =
      "kami.mbarrier_arrive %barriers[%c1] arrivals 2 : !barriers\n";
  // The second phase is that of the copies.
  ASSERT_TRUE(succeeded(runWith(without + wait + both,
                                "kami.mbarrier_wait %barriers[%c1] "
                                "parity %odd : !barriers\n")))
      << message;
  EXPECT_TRUE(failed(runWith(both + without, wait)));
  EXPECT_NE(message.find("no more than 2 arrivals"), std::string::npos)
      << message;
}

// Every warp that waits itself sees what has arrived, and needs no barrier.
TEST_F(BulkCopyTest, BringsWhatEveryWarpWaitsFor) {
  std::string copies = std::string("gpu.barrier\n") + both;
  for (WarpOrder order :
       {WarpOrder::InOrder, WarpOrder::Reversed, WarpOrder::Random}) {
    options.order = order;
    ASSERT_TRUE(succeeded(runWith(copies, waitThemselves, atOnce())))
        << message;
    EXPECT_NE(at(c, {63, 4}), 0);
  }
  // Where the first one waits for all, others race with the engine.
  options.order = WarpOrder::InOrder;
  EXPECT_TRUE(failed(runWith(copies, wait, atOnce())));
  EXPECT_EQ(report.violation, Violation::Race) << message;
}

// What warps have read is overwritten once all of them have said so.
TEST_F(BulkCopyTest, OverwritesWhatWarpsHaveDoneWith) {
  std::string copies = R"(
%c3072 = arith.constant 3072 : index
%free = memref.view %bytes[%c3072][] : !bytes to !free
kami.mbarrier_init %free arrivals 4 : !free
gpu.barrier
)" + std::string(both);
  std::string arrive =
      "kami.mbarrier_arrive %free[%c0] arrivals 1 every_warp : !free\n";
  std::string isFree = "kami.mbarrier_wait %free[%c0] parity %even : !free\n";
  std::string again = R"(
kami.place_bulk %maps[%c0] at[%c0, %c4] to %first in #a arrive %barriers[%c0] : !maps, !left, !barriers
kami.place_bulk %maps[%c1] at[%c4, %c1] to %second in #b arrive %barriers[%c0] : !maps, !right, !barriers
kami.mbarrier_wait %barriers[%c0] parity %even every_warp : !barriers
)";
  for (WarpOrder order :
       {WarpOrder::InOrder, WarpOrder::Reversed, WarpOrder::Random}) {
    options.order = order;
    EXPECT_TRUE(succeeded(
        runWith(copies, waitThemselves, atOnce() + arrive + isFree + again)))
        << message;
  }
  options.order = WarpOrder::Reversed;
  EXPECT_TRUE(
      failed(runWith(copies, waitThemselves, atOnce() + arrive + again)));
  EXPECT_EQ(report.violation, Violation::Race) << message;
  EXPECT_TRUE(
      failed(runWith(copies, waitThemselves, atOnce() + isFree + again)));
  EXPECT_EQ(report.violation, Violation::DivergentBarrier) << message;
}

TEST_F(BulkCopyTest, FindsWrongMapsAndBarriers) {
  const std::pair<const char *, const char *> cases[] = {
      {"kami.place_bulk %maps[%c1] at[%c0, %c0] to %first in #a arrive "
       "%barriers[%c0] : !maps, !left, !barriers\n",
       "expected a map of this matrix"},
      {"kami.place_bulk %maps[%c4] at[%c0, %c0] to %first in #a arrive "
       "%barriers[%c0] : !maps, !left, !barriers\n",
       "map 4 of 2"},
      {"kami.place_bulk %maps[%c0] at[%c0, %c0] to %first in #a arrive "
       "%barriers[%c4] : !maps, !left, !barriers\n",
       "word 4 of 2 is none"},
      {"kami.mbarrier_init %barriers arrivals 1 : !barriers\n",
       "expected words that are no mbarriers yet"},
      {"kami.place_bulk %maps[%c0] at[%c0, %c0] to %first in #a arrive "
       "%barriers[%c0] : !maps, !left, !barriers\n"
       "kami.mbarrier_inval %barriers : !barriers\n",
       "whose copies have been waited for, but word 0 is not"},
      {"kami.tensor_map %a as #a in %maps[%c0] rounded : memref<64x12xf32>, "
       "!maps\n"
       "kami.place_bulk %maps[%c0] at[%c0, %c0] to %first in #a arrive "
       "%barriers[%c0] : !maps, !left, !barriers\n",
       "expected a map that kami.acquire_map has waited for"},
      {"kami.acquire_map %maps[%c4] : !maps\n", "map 4 of 2"},
      {"%odd_rows = memref.subview %a[0, 1] [64, 8] [1, 1] : "
       "memref<64x12xf32> to memref<64x8xf32, strided<[12, 1], offset: 1>>\n"
       "kami.tensor_map %odd_rows as #a in %maps[%c0] rounded : "
       "memref<64x8xf32, strided<[12, 1], offset: 1>>, !maps\n",
       "expected lines that begin at multiples of 16 bytes"}};
  for (const auto &[copies, expected] : cases) {
    EXPECT_TRUE(failed(runWith(copies, wait))) << copies;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}
