//===- SharedMatrixTest.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/SharedMatrix.h"
#include "kami/Layout/FragmentMap.h"
#include "gtest/gtest.h"
#include <set>
#include <vector>

using namespace kami;

namespace {

/// Every layout that the unit has for elements of 1, 2 and 4 bytes, small.
std::vector<SharedMatrix> allLayouts() {
  std::vector<SharedMatrix> layouts;
  for (int64_t swizzle : {16, 32, 64, 128})
    for (unsigned bytes : {1u, 2u, 4u})
      for (Major major : {Major::K, Major::MN}) {
        SharedMatrix matrix{128, 256 / bytes, bytes, major, swizzle};
        if (matrix.isValid())
          layouts.push_back(matrix);
      }
  return layouts;
}

} // namespace

// PTX ISA 9.0, figure "K major, 128B swizzle, f16": 8 rows of 64 elements of 2
// bytes; within row r, chunk c (8 elements) lies where chunk c ^ r would.
TEST(SharedMatrix, KMajor128) {
  SharedMatrix matrix{16, 128, 2, Major::K, 128};
  EXPECT_EQ(matrix.byteOffset(0, 0), 0);
  EXPECT_EQ(matrix.byteOffset(0, 8), 16);
  EXPECT_EQ(matrix.byteOffset(1, 0), 128 + 16);
  EXPECT_EQ(matrix.byteOffset(1, 8), 128 + 0);
  EXPECT_EQ(matrix.byteOffset(3, 17), 3 * 128 + (2 ^ 3) * 16 + 2);
  EXPECT_EQ(matrix.byteOffset(7, 63), 7 * 128 + 0 * 16 + 14);
  EXPECT_EQ(matrix.byteOffset(8, 0), 1024);
  // The next 64 elements of k are after all 16 rows.
  EXPECT_EQ(matrix.byteOffset(0, 64), 16 * 128);
  EXPECT_EQ(matrix.byteSize(), 4096);
  EXPECT_EQ(matrix.alignment(), 1024);
}

// PTX ISA 9.0, figures "K major, 64B swizzle" and "32B swizzle": two, and four,
// consecutive rows are permuted alike.
TEST(SharedMatrix, KMajorNarrowSwizzles) {
  SharedMatrix wide{8, 32, 2, Major::K, 64};
  EXPECT_EQ(wide.byteOffset(1, 0), 64);
  EXPECT_EQ(wide.byteOffset(2, 0), 128 + 16);
  EXPECT_EQ(wide.byteOffset(7, 24), 7 * 64 + (3 ^ 3) * 16);
  EXPECT_EQ(wide.alignment(), 512);
  SharedMatrix narrow{8, 8, 4, Major::K, 32};
  EXPECT_EQ(narrow.byteOffset(3, 0), 96);
  EXPECT_EQ(narrow.byteOffset(4, 0), 128 + 16);
  EXPECT_EQ(narrow.byteOffset(4, 5), 128 + 4);
  EXPECT_EQ(narrow.alignment(), 256);
}

// PTX ISA 9.0, figure "MN major, 128B swizzle": 64 elements of n, 8 of k.
TEST(SharedMatrix, MNMajor) {
  SharedMatrix matrix{128, 16, 2, Major::MN, 128};
  EXPECT_EQ(matrix.byteOffset(1, 0), 2);
  EXPECT_EQ(matrix.byteOffset(0, 1), 128 + 16);
  EXPECT_EQ(matrix.byteOffset(8, 9), 9 * 128 + (1 ^ 1) * 16);
  EXPECT_EQ(matrix.byteOffset(64, 0), 16 * 128);
}

// Core matrices of 8 x 16 bytes, one column of them after the other.
TEST(SharedMatrix, WithoutSwizzle) {
  SharedMatrix matrix{24, 32, 2, Major::K, 16};
  EXPECT_EQ(matrix.byteOffset(1, 0), 16);
  EXPECT_EQ(matrix.byteOffset(0, 8), 24 * 16);
  EXPECT_EQ(matrix.alignment(), 16);
}

TEST(SharedMatrix, FittingTakesTheWidestSwizzleThatIsFilled) {
  struct {
    int64_t outer, k;
    unsigned bytes;
    Major major;
    SharedMatrix expected;
  } cases[] = {
      {64, 64, 2, Major::K, {64, 64, 2, Major::K, 128}},
      {60, 50, 2, Major::K, {64, 64, 2, Major::K, 128}},
      {60, 48, 2, Major::K, {64, 64, 2, Major::K, 64}},
      {8, 20, 2, Major::K, {8, 32, 2, Major::K, 64}},
      {8, 16, 2, Major::K, {8, 16, 2, Major::K, 32}},
      {9, 3, 4, Major::K, {16, 8, 4, Major::K, 32}},
      {1, 130, 1, Major::K, {8, 256, 1, Major::K, 128}},
      {100, 16, 2, Major::MN, {128, 16, 2, Major::MN, 128}},
      {8, 16, 2, Major::MN, {8, 16, 2, Major::MN, 16}},
  };
  for (const auto &one : cases) {
    SharedMatrix matrix =
        SharedMatrix::fitting(one.outer, one.k, one.bytes, one.major);
    EXPECT_TRUE(matrix.isValid());
    EXPECT_EQ(matrix.outer, one.expected.outer);
    EXPECT_EQ(matrix.k, one.expected.k);
  }
  EXPECT_EQ(SharedMatrix::fitting(64, 64, 2, Major::K).swizzleBytes, 128);
  EXPECT_EQ(SharedMatrix::fitting(8, 16, 2, Major::K).swizzleBytes, 32);
  EXPECT_EQ(SharedMatrix::fitting(8, 16, 2, Major::MN).swizzleBytes, 16);
}

