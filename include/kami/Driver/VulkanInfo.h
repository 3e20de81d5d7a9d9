//===- VulkanInfo.h - What a Vulkan device offers -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_VULKANINFO_H
#define KAMI_DRIVER_VULKANINFO_H

#include "kami/Runtime/Vulkan.h"
#include "kami/Target/VulkanDevice.h"

namespace kami {

/// Opens the first device, or says why there is none.
llvm::Expected<VulkanDevice> openVulkanDevice();

/// The device's figures, and those of its cooperative matrices whose types kami
/// multiplies.
llvm::Expected<VulkanDescription> describeVulkan(KamiVulkanDevice *device);

/// The same of the first device.
llvm::Expected<VulkanDescription> describeVulkanDevice();

/// The chip that the first device is: "vulkan:" and its name.
llvm::Expected<const Chip *> chipOfVulkanDevice();

} // namespace kami

#endif // KAMI_DRIVER_VULKANINFO_H
