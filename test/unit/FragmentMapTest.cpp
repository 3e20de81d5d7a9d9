//===- FragmentMapTest.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each map against the formulas of the PTX ISA 9.0, section 9.7.14.5, written
// down as the document has them: groupID = %laneid >> 2,
// threadID_in_group = %laneid % 4, and row and column by cases on i.
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/FragmentMap.h"
#include "kami/Target/Atom.h"
#include "gtest/gtest.h"
#include <set>

using namespace kami;

namespace {
using Formula = Coordinate (*)(unsigned groupID, unsigned threadID, unsigned i);

struct Transcription {
  const char *map;
  Formula formula;
};
} // namespace

// m16n8k16, .f16 and .bf16.
static Coordinate a16x16b16(unsigned groupID, unsigned threadID, unsigned i) {
  unsigned row = i < 2 || (4 <= i && i < 6) ? groupID : groupID + 8;
  unsigned column =
      i < 4 ? threadID * 2 + (i & 0x1) : threadID * 2 + (i & 0x1) + 8;
  return {row, column};
}
static Coordinate b16x8b16(unsigned groupID, unsigned threadID, unsigned i) {
  unsigned row =
      i < 2 ? threadID * 2 + (i & 0x1) : threadID * 2 + (i & 0x1) + 8;
  return {row, groupID};
}
static Coordinate c16x8(unsigned groupID, unsigned threadID, unsigned i) {
  return {i < 2 ? groupID : groupID + 8, threadID * 2 + (i & 0x1)};
}

// m16n8k8, .tf32, and .f64, whose figures agree.
static Coordinate a16x8(unsigned groupID, unsigned threadID, unsigned i) {
  unsigned row = i == 0 || i == 2 ? groupID : groupID + 8;
  unsigned column = i == 0 || i == 1 ? threadID : threadID + 4;
  return {row, column};
}
static Coordinate b8x8(unsigned groupID, unsigned threadID, unsigned i) {
  return {i == 0 ? threadID : threadID + 4, groupID};
}

// m16n8k16, .f64.
static Coordinate a16x16b64(unsigned groupID, unsigned threadID, unsigned i) {
  unsigned row = i % 2 == 0 ? groupID : groupID + 8;
  unsigned column = i % 2 == 0 ? i * 2 + threadID : i * 2 - 2 + threadID;
  return {row, column};
}
static Coordinate b16x8b64(unsigned groupID, unsigned threadID, unsigned i) {
  return {threadID + i * 4, groupID};
}

// m8n8k4, .f64.
static Coordinate a8x4(unsigned groupID, unsigned threadID, unsigned) {
  return {groupID, threadID};
}
static Coordinate b4x8(unsigned groupID, unsigned threadID, unsigned) {
  return {threadID, groupID};
}
static Coordinate c8x8(unsigned groupID, unsigned threadID, unsigned i) {
  return {groupID, threadID * 2 + (i & 0x1)};
}

// m16n8k4, .tf32.
static Coordinate a16x4(unsigned groupID, unsigned threadID, unsigned i) {
  return {i == 0 ? groupID : groupID + 8, threadID};
}

// m16n8k32, .s8, .u8, .e4m3 and .e5m2.
static Coordinate a16x32b8(unsigned groupID, unsigned threadID, unsigned i) {
  unsigned row = i < 4 || (8 <= i && i < 12) ? groupID : groupID + 8;
  unsigned column =
      i < 8 ? threadID * 4 + (i & 0x3) : threadID * 4 + (i & 0x3) + 16;
  return {row, column};
}
static Coordinate b32x8b8(unsigned groupID, unsigned threadID, unsigned i) {
  unsigned row =
      i < 4 ? threadID * 4 + (i & 0x3) : threadID * 4 + (i & 0x3) + 16;
  return {row, groupID};
}

// m16n8k16, .s8 and .u8.
static Coordinate a16x16b8(unsigned groupID, unsigned threadID, unsigned i) {
  return {i < 4 ? groupID : groupID + 8, threadID * 4 + (i & 0x3)};
}
static Coordinate b16x8b8(unsigned groupID, unsigned threadID, unsigned i) {
  return {threadID * 4 + (i & 0x3), groupID};
}

