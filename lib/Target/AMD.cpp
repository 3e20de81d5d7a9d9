//===- AMD.cpp - Facts about AMD's chips ----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace kami;

using P = Provenance;

static constexpr llvm::StringLiteral amdgpu =
    "AMDGPU usage guide of LLVM (VGPR granularity, LDS size); ROCm "
    "documentation, \"Accelerator and GPU hardware specifications\"";
static constexpr llvm::StringLiteral limitFigures =
    "warp size, registers, threads, blocks, shared memory, banks";
static constexpr llvm::StringLiteral productFigures =
    "multiprocessors, tensor cores, clock, L2, memory bandwidth";
static constexpr llvm::StringLiteral guessedFigures = "latencies, launch";
static constexpr llvm::StringLiteral guessed =
    "the LDS latency that the vendor's tuning guides give as 64 cycles; the "
    "rest is an estimate";

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

// Operations a cycle are AMD's matrix instruction calculator's, of a compute
// unit or of a work group processor of two, over four matrix units; they agree
// with the peaks of the data sheets. That a loop reaches them is assumed.
static constexpr llvm::StringLiteral mi210 = "AMD Instinct MI210 data sheet";
static constexpr llvm::StringLiteral cdna2 =
    "AMD matrix instruction calculator, CDNA2, FLOPs/CU/cycle";
