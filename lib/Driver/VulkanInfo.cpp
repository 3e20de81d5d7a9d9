//===- VulkanInfo.cpp - What a Vulkan device offers -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/VulkanInfo.h"
#include "CudaStatus.h"
#include <vector>

using namespace kami;

llvm::Expected<VulkanDevice> kami::openVulkanDevice() {
  int count = 0;
  if (llvm::Error error = check(kamiVulkanCountDevices(&count)))
    return error;
  if (count == 0)
    return llvm::createStringError("there is no device of Vulkan 1.3 or newer");
  KamiVulkanDevice *device = nullptr;
  if (llvm::Error error = check(kamiVulkanOpenDevice(0, &device)))
    return error;
  return VulkanDevice(device);
}

/// The types that a shape multiplies, if kami has them and the device lets
/// kernels load and store them.
static std::optional<std::pair<ElementKind, ElementKind>>
kindsOf(const KamiVulkanMatrixShape &shape, const KamiVulkanDeviceInfo &info) {
  using K = ElementKind;
  if (shape.a != shape.b || shape.c != shape.result || shape.isSaturating)
    return std::nullopt;
  auto is = [&](int operand, int accumulator) {
    return shape.a == operand && shape.c == accumulator;
  };
  if (info.hasFloat16 && is(KAMI_VULKAN_FLOAT16, KAMI_VULKAN_FLOAT32))
    return std::pair(K::F16, K::F32);
  if (info.hasFloat16 && is(KAMI_VULKAN_FLOAT16, KAMI_VULKAN_FLOAT16))
    return std::pair(K::F16, K::F16);
  if (info.hasBFloat16 && is(KAMI_VULKAN_BFLOAT16, KAMI_VULKAN_FLOAT32))
    return std::pair(K::BF16, K::F32);
  if (info.hasInt8 && is(KAMI_VULKAN_SINT8, KAMI_VULKAN_SINT32))
    return std::pair(K::I8, K::I32);
  if (info.hasInt8 && is(KAMI_VULKAN_UINT8, KAMI_VULKAN_UINT32))
    return std::pair(K::U8, K::I32);
  return std::nullopt;
}

llvm::Expected<VulkanDescription>
kami::describeVulkan(KamiVulkanDevice *device) {
  KamiVulkanDeviceInfo info;
  if (llvm::Error error = check(kamiVulkanDescribeDevice(device, &info)))
    return error;
  VulkanDescription description;
  description.name = info.name;
  description.driver = info.driver;
  description.subgroupSize = info.subgroupSize;
  // What no device says of itself (see lib/Target/Vulkan.cpp).
  constexpr unsigned llvmpipe = 13;
  description.hasLockstepSubgroups = info.driverId == llvmpipe;
  description.sharedBytes = info.sharedBytes;
  description.maxThreads = std::min(info.maxInvocations, info.maxSizeX);
  description.maxBlocks =
      std::min<uint64_t>(info.maxGroupsX, (uint64_t(1) << 31) - 1);
  int count = 0;
  if (llvm::Error error =
          check(kamiVulkanListMatrixShapes(device, 0, nullptr, &count)))
    return error;
  std::vector<KamiVulkanMatrixShape> shapes(count);
  if (llvm::Error error = check(
          kamiVulkanListMatrixShapes(device, count, shapes.data(), &count)))
    return error;
  for (const KamiVulkanMatrixShape &shape : shapes)
    if (auto kinds = kindsOf(shape, info))
      description.matrices.push_back(
          {{shape.m, shape.n, shape.k}, kinds->first, kinds->second});
  return description;
}

llvm::Expected<VulkanDescription> kami::describeVulkanDevice() {
  llvm::Expected<VulkanDevice> device = openVulkanDevice();
  if (!device)
    return device.takeError();
  return describeVulkan(device->get());
}

llvm::Expected<const Chip *> kami::chipOfVulkanDevice() {
  llvm::Expected<VulkanDescription> description = describeVulkanDevice();
  if (!description)
    return description.takeError();
  return addVulkanChip("vulkan:" + description->name, *description);
}