// An outer product: the row of A and the column of B that C's i-th element, or
// the one below or beside it, is in.
static Coordinate a16x1(unsigned groupID, unsigned, unsigned i) {
  return {groupID + 8 * i, 0};
}
static Coordinate b1x8(unsigned, unsigned threadID, unsigned i) {
  return {0, threadID * 2 + i};
}

static constexpr Transcription transcriptions[] = {
    {"nv.a.16x16.b16", a16x16b16}, {"nv.b.16x8.b16", b16x8b16},
    {"nv.c.16x8.b16", c16x8},      {"nv.c.16x8.b32", c16x8},
    {"nv.a.16x8.b32", a16x8},      {"nv.b.8x8.b32", b8x8},
    {"nv.a.16x8.b64", a16x8},      {"nv.b.8x8.b64", b8x8},
    {"nv.a.16x16.b64", a16x16b64}, {"nv.b.16x8.b64", b16x8b64},
    {"nv.c.16x8.b64", c16x8},      {"nv.a.8x4.b64", a8x4},
    {"nv.b.4x8.b64", b4x8},        {"nv.c.8x8.b64", c8x8},
    {"nv.a.16x4.b32", a16x4},      {"nv.b.4x8.b32", b4x8},
    {"nv.a.16x32.b8", a16x32b8},   {"nv.b.32x8.b8", b32x8b8},
    {"nv.a.16x16.b8", a16x16b8},   {"nv.b.16x8.b8", b16x8b8},
    {"nv.a.16x1.b8", a16x1},       {"nv.b.1x8.b8", b1x8},
    {"nv.a.16x1.b32", a16x1},      {"nv.b.1x8.b32", b1x8},
    {"nv.a.16x1.b64", a16x1},      {"nv.b.1x8.b64", b1x8},
};

TEST(FragmentMap, AgreesWithTheDocument) {
  for (const Transcription &transcription : transcriptions) {
    const FragmentMap *map = findFragmentMap(transcription.map);
    ASSERT_NE(map, nullptr) << transcription.map;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < map->valuesPerLane(); ++i)
        EXPECT_EQ(map->at(lane, i),
                  transcription.formula(lane >> 2, lane % 4, i))
            << transcription.map << " lane " << lane << " value " << i;
  }
}

TEST(FragmentMap, EveryNvidiaMapIsTranscribed) {
  for (const FragmentMap &map : allFragmentMaps()) {
    if (!map.name.starts_with("nv."))
      continue;
    bool found = false;
    for (const Transcription &transcription : transcriptions)
      found |= map.name == transcription.map;
    EXPECT_TRUE(found) << map.name.str();
  }
}

TEST(FragmentMap, HoldsEveryElementOnce) {
  for (const FragmentMap &map : allFragmentMaps()) {
    // A lane bit without a step holds copies.
    unsigned copies = 1;
    for (Coordinate step : map.laneSteps)
      copies *= step == Coordinate{0, 0} ? 2 : 1;
    EXPECT_EQ(map.replicas(), copies) << map.name.str();
    std::multiset<unsigned> elements;
    for (unsigned lane = 0; lane < map.lanes(); ++lane) {
      for (unsigned value = 0; value < map.valuesPerLane(); ++value) {
        Coordinate place = map.at(lane, value);
        ASSERT_LT(place.row, map.rows) << map.name.str();
        ASSERT_LT(place.column, map.columns) << map.name.str();
        elements.insert(place.row * map.columns + place.column);
      }
    }
    EXPECT_EQ(elements.size(), size_t(map.rows * map.columns * copies));
    for (unsigned i = 0; i < map.rows * map.columns; ++i)
      EXPECT_EQ(elements.count(i), copies) << map.name.str() << " " << i;
  }
}

TEST(FragmentMap, AtomsNameMapsOfTheirShapesAndWidths) {
  auto check = [](const Atom &atom, llvm::StringRef name, int64_t rows,
                  int64_t columns, ElementKind kind) {
    if (name.empty())
      return;
    const FragmentMap *map = findFragmentMap(name);
    ASSERT_NE(map, nullptr) << atom.name.str() << " " << name.str();
    EXPECT_EQ(map->rows, rows) << atom.name.str();
    EXPECT_EQ(map->columns, columns) << atom.name.str();
    EXPECT_EQ(map->elementBytes, byteWidth(kind)) << atom.name.str();
  };
  for (const Atom &atom : allAtoms()) {
    const Extents &shape = atom.shape;
    check(atom, atom.mapA, shape.m, shape.k, atom.operand);
    check(atom, atom.mapB, shape.k, shape.n, atom.operandB());
    check(atom, atom.mapC, shape.m, shape.n, atom.accumulator);
  }
}

