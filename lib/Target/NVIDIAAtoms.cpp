//===- NVIDIAAtoms.cpp - NVIDIA's matrix instructions -------------------===//
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

static constexpr llvm::StringLiteral ptx =
    "PTX ISA 9.0, section 9.7.14.5 (mma)";
static constexpr llvm::StringLiteral fma =
    "PTX ISA 9.0, section 9.7.3 (fma); an outer product, 4 of them a lane";
static constexpr llvm::StringLiteral lane =
    "PTX ISA 9.0, section 9.7.3 (fma); narrower elements are extended first";
static constexpr llvm::StringLiteral ptxGroup =
    "PTX ISA 9.0, section 9.7.15 (wgmma.mma_async), a warp's 16 rows";

// clang-format off
static constexpr Atom atoms[] = {
    // A warp's. m16n8k4 f64 and m16n8k8 f16 exist too, but are slower.
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

    // The lanes by themselves. 8-bit floats are extended first.
    {"fma.m16n8k1.f32.f32", I::Fma, {16, 8, 1}, K::F32, K::F32,
     "nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32", fma},
    {"fma.m16n16k4.f32.f32", I::Fma, {16, 16, 4}, K::F32, K::F32,
     "paired.a.16x4.b32", "paired.b.4x16.b32", "paired.c.16x16.b32", fma},
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

    // Warpgroups'.
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

llvm::ArrayRef<Atom> kami::nvidiaAtoms() { return atoms; }
