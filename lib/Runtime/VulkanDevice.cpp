//===- VulkanDevice.cpp - Choose, open and describe devices ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VulkanDevice.h"
#include "LastError.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace kami;
using namespace kami::vulkan;

//===----------------------------------------------------------------------===//
// Which devices there are
//===----------------------------------------------------------------------===//

/// The first queue family that computes, or nothing beyond all of them.
static uint32_t
findComputeFamily(const Driver &driver, Dispatchable physical,
                  std::vector<QueueFamilyProperties> &families) {
  uint32_t count = 0;
  driver.getQueueFamilies(physical, &count, nullptr);
  families.resize(count);
  driver.getQueueFamilies(physical, &count, families.data());
  auto found = std::find_if(families.begin(), families.end(),
                            [](const QueueFamilyProperties &family) {
                              return family.flags & queueComputeBit;
                            });
  return found - families.begin();
}

/// Discrete GPUs first, CPUs last.
static int rank(uint32_t deviceType) {
  return deviceType == deviceTypeCPU ? 2 : deviceType != deviceTypeDiscrete;
}

/// Every device that kernels can run on, in the order of their ordinals.
static KamiStatus listDevices(const Driver &driver,
                              std::vector<Dispatchable> &usable) {
  uint32_t count = 0;
  KamiStatus status =
      check(driver.enumeratePhysicalDevices(driver.instance, &count, nullptr),
            "vkEnumeratePhysicalDevices");
  if (status != KAMI_STATUS_OK)
    return status;
  std::vector<Dispatchable> all(count);
  status = check(
      driver.enumeratePhysicalDevices(driver.instance, &count, all.data()),
      "vkEnumeratePhysicalDevices");
  if (status != KAMI_STATUS_OK)
    return status;
  all.resize(count);
  std::vector<std::pair<int, Dispatchable>> ranked;
  for (Dispatchable physical : all) {
    PhysicalDeviceProperties properties;
    driver.getProperties(physical, &properties);
    std::vector<QueueFamilyProperties> families;
    if (properties.apiVersion >= version(1, 3) &&
        findComputeFamily(driver, physical, families) != families.size())
      ranked.push_back({rank(properties.deviceType), physical});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto &left, const auto &right) {
                     return left.first < right.first;
                   });
  for (const auto &[order, physical] : ranked)
    usable.push_back(physical);
  return KAMI_STATUS_OK;
}

KamiStatus kamiVulkanCountDevices(int *count) {
  *count = 0;
  KamiStatus status;
  const Driver *loaded = driver(status);
  // A loader without a driver has no device.
  if (status == KAMI_STATUS_NO_DEVICE)
    return KAMI_STATUS_OK;
  if (!loaded)
    return status;
  std::vector<Dispatchable> devices;
  status = listDevices(*loaded, devices);
  *count = devices.size();
  return status;
}

//===----------------------------------------------------------------------===//
// What a device can do
//===----------------------------------------------------------------------===//

namespace {
/// The features that kernels may use, those of extensions only where these are
/// there.
struct DeviceFeatures {
  Features10 basic;
  Features11 vulkan11;
  Features12 vulkan12;
  Features13 vulkan13;
  FeaturesMatrix matrix;
  FeaturesBFloat16 bfloat16;
  std::vector<const char *> extensions;

  /// Asks the device. The structures are chained, and may be given to
  /// vkCreateDevice as they are once `keepOnlyUsed` was called.
  KamiStatus query(const Driver &driver, Dispatchable physical);
  void keepOnlyUsed();
};

/// Sets all but the named features to false: who enables what is not needed
/// pays for it (robustBufferAccess checks bounds), or cannot open the device.
template <Structure structure, unsigned count>
void keepOnly(Features<structure, count> &features,
              std::initializer_list<unsigned> kept) {
  for (unsigned i = 0; i != count; ++i)
    if (std::find(kept.begin(), kept.end(), i) == kept.end())
      features.has[i] = 0;
}
} // namespace

