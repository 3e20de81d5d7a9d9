//===- AMDFragments.cpp - Fragments of mfma and wmma ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentTables.h"

using namespace kami;

//===----------------------------------------------------------------------===//
// CDNA: mfma, a wave of 64
//
// AMD Instinct MI200 and MI300 ISA, section 7 (matrix arithmetic). A lane's low
// bits are the row of A, or the column of B, C and D; the others count terms of
// k, as many at a time as a lane has in its registers, or groups of 4 rows of
// C. Products of 4 × 4 come as 16 or 4 independent blocks; given the same B,
// blocks are the rows of one product of 4 columns, and B has replicas.
//===----------------------------------------------------------------------===//

// A: 16, 32 or 64 rows, and steps along k of the values of a lane.
static constexpr Coordinate mfmaLanesA16k1[] = {{1, 0}, {2, 0}, {4, 0},
                                                {8, 0}, {0, 1}, {0, 2}};
static constexpr Coordinate mfmaLanesA16k4[] = {{1, 0}, {2, 0}, {4, 0},
                                                {8, 0}, {0, 4}, {0, 8}};
static constexpr Coordinate mfmaLanesA16k8[] = {{1, 0}, {2, 0}, {4, 0},
                                                {8, 0}, {0, 8}, {0, 16}};
static constexpr Coordinate mfmaLanesA16k16[] = {{1, 0}, {2, 0},  {4, 0},
                                                 {8, 0}, {0, 16}, {0, 32}};
static constexpr Coordinate mfmaLanesA32k1[] = {{1, 0}, {2, 0},  {4, 0},
                                                {8, 0}, {16, 0}, {0, 1}};
static constexpr Coordinate mfmaLanesA32k4[] = {{1, 0}, {2, 0},  {4, 0},
                                                {8, 0}, {16, 0}, {0, 4}};
static constexpr Coordinate mfmaLanesA32k8[] = {{1, 0}, {2, 0},  {4, 0},
                                                {8, 0}, {16, 0}, {0, 8}};
static constexpr Coordinate mfmaLanesA32k16[] = {{1, 0}, {2, 0},  {4, 0},
                                                 {8, 0}, {16, 0}, {0, 16}};
static constexpr Coordinate mfmaLanesA64[] = {{1, 0}, {2, 0},  {4, 0},
                                              {8, 0}, {16, 0}, {32, 0}};
// B: its transpose.
static constexpr Coordinate mfmaLanesB16k1[] = {{0, 1}, {0, 2}, {0, 4},
                                                {0, 8}, {1, 0}, {2, 0}};
static constexpr Coordinate mfmaLanesB16k4[] = {{0, 1}, {0, 2}, {0, 4},
                                                {0, 8}, {4, 0}, {8, 0}};
static constexpr Coordinate mfmaLanesB16k8[] = {{0, 1}, {0, 2}, {0, 4},
                                                {0, 8}, {8, 0}, {16, 0}};
static constexpr Coordinate mfmaLanesB16k16[] = {{0, 1}, {0, 2},  {0, 4},
                                                 {0, 8}, {16, 0}, {32, 0}};
static constexpr Coordinate mfmaLanesB32k1[] = {{0, 1}, {0, 2},  {0, 4},
                                                {0, 8}, {0, 16}, {1, 0}};
static constexpr Coordinate mfmaLanesB32k4[] = {{0, 1}, {0, 2},  {0, 4},
                                                {0, 8}, {0, 16}, {4, 0}};
static constexpr Coordinate mfmaLanesB32k8[] = {{0, 1}, {0, 2},  {0, 4},
                                                {0, 8}, {0, 16}, {8, 0}};
static constexpr Coordinate mfmaLanesB32k16[] = {{0, 1}, {0, 2},  {0, 4},
                                                 {0, 8}, {0, 16}, {16, 0}};
// B of 4 columns: 16 blocks have it, or 4.
static constexpr Coordinate mfmaLanesB4[] = {{0, 1}, {0, 2}, {0, 0},
                                             {0, 0}, {0, 0}, {0, 0}};
static constexpr Coordinate mfmaLanesB4b64[] = {{0, 1}, {0, 2}, {0, 0},
                                                {0, 0}, {1, 0}, {2, 0}};
// C and D. Those of f64 have one row of four in a lane, others four rows.
static constexpr Coordinate mfmaLanesC16[] = {{0, 1}, {0, 2}, {0, 4},
                                              {0, 8}, {4, 0}, {8, 0}};
static constexpr Coordinate mfmaLanesC16b64[] = {{0, 1}, {0, 2}, {0, 4},
                                                 {0, 8}, {1, 0}, {2, 0}};
static constexpr Coordinate mfmaLanesC32[] = {{0, 1}, {0, 2},  {0, 4},
                                              {0, 8}, {0, 16}, {4, 0}};
