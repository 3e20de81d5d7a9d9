//===- ChipTest.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Target/Chip.h"
#include "gtest/gtest.h"
#include <set>

using namespace kami;

static const Chip &chip(llvm::StringRef name) {
  return *llvm::cantFail(findChip(name));
}

TEST(Chip, NamesAreUniqueAndFound) {
  std::set<llvm::StringRef> names;
  for (const Chip &one : allChips()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name.str();
    EXPECT_EQ(&chip(one.name), &one);
  }
}

TEST(Chip, NicknamesOfThePapersMachines) {
  EXPECT_EQ(chip("gh200").name, "sm_90");
  EXPECT_EQ(chip("rtx5090").name, "sm_120");
  EXPECT_EQ(chip("7900xtx").name, "gfx1100");
  EXPECT_EQ(chip("max1100").name, "xe-hpc");
}

TEST(Chip, UnknownNameListsTheKnownOnes) {
  auto found = findChip("sm_42");
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(llvm::toString(found.takeError()),
            "unknown target 'sm_42', expected one of: sm_80, sm_89, sm_90, "
            "sm_100, sm_120, gfx90a, gfx942, gfx950, gfx1100, gfx1201, "
            "xe-hpc, xe2, vulkan, lavapipe");
}

// KAMI's Table 3, in TFLOPS: SMs × tensor cores × clock × O_tc.
TEST(Chip, PeaksOfThePapersTable) {
  auto peak = [](llvm::StringRef name, llvm::StringRef atom) {
    const Chip &one = chip(name);
    return one.multiprocessors * one.tensorCores * one.boostMHz * 1e-6 *
           one.findRate(*findAtom(atom))->opsPerCycle;
  };
  EXPECT_NEAR(peak("sm_90", "mma_sync.m16n8k8.f64.f64"), 67, 0.5);
  EXPECT_NEAR(peak("sm_120", "mma_sync.m16n8k16.f16.f16"), 462, 1);
  EXPECT_NEAR(peak("gfx1100", "wmma.m16n16k16.f32.f16"), 123, 1);
  // 1060 at 1980 MHz; NVIDIA's 990 are at 1830.
  EXPECT_NEAR(peak("sm_90", "mma_sync.m16n8k16.f32.f16") * 1830 / 1980, 990, 2);
}

// AMD's data sheets, in TFLOPS and TOPS: MI210, MI300X, MI355X, RX 9070 XT. Of
// CDNA 4, 8-bit floats have half of the sheet's 5033 with the instructions that
// do not scale.
TEST(Chip, PeaksOfAMDsDataSheets) {
  auto peak = [](llvm::StringRef name, llvm::StringRef atom) {
    const Chip &one = chip(name);
    const AtomRate &rate = *one.findRate(*findAtom(atom));
    return one.multiprocessors * one.tensorCores * one.boostMHz * 1e-6 *
           rate.opsPerCycle * rate.reached;
  };
  EXPECT_NEAR(peak("gfx90a", "mfma.m32n32k8.f32.bf16"), 181, 0.1);
  EXPECT_NEAR(peak("gfx90a", "mfma.m16n16k16.i32.i8"), 181, 0.1);
  EXPECT_NEAR(peak("gfx90a", "mfma.m16n16k4.f64.f64"), 45.3, 0.1);
  EXPECT_NEAR(peak("gfx90a", "mfma.m32n32k2.f32.f32"), 45.3, 0.1);
  EXPECT_NEAR(peak("gfx942", "mfma.m16n16k16.f32.f16"), 1307.4, 0.1);
  EXPECT_NEAR(peak("gfx942", "mfma.m32n32k16.i32.i8"), 2614.9, 0.1);
  EXPECT_NEAR(peak("gfx942", "mfma.m32n32k16.f32.f8E4M3FNUZ"), 2614.9, 0.1);
  EXPECT_NEAR(peak("gfx942", "mfma.m16n16k4.f64.f64"), 163.4, 0.1);
  EXPECT_NEAR(peak("gfx950", "mfma.m16n16k32.f32.f16"), 2516.6, 0.1);
  EXPECT_NEAR(peak("gfx950", "mfma.m16n16k64.i32.i8"), 5033.2, 0.1);
  EXPECT_NEAR(peak("gfx950", "mfma.m32n32k16.f32.f8E5M2"), 5033.2 / 2, 0.1);
  EXPECT_NEAR(peak("gfx950", "mfma.m16n16k4.f64.f64"), 78.6, 0.1);
  EXPECT_NEAR(peak("gfx950", "mfma.m16n16k4.f32.f32"), 157.3, 0.1);
  EXPECT_NEAR(peak("gfx1201", "wmma.rdna4.m16n16k16.f32.f16"), 195, 0.5);
  EXPECT_NEAR(peak("gfx1201", "wmma.rdna4.m16n16k16.i32.i8"), 389, 1);
}

