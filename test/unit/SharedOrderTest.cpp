//===- SharedOrderTest.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/SharedOrder.h"
#include "gtest/gtest.h"
#include <set>

using namespace kami;

// A lane's 8 halves of A are one word of 16 bytes.
TEST(SharedOrder, WordsOfAFragmentOfHalves) {
  SharedOrder order(*findFragmentMap("nv.a.16x16.b16"));
  EXPECT_EQ(order.wordBytes, 16u);
  EXPECT_EQ(order.valuesPerWord, 8u);
  EXPECT_EQ(order.wordsPerLane, 1u);
  EXPECT_EQ(order.wordIndex(3, 0, 5), 3 * 32 + 5);
}

// Four doubles are two words; all lanes' first words come first.
TEST(SharedOrder, WordsOfAFragmentOfDoubles) {
  SharedOrder order(*findFragmentMap("nv.a.16x8.b64"));
  EXPECT_EQ(order.wordBytes, 16u);
  EXPECT_EQ(order.valuesPerWord, 2u);
  EXPECT_EQ(order.wordsPerLane, 2u);
  EXPECT_EQ(order.wordIndex(0, 1, 0), 32);
  EXPECT_EQ(order.wordIndex(1, 0, 0), 64);
}

TEST(SharedOrder, NarrowFragmentsHaveNarrowWords) {
  SharedOrder order(*findFragmentMap("nv.a.8x4.b64"));
  EXPECT_EQ(order.wordBytes, 8u);
  EXPECT_EQ(order.wordsPerLane, 1u);
}

TEST(SharedOrder, EveryWordHasItsOwnPlace) {
  for (const FragmentMap &map : allFragmentMaps()) {
    SharedOrder order(map);
    EXPECT_EQ(order.wordsPerTile() * order.wordBytes,
              int64_t(map.rows) * map.columns * map.elementBytes);
    std::set<int64_t> places;
    for (int64_t tile = 0; tile < 3; ++tile)
      for (unsigned word = 0; word < order.wordsPerLane; ++word)
        for (unsigned lane = 0; lane < map.lanes(); ++lane) {
          if (!order.writes(lane))
            continue;
          EXPECT_TRUE(places.insert(order.wordIndex(tile, word, lane)).second);
        }
    EXPECT_EQ(int64_t(places.size()), 3 * order.wordsPerTile());
    EXPECT_EQ(*places.rbegin(), 3 * order.wordsPerTile() - 1);
  }
}

// A lane reads the word of the lane that holds the same elements and writes.
TEST(SharedOrder, ReplicasShareWords) {
  SharedOrder a(*findFragmentMap("nv.a.16x1.b32"));
  EXPECT_EQ(a.lanes, 8u);
  EXPECT_TRUE(a.writes(12));
  EXPECT_FALSE(a.writes(13));
  EXPECT_EQ(a.wordIndex(2, 0, 13), 2 * 8 + 3);
  EXPECT_EQ(a.wordIndex(2, 0, 12), 2 * 8 + 3);
  SharedOrder b(*findFragmentMap("nv.b.1x8.b32"));
  EXPECT_EQ(b.lanes, 4u);
  EXPECT_TRUE(b.writes(3));
  EXPECT_FALSE(b.writes(13));
  EXPECT_EQ(b.wordIndex(0, 0, 13), 1);
  for (const FragmentMap &map : allFragmentMaps()) {
    SharedOrder order(map);
    for (unsigned lane = 0; lane < map.lanes(); ++lane)
      for (unsigned other = 0; other < map.lanes(); ++other)
        EXPECT_EQ(order.wordIndex(0, 0, lane) == order.wordIndex(0, 0, other),
                  map.at(lane, 0) == map.at(other, 0))
            << map.name.str();
  }
}
