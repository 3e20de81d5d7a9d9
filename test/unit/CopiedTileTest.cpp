//===- CopiedTileTest.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/CopiedTile.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Plan/Plan.h"
#include "gtest/gtest.h"
#include <set>

using namespace kami;

// A is 64 × 32 elements of f16: 64 lines of 64 bytes along k, which begin 80
// bytes apart, or 32 lines of 128 bytes along m, 144 apart.
TEST(CopiedTile, PadsLines) {
  CopiedTile alongK = copiedTile(64, 32, Major::K, 2);
  EXPECT_EQ(alongK.lines, 64);
  EXPECT_EQ(alongK.lineElements, 32);
  EXPECT_EQ(alongK.pitch, 40);
  CopiedTile alongM = copiedTile(64, 32, Major::MN, 2);
  EXPECT_EQ(alongM.lines, 32);
  EXPECT_EQ(alongM.lineElements, 64);
  EXPECT_EQ(alongM.pitch, 72);
  EXPECT_EQ(copiedBytes(64, 32, 2, /*maySkew=*/false), 64 * 40 * 2);
}

// Lines of f64 that stay skewed have 16 bytes more each, in what keeps banks
// apart where that has room, and there are no other words of theirs.
TEST(CopiedTile, StaysSkewed) {
  CopiedTile alongK = skewedTile(64, 16, Major::K, 8);
  EXPECT_EQ(alongK.lines, 64);
  EXPECT_EQ(alongK.lineElements, 18);
  EXPECT_EQ(alongK.pitch, 20);
  CopiedTile alongM = skewedTile(12, 16, Major::MN, 8);
  EXPECT_EQ(alongM.lines, 16);
  EXPECT_EQ(alongM.lineElements, 14);
  EXPECT_EQ(alongM.pitch, 20);
  EXPECT_EQ(copiedTile(12, 16, Major::MN, 8).pitch, 12);
  Partition partition({64, 64, 16}, {2, 2, 1}, {16, 8, 8}, 8);
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.stages = 2;
  exchange.skewed = true;
  SharedLayout layout = sharedLayout(partition, {16}, {8, 8}, exchange);
  EXPECT_EQ(layout.copiedA.bytes, 2 * 64 * 20 * 8);
  EXPECT_EQ(layout.skewedA.bytes, 0);
  EXPECT_EQ(layout.skewedB.bytes, 0);
}

// What a warp reads at a time of adjacent lines is in banks of its own: 8 lines
// of 16 bytes, or 4 of 32.
TEST(CopiedTile, KeepsBanksApart) {
  constexpr int64_t banks = 32, bankBytes = 4;
  for (int64_t bytes : {1, 2, 4, 8})
    for (Major major : {Major::K, Major::MN})
      for (int64_t extent : {8, 16, 33, 48, 64, 100, 128})
        for (int64_t depth : {8, 16, 24, 32, 64}) {
          CopiedTile tile = copiedTile(extent, depth, major, bytes);
          bool byLanes = bytes == 8 || (bytes == 4 && major == Major::MN);
          int64_t lines = byLanes ? 4 : 8;
          int64_t piece = byLanes ? 32 : 16;
          EXPECT_GE(tile.pitch, tile.lineElements);
          EXPECT_EQ(tile.pitch * bytes % 16, 0);
          std::set<int64_t> seen;
          for (int64_t line = 0; line != lines; ++line)
            for (int64_t word = 0; word != piece / bankBytes; ++word)
              seen.insert((line * tile.pitch * bytes / bankBytes + word) %
                          banks);
          EXPECT_EQ(int64_t(seen.size()), banks)
              << bytes << " bytes, " << extent << " x " << depth;
        }
}

// A 96×64 tile of C in tf32 by four warps in a row: they multiply 64 rows of
// Bᵀ, whose lanes read them, by 96 columns of Aᵀ, where they lie. What is
// rounded is read and written once more.
TEST(CopiedTile, LayoutForRoundedCopies) {
  Plan plan;
  plan.atom = findAtom("wgmma.m16n8k8.f32.tf32");
  plan.tile = {96, 64, 32};
  plan.grid = {1, 4, 1};
  plan.transport = Transport::Copied;
  plan.slices.k = 8;
  plan.stages = 3;
  EXPECT_TRUE(plan.isTransposed());
  Partition partition = plan.partition();
  EXPECT_EQ(partition.tile, (Extents{64, 96, 32}));
  EXPECT_EQ(partition.grid, (WarpGrid{4, 1, 1}));
  EXPECT_EQ(partition.warpM, 16);
  EXPECT_EQ(partition.warpN, 96);
  ElementBytes element{4, 4};
  Exchange exchange = plan.exchange();
  SharedLayout layout = sharedLayout(partition, plan.slices, element, exchange);
  // Lines of 64 elements begin 72 apart, lines of 32 are swizzle rows.
  EXPECT_EQ(layout.copiedA.bytes, 3 * 32 * 72 * 4);
  EXPECT_EQ(layout.copiedB.offset, layout.copiedA.bytes);
  EXPECT_EQ(layout.copiedB.bytes, 3 * 96 * 32 * 4);
  SharedTraffic traffic =
      blockTraffic(partition, plan.slices, element, 2, exchange);
  EXPECT_EQ(traffic.written, 2 * (64 + 2 * 96) * 32 * 4);
  EXPECT_EQ(traffic.read, 2 * (64 + 96) * 32 * 4);
  EXPECT_EQ(matrixUnitReads(partition, plan.slices, element, exchange),
            96 * 32 * 4);
}

