//===- VulkanDeviceTest.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Target/VulkanDevice.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace kami;

namespace {
constexpr char text[] = R"({
  "name": "a device", "driver": "1.2", "subgroup_size": 16,
  "lockstep_subgroups": true, "shared_bytes": 49152, "max_threads": 512,
  "max_blocks": 65535,
  "matrices": [{"shape": "8x16x32", "type": "i8", "accumulator": "i32"},
               {"shape": "8x16x16", "type": "bf16", "accumulator": "f32"}]
})";

std::string errorOf(llvm::StringRef from, llvm::StringRef to) {
  std::string changed = text;
  changed.replace(changed.find(from.str()), from.size(), to.str());
  llvm::Expected<VulkanDescription> device = parseVulkanDevice(changed);
  return device ? "" : llvm::toString(device.takeError());
}
} // namespace

TEST(VulkanDevice, ReadsWhatItWrites) {
  llvm::Expected<VulkanDescription> device = parseVulkanDevice(text);
  ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
  EXPECT_EQ(device->name, "a device");
  EXPECT_EQ(device->driver, "1.2");
  EXPECT_EQ(device->subgroupSize, 16);
  EXPECT_TRUE(device->hasLockstepSubgroups);
  EXPECT_EQ(device->sharedBytes, 49152);
  EXPECT_EQ(device->maxThreads, 512);
  EXPECT_EQ(device->maxBlocks, 65535);
  ASSERT_EQ(device->matrices.size(), 2u);
  EXPECT_EQ(device->matrices[0].shape.k, 32);
  EXPECT_EQ(device->matrices[0].operand, ElementKind::I8);
  EXPECT_EQ(device->matrices[1].accumulator, ElementKind::F32);
  llvm::json::Value written = toJSON(*device);
  EXPECT_EQ(written, llvm::cantFail(llvm::json::parse(text)));
}

TEST(VulkanDevice, ErrorsNameTheKey) {
  EXPECT_EQ(errorOf(R"("subgroup_size": 16)", R"("subgroup_size": 0)"),
            "expected a positive number at device.subgroup_size");
  EXPECT_EQ(errorOf("8x16x32", "8x16"),
            "expected MxNxK at device.matrices[0].shape");
  EXPECT_EQ(errorOf("8x16x32", "8x0x16"),
            "expected MxNxK at device.matrices[0].shape");
  EXPECT_EQ(errorOf("bf16", "b16"),
            "expected the name of a type at device.matrices[1].type");
  EXPECT_EQ(errorOf(R"("max_blocks": 65535,)", ""),
            "missing value at device.max_blocks");
}

TEST(VulkanDevice, BecomesAChip) {
  VulkanDescription device = llvm::cantFail(parseVulkanDevice(text));
  const Chip *chip = llvm::cantFail(addVulkanChip("vulkan:test", device));
  EXPECT_EQ(chip->warpSize, 16);
  EXPECT_EQ(chip->sharedPerBlock, 49152);
  EXPECT_EQ(chip->maxThreadsPerBlock, 512);
  EXPECT_TRUE(chip->lockstepWarps);
  ASSERT_EQ(chip->atoms.size(), 2u);
  EXPECT_EQ(chip->atoms[0].atom, "cooperative_matrix.m8n16k32.i32.i8.lanes16");
  const Atom *atom = findAtom(chip->atoms[1].atom);
  ASSERT_NE(atom, nullptr);
  EXPECT_EQ(atom->operand, ElementKind::BF16);
  EXPECT_EQ(atom->opaqueLanes, 16);
  // From now on it has a name like others, and stays what it is.
  EXPECT_EQ(llvm::cantFail(findChip("vulkan:test")), chip);
  EXPECT_EQ(llvm::cantFail(addVulkanChip("vulkan:test", device)), chip);
}

TEST(VulkanDevice, DevicesWithoutWhatItTakes) {
  VulkanDescription device = llvm::cantFail(parseVulkanDevice(text));
  device.subgroupSize = 24;
  EXPECT_EQ(
      llvm::toString(addVulkanChip("vulkan:odd", device).takeError()),
      "expected subgroups of a power of two invocations, but a device has 24");
  device.matrices.clear();
  EXPECT_EQ(llvm::toString(addVulkanChip("vulkan:none", device).takeError()),
            "the device a device has no cooperative matrices of types that "
            "kami multiplies");
  EXPECT_EQ(llvm::toString(findChip("vulkan:/nowhere").takeError()),
            "cannot read '/nowhere': No such file or directory");
}

// Names say all there is to know, and what they say is a cooperative matrix.
TEST(VulkanDevice, AtomsByName) {
  const Atom *atom = findAtom("cooperative_matrix.m8n8k8.f16.f16.lanes8");
  ASSERT_NE(atom, nullptr);
  EXPECT_EQ(atom, cooperativeMatrix({8, 8, 8}, ElementKind::F16,
                                    ElementKind::F16, 8));
  EXPECT_EQ(findAtom("cooperative_matrix.m8n8k8.f16.f16"), nullptr);
  EXPECT_EQ(findAtom("cooperative_matrix.m8n8.f16.f16.lanes8"), nullptr);
}