static constexpr Coordinate mfmaLanesC64[] = {{0, 1}, {0, 2},  {4, 0},
                                              {8, 0}, {16, 0}, {32, 0}};
static constexpr Coordinate mfmaLanesC4b64[] = {{0, 1}, {0, 2}, {4, 0},
                                                {8, 0}, {1, 0}, {2, 0}};

// Terms of k beside each other.
static constexpr Coordinate valuesA4[] = {{0, 1}, {0, 2}};
static constexpr Coordinate valuesB4[] = {{1, 0}, {2, 0}};
static constexpr Coordinate valuesA8[] = {{0, 1}, {0, 2}, {0, 4}};
static constexpr Coordinate valuesB8[] = {{1, 0}, {2, 0}, {4, 0}};
static constexpr Coordinate valuesA16[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}};
static constexpr Coordinate valuesB16[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}};
// Rows of C.
static constexpr Coordinate mfmaValuesC4[] = {{1, 0}, {2, 0}};
static constexpr Coordinate mfmaValuesC16b64[] = {{4, 0}, {8, 0}};
static constexpr Coordinate mfmaValuesC32[] = {{1, 0}, {2, 0}, {8, 0}, {16, 0}};

//===----------------------------------------------------------------------===//
// RDNA 3: wmma, a wave of 32
//
// AMD RDNA3 ISA, section 7.9 (wave matrix multiply accumulate). Both halves of
// the wave hold all of A and B; of C, one has the even rows and one the odd.
//===----------------------------------------------------------------------===//

static constexpr Coordinate rdna3LanesA[] = {
    {1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}};
static constexpr Coordinate rdna3LanesB[] = {
    {0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 0}};
static constexpr Coordinate rdna3LanesC[] = {
    {0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}};
static constexpr Coordinate rdna3ValuesC[] = {{2, 0}, {4, 0}, {8, 0}};

//===----------------------------------------------------------------------===//
// RDNA 4: wmma, a wave of 32
//
// AMD RDNA4 ISA, section on wave matrix multiply accumulate. Nothing is held
// twice: the halves of the wave have other terms of k, and C's upper and lower
// rows. Of 16 bits, a lane has terms 0 to 3 and 8 to 11, or the others.
//===----------------------------------------------------------------------===//

static constexpr Coordinate rdna4LanesA16[] = {
    {1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 4}};
static constexpr Coordinate rdna4LanesB16[] = {
    {0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}};
static constexpr Coordinate rdna4LanesA8[] = {
    {1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}};
static constexpr Coordinate rdna4LanesB8[] = {
    {0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}};
static constexpr Coordinate rdna4LanesC[] = {
    {0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}};
static constexpr Coordinate rdna4ValuesA16[] = {{0, 1}, {0, 2}, {0, 8}};
static constexpr Coordinate rdna4ValuesB16[] = {{1, 0}, {2, 0}, {8, 0}};
static constexpr Coordinate rdna4ValuesC[] = {{1, 0}, {2, 0}, {4, 0}};

static constexpr llvm::StringLiteral cdna2 =
    "AMD Instinct MI200 ISA, section 7";
static constexpr llvm::StringLiteral cdna3 =
    "AMD Instinct MI300 ISA, section 7";
static constexpr llvm::StringLiteral cdna4 = "AMD CDNA4 ISA, section 7";
static constexpr llvm::StringLiteral rdna3 = "AMD RDNA3 ISA, section 7.9";
static constexpr llvm::StringLiteral rdna4 =
    "AMD RDNA4 ISA, wave matrix multiply accumulate";