KamiStatus DeviceFeatures::query(const Driver &driver, Dispatchable physical) {
  uint32_t count = 0;
  KamiStatus status =
      check(driver.enumerateExtensions(physical, nullptr, &count, nullptr),
            "vkEnumerateDeviceExtensionProperties");
  if (status != KAMI_STATUS_OK)
    return status;
  std::vector<ExtensionProperties> offered(count);
  status = check(
      driver.enumerateExtensions(physical, nullptr, &count, offered.data()),
      "vkEnumerateDeviceExtensionProperties");
  if (status != KAMI_STATUS_OK)
    return status;
  void **last = &basic.next;
  auto chain = [&](auto &features) {
    *last = &features;
    last = &features.next;
  };
  chain(vulkan11);
  chain(vulkan12);
  chain(vulkan13);
  auto chainIfOffered = [&](auto &features, const char *extension) {
    for (const ExtensionProperties &one : offered)
      if (std::strcmp(one.name, extension) == 0) {
        chain(features);
        extensions.push_back(extension);
        return;
      }
  };
  chainIfOffered(matrix, "VK_KHR_cooperative_matrix");
  chainIfOffered(bfloat16, "VK_KHR_shader_bfloat16");
  driver.getFeatures(physical, &basic);
  return KAMI_STATUS_OK;
}

void DeviceFeatures::keepOnlyUsed() {
  keepOnly(basic, {shaderInt64, shaderInt16});
  keepOnly(vulkan11, {storageBuffer16BitAccess});
  keepOnly(vulkan12, {storageBuffer8BitAccess, shaderFloat16, shaderInt8,
                      vulkanMemoryModel});
  keepOnly(vulkan13, {subgroupSizeControl, computeFullSubgroups});
  keepOnly(matrix, {cooperativeMatrix});
  keepOnly(bfloat16, {shaderBFloat16Type, shaderBFloat16CooperativeMatrix});
}

static void describeFeatures(const DeviceFeatures &features,
                             KamiVulkanDeviceInfo &info) {
  info.hasCooperativeMatrix = features.matrix.has[cooperativeMatrix] &&
                              features.vulkan12.has[vulkanMemoryModel] &&
                              features.vulkan13.has[computeFullSubgroups];
  info.hasFloat16 = features.vulkan11.has[storageBuffer16BitAccess] &&
                    features.vulkan12.has[shaderFloat16];
  info.hasInt8 = features.vulkan12.has[storageBuffer8BitAccess] &&
                 features.vulkan12.has[shaderInt8];
  info.hasInt64 = features.basic.has[shaderInt64];
  info.hasBFloat16 = features.vulkan11.has[storageBuffer16BitAccess] &&
                     features.bfloat16.has[shaderBFloat16Type] &&
                     features.bfloat16.has[shaderBFloat16CooperativeMatrix];
}

static void describeProperties(KamiVulkanDevice *device) {
  PhysicalDeviceProperties properties;
  SubgroupProperties subgroups;
  DriverProperties driver;
  Vulkan13Properties vulkan13;
  properties.next = &subgroups;
  subgroups.next = &driver;
  driver.next = &vulkan13;
  device->driver.getProperties(device->physical, &properties);
  const Limits &limits = properties.limits;
  KamiVulkanDeviceInfo &info = device->info;
  std::snprintf(info.name, sizeof(info.name), "%s", properties.deviceName);
  std::snprintf(info.driver, sizeof(info.driver), "%s %s", driver.driverName,
                driver.driverInfo);
  info.driverId = driver.driverID;
  info.major = properties.apiVersion >> 22 & 0x7f;
  info.minor = properties.apiVersion >> 12 & 0x3ff;
  info.isSoftware = properties.deviceType == deviceTypeCPU;
  info.subgroupSize = subgroups.subgroupSize;
  info.minSubgroupSize = vulkan13.minSubgroupSize;
  info.maxSubgroupSize = vulkan13.maxSubgroupSize;
  info.sharedBytes = limits.maxComputeSharedMemorySize;
  info.maxInvocations = limits.maxComputeWorkGroupInvocations;
  info.maxSizeX = limits.maxComputeWorkGroupSize[0];
  info.maxGroupsX = limits.maxComputeWorkGroupCount[0];
  info.maxBufferBytes =
      std::min<uint64_t>(limits.maxStorageBufferRange, vulkan13.maxBufferSize);
  device->tickNanoseconds = limits.timestampPeriod;
  device->driver.getMemoryProperties(device->physical, &device->memory);
  for (uint32_t i = 0; i != device->memory.heapCount; ++i)
    if (device->memory.heaps[i].flags & memoryDeviceLocalBit)
      info.memoryBytes =
          std::max(info.memoryBytes, device->memory.heaps[i].size);
}

KamiStatus kamiVulkanDescribeDevice(KamiVulkanDevice *device,
                                    KamiVulkanDeviceInfo *info) {
  *info = device->info;
  return KAMI_STATUS_OK;
}