// A 64×64 tile of f16 on 2×2 warps, 32 terms at a time, three tiles: each
// element is written once and read by two warps, behind one barrier a tile;
// with a single stage it takes a second one to overwrite it.
TEST(CopiedTile, Layout) {
  Partition partition({64, 64, 32}, {2, 2, 1}, {16, 8, 16}, 16);
  ElementBytes element{2, 4};
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.stages = 3;
  SharedLayout layout = sharedLayout(partition, {16}, element, exchange);
  EXPECT_EQ(layout.copiedA.bytes, 3 * 64 * 40 * 2);
  EXPECT_EQ(layout.copiedB.offset, layout.copiedA.bytes);
  EXPECT_EQ(layout.bytes, 6 * 64 * 40 * 2);
  SharedTraffic traffic = blockTraffic(partition, {16}, element, 7, exchange);
  EXPECT_EQ(traffic.written, 7 * 2 * 64 * 32 * 2);
  EXPECT_EQ(traffic.read, 2 * traffic.written);
  EXPECT_EQ(traffic.barriers, 7);
  exchange.stages = 1;
  EXPECT_EQ(blockTraffic(partition, {16}, element, 7, exchange).barriers, 13);
  // Each of four warps relays 16 rows of its 32 columns of C at a time.
  exchange.relaysC = true;
  layout = sharedLayout(partition, {16}, element, exchange);
  EXPECT_EQ(layout.relay.offset, 2 * 64 * 40 * 2);
  EXPECT_EQ(layout.relay.bytes, 4 * 16 * 40 * 2);
  EXPECT_EQ(layout.bytes, layout.relay.offset + layout.relay.bytes);
}

// Of lines of whole pieces, runs are a power of two of pieces, which lanes of
// one warp move, with one word more.
TEST(CopiedTile, Skewed) {
  EXPECT_EQ(skewedRun(32, 2), 4);
  EXPECT_EQ(skewedRun(96, 2), 4);
  EXPECT_EQ(skewedRun(24, 2), 1);
  EXPECT_EQ(skewedRun(1024, 2), 32);
  EXPECT_EQ(skewedRun(12, 2), 0);
  EXPECT_EQ(skewedBytes(64, 32, 2), 64 * 16);
  EXPECT_EQ(skewedBytes(10, 96, 2), 10 * 3 * 16);
  EXPECT_EQ(skewedBytes(10, 12, 2), 0);
  Partition partition({64, 64, 32}, {2, 2, 1}, {16, 8, 16}, 16);
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.stages = 2;
  exchange.skewed = true;
  SharedLayout layout = sharedLayout(partition, {16}, {2, 4}, exchange);
  EXPECT_EQ(layout.skewedA.offset, 2 * 2 * 64 * 40 * 2);
  EXPECT_EQ(layout.skewedA.bytes, 2 * 64 * 16);
  EXPECT_EQ(layout.bytes, 4 * 64 * (40 * 2 + 16));
}

// 128 × 64 of tf32 for four warps in unison: the engine needs room for the
// tiles alone, in which threads have two stages of rows that begin anywhere;
// maps and mbarriers are behind both.
TEST(CopiedTile, Bulk) {
  Partition partition({64, 128, 32}, {4, 1, 1}, {16, 8, 8}, 8);
  ElementBytes element{4, 4};
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.unit = Unit::WarpGroup;
  exchange.stages = 3;
  exchange.skewed = exchange.bulk = exchange.prefetches = true;
  SharedLayout layout = sharedLayout(partition, {8}, element, exchange);
  EXPECT_EQ(layout.copiedA.bytes, 3 * 64 * 32 * 4);
  EXPECT_EQ(layout.copiedB.bytes, 3 * 128 * 32 * 4);
  EXPECT_EQ(layout.skewedB.bytes, 0);
  EXPECT_EQ(layout.maps.offset, 3 * (64 + 128) * 32 * 4);
  EXPECT_EQ(layout.bytes, layout.maps.offset + 4 * 128 + 32);
  // Several groups have as many again, and wait apart.
  Partition groups({128, 128, 32}, {8, 1, 1}, {16, 8, 8}, 8);
  layout = sharedLayout(groups, {8}, element, exchange);
  EXPECT_EQ(layout.bytes, layout.maps.offset + 4 * 128 + 48);
  Exchange threads = withoutBulk(partition, element, exchange);
  EXPECT_EQ(threads.stages, 2);
  EXPECT_FALSE(threads.bulk || threads.prefetches);
  layout = sharedLayout(partition, {8}, element, threads);
  EXPECT_GT(layout.skewedB.bytes, 0);
  EXPECT_LE(layout.bytes, 3 * (64 + 128) * 32 * 4);
  // Nothing is rounded in shared memory.
  SharedTraffic traffic = blockTraffic(partition, {8}, element, 2, exchange);
  EXPECT_EQ(traffic.written, 2 * (64 + 128) * 32 * 4);
  EXPECT_EQ(traffic.read, 2 * 64 * 32 * 4);
  // With two stages the threads' are what there has to be room for.
  exchange.stages = 2;
  EXPECT_EQ(withoutBulk(partition, element, exchange).stages, 2);
  EXPECT_GT(sharedLayout(partition, {8}, element, exchange).maps.offset,
            2 * (64 + 128) * 32 * 4);
}