static constexpr AtomRate gfx90aAtoms[] = {
    {"mfma.m16n16k16.f32.f16", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m32n32k8.f32.f16", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m64n4k4.f32.f16", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m16n16k16.f32.bf16", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m32n32k8.f32.bf16", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m64n4k4.f32.bf16", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m16n16k4.f32.f32", 64, 1.0, P::Assumed, cdna2},
    {"mfma.m32n32k2.f32.f32", 64, 1.0, P::Assumed, cdna2},
    {"mfma.m64n4k1.f32.f32", 64, 1.0, P::Assumed, cdna2},
    {"mfma.m16n16k4.f64.f64", 64, 1.0, P::Assumed, cdna2},
    {"mfma.m16n4k4.f64.f64", 64, 0.5, P::Assumed, cdna2},
    {"mfma.m16n16k16.i32.i8", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m32n32k8.i32.i8", 256, 1.0, P::Assumed, cdna2},
    {"mfma.m64n4k4.i32.i8", 256, 1.0, P::Assumed, cdna2},
};

// gfx942's instructions on tf32 are left out, which gfx950 does not have. Its
// 8-bit floats are not the OCP's, which are multiplied as f16.
static constexpr llvm::StringLiteral mi300x = "AMD Instinct MI300X data sheet";
static constexpr llvm::StringLiteral cdna3 =
    "AMD matrix instruction calculator, CDNA3, FLOPs/CU/cycle";
static constexpr AtomRate gfx942Atoms[] = {
    {"mfma.m16n16k16.f32.f16", 512, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k8.f32.f16", 512, 1.0, P::Assumed, cdna3},
    {"mfma.m64n4k4.f32.f16", 512, 0.5, P::Assumed, cdna3},
    {"mfma.m16n16k16.f32.bf16", 512, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k8.f32.bf16", 512, 1.0, P::Assumed, cdna3},
    {"mfma.m64n4k4.f32.bf16", 512, 0.5, P::Assumed, cdna3},
    {"mfma.m16n16k4.f32.f32", 64, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k2.f32.f32", 64, 1.0, P::Assumed, cdna3},
    {"mfma.m64n4k1.f32.f32", 64, 1.0, P::Assumed, cdna3},
    {"mfma.m16n16k4.f64.f64", 64, 1.0, P::Assumed, cdna3},
    {"mfma.m16n4k4.f64.f64", 64, 0.5, P::Assumed, cdna3},
    {"mfma.m16n16k32.i32.i8", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k16.i32.i8", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m64n4k4.i32.i8", 1024, 0.25, P::Assumed, cdna3},
    {"mfma.m16n16k32.f32.f8E4M3FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m16n16k32.f32.f8E4M3FNUZ.f8E5M2FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m16n16k32.f32.f8E5M2FNUZ.f8E4M3FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m16n16k32.f32.f8E5M2FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k16.f32.f8E4M3FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k16.f32.f8E4M3FNUZ.f8E5M2FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k16.f32.f8E5M2FNUZ.f8E4M3FNUZ", 1024, 1.0, P::Assumed, cdna3},
    {"mfma.m32n32k16.f32.f8E5M2FNUZ", 1024, 1.0, P::Assumed, cdna3},
};

// The shorter instructions remain, at the rate they had; so do those on 8-bit
// floats, which have the OCP's formats here.
static constexpr llvm::StringLiteral mi355x = "AMD Instinct MI355X data sheet";
static constexpr AtomRate gfx950Atoms[] = {
    {"mfma.m16n16k32.f32.f16", 1024, 1.0, P::Assumed, mi355x},
    {"mfma.m32n32k16.f32.f16", 1024, 1.0, P::Assumed, mi355x},
    {"mfma.m16n16k16.f32.f16", 1024, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k8.f32.f16", 1024, 0.5, P::Assumed, mi355x},
    {"mfma.m64n4k4.f32.f16", 1024, 0.25, P::Assumed, mi355x},
    {"mfma.m16n16k32.f32.bf16", 1024, 1.0, P::Assumed, mi355x},
    {"mfma.m32n32k16.f32.bf16", 1024, 1.0, P::Assumed, mi355x},
    {"mfma.m16n16k16.f32.bf16", 1024, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k8.f32.bf16", 1024, 0.5, P::Assumed, mi355x},
    {"mfma.m64n4k4.f32.bf16", 1024, 0.25, P::Assumed, mi355x},
    {"mfma.m16n16k4.f32.f32", 64, 1.0, P::Assumed, mi355x},
    {"mfma.m32n32k2.f32.f32", 64, 1.0, P::Assumed, mi355x},
    {"mfma.m64n4k1.f32.f32", 64, 1.0, P::Assumed, mi355x},
    {"mfma.m16n16k4.f64.f64", 32, 1.0, P::Assumed, mi355x},
    {"mfma.m16n4k4.f64.f64", 32, 1.0, P::Assumed, mi355x},
    {"mfma.m16n16k64.i32.i8", 2048, 1.0, P::Assumed, mi355x},
    {"mfma.m32n32k32.i32.i8", 2048, 1.0, P::Assumed, mi355x},
    {"mfma.m16n16k32.i32.i8", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k16.i32.i8", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m64n4k4.i32.i8", 2048, 0.125, P::Assumed, mi355x},
    {"mfma.m16n16k32.f32.f8E4M3FN", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m16n16k32.f32.f8E4M3FN.f8E5M2", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m16n16k32.f32.f8E5M2.f8E4M3FN", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m16n16k32.f32.f8E5M2", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k16.f32.f8E4M3FN", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k16.f32.f8E4M3FN.f8E5M2", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k16.f32.f8E5M2.f8E4M3FN", 2048, 0.5, P::Assumed, mi355x},
    {"mfma.m32n32k16.f32.f8E5M2", 2048, 0.5, P::Assumed, mi355x},
};

// f16 sums are left out: the instruction leaves every other half register as it
// was. Products of f32 and f64 are the lanes' own, at twice the documented rate
// only where two instructions can be issued together.
static constexpr llvm::StringLiteral xtx7900 =
    "KAMI (SC '25), Table 3: 123 TFLOPS of 96 x 2 tensor cores at 2498 MHz";
static constexpr llvm::StringLiteral xtx7900Lanes =
    "AMD Radeon RX 7900 XTX data sheet: 61.4 TFLOPS f32, 1.92 f64";
static constexpr AtomRate gfx1100Atoms[] = {
    {"wmma.m16n16k16.f32.f16", 256, 1.0, P::Assumed, xtx7900},
    {"wmma.m16n16k16.f32.bf16", 256, 1.0, P::Assumed, xtx7900},
    {"wmma.m16n16k16.i32.i8", 256, 1.0, P::Assumed, xtx7900},
    {"wmma.m16n16k16.i32.i8.u8", 256, 1.0, P::Assumed, xtx7900},
    {"wmma.m16n16k16.i32.u8.i8", 256, 1.0, P::Assumed, xtx7900},
    {"wmma.m16n16k16.i32.u8", 256, 1.0, P::Assumed, xtx7900},
    {"fma.m16n8k1.f32.f32", 128, 0.5, P::Assumed, xtx7900Lanes},
    {"fma.m16n8k1.f64.f64", 4, 1.0, P::Assumed, xtx7900Lanes},
};

static constexpr llvm::StringLiteral xt9070 =
    "AMD Radeon RX 9070 XT data sheet: 195 TFLOPS f16 dense, 389 of 8 bits";
static constexpr llvm::StringLiteral xt9070Lanes =
    "AMD Radeon RX 9070 XT data sheet: 48.7 TFLOPS f32, a 32nd of it f64";
static constexpr AtomRate gfx1201Atoms[] = {
    {"wmma.rdna4.m16n16k16.f32.f16", 512, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.f16.f16", 512, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.f32.bf16", 512, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.i32.i8", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.i32.i8.u8", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.i32.u8.i8", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.i32.u8", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.f32.f8E4M3FN", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.f32.f8E4M3FN.f8E5M2", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.f32.f8E5M2.f8E4M3FN", 1024, 1.0, P::Assumed, xt9070},
    {"wmma.rdna4.m16n16k16.f32.f8E5M2", 1024, 1.0, P::Assumed, xt9070},
    {"fma.m16n8k1.f32.f32", 128, 0.5, P::Assumed, xt9070Lanes},
    {"fma.m16n8k1.f64.f64", 4, 1.0, P::Assumed, xt9070Lanes},
};

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

static constexpr Citation gfx90aCitations[] = {
    {limitFigures, P::Documented, amdgpu},
    {productFigures, P::Documented, mi210},
    {guessedFigures, P::Assumed, guessed},
};
static constexpr Citation gfx942Citations[] = {
    {limitFigures, P::Documented, amdgpu},
    {productFigures, P::Documented, mi300x},
    {guessedFigures, P::Assumed, guessed},
};
static constexpr Citation gfx950Citations[] = {
    {limitFigures, P::Documented, amdgpu},
    {productFigures, P::Documented, mi355x},
    {guessedFigures, P::Assumed, guessed},
};
static constexpr Citation gfx1100Citations[] = {
    {limitFigures, P::Documented, amdgpu},
    {"multiprocessors, tensor cores, clock", P::Documented, xtx7900},
    {"L2, memory bandwidth", P::Documented,
     "AMD Radeon RX 7900 XTX data sheet"},
    {guessedFigures, P::Assumed, guessed},
};
static constexpr Citation gfx1201Citations[] = {
    {limitFigures, P::Documented, amdgpu},
    {productFigures, P::Documented, xt9070},
    {guessedFigures, P::Assumed, guessed},
};

// Which lanes LDS serves together when each reads 16 bytes (ds_read_b128), as
// measured: 0 to 3 with 20 to 23 up to CDNA 3; 0 to 3, 12 to 15, 20 to 23 and
// 24 to 27 on CDNA 4, which has 64 banks. Writes are served for neighbours.
// (ROCm documentation, Composable Kernel, "Understanding AMD GPU LDS and Bank
// Conflicts"; Triton, pull request 11365.)
static constexpr unsigned cdnaWideReads[] = {1, 2, 4 ^ 16};
static constexpr unsigned cdna4WideReads[] = {1, 2, 4 ^ 8, 4 ^ 16};

// LLVM 22.1 computes all addresses of a tile of k ahead of the loop where
// strides are known only at run time. What it takes beyond two registers a word
// was found by compiling (test/Registers/Inputs/scratch.py --full): of rows of
// adjacent elements, no plan that the planner chooses with so many to spare
// takes scratch memory. RDNA's 256 registers leave room for no plan at all
// where 176 are asked for.

/// What CDNA's compute units share: four SIMDs, each with 512 registers of 64
/// lanes (vector and accumulation registers together) and 8 waves.
static Chip cdna(int64_t sharedKiB) {
  Chip chip = {};
  chip.vendor = "AMD";
  chip.instruction = Instruction::Mfma;
  chip.warpSize = 64;
  chip.tensorCores = 4;
  chip.registers = 4 * 512 * 64;
  chip.maxRegistersPerThread = 512;
  chip.strideRegisters = 240;
  chip.registerGranularity = 8;
  chip.maxThreadsPerBlock = 1024;
  chip.maxThreadsPerMultiprocessor = 4 * 8 * 64;
  chip.maxBlocksPerMultiprocessor = 32;
  chip.sharedPerBlock = chip.sharedPerMultiprocessor = sharedKiB << 10;
  chip.sharedBanks = 32;
  chip.sharedBankBytes = 4;
  chip.wideReadLanes = cdnaWideReads;
  chip.sharedLatency = 64;
  chip.sharedBandwidth = 128;
  chip.memoryLatency = 800;
  chip.launchMicroseconds = 2;
  return chip;
}

/// CDNA 4 has more shared memory, of more banks.
static Chip cdna4() {
  Chip chip = cdna(160);
  chip.sharedBanks = 64;
  chip.wideReadLanes = cdna4WideReads;
  return chip;
}

/// What RDNA's compute units share in the wave32 mode: two SIMDs, each with
/// 1536 registers of 32 lanes and 16 waves.
static Chip rdna() {
  Chip chip = {};
  chip.vendor = "AMD";
  chip.instruction = Instruction::Wmma;
  chip.warpSize = 32;
  chip.tensorCores = 2;
  chip.registers = 2 * 1536 * 32;
  chip.maxRegistersPerThread = 256;
  chip.strideRegisters = 72;
  chip.registerGranularity = 24;
  chip.maxThreadsPerBlock = 1024;
  chip.maxThreadsPerMultiprocessor = 2 * 16 * 32;
  chip.maxBlocksPerMultiprocessor = 32;
  chip.sharedPerBlock = chip.sharedPerMultiprocessor = 64 << 10;
  chip.sharedBanks = 32;
  chip.sharedBankBytes = 4;
  chip.sharedLatency = 64;
  chip.sharedBandwidth = 128;
  chip.memoryLatency = 800;
  chip.launchMicroseconds = 2;
  return chip;
}

llvm::ArrayRef<Chip> kami::amdChips() {
  static const Chip chips[] = {
      makeChip(cdna(64), {"gfx90a", "AMD Instinct MI210", 104, 1700, 8, 1638,
                          gfx90aAtoms, gfx90aCitations}),
      makeChip(cdna(64), {"gfx942", "AMD Instinct MI300X", 304, 2100, 32, 5300,
                          gfx942Atoms, gfx942Citations}),
      makeChip(cdna4(), {"gfx950", "AMD Instinct MI355X", 256, 2400, 32, 8000,
                         gfx950Atoms, gfx950Citations}),
      makeChip(rdna(), {"gfx1100", "AMD Radeon RX 7900 XTX", 96, 2498, 6, 960,
                        gfx1100Atoms, gfx1100Citations}),
      makeChip(rdna(), {"gfx1201", "AMD Radeon RX 9070 XT", 64, 2970, 8, 645,
                        gfx1201Atoms, gfx1201Citations}),
  };
  return chips;
}
