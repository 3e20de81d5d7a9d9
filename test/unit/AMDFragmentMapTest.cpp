//===- AMDFragmentMapTest.cpp -------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of AMD's maps twice, since no device here tells: as the figures of the
// ISA documents have it, what lane and value hold (MI200 and MI300 ISA, section
// 7; RDNA3 ISA, section 7.9; RDNA4 ISA); and as AMD's matrix instruction
// calculator writes it down, where an element is (ROCm/
// amd_matrix_instruction_calculator, "matrix element to register mapping").
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/FragmentMap.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
/// What a lane holds as its value.
using Figure = Coordinate (*)(unsigned lane, unsigned value);

/// A lane and a value that hold the element of a row and a column; replicas are
/// in other lanes as well.
struct Holder {
  unsigned lane, value;
};
using Equation = Holder (*)(unsigned row, unsigned column);

struct Transcription {
  const char *map;
  Figure figure;
  Equation equation;
};
} // namespace

// A (m × k) of CDNA: lanes 0 to 15 have rows 0 to 15 and the first `Values`
// terms, lanes 16 to 31 the same rows and the next ones. Calculator:
// A[i][k] Lane: 16 * floor(k / Values) + i.
template <unsigned Rows, unsigned Values>
static Coordinate cdnaA(unsigned lane, unsigned value) {
  return {lane % Rows, lane / Rows * Values + value};
}
template <unsigned Rows, unsigned Values>
static Holder cdnaAOf(unsigned i, unsigned k) {
  return {Rows * (k / Values) + i, k % Values};
}
template <unsigned Rows, unsigned Values>
static Coordinate cdnaB(unsigned lane, unsigned value) {
  return {lane / Rows * Values + value, lane % Rows};
}
template <unsigned Rows, unsigned Values>
static Holder cdnaBOf(unsigned k, unsigned j) {
  return {Rows * (k / Values) + j, k % Values};
}

// C and D of 16 × 16: four rows in a lane, lanes 16 on have the next four.
// Calculator: GPR i % 4, Lane 16 * floor(i / 4) + j.
static Coordinate c16(unsigned lane, unsigned value) {
  return {lane / 16 * 4 + value, lane % 16};
}
static Holder c16Of(unsigned i, unsigned j) {
  return {16 * (i / 4) + j, i % 4};
}

// f64: rows 0 to 3 are in lanes 0, 16, 32 and 48. Calculator: GPR pair
// floor(i / 4), Lane 16 * (i % 4) + j.
static Coordinate c16b64(unsigned lane, unsigned value) {
  return {lane / 16 + 4 * value, lane % 16};
}
static Holder c16b64Of(unsigned i, unsigned j) {
  return {16 * (i % 4) + j, i / 4};
}

// 32 × 32: values 0 to 3 are rows 0 to 3 and, in lanes from 32 on, 4 to 7; the
// next four values are 8 rows on. Calculator: GPR 4 * floor(i / 8) + (i % 4),
// Lane (32 * floor(i / 4)) % 64 + j.
static Coordinate c32(unsigned lane, unsigned value) {
  return {value / 4 * 8 + lane / 32 * 4 + value % 4, lane % 32};
}
static Holder c32Of(unsigned i, unsigned j) {
  return {32 * (i / 4) % 64 + j, 4 * (i / 8) + i % 4};
}

// 16 blocks of 4 × 4, lanes 4 * block to 4 * block + 3, with A's and C's blocks
// below each other and B of the first. Calculator: A[i][k].block Lane:
// 4 * block + i; B[k][j].block Lane: 4 * block + j; D[i][j].block GPR: i,
// Lane: 4 * block + j.
static Coordinate a64(unsigned lane, unsigned value) {
  return {lane / 4 * 4 + lane % 4, value};
}
static Holder a64Of(unsigned row, unsigned k) {
  unsigned block = row / 4, i = row % 4;
  return {4 * block + i, k};
}
static Coordinate b4(unsigned lane, unsigned value) {
  return {value, lane % 4};
}
static Holder b4Of(unsigned k, unsigned j) { return {j, k}; }
static Coordinate c64(unsigned lane, unsigned value) {
  return {lane / 4 * 4 + value, lane % 4};
}
static Holder c64Of(unsigned row, unsigned j) {
  unsigned block = row / 4, i = row % 4;
  return {4 * block + j, i};
}

// 4 blocks of f64. Calculator: B[k][j].block Lane: 4 * block + 16 * k + j;
// D[i][j].block Lane: 16 * (i % 4) + 4 * block + j.
static Coordinate b4b64(unsigned lane, unsigned) {
  return {lane / 16, lane % 4};
}
static Holder b4b64Of(unsigned k, unsigned j) { return {16 * k + j, 0}; }
static Coordinate c4b64(unsigned lane, unsigned) {
  return {lane / 4 % 4 * 4 + lane / 16, lane % 4};
}
static Holder c4b64Of(unsigned row, unsigned j) {
  unsigned block = row / 4, i = row % 4;
  return {16 * i + 4 * block + j, 0};
}