// Intel's specifications: Max 1100 with 56 Xe cores at 1550 MHz, 128 KiB of
// shared local memory each, 108 MB of L2 and HBM2e of 1228.8 GB/s; B580 with 20
// Xe cores, 160 XMX engines, 2670 MHz, 18 MB and 456 GB/s. A core of the former
// does 4096 operations of f16 per cycle; the latter 233 TOPS of i8, which is so
// at 2850 MHz.
TEST(Chip, IntelsSpecifications) {
  const Chip &max1100 = chip("max1100"), &b580 = chip("xe2");
  EXPECT_EQ(max1100.multiprocessors, 56);
  EXPECT_EQ(max1100.boostMHz, 1550);
  EXPECT_EQ(max1100.sharedPerMultiprocessor, 131072);
  EXPECT_EQ(max1100.l2Bytes, 108 << 20);
  EXPECT_NEAR(max1100.memoryBandwidth, 1228.8, 0.5);
  EXPECT_EQ(b580.multiprocessors * b580.tensorCores, 160);
  EXPECT_EQ(b580.boostMHz, 2670);
  EXPECT_EQ(b580.l2Bytes, 18 << 20);
  EXPECT_EQ(b580.memoryBandwidth, 456);
  auto peak = [](const Chip &one, llvm::StringRef atom, double megahertz) {
    return one.multiprocessors * one.tensorCores * megahertz * 1e-6 *
           one.findRate(*findAtom(atom))->opsPerCycle;
  };
  EXPECT_NEAR(
      peak(max1100, "cooperative_matrix.m8n16k16.f32.f16.lanes16", 1550),
      56 * 4096 * 1.55e-3, 0.1);
  EXPECT_NEAR(peak(b580, "cooperative_matrix.m8n16k32.i32.i8.lanes16", 2850),
              233, 1);
  for (const Chip *one : {&max1100, &b580}) {
    EXPECT_EQ(one->warpSize, 16);
    EXPECT_EQ(one->spirv, SpirvFlavor::Kernel);
  }
}

// A wave is as wide as its fragments, and an instruction that nothing is known
// of cannot be lowered.
TEST(Chip, AMDsAtomsHaveFragmentsOfItsWaves) {
  for (const Chip &one : allChips()) {
    if (one.vendor != "AMD")
      continue;
    for (const AtomRate &rate : one.atoms) {
      const Atom &atom = *findAtom(rate.atom);
      for (llvm::StringRef map : {atom.mapA, atom.mapB, atom.mapC}) {
        ASSERT_NE(findFragmentMap(map), nullptr) << atom.name.str();
        EXPECT_EQ(findFragmentMap(map)->lanes(), one.warpSize)
            << one.name.str() << " " << atom.name.str();
      }
    }
  }
}

TEST(Chip, MeasuredRatesOfTheH200) {
  const Chip &h200 = chip("sm_90");
  auto reached = [&](llvm::StringRef atom) {
    const AtomRate &rate = *h200.findRate(*findAtom(atom));
    return h200.multiprocessors * h200.tensorCores * h200.boostMHz * 1e-6 *
           rate.opsPerCycle * rate.reached;
  };
  EXPECT_NEAR(reached("mma_sync.m16n8k16.f32.f16"), 643, 0.1);
  EXPECT_NEAR(reached("mma_sync.m16n8k8.f32.tf32"), 322, 0.1);
  EXPECT_NEAR(reached("mma_sync.m16n8k8.f64.f64"), 66.4, 0.1);
  EXPECT_NEAR(reached("mma_sync.m8n8k4.f64.f64"), 33, 0.1);
}

