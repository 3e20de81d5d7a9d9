//===- Atom.cpp - Matrix instructions -------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Target/Atom.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kami;

using K = ElementKind;
using I = Instruction;

llvm::StringRef kami::name(Instruction instruction) {
  switch (instruction) {
  case Instruction::MmaSync:
    return "mma_sync";
  case Instruction::Fma:
    return "fma";
  case Instruction::Mfma:
    return "mfma";
  case Instruction::Wmma:
    return "wmma";
  case Instruction::CooperativeMatrix:
    return "cooperative_matrix";
  case Instruction::Wgmma:
    return "wgmma";
  }
  llvm_unreachable("covered switch");
}

static constexpr llvm::StringLiteral ptx =
    "PTX ISA 9.0, section 9.7.14.5 (mma)";
static constexpr llvm::StringLiteral fma =
    "PTX ISA 9.0, section 9.7.3 (fma); an outer product, 4 of them a lane";
static constexpr llvm::StringLiteral lane =
    "PTX ISA 9.0, section 9.7.3 (fma); narrower elements are extended first";
static constexpr llvm::StringLiteral ptxGroup =
    "PTX ISA 9.0, section 9.7.15 (wgmma.mma_async), a warp's 16 rows";
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
static constexpr llvm::StringLiteral khr =
    "SPV_KHR_cooperative_matrix; the device lists the shapes";