// A matrix unit numbers rows as it likes, as long as A and C agree.
TEST(FragmentMap, AdjacentRowsAreThoseOfTheDocumentRenumbered) {
  auto renumbered = [](unsigned row) { return row % 8 * 2 + row / 8; };
  for (auto [adjacent, document] :
       {std::pair("adjacent.a.16x8.b32", "nv.a.16x8.b32"),
        std::pair("adjacent.c.16x8.b32", "nv.c.16x8.b32")})
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned value = 0; value < 4; ++value) {
        Coordinate place = findFragmentMap(document)->at(lane, value);
        EXPECT_EQ(findFragmentMap(adjacent)->at(lane, value),
                  (Coordinate{renumbered(place.row), place.column}))
            << adjacent << " lane " << lane << " value " << value;
      }
}

TEST(FragmentMap, CountsAdjacentValues) {
  auto count = [](llvm::StringRef map, bool alongRows) {
    return findFragmentMap(map)->adjacentValues(alongRows);
  };
  EXPECT_EQ(count("nv.a.16x16.b16", /*alongRows=*/false), 2u);
  EXPECT_EQ(count("nv.a.16x16.b16", /*alongRows=*/true), 1u);
  EXPECT_EQ(count("nv.b.32x8.b8", /*alongRows=*/true), 4u);
  EXPECT_EQ(count("nv.a.16x8.b32", /*alongRows=*/true), 1u);
  EXPECT_EQ(count("adjacent.a.16x8.b32", /*alongRows=*/true), 2u);
  EXPECT_EQ(count("adjacent.c.16x8.b32", /*alongRows=*/false), 2u);
}

TEST(FragmentMap, FindsALanesValue) {
  const FragmentMap &map = *findFragmentMap("nv.a.16x32.b8");
  // Lane 6 is thread 2 of group 1: columns 8 to 11 and 24 to 27 of rows 1, 9.
  EXPECT_EQ(map.valueAt(6, {9, 26}), std::optional(14u));
  EXPECT_EQ(map.valueAt(6, {9, 12}), std::nullopt);
}

// Two tiles of C, side by side, are one of A for 16-bit elements: of both a
// lane holds rows g and g + 8, and of A the columns 2t, 2t + 1, 2t + 8 and 2t
// + 9.
TEST(FragmentMap, SumsAreOperandsWhereLanesKeepThem) {
  const FragmentMap &c = *findFragmentMap("nv.c.16x8.b32");
  const FragmentMap &a = *findFragmentMap("nv.a.16x16.b16");
  EXPECT_TRUE(staysInLanes(c, a));
  // PTX's order of A: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1), and
  // the same 8 columns on. C's: (g, 2t), (g, 2t + 1), (g + 8, 2t), ....
  for (unsigned value = 0; value != 8; ++value) {
    std::optional<TileRegister> place = registerOf(c, a, 16, 32, value);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->tileRow, 1);
    EXPECT_EQ(place->tileColumn, 4 + value / 4);
    EXPECT_EQ(place->value, value % 4);
  }
  // Lane 1 has columns 2 and 3 of an f64 C, and wants 1 and 5 of A.
  EXPECT_FALSE(staysInLanes(*findFragmentMap("nv.c.16x8.b64"),
                            *findFragmentMap("nv.a.16x8.b64")));
  EXPECT_FALSE(staysInLanes(c, *findFragmentMap("nv.a.16x8.b32")));
  // B has k along its lanes' other bits.
  EXPECT_FALSE(staysInLanes(c, *findFragmentMap("nv.b.16x8.b16")));
}

TEST(Atom, OperandsCanBeMultiplied) {
  for (const Atom &atom : allAtoms()) {
    EXPECT_TRUE(canMultiply(atom.operand, atom.operandB())) << atom.name.str();
    EXPECT_EQ(byteWidth(atom.operand), byteWidth(atom.operandB()));
    EXPECT_EQ(isInteger(atom.operand), isInteger(atom.accumulator));
  }
}
