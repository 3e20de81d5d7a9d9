//===- AMDAtoms.cpp - AMD's matrix instructions -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace kami;

using K = ElementKind;
using I = Instruction;

static constexpr llvm::StringLiteral cdna2 =
    "AMD Instinct MI200 ISA, section 7 (matrix arithmetic)";
static constexpr llvm::StringLiteral cdna2Blocks =
    "AMD Instinct MI200 ISA, section 7 (matrix arithmetic); blocks of 4 x 4, "
    "one below the other, with one B";
static constexpr llvm::StringLiteral cdna3 =
    "AMD Instinct MI300 ISA, section 7 (matrix arithmetic)";
static constexpr llvm::StringLiteral cdna4 =
    "AMD CDNA4 ISA, section 7 (matrix arithmetic)";
static constexpr llvm::StringLiteral rdna3 =
    "AMD RDNA3 ISA, section 7.9 (wave matrix multiply accumulate)";
static constexpr llvm::StringLiteral rdna4 =
    "AMD RDNA4 ISA, wave matrix multiply accumulate";

// clang-format off
static constexpr Atom atoms[] = {
    // CDNA. There are no instructions on integers without a sign.
    {"mfma.m16n16k16.f32.f16", I::Mfma, {16, 16, 16}, K::F16, K::F32,
     "cdna.a.16x16.b16", "cdna.b.16x16.b16", "cdna.c.16x16.b32", cdna2},
    {"mfma.m32n32k8.f32.f16", I::Mfma, {32, 32, 8}, K::F16, K::F32,
     "cdna.a.32x8.b16", "cdna.b.8x32.b16", "cdna.c.32x32.b32", cdna2},
    {"mfma.m64n4k4.f32.f16", I::Mfma, {64, 4, 4}, K::F16, K::F32,
     "cdna.a.64x4.b16", "cdna.b.4x4.b16", "cdna.c.64x4.b32", cdna2Blocks},
    {"mfma.m16n16k32.f32.f16", I::Mfma, {16, 16, 32}, K::F16, K::F32,
     "cdna.a.16x32.b16", "cdna.b.32x16.b16", "cdna.c.16x16.b32", cdna4},
    {"mfma.m32n32k16.f32.f16", I::Mfma, {32, 32, 16}, K::F16, K::F32,
     "cdna.a.32x16.b16", "cdna.b.16x32.b16", "cdna.c.32x32.b32", cdna4},
    {"mfma.m16n16k16.f32.bf16", I::Mfma, {16, 16, 16}, K::BF16, K::F32,
     "cdna.a.16x16.b16", "cdna.b.16x16.b16", "cdna.c.16x16.b32", cdna2},
    {"mfma.m32n32k8.f32.bf16", I::Mfma, {32, 32, 8}, K::BF16, K::F32,
     "cdna.a.32x8.b16", "cdna.b.8x32.b16", "cdna.c.32x32.b32", cdna2},
    {"mfma.m64n4k4.f32.bf16", I::Mfma, {64, 4, 4}, K::BF16, K::F32,
     "cdna.a.64x4.b16", "cdna.b.4x4.b16", "cdna.c.64x4.b32", cdna2Blocks},
    {"mfma.m16n16k32.f32.bf16", I::Mfma, {16, 16, 32}, K::BF16, K::F32,
     "cdna.a.16x32.b16", "cdna.b.32x16.b16", "cdna.c.16x16.b32", cdna4},
    {"mfma.m32n32k16.f32.bf16", I::Mfma, {32, 32, 16}, K::BF16, K::F32,
     "cdna.a.32x16.b16", "cdna.b.16x32.b16", "cdna.c.32x32.b32", cdna4},
    {"mfma.m16n16k4.f32.f32", I::Mfma, {16, 16, 4}, K::F32, K::F32,
     "cdna.a.16x4.b32", "cdna.b.4x16.b32", "cdna.c.16x16.b32", cdna2},
    {"mfma.m32n32k2.f32.f32", I::Mfma, {32, 32, 2}, K::F32, K::F32,
     "cdna.a.32x2.b32", "cdna.b.2x32.b32", "cdna.c.32x32.b32", cdna2},
    {"mfma.m64n4k1.f32.f32", I::Mfma, {64, 4, 1}, K::F32, K::F32,
     "cdna.a.64x1.b32", "cdna.b.1x4.b32", "cdna.c.64x4.b32", cdna2Blocks},
    {"mfma.m16n16k4.f64.f64", I::Mfma, {16, 16, 4}, K::F64, K::F64,
     "cdna.a.16x4.b64", "cdna.b.4x16.b64", "cdna.c.16x16.b64", cdna2},
    {"mfma.m16n4k4.f64.f64", I::Mfma, {16, 4, 4}, K::F64, K::F64,
     "cdna.a.16x4.b64", "cdna.b.4x4.b64", "cdna.c.16x4.b64", cdna2Blocks},
    {"mfma.m16n16k16.i32.i8", I::Mfma, {16, 16, 16}, K::I8, K::I32,
     "cdna.a.16x16.b8", "cdna.b.16x16.b8", "cdna.c.16x16.b32", cdna2},
    {"mfma.m32n32k8.i32.i8", I::Mfma, {32, 32, 8}, K::I8, K::I32,
     "cdna.a.32x8.b8", "cdna.b.8x32.b8", "cdna.c.32x32.b32", cdna2},
    {"mfma.m16n16k32.i32.i8", I::Mfma, {16, 16, 32}, K::I8, K::I32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna3},
    {"mfma.m32n32k16.i32.i8", I::Mfma, {32, 32, 16}, K::I8, K::I32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna3},
    {"mfma.m16n16k64.i32.i8", I::Mfma, {16, 16, 64}, K::I8, K::I32,
     "cdna.a.16x64.b8", "cdna.b.64x16.b8", "cdna.c.16x16.b32", cdna4},
    {"mfma.m32n32k32.i32.i8", I::Mfma, {32, 32, 32}, K::I8, K::I32,
     "cdna.a.32x32.b8", "cdna.b.32x32.b8", "cdna.c.32x32.b32", cdna4},
    {"mfma.m64n4k4.i32.i8", I::Mfma, {64, 4, 4}, K::I8, K::I32,
     "cdna.a.64x4.b8", "cdna.b.4x4.b8", "cdna.c.64x4.b32", cdna2Blocks},
    {"mfma.m16n16k32.f32.f8E4M3FNUZ", I::Mfma, {16, 16, 32},
     K::F8E4M3FNUZ, K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna3},
    {"mfma.m16n16k32.f32.f8E4M3FNUZ.f8E5M2FNUZ", I::Mfma, {16, 16, 32},
     K::F8E4M3FNUZ, K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna3,
     K::F8E5M2FNUZ},
    {"mfma.m16n16k32.f32.f8E5M2FNUZ.f8E4M3FNUZ", I::Mfma, {16, 16, 32},
     K::F8E5M2FNUZ, K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna3,
     K::F8E4M3FNUZ},
    {"mfma.m16n16k32.f32.f8E5M2FNUZ", I::Mfma, {16, 16, 32},
     K::F8E5M2FNUZ, K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna3},
    {"mfma.m32n32k16.f32.f8E4M3FNUZ", I::Mfma, {32, 32, 16},
     K::F8E4M3FNUZ, K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna3},
    {"mfma.m32n32k16.f32.f8E4M3FNUZ.f8E5M2FNUZ", I::Mfma, {32, 32, 16},
     K::F8E4M3FNUZ, K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna3,
     K::F8E5M2FNUZ},
    {"mfma.m32n32k16.f32.f8E5M2FNUZ.f8E4M3FNUZ", I::Mfma, {32, 32, 16},
     K::F8E5M2FNUZ, K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna3,
     K::F8E4M3FNUZ},
    {"mfma.m32n32k16.f32.f8E5M2FNUZ", I::Mfma, {32, 32, 16},
     K::F8E5M2FNUZ, K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna3},
    {"mfma.m16n16k32.f32.f8E4M3FN", I::Mfma, {16, 16, 32}, K::F8E4M3FN, K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna4},
    {"mfma.m16n16k32.f32.f8E4M3FN.f8E5M2", I::Mfma, {16, 16, 32}, K::F8E4M3FN,
     K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna4,
     K::F8E5M2},
    {"mfma.m16n16k32.f32.f8E5M2.f8E4M3FN", I::Mfma, {16, 16, 32}, K::F8E5M2,
     K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna4,
     K::F8E4M3FN},
    {"mfma.m16n16k32.f32.f8E5M2", I::Mfma, {16, 16, 32}, K::F8E5M2, K::F32,
     "cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32", cdna4},
    {"mfma.m32n32k16.f32.f8E4M3FN", I::Mfma, {32, 32, 16}, K::F8E4M3FN, K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna4},
    {"mfma.m32n32k16.f32.f8E4M3FN.f8E5M2", I::Mfma, {32, 32, 16}, K::F8E4M3FN,
     K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna4,
     K::F8E5M2},
    {"mfma.m32n32k16.f32.f8E5M2.f8E4M3FN", I::Mfma, {32, 32, 16}, K::F8E5M2,
     K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna4,
     K::F8E4M3FN},
    {"mfma.m32n32k16.f32.f8E5M2", I::Mfma, {32, 32, 16}, K::F8E5M2, K::F32,
     "cdna.a.32x16.b8", "cdna.b.16x32.b8", "cdna.c.32x32.b32", cdna4},

    // RDNA 3, whose lanes hold A and B twice, and RDNA 4.
    {"wmma.m16n16k16.f32.f16", I::Wmma, {16, 16, 16}, K::F16, K::F32,
     "rdna3.a.16x16.b16", "rdna3.b.16x16.b16", "rdna3.c.16x16.b32", rdna3},
    {"wmma.m16n16k16.f32.bf16", I::Wmma, {16, 16, 16}, K::BF16, K::F32,
     "rdna3.a.16x16.b16", "rdna3.b.16x16.b16", "rdna3.c.16x16.b32", rdna3},
    {"wmma.m16n16k16.i32.i8", I::Wmma, {16, 16, 16}, K::I8, K::I32,
     "rdna3.a.16x16.b8", "rdna3.b.16x16.b8", "rdna3.c.16x16.b32", rdna3},
    {"wmma.m16n16k16.i32.i8.u8", I::Wmma, {16, 16, 16}, K::I8, K::I32,
     "rdna3.a.16x16.b8", "rdna3.b.16x16.b8", "rdna3.c.16x16.b32", rdna3, K::U8},
    {"wmma.m16n16k16.i32.u8.i8", I::Wmma, {16, 16, 16}, K::U8, K::I32,
     "rdna3.a.16x16.b8", "rdna3.b.16x16.b8", "rdna3.c.16x16.b32", rdna3, K::I8},
    {"wmma.m16n16k16.i32.u8", I::Wmma, {16, 16, 16}, K::U8, K::I32,
     "rdna3.a.16x16.b8", "rdna3.b.16x16.b8", "rdna3.c.16x16.b32", rdna3},
    {"wmma.rdna4.m16n16k16.f32.f16", I::Wmma, {16, 16, 16}, K::F16, K::F32,
     "rdna4.a.16x16.b16", "rdna4.b.16x16.b16", "rdna4.c.16x16.b32", rdna4},
    {"wmma.rdna4.m16n16k16.f32.bf16", I::Wmma, {16, 16, 16}, K::BF16, K::F32,
     "rdna4.a.16x16.b16", "rdna4.b.16x16.b16", "rdna4.c.16x16.b32", rdna4},
    {"wmma.rdna4.m16n16k16.f16.f16", I::Wmma, {16, 16, 16}, K::F16, K::F16,
     "rdna4.a.16x16.b16", "rdna4.b.16x16.b16", "rdna4.c.16x16.b16", rdna4},
    {"wmma.rdna4.m16n16k16.i32.i8", I::Wmma, {16, 16, 16}, K::I8, K::I32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4},
    {"wmma.rdna4.m16n16k16.i32.i8.u8", I::Wmma, {16, 16, 16}, K::I8, K::I32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4, K::U8},
    {"wmma.rdna4.m16n16k16.i32.u8.i8", I::Wmma, {16, 16, 16}, K::U8, K::I32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4, K::I8},
    {"wmma.rdna4.m16n16k16.i32.u8", I::Wmma, {16, 16, 16}, K::U8, K::I32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4},
    {"wmma.rdna4.m16n16k16.f32.f8E4M3FN", I::Wmma, {16, 16, 16}, K::F8E4M3FN,
     K::F32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4},
    {"wmma.rdna4.m16n16k16.f32.f8E4M3FN.f8E5M2", I::Wmma, {16, 16, 16},
     K::F8E4M3FN, K::F32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4,
     K::F8E5M2},
    {"wmma.rdna4.m16n16k16.f32.f8E5M2.f8E4M3FN", I::Wmma, {16, 16, 16},
     K::F8E5M2, K::F32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4,
     K::F8E4M3FN},
    {"wmma.rdna4.m16n16k16.f32.f8E5M2", I::Wmma, {16, 16, 16}, K::F8E5M2,
     K::F32,
     "rdna4.a.16x16.b8", "rdna4.b.16x16.b8", "rdna4.c.16x16.b32", rdna4},
};
// clang-format on

llvm::ArrayRef<Atom> kami::amdAtoms() { return atoms; }
