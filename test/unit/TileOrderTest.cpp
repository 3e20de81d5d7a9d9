//===- TileOrderTest.cpp --------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/TileOrder.h"
#include "kami/Plan/Interleaving.h"
#include "kami/Target/Chip.h"
#include <gtest/gtest.h>
#include <set>

using namespace kami;

namespace {
OperandMaps maps(llvm::StringRef a, llvm::StringRef b) {
  return {findFragmentMap(a), findFragmentMap(b)};
}
const OperandMaps halves = maps("nv.a.16x16.b16", "nv.b.16x8.b16");
const OperandMaps doubles = maps("nv.a.16x8.b64", "nv.b.8x8.b64");

/// What lane 4g + t has of k in tiles 0, 1, …: `terms` of t in each.
std::vector<int64_t> positions(const TileOrder &order, int64_t tiles,
                               std::initializer_list<int64_t> terms) {
  std::vector<int64_t> result;
  for (int64_t tile = 0; tile != tiles; ++tile)
    for (int64_t at : terms)
      result.push_back(order.position(tile, at));
  return result;
}
} // namespace

TEST(TileOrder, PlainTilesLieSideBySide) {
  TileOrder order(16);
  EXPECT_TRUE(order.isPlain());
  EXPECT_EQ(order.position(0, 3), 3);
  EXPECT_EQ(order.position(2, 3), 35);
  EXPECT_EQ(order.run(), 0);
}

TEST(TileOrder, HalvesAreApart) {
  TileOrder order = TileOrder(8).withHalves(/*tiles=*/4, /*apart=*/32);
  EXPECT_EQ(order.position(1, 7), 15);
  EXPECT_EQ(order.position(2, 0), 32);
  EXPECT_EQ(order.position(3, 1), 41);
  EXPECT_EQ(TileOrder(8).withHalves(4, 0).position(2, 0), 16);
  TileOrder groups = TileOrder::alongK(halves, 2).withHalves(4, 64);
  EXPECT_EQ(positions(groups, 4, {0}), (std::vector<int64_t>{0, 4, 64, 68}));
}

