//===- CoreMatrixTest.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/CoreMatrix.h"
#include <gtest/gtest.h>

using namespace kami;

namespace {
constexpr unsigned alongColumn = 0, alongRow = 1;

std::optional<CoreOrder> orderOf(llvm::StringRef name, unsigned elementBytes,
                                 unsigned along) {
  const FragmentMap *map = findFragmentMap(name);
  EXPECT_NE(map, nullptr) << name.str();
  return map ? coreOrderOf(*map, elementBytes, along) : std::nullopt;
}
} // namespace

// CUTLASS loads A from row-major and B from column-major memory by ldmatrix,
// and 16-bit operands of the other order by ldmatrix.trans.
TEST(CoreMatrixTest, OperandsOfSixteenBits) {
  EXPECT_EQ(orderOf("nv.a.16x16.b16", 2, alongRow), CoreOrder::Plain);
  EXPECT_EQ(orderOf("nv.a.16x16.b16", 2, alongColumn), CoreOrder::Transposed);
  EXPECT_EQ(orderOf("nv.b.16x8.b16", 2, alongColumn), CoreOrder::Plain);
  EXPECT_EQ(orderOf("nv.b.16x8.b16", 2, alongRow), CoreOrder::Transposed);
}

TEST(CoreMatrixTest, OtherWidthsAreNotTransposed) {
  for (llvm::StringRef a : {"nv.a.16x8.b32", "nv.a.16x4.b32"}) {
    EXPECT_EQ(orderOf(a, 4, alongRow), CoreOrder::Plain);
    EXPECT_EQ(orderOf(a, 4, alongColumn), std::nullopt);
  }
  for (llvm::StringRef b : {"nv.b.8x8.b32", "nv.b.4x8.b32"}) {
    EXPECT_EQ(orderOf(b, 4, alongColumn), CoreOrder::Plain);
    EXPECT_EQ(orderOf(b, 4, alongRow), std::nullopt);
  }
  for (llvm::StringRef a : {"nv.a.16x32.b8", "nv.a.16x16.b8"}) {
    EXPECT_EQ(orderOf(a, 1, alongRow), CoreOrder::Plain);
    EXPECT_EQ(orderOf(a, 1, alongColumn), std::nullopt);
  }
  for (llvm::StringRef b : {"nv.b.32x8.b8", "nv.b.16x8.b8"}) {
    EXPECT_EQ(orderOf(b, 1, alongColumn), CoreOrder::Plain);
    EXPECT_EQ(orderOf(b, 1, alongRow), std::nullopt);
  }
}

// Sums lie in pairs, which are a register if they are stored as 16 bits.
TEST(CoreMatrixTest, SumsFitAsSixteenBits) {
  for (llvm::StringRef c : {"nv.c.16x8.b16", "nv.c.16x8.b32"}) {
    EXPECT_EQ(orderOf(c, 2, alongRow), CoreOrder::Plain);
    EXPECT_EQ(orderOf(c, 2, alongColumn), CoreOrder::Transposed);
    for (unsigned bytes : {1u, 4u, 8u}) {
      EXPECT_EQ(orderOf(c, bytes, alongRow), std::nullopt);
      EXPECT_EQ(orderOf(c, bytes, alongColumn), std::nullopt);
    }
  }
}

TEST(CoreMatrixTest, WhatDoesNotFit) {
  for (llvm::StringRef name :
       {"nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64", "nv.a.8x4.b64",
        "nv.a.16x1.b32", "nv.b.1x8.b32", "nv.a.16x1.b8", "nv.b.1x8.b8"}) {
    const FragmentMap *map = findFragmentMap(name);
    ASSERT_NE(map, nullptr) << name.str();
    for (unsigned along : {alongColumn, alongRow})
      EXPECT_EQ(coreOrderOf(*map, map->elementBytes, along), std::nullopt)
          << name.str();
  }
}