// RDNA 3: a row of A in lanes i and i + 16, all of k. Calculator: C or D[i][j]
// GPR: floor(i / 2), Lane: ((16 * i) % 32) + j.
static Coordinate rdna3A(unsigned lane, unsigned value) {
  return {lane % 16, value};
}
static Holder rdna3AOf(unsigned i, unsigned k) { return {i + 16, k}; }
static Coordinate rdna3B(unsigned lane, unsigned value) {
  return {value, lane % 16};
}
static Holder rdna3BOf(unsigned k, unsigned j) { return {j + 16, k}; }
static Coordinate rdna3C(unsigned lane, unsigned value) {
  return {2 * value + lane / 16, lane % 16};
}
static Holder rdna3COf(unsigned i, unsigned j) {
  return {16 * i % 32 + j, i / 2};
}

// RDNA 4, 16 bits. Calculator: GPR 2 * floor(k / 8) + (floor(k / 2) % 2), bits
// 16 * (k % 2); Lane 16 * (floor(k / 4) % 2) + i.
static unsigned rdna4Term(unsigned lane, unsigned value) {
  return value / 4 * 8 + lane / 16 * 4 + value % 4;
}
static Coordinate rdna4A(unsigned lane, unsigned value) {
  return {lane % 16, rdna4Term(lane, value)};
}
static Holder rdna4AOf(unsigned i, unsigned k) {
  return {16 * (k / 4 % 2) + i, 2 * (2 * (k / 8) + k / 2 % 2) + k % 2};
}
static Coordinate rdna4B(unsigned lane, unsigned value) {
  return {rdna4Term(lane, value), lane % 16};
}
static Holder rdna4BOf(unsigned k, unsigned j) { return rdna4AOf(j, k); }
// C or D: GPR i % 8, Lane 16 * floor(i / 8) + j.
static Coordinate rdna4C(unsigned lane, unsigned value) {
  return {lane / 16 * 8 + value, lane % 16};
}
static Holder rdna4COf(unsigned i, unsigned j) {
  return {16 * (i / 8) + j, i % 8};
}

static constexpr Transcription transcriptions[] = {
    {"cdna.a.16x4.b32", cdnaA<16, 1>, cdnaAOf<16, 1>},
    {"cdna.b.4x16.b32", cdnaB<16, 1>, cdnaBOf<16, 1>},
    {"cdna.a.16x4.b64", cdnaA<16, 1>, cdnaAOf<16, 1>},
    {"cdna.b.4x16.b64", cdnaB<16, 1>, cdnaBOf<16, 1>},
    {"cdna.a.16x16.b16", cdnaA<16, 4>, cdnaAOf<16, 4>},
    {"cdna.b.16x16.b16", cdnaB<16, 4>, cdnaBOf<16, 4>},
    {"cdna.a.16x16.b8", cdnaA<16, 4>, cdnaAOf<16, 4>},
    {"cdna.b.16x16.b8", cdnaB<16, 4>, cdnaBOf<16, 4>},
    {"cdna.a.16x32.b8", cdnaA<16, 8>, cdnaAOf<16, 8>},
    {"cdna.b.32x16.b8", cdnaB<16, 8>, cdnaBOf<16, 8>},
    {"cdna.a.16x32.b16", cdnaA<16, 8>, cdnaAOf<16, 8>},
    {"cdna.b.32x16.b16", cdnaB<16, 8>, cdnaBOf<16, 8>},
    {"cdna.a.16x64.b8", cdnaA<16, 16>, cdnaAOf<16, 16>},
    {"cdna.b.64x16.b8", cdnaB<16, 16>, cdnaBOf<16, 16>},
    {"cdna.a.32x2.b32", cdnaA<32, 1>, cdnaAOf<32, 1>},
    {"cdna.b.2x32.b32", cdnaB<32, 1>, cdnaBOf<32, 1>},
    {"cdna.a.32x8.b16", cdnaA<32, 4>, cdnaAOf<32, 4>},
    {"cdna.b.8x32.b16", cdnaB<32, 4>, cdnaBOf<32, 4>},
    {"cdna.a.32x8.b8", cdnaA<32, 4>, cdnaAOf<32, 4>},
    {"cdna.b.8x32.b8", cdnaB<32, 4>, cdnaBOf<32, 4>},
    {"cdna.a.32x16.b8", cdnaA<32, 8>, cdnaAOf<32, 8>},
    {"cdna.b.16x32.b8", cdnaB<32, 8>, cdnaBOf<32, 8>},
    {"cdna.a.32x16.b16", cdnaA<32, 8>, cdnaAOf<32, 8>},
    {"cdna.b.16x32.b16", cdnaB<32, 8>, cdnaBOf<32, 8>},
    {"cdna.a.32x32.b8", cdnaA<32, 16>, cdnaAOf<32, 16>},
    {"cdna.b.32x32.b8", cdnaB<32, 16>, cdnaBOf<32, 16>},
    {"cdna.c.16x16.b32", c16, c16Of},
    {"cdna.c.16x16.b64", c16b64, c16b64Of},
    {"cdna.c.32x32.b32", c32, c32Of},
    {"cdna.a.64x4.b16", a64, a64Of},
    {"cdna.b.4x4.b16", b4, b4Of},
    {"cdna.a.64x4.b8", a64, a64Of},
    {"cdna.b.4x4.b8", b4, b4Of},
    {"cdna.a.64x1.b32", a64, a64Of},
    {"cdna.b.1x4.b32", b4, b4Of},
    {"cdna.c.64x4.b32", c64, c64Of},
    {"cdna.b.4x4.b64", b4b64, b4b64Of},
    {"cdna.c.16x4.b64", c4b64, c4b64Of},
    {"rdna3.a.16x16.b16", rdna3A, rdna3AOf},
    {"rdna3.b.16x16.b16", rdna3B, rdna3BOf},
    {"rdna3.a.16x16.b8", rdna3A, rdna3AOf},
    {"rdna3.b.16x16.b8", rdna3B, rdna3BOf},
    {"rdna3.c.16x16.b32", rdna3C, rdna3COf},
    {"rdna4.a.16x16.b16", rdna4A, rdna4AOf},
    {"rdna4.b.16x16.b16", rdna4B, rdna4BOf},
    {"rdna4.a.16x16.b8", cdnaA<16, 8>, cdnaAOf<16, 8>},
    {"rdna4.b.16x16.b8", cdnaB<16, 8>, cdnaBOf<16, 8>},
    {"rdna4.c.16x16.b32", rdna4C, rdna4COf},
    {"rdna4.c.16x16.b16", rdna4C, rdna4COf},
};