// clang-format off
static constexpr Atom atoms[] = {
    // NVIDIA. m16n8k4 f64 and m16n8k8 f16 exist too, but are slower.
    {"mma_sync.m16n8k16.f32.f16", I::MmaSync, {16, 8, 16}, K::F16, K::F32,
     "nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k16.f16.f16", I::MmaSync, {16, 8, 16}, K::F16, K::F16,
     "nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16", ptx},
    {"mma_sync.m16n8k16.f32.bf16", I::MmaSync, {16, 8, 16}, K::BF16, K::F32,
     "nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k8.f32.tf32", I::MmaSync, {16, 8, 8}, K::TF32, K::F32,
     "nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k4.f32.tf32", I::MmaSync, {16, 8, 4}, K::TF32, K::F32,
     "nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k8.f32.tf32x3", I::MmaSync, {16, 8, 8}, K::TF32x3, K::F32,
     "nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k4.f32.tf32x3", I::MmaSync, {16, 8, 4}, K::TF32x3, K::F32,
     "nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k8.f64.f64", I::MmaSync, {16, 8, 8}, K::F64, K::F64,
     "nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64", ptx},
    {"mma_sync.m16n8k16.f64.f64", I::MmaSync, {16, 8, 16}, K::F64, K::F64,
     "nv.a.16x16.b64", "nv.b.16x8.b64", "nv.c.16x8.b64", ptx},
    {"mma_sync.m8n8k4.f64.f64", I::MmaSync, {8, 8, 4}, K::F64, K::F64,
     "nv.a.8x4.b64", "nv.b.4x8.b64", "nv.c.8x8.b64", ptx},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", I::MmaSync, {16, 8, 32}, K::F8E4M3FN,
     K::F32, "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k32.f32.f8E5M2", I::MmaSync, {16, 8, 32}, K::F8E5M2,
     K::F32, "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", I::MmaSync, {16, 8, 32},
     K::F8E4M3FN, K::F32, "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32",
     ptx, K::F8E5M2},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", I::MmaSync, {16, 8, 32},
     K::F8E5M2, K::F32, "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32",
     ptx, K::F8E4M3FN},
    {"mma_sync.m16n8k32.i32.i8", I::MmaSync, {16, 8, 32}, K::I8, K::I32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k32.i32.u8", I::MmaSync, {16, 8, 32}, K::U8, K::I32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k32.i32.i8.u8", I::MmaSync, {16, 8, 32}, K::I8, K::I32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptx, K::U8},
    {"mma_sync.m16n8k32.i32.u8.i8", I::MmaSync, {16, 8, 32}, K::U8, K::I32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptx, K::I8},
    {"mma_sync.m16n8k16.i32.i8", I::MmaSync, {16, 8, 16}, K::I8, K::I32,
     "nv.a.16x16.b8", "nv.b.16x8.b8", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k16.i32.u8", I::MmaSync, {16, 8, 16}, K::U8, K::I32,
     "nv.a.16x16.b8", "nv.b.16x8.b8", "nv.c.16x8.b32", ptx},
    {"mma_sync.m16n8k16.i32.i8.u8", I::MmaSync, {16, 8, 16}, K::I8, K::I32,
     "nv.a.16x16.b8", "nv.b.16x8.b8", "nv.c.16x8.b32", ptx, K::U8},
    {"mma_sync.m16n8k16.i32.u8.i8", I::MmaSync, {16, 8, 16}, K::U8, K::I32,
     "nv.a.16x16.b8", "nv.b.16x8.b8", "nv.c.16x8.b32", ptx, K::I8},

    // NVIDIA's lanes by themselves. 8-bit floats are extended first.
    {"fma.m16n8k1.f32.f32", I::Fma, {16, 8, 1}, K::F32, K::F32,
     "nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32", fma},
    {"fma.m16n8k1.f64.f64", I::Fma, {16, 8, 1}, K::F64, K::F64,
     "nv.a.16x1.b64", "nv.b.1x8.b64", "nv.c.16x8.b64", fma},
    {"fma.m16n8k1.f32.f8E4M3FN", I::Fma, {16, 8, 1}, K::F8E4M3FN, K::F32,
     "nv.a.16x1.b8", "nv.b.1x8.b8", "nv.c.16x8.b32", fma},
    {"fma.m16n8k1.f32.f8E5M2", I::Fma, {16, 8, 1}, K::F8E5M2, K::F32,
     "nv.a.16x1.b8", "nv.b.1x8.b8", "nv.c.16x8.b32", fma},
    {"fma.m16n8k1.f32.f8E4M3FN.f8E5M2", I::Fma, {16, 8, 1}, K::F8E4M3FN,
     K::F32, "nv.a.16x1.b8", "nv.b.1x8.b8", "nv.c.16x8.b32", fma, K::F8E5M2},
    {"fma.m16n8k1.f32.f8E5M2.f8E4M3FN", I::Fma, {16, 8, 1}, K::F8E5M2,
     K::F32, "nv.a.16x1.b8", "nv.b.1x8.b8", "nv.c.16x8.b32", fma,
     K::F8E4M3FN},

    // One lane.
    {"fma.m1n1k1.f32.f32", I::Fma, {1, 1, 1}, K::F32, K::F32,
     "lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32", lane},
    {"fma.m1n1k1.f64.f64", I::Fma, {1, 1, 1}, K::F64, K::F64,
     "lane.1x1.b64", "lane.1x1.b64", "lane.1x1.b64", lane},
    {"fma.m1n1k1.f32.f16", I::Fma, {1, 1, 1}, K::F16, K::F32,
     "lane.1x1.b16", "lane.1x1.b16", "lane.1x1.b32", lane},
    {"fma.m1n1k1.f32.bf16", I::Fma, {1, 1, 1}, K::BF16, K::F32,
     "lane.1x1.b16", "lane.1x1.b16", "lane.1x1.b32", lane},
    {"fma.m1n1k1.f32.f8E4M3FN", I::Fma, {1, 1, 1}, K::F8E4M3FN, K::F32,
     "lane.1x1.b8", "lane.1x1.b8", "lane.1x1.b32", lane},
    {"fma.m1n1k1.f32.f8E5M2", I::Fma, {1, 1, 1}, K::F8E5M2, K::F32,
     "lane.1x1.b8", "lane.1x1.b8", "lane.1x1.b32", lane},

    // AMD CDNA. There are no instructions on integers without a sign.
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

    // AMD RDNA 3, whose lanes hold A and B twice, and RDNA 4.
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

    // SPIR-V.
    {"cooperative_matrix.m16n16k16.f32.f16", I::CooperativeMatrix,
     {16, 16, 16}, K::F16, K::F32, "", "", "", khr},
    {"cooperative_matrix.m16n16k16.f16.f16", I::CooperativeMatrix,
     {16, 16, 16}, K::F16, K::F16, "", "", "", khr},
    {"cooperative_matrix.m8n16k16.f32.f16", I::CooperativeMatrix,
     {8, 16, 16}, K::F16, K::F32, "", "", "", khr},
    {"cooperative_matrix.m8n16k16.f32.bf16", I::CooperativeMatrix,
     {8, 16, 16}, K::BF16, K::F32, "", "", "", khr},

    // NVIDIA's warpgroups.
    {"wgmma.m16n8k16.f32.f16", I::Wgmma, {16, 8, 16}, K::F16, K::F32,
     "nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32", ptxGroup},
    {"wgmma.m16n8k16.f16.f16", I::Wgmma, {16, 8, 16}, K::F16, K::F16,
     "nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16", ptxGroup},
    {"wgmma.m16n8k16.f32.bf16", I::Wgmma, {16, 8, 16}, K::BF16, K::F32,
     "nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32", ptxGroup},
    {"wgmma.m16n8k8.f32.tf32", I::Wgmma, {16, 8, 8}, K::TF32, K::F32,
     "nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32", ptxGroup},
    {"wgmma.m16n8k32.f32.f8E4M3FN", I::Wgmma, {16, 8, 32}, K::F8E4M3FN, K::F32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptxGroup},
    {"wgmma.m16n8k32.f32.f8E5M2", I::Wgmma, {16, 8, 32}, K::F8E5M2, K::F32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptxGroup},
    {"wgmma.m16n8k32.f32.f8E4M3FN.f8E5M2", I::Wgmma, {16, 8, 32}, K::F8E4M3FN,
     K::F32, "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptxGroup,
     K::F8E5M2},
    {"wgmma.m16n8k32.f32.f8E5M2.f8E4M3FN", I::Wgmma, {16, 8, 32}, K::F8E5M2,
     K::F32, "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptxGroup,
     K::F8E4M3FN},
    {"wgmma.m16n8k32.i32.i8", I::Wgmma, {16, 8, 32}, K::I8, K::I32,
     "nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32", ptxGroup},
};
// clang-format on

llvm::ArrayRef<Atom> kami::allAtoms() { return atoms; }

const Atom *kami::findAtom(llvm::StringRef name) {
  const Atom *found =
      llvm::find_if(atoms, [&](const Atom &atom) { return atom.name == name; });
  return found == std::end(atoms) ? nullptr : found;
}