// PTX ISA 9.0, stmatrix, and cvt.rn.tf32: "Requires sm_90 or higher".
TEST(Chip, InstructionsSinceHopper) {
  for (llvm::StringRef name : {"sm_90", "sm_100", "sm_120"}) {
    EXPECT_TRUE(chip(name).storesMatrices) << name.str();
    EXPECT_TRUE(chip(name).roundsToTF32) << name.str();
  }
  for (llvm::StringRef name : {"sm_80", "sm_89", "gfx942", "vulkan"}) {
    EXPECT_FALSE(chip(name).storesMatrices) << name.str();
    EXPECT_FALSE(chip(name).roundsToTF32) << name.str();
  }
}

TEST(Chip, EveryRowCitesItsSources) {
  for (const Chip &one : allChips()) {
    EXPECT_FALSE(one.citations.empty()) << one.name.str();
    for (const Citation &citation : one.citations)
      EXPECT_FALSE(citation.source.empty()) << one.name.str();
    ASSERT_FALSE(one.atoms.empty()) << one.name.str();
    for (const AtomRate &rate : one.atoms) {
      ASSERT_NE(findAtom(rate.atom), nullptr) << rate.atom.str();
      Instruction instruction = findAtom(rate.atom)->instruction;
      EXPECT_TRUE(instruction == one.instruction ||
                  instruction == Instruction::Fma);
      EXPECT_FALSE(rate.source.empty()) << rate.atom.str();
      EXPECT_GT(rate.reached, 0) << rate.atom.str();
      EXPECT_LE(rate.reached, 1.001) << rate.atom.str();
    }
  }
}

TEST(Chip, AtomsForTypes) {
  auto doubles = chip("sm_90").atomsFor(ElementKind::F64, ElementKind::F64);
  ASSERT_EQ(doubles.size(), 4u);
  // Slowest last: half the rate, and what the lanes do by themselves.
  EXPECT_EQ(doubles[2].atom->name, "mma_sync.m8n8k4.f64.f64");
  EXPECT_EQ(doubles[3].atom->name, "fma.m16n8k1.f64.f64");
  EXPECT_EQ(chip("sm_80").atomsFor(ElementKind::F64, ElementKind::F64).size(),
            2u);
  EXPECT_TRUE(
      chip("sm_90").atomsFor(ElementKind::BF16, ElementKind::F16).empty());
}

TEST(Chip, AtomsForTwoTypes) {
  auto mixed = chip("sm_90").atomsFor(ElementKind::U8, ElementKind::I8,
                                      ElementKind::I32);
  ASSERT_EQ(mixed.size(), 2u);
  EXPECT_EQ(mixed.front().atom->name, "mma_sync.m16n8k32.i32.u8.i8");
  EXPECT_EQ(mixed.back().atom->name, "mma_sync.m16n8k16.i32.u8.i8");
  // No type is missing for want of a matrix unit.
  auto float8 = [](llvm::StringRef name) {
    return chip(name)
        .atomsFor(ElementKind::F8E4M3FN, ElementKind::F8E5M2, ElementKind::F32)
        .front()
        .atom->name;
  };
  EXPECT_EQ(float8("sm_80"), "fma.m16n8k1.f32.f8E4M3FN.f8E5M2");
  EXPECT_EQ(float8("sm_89"), "mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2");
}

/// Terms of the vendors' tables that say what lanes do: at 1410 MHz an A100
/// adds and multiplies 19.5 TFLOPS in f32 and 9.7 in f64; an H100 of 132
/// multiprocessors 67 and 34 at 1980; an RTX 4090 82.6 and 1.29 at 2520.
TEST(Chip, LanesReachTheVendorsPeaks) {
  auto peak = [](llvm::StringRef name, llvm::StringRef atom) {
    const Chip &one = chip(name);
    return one.multiprocessors * one.tensorCores * one.boostMHz * 1e-6 *
           one.findRate(*findAtom(atom))->opsPerCycle;
  };
  EXPECT_NEAR(peak("sm_80", "fma.m16n8k1.f32.f32"), 19.5, 0.1);
  EXPECT_NEAR(peak("sm_80", "fma.m16n8k1.f64.f64"), 9.7, 0.1);
  EXPECT_NEAR(peak("sm_90", "fma.m16n8k1.f32.f32"), 67, 0.2);
  EXPECT_NEAR(peak("sm_90", "fma.m16n8k1.f64.f64"), 33.5, 0.2);
  EXPECT_NEAR(peak("sm_89", "fma.m16n8k1.f32.f32"), 82.6, 0.1);
  EXPECT_NEAR(peak("sm_89", "fma.m16n8k1.f64.f64"), 1.29, 0.01);
  EXPECT_NEAR(peak("sm_80", "mma_sync.m16n8k32.i32.i8"), 624, 1);
  EXPECT_NEAR(peak("sm_89", "mma_sync.m16n8k32.f32.f8E4M3FN"), 330.3, 0.2);
  EXPECT_NEAR(peak("sm_89", "mma_sync.m16n8k32.i32.i8"), 660.6, 0.2);
}