// mma.m16n8k16: lane 4g + t has terms 2t, 2t+1, 2t+8 and 2t+9 of k. With two
// tiles these are eight in a row.
TEST(TileOrder, TermsOfALaneAreAdjacent) {
  TileOrder order = TileOrder::alongK(halves, 2);
  EXPECT_EQ(order.run(), 8);
  EXPECT_EQ(positions(order, 2, {0, 1, 8, 9}),
            (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(positions(order, 2, {6, 7, 14, 15}),
            (std::vector<int64_t>{24, 25, 26, 27, 28, 29, 30, 31}));
  // The next group.
  EXPECT_EQ(order.position(2, 0), 32);
}

// One tile alone: what lies 8 apart comes together. f64's terms t and t + 4.
TEST(TileOrder, OneTileIsAGroup) {
  EXPECT_EQ(positions(TileOrder::alongK(halves, 1), 1, {2, 3, 10, 11}),
            (std::vector<int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(positions(TileOrder::alongK(doubles, 1), 1, {1, 5}),
            (std::vector<int64_t>{2, 3}));
}

// Columns of B are the lanes': column g of eight tiles is 8g to 8g + 7. C has
// columns 2t and 2t + 1, which are 16 in a row.
TEST(TileOrder, ColumnsOfTilesTakeTurns) {
  TileOrder order = TileOrder::alongN(halves, 8);
  EXPECT_EQ(order.run(), 8);
  for (int64_t tile = 0; tile != 8; ++tile)
    for (int64_t column = 0; column != 8; ++column)
      EXPECT_EQ(order.position(tile, column), 8 * column + tile);
}

TEST(TileOrder, IsAPermutation) {
  for (const OperandMaps &operands : {halves, doubles})
    for (int64_t group : {1, 2, 3, 6})
      for (auto [order, extent] :
           {std::pair(TileOrder::alongM(operands, group), operands.a->rows),
            std::pair(TileOrder::alongN(operands, group), operands.b->columns),
            std::pair(TileOrder::alongK(operands, group),
                      operands.a->columns)}) {
        std::set<int64_t> seen;
        for (int64_t tile = 0; tile != 6; ++tile)
          for (int64_t at = 0; at != extent; ++at)
            seen.insert(order.position(tile, at));
        EXPECT_EQ(seen.size(), 6 * extent);
        EXPECT_EQ(*seen.begin(), 0);
        EXPECT_EQ(*seen.rbegin(), 6 * extent - 1);
      }
}

TEST(TileOrder, OperandsAgreeOnTerms) {
  EXPECT_TRUE(canInterleaveK(halves));
  EXPECT_TRUE(canInterleaveK(doubles));
  EXPECT_FALSE(canInterleaveK(maps("nv.a.16x16.b16", "nv.b.8x8.b64")));
}

// Counted by hand-written loops over lanes and banks, apart: a warp's accesses
// of A, B and C take 423 passes in plain tiles of 33 x 33 x 33 and 256 in
// these, 372 and 232 of 31 x 31 x 31, and none takes fewer.
TEST(Interleaving, LanesMeetInFewBanks) {
  auto chosen = [](int64_t extent, ElementKind type) {
    Problem problem;
    problem.extents = {extent, extent, extent};
    problem.operand = type;
    problem.output = type;
    const Atom &atom = *findAtom("mma_sync.m16n8k16.f32.f16");
    Partition partition(problem.extents, {1, 1, 1}, atom.shape, 16);
    return bankInterleavingOf(problem, atom, partition,
                              *llvm::cantFail(findChip("sm_90")));
  };
  EXPECT_EQ(chosen(33, ElementKind::F16), (Interleave{3, 5, 0}));
  EXPECT_EQ(chosen(31, ElementKind::F16), (Interleave{0, 4, 0}));
  EXPECT_EQ(chosen(25, ElementKind::F16), (Interleave{2, 0, 0}));
  // What lanes access is wider than an element.
  EXPECT_EQ(chosen(34, ElementKind::F16), Interleave());
  EXPECT_EQ(chosen(33, ElementKind::F32), Interleave());
}

// Row-major matrices of f16: 16 bytes of A's rows along k and of B's along n.
TEST(Interleaving, AsWideAsAccessesAre) {
  Problem problem;
  problem.extents = {64, 64, 64};
  const Atom &atom = *findAtom("mma_sync.m16n8k16.f32.f16");
  auto groups = [&](const Extents &tile, int64_t sliceK) {
    return interleavingOf(problem, atom,
                          Partition(tile, {1, 1, 1}, atom.shape, sliceK));
  };
  EXPECT_EQ(groups({64, 64, 64}, 64), (Interleave{0, 8, 2}));
  EXPECT_EQ(groups({16, 16, 16}, 16), (Interleave{0, 2, 1}));
  EXPECT_EQ(groups({48, 48, 48}, 16), (Interleave{0, 2, 1}));
  // B is transposed: its terms are adjacent, too, and C's columns are as they
  // are.
  problem.majorB = Major::K;
  EXPECT_EQ(groups({64, 64, 64}, 64), (Interleave{0, 0, 2}));
  problem.majorA = Major::MN;
  problem.majorB = Major::MN;
  EXPECT_EQ(groups({64, 64, 64}, 64), (Interleave{4, 8, 0}));
  const Atom &doubles = *findAtom("mma_sync.m16n8k8.f64.f64");
  problem.operand = ElementKind::F64;
  EXPECT_TRUE(
      interleavingOf(problem, doubles,
                     Partition({64, 64, 64}, {1, 1, 1}, doubles.shape, 8))
          .isPlain());
  problem.operand = ElementKind::F16;
  problem.majorA = problem.majorB = std::nullopt;
  EXPECT_TRUE(groups({64, 64, 64}, 64).isPlain());
}