TEST(SharedMatrix, EveryElementHasItsOwnPlace) {
  for (const SharedMatrix &matrix : allLayouts()) {
    std::set<int64_t> places;
    for (int64_t outer = 0; outer != matrix.outer; ++outer)
      for (int64_t k = 0; k != matrix.k; ++k)
        places.insert(matrix.byteOffset(outer, k));
    EXPECT_EQ(int64_t(places.size()), matrix.outer * matrix.k);
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), matrix.byteSize() - matrix.elementBytes);
  }
}

// What is written by the layout is what the unit finds by the descriptor, in
// every window that an instruction may read.
TEST(SharedMatrix, TheUnitFindsEveryWindow) {
  for (const SharedMatrix &matrix : allLayouts()) {
    int64_t base = 5 * 1024, depth = matrix.windowK();
    for (int64_t outer = 0; outer < matrix.outer; outer += matrix.windowOuter())
      for (int64_t k = 0; k < matrix.k; k += depth) {
        GroupDescriptor window = matrix.descriptor(base, outer, k);
        EXPECT_EQ(window.start % 16, 0);
        for (int64_t i = outer; i != matrix.outer; ++i)
          for (int64_t j = 0; j != depth; ++j)
            ASSERT_EQ(
                window.address(matrix.major, matrix.elementBytes, i - outer, j),
                base + matrix.byteOffset(i, k + j))
                << matrix.swizzleBytes << " " << matrix.elementBytes;
      }
  }
}

// PTX ISA 9.0, table "Matrix Descriptor": start in bits 0 to 13, leading offset
// in 16 to 29, stride offset in 32 to 45, all without their 4 low bits; swizzle
// in 62 and 63: 1 is 128 bytes, 2 is 64, 3 is 32.
TEST(SharedMatrix, Descriptor) {
  SharedMatrix kMajor{64, 64, 2, Major::K, 128};
  GroupDescriptor window = kMajor.descriptor(2048, 8, 16);
  EXPECT_EQ(window.start, 2048 + 8 * 128 + 32);
  EXPECT_EQ(window.strideBytes, 1024);
  EXPECT_EQ(window.encode(),
            uint64_t(3104 / 16) | 1ull << 16 | 64ull << 32 | 1ull << 62);
  SharedMatrix mnMajor{128, 64, 2, Major::MN, 64};
  window = mnMajor.descriptor(0, 32, 16);
  EXPECT_EQ(window.start, 64 * 64 + 16 * 64);
  EXPECT_EQ(window.strideBytes, 8 * 64);
  EXPECT_EQ(window.leadingBytes, 64 * 64);
  EXPECT_EQ(window.encode() >> 62, 2u);
  SharedMatrix plain{64, 64, 2, Major::MN, 16};
  window = plain.descriptor(0, 0, 0);
  EXPECT_EQ(window.strideBytes, 64 * 16);
  EXPECT_EQ(window.leadingBytes, 8 * 16);
  EXPECT_EQ(window.encode() >> 62, 0u);
}

// A register of 4 bytes along k, of all lanes at once: 8 rows of 16 bytes,
// which must be in 32 different banks.
TEST(SharedMatrix, RegistersAreWrittenWithoutConflicts) {
  struct {
    const char *map;
    bool isA;
  } maps[] = {{"nv.a.16x16.b16", true}, {"nv.b.16x8.b16", false},
              {"nv.a.16x8.b32", true},  {"nv.b.8x8.b32", false},
              {"nv.a.16x32.b8", true},  {"nv.b.32x8.b8", false}};
  for (const SharedMatrix &matrix : allLayouts()) {
    if (matrix.major != Major::K)
      continue;
    for (const auto &one : maps) {
      const FragmentMap &map = *findFragmentMap(one.map);
      if (map.elementBytes != matrix.elementBytes)
        continue;
      unsigned together = 4 / map.elementBytes;
      for (unsigned value = 0; value < map.valuesPerLane(); value += together) {
        std::set<int64_t> banks;
        for (unsigned lane = 0; lane != map.lanes(); ++lane) {
          auto offset = [&](unsigned v) {
            Coordinate at = map.at(lane, v);
            return one.isA ? matrix.byteOffset(at.row, at.column)
                           : matrix.byteOffset(at.column, at.row);
          };
          for (unsigned i = 0; i != together; ++i)
            ASSERT_EQ(offset(value + i), offset(value) + i * map.elementBytes);
          ASSERT_EQ(offset(value) % 4, 0);
          banks.insert(offset(value) / 4 % 32);
        }
        EXPECT_EQ(banks.size(), 32u) << one.map << " " << matrix.swizzleBytes;
      }
    }
  }
}

// PTX ISA 9.0, wgmma.mma_async: N of .f16 is any multiple of 8 up to 256, that
// of .s8 8, 16, 24, 32, 48, 64, ...
TEST(SharedMatrix, WidestInstruction) {
  EXPECT_EQ(widestGroupColumns(40, false), 40);
  EXPECT_EQ(widestGroupColumns(300, false), 256);
  EXPECT_EQ(widestGroupColumns(24, true), 24);
  EXPECT_EQ(widestGroupColumns(40, true), 32);
  EXPECT_EQ(widestGroupColumns(264, true), 256);
}
