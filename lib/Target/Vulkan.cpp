//===- Vulkan.cpp - Facts about Vulkan devices ----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vulkan is no vendor: a device lists its own figures (VulkanDevice.h). What
// stands here is for planning without one, and a device that is software.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

using namespace kami;

using P = Provenance;

static constexpr llvm::StringLiteral anyDevice =
    "an estimate; the specification says nothing of speed";
static constexpr AtomRate vulkanAtoms[] = {
    {"cooperative_matrix.m16n16k16.f32.f16.lanes32", 256, 1.0, P::Assumed,
     anyDevice},
    {"cooperative_matrix.m16n16k16.f16.f16.lanes32", 256, 1.0, P::Assumed,
     anyDevice},
    {"cooperative_matrix.m16n16k16.f32.bf16.lanes32", 256, 1.0, P::Assumed,
     anyDevice},
    {"cooperative_matrix.m16n16k16.i32.i8.lanes32", 512, 1.0, P::Assumed,
     anyDevice},
    {"cooperative_matrix.m16n16k16.i32.u8.lanes32", 512, 1.0, P::Assumed,
     anyDevice},
};

static constexpr llvm::StringLiteral lavapipe =
    "an estimate: eight lanes of AVX2, and no matrix unit";
static constexpr AtomRate lavapipeAtoms[] = {
    {"cooperative_matrix.m8n8k8.f32.f16.lanes8", 4, 1.0, P::Assumed, lavapipe},
    {"cooperative_matrix.m8n8k8.f16.f16.lanes8", 4, 1.0, P::Assumed, lavapipe},
    {"cooperative_matrix.m8n8k8.i32.i8.lanes8", 4, 1.0, P::Assumed, lavapipe},
    {"cooperative_matrix.m8n8k8.i32.u8.lanes8", 4, 1.0, P::Assumed, lavapipe},
};

static constexpr Citation vulkanCitations[] = {
    {"everything", P::Assumed,
     "what desktop drivers with VK_KHR_cooperative_matrix offer at least "
     "(subgroups of 32, 1024 invocations, 32 KiB), and a middling device; a "
     "real one lists its own"},
};
static constexpr Citation lavapipeCitations[] = {
    {"warp size, threads, blocks, shared memory, matrices", P::Measured,
     "llvmpipe of Mesa 26.1.6, 256 bits, by its own account "
     "(kami-plan --device-info)"},
    {"everything else", P::Assumed, "an estimate; a CPU's cores and memory"},
};

Chip kami::vulkanFamily() {
  Chip chip = {};
  chip.vendor = "Khronos";
  chip.instruction = Instruction::CooperativeMatrix;
  chip.spirv = SpirvFlavor::Vulkan;
  chip.warpSize = 32;
  chip.multiprocessors = 64;
  chip.tensorCores = 2;
  chip.boostMHz = 2000;
  chip.registers = 65536;
  chip.maxRegistersPerThread = 255;
  chip.registerGranularity = 8;
  chip.maxThreadsPerBlock = 1024;
  chip.maxThreadsPerMultiprocessor = 1024;
  chip.maxBlocksPerMultiprocessor = 16;
  // Vulkan 1.4, table "Required Limits": maxComputeWorkGroupCount.
  chip.maxBlocks = 65535;
  chip.sharedPerBlock = 32 << 10;
  chip.sharedPerMultiprocessor = 64 << 10;
  chip.sharedBanks = 32;
  chip.sharedBankBytes = 4;
  chip.sharedLatency = 40;
  chip.sharedBandwidth = 128;
  chip.l2Bytes = 4 << 20;
  chip.memoryBandwidth = 500;
  chip.memoryLatency = 800;
  chip.launchMicroseconds = 5;
  return chip;
}

static Chip softwareFamily() {
  Chip chip = vulkanFamily();
  // Of Mesa 26.1.6, by trial: a subgroup is one vector, and OpControlBarrier
  // waits for all subgroups whatever its scope, so that they must not pass
  // different numbers of them.
  chip.lockstepWarps = true;
  chip.warpSize = 8;
  chip.tensorCores = 1;
  chip.sharedPerMultiprocessor = 32 << 10;
  return chip;
}

llvm::ArrayRef<Chip> kami::vulkanChips() {
  static const Chip chips[] = {
      makeChip(vulkanFamily(),
               {"vulkan", "a device with VK_KHR_cooperative_matrix", 64, 2000,
                4, 500, vulkanAtoms, vulkanCitations}),
      makeChip(softwareFamily(), {"lavapipe", "Mesa's software device", 8, 3000,
                                  16, 50, lavapipeAtoms, lavapipeCitations}),
  };
  return chips;
}
