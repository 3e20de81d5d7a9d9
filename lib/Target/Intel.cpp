//===- Intel.cpp - Facts about Intel's chips and about Vulkan -------------===//
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

static constexpr llvm::StringLiteral max1100 =
    "Intel Data Center GPU Max Series technical overview: 4096 f16 operations "
    "per cycle of an Xe core (KAMI's Table 3 lists 22 TFLOPS)";
static constexpr AtomRate xeHpcAtoms[] = {
    {"cooperative_matrix.m8n16k16.f32.f16", 512, 1.0, P::Assumed, max1100},
    {"cooperative_matrix.m8n16k16.f32.bf16", 512, 1.0, P::Assumed, max1100},
};

static constexpr llvm::StringLiteral b580 =
    "Intel Xe2 architecture overview: 2048 f16 operations per cycle of an Xe "
    "core";
static constexpr AtomRate xe2Atoms[] = {
    {"cooperative_matrix.m8n16k16.f32.f16", 256, 1.0, P::Assumed, b580},
    {"cooperative_matrix.m8n16k16.f32.bf16", 256, 1.0, P::Assumed, b580},
};

static constexpr llvm::StringLiteral anyDevice =
    "an estimate; the specification says nothing of speed";
static constexpr AtomRate vulkanAtoms[] = {
    {"cooperative_matrix.m16n16k16.f32.f16", 256, 1.0, P::Assumed, anyDevice},
    {"cooperative_matrix.m16n16k16.f16.f16", 256, 1.0, P::Assumed, anyDevice},
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
static constexpr Citation vulkanCitations[] = {
    {"everything", P::Assumed,
     "what desktop drivers with VK_KHR_cooperative_matrix offer at least "
     "(subgroups of 32, 1024 invocations, 32 KiB), and a middling device; a "
     "real one lists its own"},
};

/// Eight vector engines with eight threads of 128 registers of 64 bytes; in
/// SIMD16 a lane has 128 registers, twice that in the large mode.
static Chip xe() {
  Chip chip = {};
  chip.vendor = "Intel";
  chip.instruction = Instruction::CooperativeMatrix;
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

static Chip vulkan() {
  Chip chip = {};
  chip.vendor = "Khronos";
  chip.instruction = Instruction::CooperativeMatrix;
  chip.warpSize = 32;
  chip.tensorCores = 2;
  chip.registers = 65536;
  chip.maxRegistersPerThread = 255;
  chip.registerGranularity = 8;
  chip.maxThreadsPerBlock = 1024;
  chip.maxThreadsPerMultiprocessor = 1024;
  chip.maxBlocksPerMultiprocessor = 16;
  chip.sharedPerBlock = 32 << 10;
  chip.sharedPerMultiprocessor = 64 << 10;
  chip.sharedBanks = 32;
  chip.sharedBankBytes = 4;
  chip.sharedLatency = 40;
  chip.sharedBandwidth = 128;
  chip.memoryLatency = 800;
  chip.launchMicroseconds = 5;
  return chip;
}

llvm::ArrayRef<Chip> kami::intelChips() {
  static const Chip chips[] = {
      makeChip(vulkan(), {"vulkan", "a device with VK_KHR_cooperative_matrix",
                          64, 2000, 4, 500, vulkanAtoms, vulkanCitations}),
      makeChip(xe(), {"xe-hpc", "Intel Data Center GPU Max 1100", 56, 1550, 108,
                      1229, xeHpcAtoms, xeHpcCitations}),
      makeChip(xe(), {"xe2", "Intel Arc B580", 20, 2670, 18, 456, xe2Atoms,
                      xe2Citations}),
  };
  return chips;
}
