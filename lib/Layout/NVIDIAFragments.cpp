//===- NVIDIAFragments.cpp - Fragments of mma.sync ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentTables.h"

using namespace kami;

//===----------------------------------------------------------------------===//
// NVIDIA mma.sync
//
// PTX ISA 9.0, section 9.7.14.5 "Matrix Fragments for mma". In its words
// groupID = lane / 4 and threadID_in_group = lane % 4, so lane bits 0 and 1
// walk one dimension and bits 2 to 4 the other.
//===----------------------------------------------------------------------===//

// A (m × k): the group is the row, the thread the column.
static constexpr Coordinate nvLanesA16[] = {
    {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
static constexpr Coordinate nvLanesA[] = {
    {0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}};
// B (k × n): the thread is the row, the group the column.
static constexpr Coordinate nvLanesB16[] = {
    {2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}};
static constexpr Coordinate nvLanesB[] = {
    {1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}};
// C and D (m × n): the group is the row, the thread a pair of columns.
static constexpr Coordinate nvLanesC[] = {
    {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};

// A (16 × 1) and B (1 × 8) of multiply-adds by the lanes themselves: a lane
// holds what its part of C needs, so that lanes of one row of C hold the same
// elements of A, and lanes of one column the same of B.
static constexpr Coordinate nvLanesOuterA[] = {
    {0, 0}, {0, 0}, {1, 0}, {2, 0}, {4, 0}};
static constexpr Coordinate nvLanesOuterB[] = {
    {0, 2}, {0, 4}, {0, 0}, {0, 0}, {0, 0}};
// The same of 16 × 16 and four terms, for operands that lanes read 16 bytes at
// a time: of A along k, of B across its columns. Lanes that differ in bit 0
// share columns, in bit 1 rows; so pairs of lanes read one address in either
// operand, which is what makes two halves of a warp's 16-byte reads one.
static constexpr Coordinate nvLanesPairedA[] = {
    {1, 0}, {0, 0}, {0, 0}, {2, 0}, {4, 0}};
static constexpr Coordinate nvLanesPairedB[] = {
    {0, 0}, {0, 4}, {0, 8}, {0, 0}, {0, 0}};
static constexpr Coordinate nvLanesPairedC[] = {
    {1, 0}, {0, 4}, {0, 8}, {2, 0}, {4, 0}};
// The rows of m16n8k8 .tf32 in another order, 0, 2, … 14 and then 1, 3, … 15: a
// lane has two adjacent ones of them. Any order is as good for the product, as
// long as A and C have the same, and A comes from registers.
static constexpr Coordinate nvLanesAdjacentA[] = {
    {0, 1}, {0, 2}, {2, 0}, {4, 0}, {8, 0}};
static constexpr Coordinate nvLanesAdjacentC[] = {
    {0, 2}, {0, 4}, {2, 0}, {4, 0}, {8, 0}};
// 8-bit operands: the thread is four neighbours along k.
static constexpr Coordinate nvLanesA8[] = {
    {0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}};
static constexpr Coordinate nvLanesB8[] = {
    {4, 0}, {8, 0}, {0, 1}, {0, 2}, {0, 4}};

static constexpr Coordinate nvValuesA16x16b16[] = {{0, 1}, {8, 0}, {0, 8}};
static constexpr Coordinate nvValuesB16x8b16[] = {{1, 0}, {8, 0}};
static constexpr Coordinate nvValuesC16x8[] = {{0, 1}, {8, 0}};
static constexpr Coordinate nvValuesA16x8[] = {{8, 0}, {0, 4}};
static constexpr Coordinate nvValuesB8x8[] = {{4, 0}};
static constexpr Coordinate nvValuesAdjacentA[] = {{1, 0}, {0, 4}};
static constexpr Coordinate nvValuesAdjacentC[] = {{0, 1}, {1, 0}};
static constexpr Coordinate nvValuesA16x16[] = {{8, 0}, {0, 4}, {0, 8}};
static constexpr Coordinate nvValuesB16x8[] = {{4, 0}, {8, 0}};
static constexpr Coordinate nvValuesC8x8[] = {{0, 1}};
static constexpr Coordinate nvValuesA16x4[] = {{8, 0}};
static constexpr Coordinate nvValuesA16x32b8[] = {
    {0, 1}, {0, 2}, {8, 0}, {0, 16}};
static constexpr Coordinate nvValuesB32x8b8[] = {{1, 0}, {2, 0}, {16, 0}};
static constexpr Coordinate nvValuesA16x16b8[] = {{0, 1}, {0, 2}, {8, 0}};
static constexpr Coordinate nvValuesB16x8b8[] = {{1, 0}, {2, 0}};
static constexpr Coordinate nvValuesOuterA[] = {{8, 0}};
static constexpr Coordinate nvValuesOuterB[] = {{0, 1}};
static constexpr Coordinate nvValuesPairedA[] = {{0, 1}, {0, 2}, {8, 0}};
static constexpr Coordinate nvValuesPairedB[] = {
    {0, 1}, {0, 2}, {1, 0}, {2, 0}};
static constexpr Coordinate nvValuesPairedC[] = {{0, 1}, {0, 2}, {8, 0}};

static constexpr llvm::StringLiteral outer =
    "the rows and columns of C that a lane holds in PTX ISA 9.0, m16n8k8";

static constexpr llvm::StringLiteral paired =
    "kami's own, for reads of 16 bytes by pairs of lanes";

static constexpr llvm::StringLiteral adjacent =
    "PTX ISA 9.0, m16n8k8 .tf32, with pairs of rows beside each other";

static constexpr FragmentMap fragmentMaps[] = {
    {"nv.a.16x16.b16", 16, 16, 2, nvLanesA16, nvValuesA16x16b16,
     "PTX ISA 9.0, m16n8k16 .f16/.bf16, A"},
    {"nv.b.16x8.b16", 16, 8, 2, nvLanesB16, nvValuesB16x8b16,
     "PTX ISA 9.0, m16n8k16 .f16/.bf16, B"},
    {"nv.c.16x8.b16", 16, 8, 2, nvLanesC, nvValuesC16x8,
     "PTX ISA 9.0, m16n8k16 .f16, C and D"},
    {"nv.c.16x8.b32", 16, 8, 4, nvLanesC, nvValuesC16x8,
     "PTX ISA 9.0, m16n8k16 .f32, C and D"},
    {"nv.a.16x8.b32", 16, 8, 4, nvLanesA, nvValuesA16x8,
     "PTX ISA 9.0, m16n8k8 .tf32, A"},
    {"nv.b.8x8.b32", 8, 8, 4, nvLanesB, nvValuesB8x8,
     "PTX ISA 9.0, m16n8k8 .tf32, B"},
    {"nv.a.16x8.b64", 16, 8, 8, nvLanesA, nvValuesA16x8,
     "PTX ISA 9.0, m16n8k8 .f64, A"},
    {"nv.b.8x8.b64", 8, 8, 8, nvLanesB, nvValuesB8x8,
     "PTX ISA 9.0, m16n8k8 .f64, B"},
    {"nv.a.16x16.b64", 16, 16, 8, nvLanesA, nvValuesA16x16,
     "PTX ISA 9.0, m16n8k16 .f64, A"},
    {"nv.b.16x8.b64", 16, 8, 8, nvLanesB, nvValuesB16x8,
     "PTX ISA 9.0, m16n8k16 .f64, B"},
    {"nv.c.16x8.b64", 16, 8, 8, nvLanesC, nvValuesC16x8,
     "PTX ISA 9.0, m16n8k8/k16 .f64, C and D"},
    {"nv.a.8x4.b64", 8, 4, 8, nvLanesA, {}, "PTX ISA 9.0, m8n8k4 .f64, A"},
    {"nv.b.4x8.b64", 4, 8, 8, nvLanesB, {}, "PTX ISA 9.0, m8n8k4 .f64, B"},
    {"nv.c.8x8.b64", 8, 8, 8, nvLanesC, nvValuesC8x8,
     "PTX ISA 9.0, m8n8k4 .f64, C and D"},
    {"nv.a.16x4.b32", 16, 4, 4, nvLanesA, nvValuesA16x4,
     "PTX ISA 9.0, m16n8k4 .tf32, A"},
    {"nv.b.4x8.b32", 4, 8, 4, nvLanesB, {}, "PTX ISA 9.0, m16n8k4 .tf32, B"},
    {"nv.a.16x32.b8", 16, 32, 1, nvLanesA8, nvValuesA16x32b8,
     "PTX ISA 9.0, m16n8k32 .u8/.s8/.e4m3/.e5m2, A"},
    {"nv.b.32x8.b8", 32, 8, 1, nvLanesB8, nvValuesB32x8b8,
     "PTX ISA 9.0, m16n8k32 .u8/.s8/.e4m3/.e5m2, B"},
    {"nv.a.16x16.b8", 16, 16, 1, nvLanesA8, nvValuesA16x16b8,
     "PTX ISA 9.0, m16n8k16 .u8/.s8, A"},
    {"nv.b.16x8.b8", 16, 8, 1, nvLanesB8, nvValuesB16x8b8,
     "PTX ISA 9.0, m16n8k16 .u8/.s8, B"},
    {"nv.a.16x1.b32", 16, 1, 4, nvLanesOuterA, nvValuesOuterA, outer},
    {"nv.b.1x8.b32", 1, 8, 4, nvLanesOuterB, nvValuesOuterB, outer},
    {"nv.a.16x1.b64", 16, 1, 8, nvLanesOuterA, nvValuesOuterA, outer},
    {"nv.b.1x8.b64", 1, 8, 8, nvLanesOuterB, nvValuesOuterB, outer},
    {"nv.a.16x1.b8", 16, 1, 1, nvLanesOuterA, nvValuesOuterA, outer},
    {"nv.b.1x8.b8", 1, 8, 1, nvLanesOuterB, nvValuesOuterB, outer},
    {"adjacent.a.16x8.b32", 16, 8, 4, nvLanesAdjacentA, nvValuesAdjacentA,
     adjacent},
    {"adjacent.c.16x8.b32", 16, 8, 4, nvLanesAdjacentC, nvValuesAdjacentC,
     adjacent},
    {"paired.a.16x4.b32", 16, 4, 4, nvLanesPairedA, nvValuesPairedA, paired},
    {"paired.b.4x16.b32", 4, 16, 4, nvLanesPairedB, nvValuesPairedB, paired},
    {"paired.c.16x16.b32", 16, 16, 4, nvLanesPairedC, nvValuesPairedC, paired},
};

llvm::ArrayRef<FragmentMap> kami::nvidiaFragments() { return fragmentMaps; }
