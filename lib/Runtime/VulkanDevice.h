//===- VulkanDevice.h - An open device ------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_RUNTIME_VULKANDEVICE_H
#define KAMI_LIB_RUNTIME_VULKANDEVICE_H

#include "VulkanDriver.h"

/// All that calls on a device need. Members are null until they are made, so
/// that closing a device that was opened halfway is right.
struct KamiVulkanDevice {
  const kami::vulkan::Driver &driver;
  kami::vulkan::Dispatchable physical;
  KamiVulkanDeviceInfo info = {};
  kami::vulkan::MemoryProperties memory = {};
  /// Nanoseconds of a tick of the device's clock; 0 where its queue has none.
  double tickNanoseconds = 0;
  uint32_t queueFamily = 0;
  kami::vulkan::Dispatchable device = nullptr;
  kami::vulkan::Dispatchable queue = nullptr;
  kami::vulkan::Handle commandPool = 0;
  /// Two timestamps; null without a clock.
  kami::vulkan::Handle queryPool = 0;
  kami::vulkan::Dispatchable commands = nullptr;
};

namespace kami::vulkan {

/// Records commands with `record`, submits them and waits.
template <typename Record>
KamiStatus execute(KamiVulkanDevice *device, Record record) {
  const Driver &driver = device->driver;
  KamiStatus status = check(
      driver.resetCommandPool(device->device, device->commandPool, /*flags=*/0),
      "vkResetCommandPool");
  if (status != KAMI_STATUS_OK)
    return status;
  CommandBufferBeginInfo begin;
  status = check(driver.beginCommandBuffer(device->commands, &begin),
                 "vkBeginCommandBuffer");
  if (status != KAMI_STATUS_OK)
    return status;
  record(device->commands);
  status =
      check(driver.endCommandBuffer(device->commands), "vkEndCommandBuffer");
  if (status != KAMI_STATUS_OK)
    return status;
  SubmitInfo submit;
  submit.commands = &device->commands;
  status = check(driver.queueSubmit(device->queue, 1, &submit, /*fence=*/0),
                 "vkQueueSubmit");
  if (status != KAMI_STATUS_OK)
    return status;
  return check(driver.queueWaitIdle(device->queue), "vkQueueWaitIdle");
}

} // namespace kami::vulkan

#endif // KAMI_LIB_RUNTIME_VULKANDEVICE_H