TEST(AMDFragmentMap, AgreesWithTheFigures) {
  for (const Transcription &transcription : transcriptions) {
    const FragmentMap *map = findFragmentMap(transcription.map);
    ASSERT_NE(map, nullptr) << transcription.map;
    for (unsigned lane = 0; lane < map->lanes(); ++lane)
      for (unsigned value = 0; value < map->valuesPerLane(); ++value)
        EXPECT_EQ(map->at(lane, value), transcription.figure(lane, value))
            << transcription.map << " lane " << lane << " value " << value;
  }
}

TEST(AMDFragmentMap, AgreesWithTheCalculator) {
  for (const Transcription &transcription : transcriptions) {
    const FragmentMap *map = findFragmentMap(transcription.map);
    ASSERT_NE(map, nullptr) << transcription.map;
    for (unsigned row = 0; row < map->rows; ++row)
      for (unsigned column = 0; column < map->columns; ++column) {
        Holder holder = transcription.equation(row, column);
        ASSERT_LT(holder.lane, map->lanes()) << transcription.map;
        EXPECT_EQ(map->valueAt(holder.lane, {row, column}),
                  std::optional(holder.value))
            << transcription.map << " row " << row << " column " << column;
      }
  }
}

TEST(AMDFragmentMap, EveryMapIsTranscribed) {
  for (const FragmentMap &map : allFragmentMaps()) {
    if (!map.name.starts_with("cdna.") && !map.name.starts_with("rdna"))
      continue;
    EXPECT_TRUE(llvm::any_of(transcriptions, [&](const Transcription &known) {
      return map.name == known.map;
    })) << map.name.str();
    EXPECT_EQ(map.lanes(), map.name.starts_with("cdna.") ? 64u : 32u);
  }
}

// The 4 × 4 instructions' B is the same for all blocks.
TEST(AMDFragmentMap, Replicas) {
  EXPECT_EQ(findFragmentMap("cdna.b.4x4.b16")->replicas(), 16u);
  EXPECT_EQ(findFragmentMap("cdna.b.4x4.b64")->replicas(), 4u);
  EXPECT_EQ(findFragmentMap("rdna3.a.16x16.b16")->replicas(), 2u);
  EXPECT_EQ(findFragmentMap("rdna3.c.16x16.b32")->replicas(), 1u);
  EXPECT_EQ(findFragmentMap("rdna4.a.16x16.b16")->replicas(), 1u);
}