// Instructions of four warps are a list of their own: what asks for a warp's
// atoms does not see them.
TEST(Chip, GroupAtoms) {
  const Chip &h200 = chip("sm_90");
  auto halves =
      h200.groupAtomsFor(ElementKind::F16, ElementKind::F16, ElementKind::F32);
  ASSERT_EQ(halves.size(), 1u);
  EXPECT_EQ(halves.front().atom->name, "wgmma.m16n8k16.f32.f16");
  EXPECT_NEAR(h200.multiprocessors * h200.tensorCores * h200.boostMHz * 1e-6 *
                  halves.front().rate->opsPerCycle *
                  halves.front().rate->reached,
              927, 0.1);
  for (const RatedAtom &atom :
       h200.atomsFor(ElementKind::F16, ElementKind::F32))
    EXPECT_EQ(atom.atom->instruction, Instruction::MmaSync);
  EXPECT_EQ(h200.findRate(*halves.front().atom), halves.front().rate);
  for (const Chip &one : allChips()) {
    EXPECT_EQ(one.groupAtoms.empty(), one.name != "sm_90") << one.name.str();
    for (const AtomRate &rate : one.groupAtoms) {
      ASSERT_NE(findAtom(rate.atom), nullptr) << rate.atom.str();
      EXPECT_EQ(findAtom(rate.atom)->instruction, Instruction::Wgmma);
      EXPECT_FALSE(rate.source.empty()) << rate.atom.str();
      EXPECT_GT(rate.reached, 0) << rate.atom.str();
      EXPECT_LE(rate.reached, 1.001) << rate.atom.str();
    }
  }
}

// So are those of a single lane.
TEST(Chip, LaneAtoms) {
  for (const Chip &one : allChips()) {
    EXPECT_EQ(one.laneAtoms.empty(), one.vendor != "NVIDIA") << one.name.str();
    for (const AtomRate &rate : one.laneAtoms) {
      const Atom *atom = findAtom(rate.atom);
      ASSERT_NE(atom, nullptr) << rate.atom.str();
      EXPECT_TRUE(atom->isLane());
      EXPECT_EQ(atom->lanes(one.warpSize), 1);
      EXPECT_EQ(one.findRate(*atom), &rate);
      for (const RatedAtom &other :
           one.atomsFor(atom->operand, atom->accumulator))
        EXPECT_FALSE(other.atom->isLane());
    }
  }
}

// CUDA's occupancy rules: 65536 registers by steps of 8, at most 255.
TEST(Chip, RegistersOfAThread) {
  EXPECT_EQ(chip("sm_90").maxRegisters(256), 255);
  EXPECT_EQ(chip("sm_90").maxRegisters(384), 168);
  // 9 warps: a partition has 3 of them, as of 12.
  EXPECT_EQ(chip("sm_90").maxRegisters(288), 168);
  EXPECT_EQ(chip("sm_90").maxRegisters(512), 128);
  EXPECT_EQ(chip("sm_90").maxRegisters(1024), 64);
  EXPECT_EQ(chip("sm_90").maxRegisters(1056), 0);
}

TEST(Atom, NamesAreUnique) {
  std::set<llvm::StringRef> names;
  for (const Atom &atom : allAtoms())
    EXPECT_TRUE(names.insert(atom.name).second) << atom.name.str();
  EXPECT_EQ(findAtom("mma_sync.m1n1k1.f64.f64"), nullptr);
}
