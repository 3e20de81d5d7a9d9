//===- ResourcesTest.cpp ------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/Resources.h"
#include "gtest/gtest.h"

using namespace kami;

static const Atom &atom(llvm::StringRef name) { return *findAtom(name); }

// The paper, section 4.7: three 128×128 FP64 matrices over 8 warps need
// 3·128·128·2/256 = 384 registers a thread.
TEST(Resources, ThePapersExampleOfSlicing) {
  const Atom &f64 = atom("mma_sync.m16n8k8.f64.f64");
  Partition partition({128, 128, 128}, {8, 1, 1}, f64.shape, 16);
  Registers registers = registersPerThread(f64, partition, {16, 0, 0}, 32);
  EXPECT_EQ(registers.accumulators + registers.heldA + registers.heldB, 384);
  // A staged slice of B is 16 × 128 doubles: 128 registers of 32 lanes.
  EXPECT_EQ(registers.workingB, 128);
  EXPECT_EQ(registers.workingA, 0);
}

// 192³ f16 on 12 warps. A warp holds 16 × 192 sums (96 registers); B is read
// on demand, 4 fragments of 2 registers; A's fragment of 4 registers stays.
TEST(Resources, GatheredOnTwelveWarps) {
  const Atom &f16 = atom("mma_sync.m16n8k16.f32.f16");
  Partition partition({192, 192, 192}, {12, 1, 1}, f16.shape, 16);
  Resources resources = resourcesOf(f16, partition, {16, 12, 1}, 32);
  EXPECT_EQ(resources.threads, 384);
  EXPECT_EQ(resources.registers.accumulators, 96);
  EXPECT_EQ(resources.registers.heldA, 0);
  EXPECT_EQ(resources.registers.heldB, 0);
  EXPECT_EQ(resources.registers.workingA, 4);
  EXPECT_EQ(resources.registers.workingB, 8);
  EXPECT_EQ(resources.shared.bytes, 2 * 192 * 192 * 2);
}

// The case that was compiled: 128 + 32 + 8 + 16 + 40 + 24.
TEST(Resources, OnDemandReadsKeepFewFragments) {
  const Atom &f64 = atom("mma_sync.m16n8k8.f64.f64");
  Partition partition({128, 128, 128}, {8, 1, 1}, f64.shape, 8);
  Registers registers = registersPerThread(f64, partition, {8, 12, 2}, 32);
  EXPECT_EQ(registers.heldA, 4 * 8);
  EXPECT_EQ(registers.total(), 248);
}

// A lane of multiply-adds has what its sums need: of 64 × 16 of A two rows of
// each 16, 8 · 16 numbers, of 16 × 64 of B two columns of each 8, 16 · 16. In
// shared memory each number lies once.
TEST(Resources, ReplicasTakeRegistersButNoSharedMemory) {
  const Atom &fma = atom("fma.m16n8k1.f32.f32");
  Partition partition({64, 64, 16}, {1, 1, 1}, fma.shape, 16);
  Registers registers = registersPerThread(fma, partition, {16, 0, 0}, 32);
  EXPECT_EQ(registers.accumulators, 128);
  EXPECT_EQ(registers.heldA, 8 * 16);
  EXPECT_EQ(registers.heldB, 16 * 16);
  Resources parked = resourcesOf(fma, partition, {16, 1, 1}, 32);
  EXPECT_EQ(parked.shared.bytes, 2 * 64 * 16 * 4);
  // Two outer products at once: each has 8 numbers of A and 16 of B, and four
  // would be more than 64.
  EXPECT_EQ(parked.registers.workingA, 2 * 8);
  EXPECT_EQ(parked.registers.workingB, 2 * 16);
  // All of B goes through registers on its way to shared memory.
  EXPECT_EQ(parked.registers.parking, 16 * 16);
  EXPECT_EQ(parked.registers.total(), 16 * 16 + registerOverhead);
}

