//===- BlockModelTest.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/BlockModel.h"
#include "kami/Plan/Plan.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
struct BlockModel : testing::Test {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));

  BlockCost cost(llvm::StringRef name, const Extents &extents,
                 const WarpGrid &grid, const Slicing &slicing,
                 const Exchange &exchange) const {
    const Atom &atom = *findAtom(name);
    Partition partition(extents, grid, atom.shape, slicing.k);
    return blockCost(
        atom, partition, slicing, exchange,
        resourcesOf(atom, partition, slicing, chip.warpSize, exchange), chip,
        calibrationOf(chip));
  }
};

constexpr Exchange staged = {Transport::Staged, Source::Block, Source::Block};
} // namespace

// One product of the instruction's shape: a warp waits for the sums of each of
// its k steps, 26.6 cycles as measured. A sum of two numbers times another is
// three products. The lanes' multiply-adds wait less.
TEST_F(BlockModel, AWarpWaitsForItsInstructions) {
  double matrix = cost("mma_sync.m16n8k8.f32.tf32", {16, 8, 16}, {1, 1, 1},
                       {8, 0, 0}, staged)
                      .computation;
  double thrice = cost("mma_sync.m16n8k8.f32.tf32x3", {16, 8, 16}, {1, 1, 1},
                       {8, 0, 0}, staged)
                      .computation;
  double lanes =
      cost("fma.m16n8k1.f32.f32", {16, 8, 16}, {1, 1, 1}, {1, 0, 0}, staged)
          .computation;
  EXPECT_DOUBLE_EQ(matrix, 2 * 26.6);
  EXPECT_NEAR(thrice, 3 * matrix, 0.02 * thrice);
  // 16 steps, of 128 multiply-adds by 32 lanes each: 5.83 cycles as measured.
  EXPECT_NEAR(lanes, 16 * 5.83, 1e-9);
}

namespace {
struct MeasuredPlan {
  llvm::StringRef atom;
  Extents extents;
  WarpGrid grid;
  Transport transport;
  Slicing slices;
  double cycles;
};
} // namespace

// NVIDIA H200, CUDA 13.0, 2026-11-21, 16384 blocks, median of 5 launches:
//   kami-bench block --all --types=f16,tf32,f64,i8,f8E4M3FN --sizes=64,96,128
static constexpr MeasuredPlan h200[] = {
    {"mma_sync.m16n8k16.f32.f16",
     {64, 64, 64},
     {1, 2, 1},
     Transport::Resident,
     {32, 1, 1},
     245.9},
    {"mma_sync.m16n8k16.f32.f16",
     {64, 64, 64},
     {2, 1, 1},
     Transport::DoubleBuffered,
     {32, 0, 0},
     351.5},
    {"mma_sync.m16n8k16.f32.f16",
     {64, 64, 64},
     {4, 1, 1},
     Transport::Staged,
     {16, 1, 0},
     546.9},
    {"mma_sync.m16n8k16.f32.f16",
     {64, 64, 64},
     {1, 4, 1},
     Transport::Gathered,
     {16, 1, 1},
     432.4},
    {"mma_sync.m16n8k16.f32.f16",
     {128, 128, 128},
     {4, 2, 1},
     Transport::Resident,
     {16, 4, 2},
     2126.5},
    {"mma_sync.m16n8k8.f64.f64",
     {64, 64, 64},
     {2, 2, 1},
     Transport::Staged,
     {16, 1, 2},
     2321.8},
    {"mma_sync.m16n8k8.f64.f64",
     {96, 96, 96},
     {2, 2, 1},
     Transport::Resident,
     {16, 3, 3},
     8885.8},
    {"mma_sync.m16n8k8.f64.f64",
     {96, 96, 96},
     {2, 4, 1},
     Transport::Resident,
     {8, 3, 6},
     7182.6},
    {"mma_sync.m16n8k32.i32.i8",
     {64, 64, 64},
     {2, 2, 1},
     Transport::DoubleBuffered,
     {32, 0, 0},
     239.1},
    {"mma_sync.m16n8k8.f32.tf32",
     {64, 64, 64},
     {2, 2, 1},
     Transport::Staged,
     {8, 0, 0},
     999.0},
    {"mma_sync.m16n8k8.f32.tf32",
     {64, 64, 64},
     {2, 2, 2},
     Transport::Resident,
     {8, 2, 2},
     970.0},
    {"mma_sync.m16n8k32.f32.f8E4M3FN",
     {64, 64, 64},
     {2, 1, 1},
     Transport::Staged,
     {32, 0, 0},
     351.8},
    {"wgmma.m16n8k16.f32.f16",
     {64, 64, 64},
     {4, 1, 1},
     Transport::Resident,
     {16, 0, 1},
     156.2},
};

TEST_F(BlockModel, PredictsWhatAnH200Measured) {
  for (const MeasuredPlan &plan : h200) {
    const Atom &atom = *findAtom(plan.atom);
    Unit unit =
        atom.instruction == Instruction::Wgmma ? Unit::WarpGroup : Unit::Warp;
    BlockCost predicted =
        cost(plan.atom, plan.extents, plan.grid, plan.slices,
             {plan.transport, Source::Block, Source::Block, unit});
    EXPECT_NEAR(predicted.total / plan.cycles, 1, 0.2)
        << plan.atom.str() << " " << plan.grid.m << "x" << plan.grid.n << "x"
        << plan.grid.k << " " << name(plan.transport).str();
  }
}