// No more of a row than a line of the cache has.
TEST(CopiedTile, Relayed) {
  EXPECT_EQ(relayedTile(16, 256, 2).lineElements, 64);
  EXPECT_EQ(relayedTile(16, 256, 1).lineElements, 128);
  EXPECT_EQ(relayedTile(16, 24, 2).lineElements, 24);
  EXPECT_EQ(relayedTile(16, 24, 2).pitch, 24);
  EXPECT_EQ(relayedBytes(16, 256, 2), 16 * (128 + 16));
  EXPECT_EQ(relayedBytes(16, 96, 2), 16 * (128 + 16));
  EXPECT_EQ(relayedBytes(16, 24, 2), 16 * 24 * 2);
  EXPECT_EQ(relayedTile(16, 56, 8).lineElements, 16);
  EXPECT_EQ(relayedBytes(16, 56, 8), 16 * relayedTile(16, 56, 8).pitch * 8);
  // As wide as A's elements, or 16 bits.
  EXPECT_EQ(relayedWidth(1), 2);
  EXPECT_EQ(relayedWidth(8), 8);
}

// Products of 3 × 3 elements of f16 are 18 bytes: eight of them are whole
// pieces of
// 16. Of 4 × 4, two pieces would put every product into the same banks as
// others.
TEST(PackedTile, Layout) {
  CopiedTile odd = packedTile(8, 9, 2);
  EXPECT_EQ(odd.pitch, 9);
  EXPECT_EQ(packedBytes(8, 9, 2) % 16, 0);
  CopiedTile even = packedTile(8, 16, 2);
  EXPECT_EQ(even.pitch, 24);
  EXPECT_EQ(packedTile(8, 36, 4).pitch, 36);
  EXPECT_EQ(packedTile(8, 4, 4).pitch, 4);
  // Lanes of eight products that read 16 bytes each are in banks of their own.
  for (int64_t n : {4, 8, 16}) {
    std::set<int64_t> banks;
    for (int64_t product = 0; product != 8; ++product)
      banks.insert(product * packedTile(8, n * n, 4).pitch * 4 / 16 % 8);
    EXPECT_EQ(banks.size(), 8u) << n;
  }
}

TEST(PackedTile, Words) {
  EXPECT_EQ(packedWord(24, 4, 2), 4);
  EXPECT_EQ(packedWord(24, 8, 2), 8);
  EXPECT_EQ(packedWord(9, 3, 2), 1);
  EXPECT_EQ(packedWord(36, 6, 4), 2);
  EXPECT_EQ(packedWord(6, 6, 1), 2);
  EXPECT_EQ(packedWord(10, 2, 8), 2);
}

TEST(PackedTile, WholePacks) {
  EXPECT_EQ(wholePack(21, {18, 18, 18}), 16);
  EXPECT_EQ(wholePack(21, {18, 36}), 16);
  EXPECT_EQ(wholePack(21, {4}), 20);
  EXPECT_EQ(wholePack(21, {32}), 21);
  EXPECT_EQ(wholePack(7, {18}), 0);
}

// 16 products of 5 × 2 × 3 whose lanes have two rows each: all elements are
// written once, B is read by three lanes.
TEST(PackedTile, Traffic) {
  Partition partition({5, 2, 3}, {3, 1, 1}, {1, 1, 1}, 1);
  ElementBytes element{2, 4};
  Exchange exchange;
  exchange.transport = Transport::Copied;
  exchange.unit = Unit::Lane;
  exchange.packed = 16;
  SharedTraffic traffic = tileTraffic(partition, {1}, element, exchange);
  EXPECT_EQ(traffic.written, 16 * (15 + 6) * 2);
  EXPECT_EQ(traffic.read, 16 * (15 + 3 * 6) * 2);
  EXPECT_EQ(traffic.barriers, 1);
  SharedLayout layout = sharedLayout(partition, {1}, element, exchange);
  EXPECT_EQ(layout.copiedB.offset, 16 * 15 * 2);
  EXPECT_EQ(layout.bytes, 16 * (15 + 6) * 2);
  // C takes the operands' place, in the type of the sums.
  exchange.relaysC = true;
  EXPECT_EQ(tileTraffic(partition, {1}, element, exchange).barriers, 3);
  EXPECT_EQ(sharedLayout(partition, {1}, element, exchange).bytes,
            std::max(16 * (15 + 6) * 2, 16 * 10 * 4));
}