// Three products of tf32 hold what each number is split into, if it stays over
// repeats; else only while it is multiplied.
TEST(Resources, SplitOperandsTakeTwice) {
  const Atom &split = atom("mma_sync.m16n8k8.f32.tf32x3");
  Partition partition({32, 32, 32}, {1, 1, 1}, split.shape, 8);
  Registers memory = registersPerThread(split, partition, {8, 0, 0}, 32);
  EXPECT_EQ(memory.heldA, 32);
  Registers block =
      registersPerThread(split, partition, {8, 0, 0}, 32,
                         {Transport::Staged, Source::Block, Source::Block});
  EXPECT_EQ(block.heldA, 2 * 32);
  EXPECT_EQ(block.heldB, 2 * 32);
}

// A tile that is no multiple of the warps' parts has bounds to be checked.
TEST(Resources, RaggedTilesTakeMore) {
  const Atom &f16 = atom("mma_sync.m16n8k16.f32.f16");
  for (auto [extent, overhead] :
       {std::pair(64, registerOverhead),
        std::pair(60, registerOverhead + raggedOverhead)}) {
    Partition partition({extent, 64, 64}, {2, 2, 1}, f16.shape, 16);
    EXPECT_EQ(registersPerThread(f16, partition, {16, 0, 0}, 32).overhead,
              overhead);
  }
}

// Copied f64 holds one slice beside its sums. Where all terms are one tile,
// nothing of a next one has a register, and bounds cost none.
TEST(Resources, OneTileOfDoublesTakesFewer) {
  const Atom &f64 = atom("mma_sync.m16n8k8.f64.f64");
  Partition partition({72, 72, 72}, {2, 3, 1}, f64.shape, 8);
  auto registers = [&](int64_t stages) {
    Exchange exchange = {Transport::Copied, Source::Block, Source::Block};
    exchange.stages = stages;
    return registersPerThread(f64, partition, {8, 9, 9}, 32, exchange);
  };
  constexpr int64_t sums = 48 * 24 / 32 * 2, slices = (48 + 24) * 8 / 32 * 2;
  EXPECT_EQ(registers(1).total(), sums + slices + 48);
  EXPECT_EQ(registers(3).total(), sums + slices + registerOverhead +
                                      wideOverhead + raggedOverhead + 8);
}

TEST(Resources, OneWarpNeedsNothingButItsFragments) {
  const Atom &f16 = atom("mma_sync.m16n8k16.f32.f16");
  Partition partition({16, 8, 16}, {1, 1, 1}, f16.shape, 16);
  Resources resources = resourcesOf(f16, partition, {16, 0, 0}, 32);
  EXPECT_EQ(resources.registers.total(), 4 + 4 + 2 + registerOverhead);
  EXPECT_EQ(resources.shared.bytes, 0);
}

// Half sums are half as many registers.
TEST(Resources, AccumulatorsInHalves) {
  const Atom &f16 = atom("mma_sync.m16n8k16.f16.f16");
  Partition partition({64, 64, 16}, {1, 1, 1}, f16.shape, 16);
  EXPECT_EQ(registersPerThread(f16, partition, {16, 0, 0}, 32).accumulators,
            64 * 64 * 2 / 4 / 32);
}

TEST(Resources, ResidentBlocks) {
  const Chip &h200 = *llvm::cantFail(findChip("sm_90"));
  Resources resources;
  resources.warps = 4;
  resources.threads = 128;
  resources.registers.accumulators = 60;
  // 2048 / 128 threads; registers would allow 65536 / (64 · 128) = 8.
  EXPECT_EQ(residentBlocks(resources, h200), 8);
  // 228 KiB, of which each block takes 40 KiB and the system's 1 KiB.
  resources.shared.bytes = 40 << 10;
  EXPECT_EQ(residentBlocks(resources, h200), 5);
  resources.registers.accumulators = 8;
  resources.shared.bytes = 0;
  EXPECT_EQ(residentBlocks(resources, h200), 16);
}
