//===- VulkanDevice.h - A chip as a Vulkan device describes itself --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which cooperative matrices there are, and how many lanes execute them, is
// known of a Vulkan device only once it is asked. The answer, as data: from a
// device (the runtime's business) or from a file, so that one can plan and
// compile for a device on another machine.
//
// The file is a JSON object:
//
//     {"name": "llvmpipe", "driver": "...", "subgroup_size": 8,
//      "lockstep_subgroups": true,
//      "shared_bytes": 32768, "max_threads": 1024, "max_blocks": 65535,
//      "matrices": [{"shape": "8x8x8", "type": "f16", "accumulator": "f32"}]}
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TARGET_VULKANDEVICE_H
#define KAMI_TARGET_VULKANDEVICE_H

#include "kami/Target/Chip.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace kami {

struct VulkanDescription {
  /// A product of cooperative matrices that a subgroup computes.
  struct Matrix {
    Extents shape;
    ElementKind operand = ElementKind::F16;
    ElementKind accumulator = ElementKind::F32;
  };

  std::string name;
  std::string driver;
  /// Invocations of a subgroup.
  int64_t subgroupSize = 0;
  /// See Chip::lockstepWarps.
  bool hasLockstepSubgroups = false;
  /// Of a workgroup: bytes of Workgroup memory, and invocations.
  int64_t sharedBytes = 0;
  int64_t maxThreads = 0;
  /// Workgroups of a dispatch along x.
  int64_t maxBlocks = 0;
  std::vector<Matrix> matrices;
};

llvm::json::Object toJSON(const VulkanDescription &device);

/// The inverse. Errors name the key.
llvm::Expected<VulkanDescription> parseVulkanDevice(llvm::StringRef text);
llvm::Expected<VulkanDescription> readVulkanDevice(llvm::StringRef path);

/// The chip that is targeted as `chip`: what the device says of itself, and
/// what is assumed of Vulkan devices where it says nothing. It lives as long as
/// the process, and `findChip` finds it from now on.
llvm::Expected<const Chip *> addVulkanChip(llvm::StringRef chip,
                                           const VulkanDescription &device);

/// The chip that `addVulkanChip` made of that name, or null.
const Chip *findVulkanChip(llvm::StringRef chip);

} // namespace kami

#endif // KAMI_TARGET_VULKANDEVICE_H