static constexpr FragmentMap fragmentMaps[] = {
    {"cdna.a.16x4.b32", 16, 4, 4, mfmaLanesA16k1, {}, cdna2},
    {"cdna.b.4x16.b32", 4, 16, 4, mfmaLanesB16k1, {}, cdna2},
    {"cdna.a.16x4.b64", 16, 4, 8, mfmaLanesA16k1, {}, cdna2},
    {"cdna.b.4x16.b64", 4, 16, 8, mfmaLanesB16k1, {}, cdna2},
    {"cdna.a.16x16.b16", 16, 16, 2, mfmaLanesA16k4, valuesA4, cdna2},
    {"cdna.b.16x16.b16", 16, 16, 2, mfmaLanesB16k4, valuesB4, cdna2},
    {"cdna.a.16x16.b8", 16, 16, 1, mfmaLanesA16k4, valuesA4, cdna2},
    {"cdna.b.16x16.b8", 16, 16, 1, mfmaLanesB16k4, valuesB4, cdna2},
    {"cdna.a.16x32.b8", 16, 32, 1, mfmaLanesA16k8, valuesA8, cdna3},
    {"cdna.b.32x16.b8", 32, 16, 1, mfmaLanesB16k8, valuesB8, cdna3},
    {"cdna.a.16x32.b16", 16, 32, 2, mfmaLanesA16k8, valuesA8, cdna4},
    {"cdna.b.32x16.b16", 32, 16, 2, mfmaLanesB16k8, valuesB8, cdna4},
    {"cdna.a.16x64.b8", 16, 64, 1, mfmaLanesA16k16, valuesA16, cdna4},
    {"cdna.b.64x16.b8", 64, 16, 1, mfmaLanesB16k16, valuesB16, cdna4},
    {"cdna.a.32x2.b32", 32, 2, 4, mfmaLanesA32k1, {}, cdna2},
    {"cdna.b.2x32.b32", 2, 32, 4, mfmaLanesB32k1, {}, cdna2},
    {"cdna.a.32x8.b16", 32, 8, 2, mfmaLanesA32k4, valuesA4, cdna2},
    {"cdna.b.8x32.b16", 8, 32, 2, mfmaLanesB32k4, valuesB4, cdna2},
    {"cdna.a.32x8.b8", 32, 8, 1, mfmaLanesA32k4, valuesA4, cdna2},
    {"cdna.b.8x32.b8", 8, 32, 1, mfmaLanesB32k4, valuesB4, cdna2},
    {"cdna.a.32x16.b8", 32, 16, 1, mfmaLanesA32k8, valuesA8, cdna3},
    {"cdna.b.16x32.b8", 16, 32, 1, mfmaLanesB32k8, valuesB8, cdna3},
    {"cdna.a.32x16.b16", 32, 16, 2, mfmaLanesA32k8, valuesA8, cdna4},
    {"cdna.b.16x32.b16", 16, 32, 2, mfmaLanesB32k8, valuesB8, cdna4},
    {"cdna.a.32x32.b8", 32, 32, 1, mfmaLanesA32k16, valuesA16, cdna4},
    {"cdna.b.32x32.b8", 32, 32, 1, mfmaLanesB32k16, valuesB16, cdna4},
    {"cdna.c.16x16.b32", 16, 16, 4, mfmaLanesC16, mfmaValuesC4, cdna2},
    {"cdna.c.16x16.b64", 16, 16, 8, mfmaLanesC16b64, mfmaValuesC16b64, cdna2},
    {"cdna.c.32x32.b32", 32, 32, 4, mfmaLanesC32, mfmaValuesC32, cdna2},
    {"cdna.a.64x4.b16", 64, 4, 2, mfmaLanesA64, valuesA4, cdna2},
    {"cdna.b.4x4.b16", 4, 4, 2, mfmaLanesB4, valuesB4, cdna2},
    {"cdna.a.64x4.b8", 64, 4, 1, mfmaLanesA64, valuesA4, cdna2},
    {"cdna.b.4x4.b8", 4, 4, 1, mfmaLanesB4, valuesB4, cdna2},
    {"cdna.a.64x1.b32", 64, 1, 4, mfmaLanesA64, {}, cdna2},
    {"cdna.b.1x4.b32", 1, 4, 4, mfmaLanesB4, {}, cdna2},
    {"cdna.c.64x4.b32", 64, 4, 4, mfmaLanesC64, mfmaValuesC4, cdna2},
    {"cdna.b.4x4.b64", 4, 4, 8, mfmaLanesB4b64, {}, cdna2},
    {"cdna.c.16x4.b64", 16, 4, 8, mfmaLanesC4b64, {}, cdna2},
    {"rdna3.a.16x16.b16", 16, 16, 2, rdna3LanesA, valuesA16, rdna3},
    {"rdna3.b.16x16.b16", 16, 16, 2, rdna3LanesB, valuesB16, rdna3},
    {"rdna3.a.16x16.b8", 16, 16, 1, rdna3LanesA, valuesA16, rdna3},
    {"rdna3.b.16x16.b8", 16, 16, 1, rdna3LanesB, valuesB16, rdna3},
    {"rdna3.c.16x16.b32", 16, 16, 4, rdna3LanesC, rdna3ValuesC, rdna3},
    {"rdna4.a.16x16.b16", 16, 16, 2, rdna4LanesA16, rdna4ValuesA16, rdna4},
    {"rdna4.b.16x16.b16", 16, 16, 2, rdna4LanesB16, rdna4ValuesB16, rdna4},
    {"rdna4.a.16x16.b8", 16, 16, 1, rdna4LanesA8, valuesA8, rdna4},
    {"rdna4.b.16x16.b8", 16, 16, 1, rdna4LanesB8, valuesB8, rdna4},
    {"rdna4.c.16x16.b32", 16, 16, 4, rdna4LanesC, rdna4ValuesC, rdna4},
    {"rdna4.c.16x16.b16", 16, 16, 2, rdna4LanesC, rdna4ValuesC, rdna4},
};

llvm::ArrayRef<FragmentMap> kami::amdFragments() { return fragmentMaps; }
