//===- Intel.cpp - Facts about Intel's chips ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace kami;

using P = Provenance;

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

// Shapes are those of 16 lanes in "joint_matrix", table of supported
// combinations (Intel oneAPI DPC++ extension sycl_ext_oneapi_matrix): up to 8
// rows, 16 columns, and 32 bytes of k.
static constexpr llvm::StringLiteral max1100 =
    "Intel Data Center GPU Max Series technical overview, \"Xe core\": 4096 "
    "operations of f16 and bf16, 8192 of i8 per cycle";
static constexpr AtomRate xeHpcAtoms[] = {
    {"cooperative_matrix.m8n16k16.f32.f16.lanes16", 512, 1.0, P::Assumed,
     max1100},
    {"cooperative_matrix.m8n16k16.f16.f16.lanes16", 512, 1.0, P::Assumed,
     max1100},
    {"cooperative_matrix.m8n16k16.f32.bf16.lanes16", 512, 1.0, P::Assumed,
     max1100},
    {"cooperative_matrix.m8n16k32.i32.i8.lanes16", 1024, 1.0, P::Assumed,
     max1100},
    {"cooperative_matrix.m8n16k32.i32.u8.lanes16", 1024, 1.0, P::Assumed,
     max1100},
};

static constexpr llvm::StringLiteral b580 =
    "Intel Arc B580 specifications: 233 TOPS of i8 from 160 engines at 2850 "
    "MHz, 512 operations per cycle; f16 and bf16 at half of that";
static constexpr AtomRate xe2Atoms[] = {
    {"cooperative_matrix.m8n16k16.f32.f16.lanes16", 256, 1.0, P::Assumed, b580},
    {"cooperative_matrix.m8n16k16.f16.f16.lanes16", 256, 1.0, P::Assumed, b580},
    {"cooperative_matrix.m8n16k16.f32.bf16.lanes16", 256, 1.0, P::Assumed,
     b580},
    {"cooperative_matrix.m8n16k32.i32.i8.lanes16", 512, 1.0, P::Assumed, b580},
    {"cooperative_matrix.m8n16k32.i32.u8.lanes16", 512, 1.0, P::Assumed, b580},
};

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral oneAPI =
    "Intel oneAPI GPU Optimization Guide, \"Intel Xe GPU Architecture\"";
static constexpr Citation xeHpcCitations[] = {
    {"warp size, registers, threads, shared memory, L2", P::Documented, oneAPI},
    {"multiprocessors, tensor cores (448 in all), clock, banks", P::Documented,
     "KAMI (SC '25), Table 3, Max 1100"},
    {"memory bandwidth", P::Documented,
     "Intel Data Center GPU Max 1100 specifications"},
    {"blocks, latencies, launch", P::Assumed, "an estimate"},
};
static constexpr Citation xe2Citations[] = {
    {"warp size, registers, threads, shared memory", P::Documented, oneAPI},
    {"multiprocessors, tensor cores, clock, L2, memory bandwidth",
     P::Documented, "Intel Arc B580 specifications"},
    {"blocks, banks, latencies, launch", P::Assumed, "an estimate"},
};
/// Eight vector engines with eight threads of 128 registers of 64 bytes; in
/// SIMD16 a lane has 128 registers, twice that in the large mode.
static Chip xe() {
  Chip chip = {};
  chip.vendor = "Intel";
  chip.instruction = Instruction::CooperativeMatrix;
  chip.spirv = SpirvFlavor::Kernel;
  chip.warpSize = 16;
  chip.tensorCores = 8;
  chip.registers = 8 * 8 * 128 * 16;
  chip.maxRegistersPerThread = 256;
  chip.registerGranularity = 128;
  chip.maxThreadsPerBlock = 1024;
  chip.maxThreadsPerMultiprocessor = 1024;
  chip.maxBlocksPerMultiprocessor = 32;
  chip.sharedPerBlock = 128 << 10;
  chip.sharedPerMultiprocessor = 128 << 10;
  chip.sharedBanks = 16;
  chip.sharedBankBytes = 4;
  chip.sharedLatency = 60;
  chip.sharedBandwidth = 64;
  chip.memoryLatency = 800;
  chip.launchMicroseconds = 5;
  return chip;
}

llvm::ArrayRef<Chip> kami::intelChips() {
  static const Chip chips[] = {
      makeChip(xe(), {"xe-hpc", "Intel Data Center GPU Max 1100", 56, 1550, 108,
                      1229, xeHpcAtoms, xeHpcCitations}),
      makeChip(xe(), {"xe2", "Intel Arc B580", 20, 2670, 18, 456, xe2Atoms,
                      xe2Citations}),
  };
  return chips;
}
