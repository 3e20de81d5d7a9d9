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
            "sm_100, sm_120, gfx90a, gfx942, gfx950, gfx1100, gfx1201, vulkan, "
            "xe-hpc, xe2");
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

TEST(Chip, EveryRowCitesItsSources) {
  for (const Chip &one : allChips()) {
    EXPECT_FALSE(one.citations.empty()) << one.name.str();
    for (const Citation &citation : one.citations)
      EXPECT_FALSE(citation.source.empty()) << one.name.str();
    ASSERT_FALSE(one.atoms.empty()) << one.name.str();
    for (const AtomRate &rate : one.atoms) {
      ASSERT_NE(findAtom(rate.atom), nullptr) << rate.atom.str();
      EXPECT_EQ(findAtom(rate.atom)->instruction, one.instruction);
      EXPECT_FALSE(rate.source.empty()) << rate.atom.str();
      EXPECT_GT(rate.reached, 0) << rate.atom.str();
      EXPECT_LE(rate.reached, 1.001) << rate.atom.str();
    }
  }
}

TEST(Chip, AtomsForTypes) {
  auto doubles = chip("sm_90").atomsFor(ElementKind::F64, ElementKind::F64);
  ASSERT_EQ(doubles.size(), 3u);
  // Slowest last: half the rate.
  EXPECT_EQ(doubles.back().atom->name, "mma_sync.m8n8k4.f64.f64");
  EXPECT_EQ(chip("sm_80").atomsFor(ElementKind::F64, ElementKind::F64).size(),
            1u);
  EXPECT_TRUE(
      chip("sm_90").atomsFor(ElementKind::BF16, ElementKind::F16).empty());
}

// CUDA's occupancy rules: 65536 registers by steps of 8, at most 255.
TEST(Chip, RegistersOfAThread) {
  EXPECT_EQ(chip("sm_90").maxRegisters(256), 255);
  EXPECT_EQ(chip("sm_90").maxRegisters(384), 168);
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