KamiStatus kamiVulkanListMatrixShapes(KamiVulkanDevice *device, int capacity,
                                      KamiVulkanMatrixShape *shapes,
                                      int *count) {
  *count = 0;
  if (!device->info.hasCooperativeMatrix)
    return KAMI_STATUS_OK;
  auto list = device->driver.getCooperativeMatrixProperties;
  const char *name = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
  uint32_t listed = 0;
  KamiStatus status = check(list(device->physical, &listed, nullptr), name);
  if (status != KAMI_STATUS_OK)
    return status;
  std::vector<CooperativeMatrixProperties> all(listed);
  status = check(list(device->physical, &listed, all.data()), name);
  if (status != KAMI_STATUS_OK)
    return status;
  for (const CooperativeMatrixProperties &one : all) {
    if (one.scope != scopeSubgroup)
      continue;
    if (*count < capacity)
      shapes[*count] = {one.m,           one.n,
                        one.k,           int(one.a),
                        int(one.b),      int(one.c),
                        int(one.result), int(one.saturatingAccumulation)};
    ++*count;
  }
  return KAMI_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

static KamiStatus createDevice(KamiVulkanDevice *device,
                               DeviceFeatures &features) {
  const Driver &driver = device->driver;
  std::vector<QueueFamilyProperties> families;
  device->queueFamily = findComputeFamily(driver, device->physical, families);
  if (families[device->queueFamily].timestampValidBits == 0)
    device->tickNanoseconds = 0;
  float priority = 1;
  DeviceQueueCreateInfo queue;
  queue.family = device->queueFamily;
  queue.priorities = &priority;
  DeviceCreateInfo info;
  info.next = &features.basic;
  info.queues = &queue;
  info.extensionCount = features.extensions.size();
  info.extensions = features.extensions.data();
  KamiStatus status = check(
      driver.createDevice(device->physical, &info, nullptr, &device->device),
      "vkCreateDevice");
  if (status == KAMI_STATUS_OK)
    driver.getDeviceQueue(device->device, device->queueFamily, 0,
                          &device->queue);
  return status;
}

static KamiStatus createPools(KamiVulkanDevice *device) {
  const Driver &driver = device->driver;
  CommandPoolCreateInfo pool;
  pool.family = device->queueFamily;
  KamiStatus status =
      check(driver.createCommandPool(device->device, &pool, nullptr,
                                     &device->commandPool),
            "vkCreateCommandPool");
  if (status != KAMI_STATUS_OK)
    return status;
  CommandBufferAllocateInfo allocate;
  allocate.pool = device->commandPool;
  status = check(driver.allocateCommandBuffers(device->device, &allocate,
                                               &device->commands),
                 "vkAllocateCommandBuffers");
  if (status != KAMI_STATUS_OK || device->tickNanoseconds == 0)
    return status;
  QueryPoolCreateInfo queries;
  queries.count = 2;
  return check(driver.createQueryPool(device->device, &queries, nullptr,
                                      &device->queryPool),
               "vkCreateQueryPool");
}

KamiStatus kamiVulkanOpenDevice(int ordinal, KamiVulkanDevice **device) {
  *device = nullptr;
  KamiStatus status;
  const Driver *loaded = driver(status);
  if (!loaded)
    return status;
  std::vector<Dispatchable> devices;
  status = listDevices(*loaded, devices);
  if (status != KAMI_STATUS_OK)
    return status;
  if (ordinal < 0 || size_t(ordinal) >= devices.size())
    return setLastError(KAMI_STATUS_NO_DEVICE,
                        "expected a device of Vulkan 1.3 below " +
                            std::to_string(devices.size()) + ", but got " +
                            std::to_string(ordinal));
  VulkanDevice opened(new KamiVulkanDevice{*loaded, devices[ordinal]});
  DeviceFeatures features;
  status = features.query(*loaded, opened->physical);
  if (status != KAMI_STATUS_OK)
    return status;
  features.keepOnlyUsed();
  describeProperties(opened.get());
  describeFeatures(features, opened->info);
  status = createDevice(opened.get(), features);
  if (status != KAMI_STATUS_OK)
    return status;
  status = createPools(opened.get());
  if (status != KAMI_STATUS_OK)
    return status;
  *device = opened.release();
  return KAMI_STATUS_OK;
}

void kamiVulkanCloseDevice(KamiVulkanDevice *device) {
  if (!device)
    return;
  const Driver &driver = device->driver;
  if (device->device) {
    // Null handles are ignored.
    driver.destroyQueryPool(device->device, device->queryPool, nullptr);
    driver.destroyCommandPool(device->device, device->commandPool, nullptr);
    driver.destroyDevice(device->device, nullptr);
  }
  delete device;
}
