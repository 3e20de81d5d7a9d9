//===- Vulkan.cpp - Memory, kernels and launches on a Vulkan device -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Runtime/Vulkan.h"
#include "LastError.h"
#include "VulkanDevice.h"
#include <algorithm>
#include <cstring>
#include <vector>

using namespace kami;
using namespace kami::vulkan;

struct KamiVulkanBuffer {
  Handle buffer = 0;
  Handle memory = 0;
  size_t bytes = 0;
};

struct KamiVulkanKernel {
  Handle setLayout = 0;
  Handle pipelineLayout = 0;
  Handle pipeline = 0;
  unsigned buffers = 0;
};

/// Makes what the commands wrote visible to whatever follows: copies, kernels
/// and the host.
static void finishWrites(KamiVulkanDevice *device, Dispatchable commands) {
  MemoryBarrier barrier;
  device->driver.cmdPipelineBarrier(commands, pipelineAllCommandsBit,
                                    pipelineAllCommandsBit | pipelineHostBit,
                                    /*flags=*/0, 1, &barrier, 0, nullptr, 0,
                                    nullptr);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The first memory type of those that `typeBits` allows with all of `flags`.
static KamiStatus findMemoryType(KamiVulkanDevice *device, uint32_t typeBits,
                                 uint32_t flags, uint32_t &type) {
  const MemoryProperties &memory = device->memory;
  for (type = 0; type != memory.typeCount; ++type)
    if ((typeBits >> type & 1) && (memory.types[type].flags & flags) == flags)
      return KAMI_STATUS_OK;
  return setLastError(KAMI_STATUS_FAILED,
                      "the device has no memory of the kind that a buffer "
                      "needs");
}

static KamiStatus allocate(KamiVulkanDevice *device, size_t bytes,
                           uint32_t usage, uint32_t flags,
                           KamiVulkanBuffer *made) {
  const Driver &driver = device->driver;
  made->bytes = bytes;
  BufferCreateInfo info;
  info.size = std::max<size_t>(bytes, 1);
  info.usage = usage;
  KamiStatus status =
      check(driver.createBuffer(device->device, &info, nullptr, &made->buffer),
            "vkCreateBuffer");
  if (status != KAMI_STATUS_OK)
    return status;
  MemoryRequirements needs;
  driver.getBufferMemoryRequirements(device->device, made->buffer, &needs);
  MemoryAllocateInfo allocation;
  allocation.size = needs.size;
  status = findMemoryType(device, needs.typeBits, flags, allocation.typeIndex);
  if (status != KAMI_STATUS_OK)
    return status;
  status = check(driver.allocateMemory(device->device, &allocation, nullptr,
                                       &made->memory),
                 "vkAllocateMemory");
  if (status != KAMI_STATUS_OK)
    return status;
  return check(driver.bindBufferMemory(device->device, made->buffer,
                                       made->memory, /*offset=*/0),
               "vkBindBufferMemory");
}

KamiStatus kamiVulkanAllocate(KamiVulkanDevice *device, size_t bytes,
                              KamiVulkanBuffer **buffer) {
  VulkanBuffer made(device, new KamiVulkanBuffer);
  *buffer = nullptr;
  KamiStatus status =
      allocate(device, bytes,
               bufferStorageBit | bufferTransferSrcBit | bufferTransferDstBit,
               memoryDeviceLocalBit, made.get());
  if (status == KAMI_STATUS_OK)
    *buffer = made.take();
  return status;
}

KamiStatus kamiVulkanFree(KamiVulkanDevice *device, KamiVulkanBuffer *buffer) {
  // Null handles are ignored.
  device->driver.destroyBuffer(device->device, buffer->buffer, nullptr);
  device->driver.freeMemory(device->device, buffer->memory, nullptr);
  delete buffer;
  return KAMI_STATUS_OK;
}

/// Calls `access` with a host's view of a buffer that lives as long.
template <typename Access>
static KamiStatus withStaging(KamiVulkanDevice *device, size_t bytes,
                              Access access) {
  VulkanBuffer staging(device, new KamiVulkanBuffer);
  KamiStatus status =
      allocate(device, bytes, bufferTransferSrcBit | bufferTransferDstBit,
               memoryHostVisibleBit | memoryHostCoherentBit, staging.get());
  if (status != KAMI_STATUS_OK)
    return status;
  void *view = nullptr;
  const Driver &driver = device->driver;
  status = check(driver.mapMemory(device->device, staging.get()->memory, 0,
                                  wholeSize, /*flags=*/0, &view),
                 "vkMapMemory");
  if (status != KAMI_STATUS_OK)
    return status;
  status = access(staging.get()->buffer, view);
  driver.unmapMemory(device->device, staging.get()->memory);
  return status;
}

static KamiStatus copy(KamiVulkanDevice *device, Handle from, Handle to,
                       size_t bytes) {
  return execute(device, [&](Dispatchable commands) {
    BufferCopy whole = {0, 0, bytes};
    device->driver.cmdCopyBuffer(commands, from, to, 1, &whole);
    finishWrites(device, commands);
  });
}

/// Copies must not leave the buffer.
static KamiStatus checkSize(const KamiVulkanBuffer *buffer, size_t bytes) {
  if (bytes <= buffer->bytes)
    return KAMI_STATUS_OK;
  return setLastError(KAMI_STATUS_FAILED, "expected to copy at most " +
                                              std::to_string(buffer->bytes) +
                                              " bytes, but got " +
                                              std::to_string(bytes));
}

KamiStatus kamiVulkanCopyToDevice(KamiVulkanDevice *device,
                                  KamiVulkanBuffer *to, const void *from,
                                  size_t bytes) {
  KamiStatus status = checkSize(to, bytes);
  if (bytes == 0 || status != KAMI_STATUS_OK)
    return status;
  return withStaging(device, bytes, [&](Handle staging, void *view) {
    std::memcpy(view, from, bytes);
    return copy(device, staging, to->buffer, bytes);
  });
}

KamiStatus kamiVulkanCopyToHost(KamiVulkanDevice *device, void *to,
                                KamiVulkanBuffer *from, size_t bytes) {
  KamiStatus status = checkSize(from, bytes);
  if (bytes == 0 || status != KAMI_STATUS_OK)
    return status;
  return withStaging(device, bytes, [&](Handle staging, void *view) {
    KamiStatus copied = copy(device, from->buffer, staging, bytes);
    if (copied == KAMI_STATUS_OK)
      std::memcpy(to, view, bytes);
    return copied;
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// One set of storage buffers, and the place of an entry point in it.
static KamiStatus createLayouts(KamiVulkanDevice *device,
                                KamiVulkanKernel *kernel) {
  const Driver &driver = device->driver;
  std::vector<DescriptorSetLayoutBinding> bindings(kernel->buffers);
  for (unsigned i = 0; i != kernel->buffers; ++i)
    bindings[i].binding = i;
  DescriptorSetLayoutCreateInfo setLayout;
  setLayout.bindingCount = kernel->buffers;
  setLayout.bindings = bindings.data();
  KamiStatus status = check(driver.createSetLayout(device->device, &setLayout,
                                                   nullptr, &kernel->setLayout),
                            "vkCreateDescriptorSetLayout");
  if (status != KAMI_STATUS_OK)
    return status;
  PipelineLayoutCreateInfo layout;
  layout.sets = &kernel->setLayout;
  return check(driver.createPipelineLayout(device->device, &layout, nullptr,
                                           &kernel->pipelineLayout),
               "vkCreatePipelineLayout");
}

static KamiStatus createPipeline(KamiVulkanDevice *device, Handle module,
                                 const char *name, unsigned subgroupSize,
                                 KamiVulkanKernel *kernel) {
  RequiredSubgroupSize required;
  required.size = subgroupSize;
  ComputePipelineCreateInfo info;
  info.stage.module = module;
  info.stage.name = name;
  if (subgroupSize != 0) {
    info.stage.flags = stageRequireFullSubgroupsBit;
    info.stage.next = &required;
  }
  info.layout = kernel->pipelineLayout;
  return check(
      device->driver.createComputePipelines(device->device, /*cache=*/0, 1,
                                            &info, nullptr, &kernel->pipeline),
      "vkCreateComputePipelines");
}

KamiStatus kamiVulkanLoadKernel(KamiVulkanDevice *device, const uint32_t *words,
                                size_t bytes, const char *name,
                                unsigned buffers, unsigned subgroupSize,
                                KamiVulkanKernel **kernel) {
  *kernel = nullptr;
  const KamiVulkanDeviceInfo &info = device->info;
  if (subgroupSize != 0 && (subgroupSize < info.minSubgroupSize ||
                            subgroupSize > info.maxSubgroupSize))
    return setLastError(
        KAMI_STATUS_FAILED,
        "expected subgroups of " + std::to_string(info.minSubgroupSize) +
            " to " + std::to_string(info.maxSubgroupSize) +
            " invocations, but got " + std::to_string(subgroupSize));
  VulkanKernel made(device, new KamiVulkanKernel);
  made.get()->buffers = buffers;
  KamiStatus status = createLayouts(device, made.get());
  if (status != KAMI_STATUS_OK)
    return status;
  ShaderModuleCreateInfo code;
  code.bytes = bytes;
  code.code = words;
  Handle module = 0;
  status = check(device->driver.createShaderModule(device->device, &code,
                                                   nullptr, &module),
                 "vkCreateShaderModule");
  if (status != KAMI_STATUS_OK)
    return status;
  status = createPipeline(device, module, name, subgroupSize, made.get());
  device->driver.destroyShaderModule(device->device, module, nullptr);
  if (status == KAMI_STATUS_OK)
    *kernel = made.take();
  return status;
}

KamiStatus kamiVulkanUnloadKernel(KamiVulkanDevice *device,
                                  KamiVulkanKernel *kernel) {
  const Driver &driver = device->driver;
  Dispatchable owner = device->device;
  // Null handles are ignored.
  driver.destroyPipeline(owner, kernel->pipeline, nullptr);
  driver.destroyPipelineLayout(owner, kernel->pipelineLayout, nullptr);
  driver.destroySetLayout(owner, kernel->setLayout, nullptr);
  delete kernel;
  return KAMI_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of some launches, a descriptor set for each.
class ArgumentSets {
public:
  explicit ArgumentSets(KamiVulkanDevice *device) : device(device) {}
  ArgumentSets(const ArgumentSets &) = delete;
  ArgumentSets &operator=(const ArgumentSets &) = delete;
  ~ArgumentSets() {
    // Takes its sets along; a null handle is ignored.
    device->driver.destroyDescriptorPool(device->device, pool, nullptr);
  }

  KamiStatus allocate(const KamiVulkanKernel *kernel, unsigned launches);
  /// Makes the buffers the arguments of one of the launches.
  KamiStatus bind(unsigned launch, const KamiVulkanKernel *kernel,
                  KamiVulkanBuffer *const *buffers);

  /// None for a kernel without arguments.
  std::vector<Handle> sets;

private:
  KamiVulkanDevice *device;
  Handle pool = 0;
};
} // namespace

KamiStatus ArgumentSets::allocate(const KamiVulkanKernel *kernel,
                                  unsigned launches) {
  if (kernel->buffers == 0 || launches == 0)
    return KAMI_STATUS_OK;
  const Driver &driver = device->driver;
  DescriptorPoolSize size;
  size.count = kernel->buffers * launches;
  DescriptorPoolCreateInfo info;
  info.maxSets = launches;
  info.sizes = &size;
  KamiStatus status =
      check(driver.createDescriptorPool(device->device, &info, nullptr, &pool),
            "vkCreateDescriptorPool");
  if (status != KAMI_STATUS_OK)
    return status;
  std::vector<Handle> layouts(launches, kernel->setLayout);
  sets.resize(launches);
  DescriptorSetAllocateInfo allocation;
  allocation.pool = pool;
  allocation.count = launches;
  allocation.layouts = layouts.data();
  return check(
      driver.allocateDescriptorSets(device->device, &allocation, sets.data()),
      "vkAllocateDescriptorSets");
}

KamiStatus ArgumentSets::bind(unsigned launch, const KamiVulkanKernel *kernel,
                              KamiVulkanBuffer *const *buffers) {
  std::vector<DescriptorBufferInfo> infos(kernel->buffers);
  std::vector<WriteDescriptorSet> writes(kernel->buffers);
  for (unsigned i = 0; i != kernel->buffers; ++i) {
    if (buffers[i]->bytes > device->info.maxBufferBytes)
      return setLastError(KAMI_STATUS_FAILED,
                          "expected buffers of at most " +
                              std::to_string(device->info.maxBufferBytes) +
                              " bytes, but got " +
                              std::to_string(buffers[i]->bytes));
    infos[i].buffer = buffers[i]->buffer;
    writes[i].set = sets[launch];
    writes[i].binding = i;
    writes[i].buffers = &infos[i];
  }
  device->driver.updateDescriptorSets(device->device, writes.size(),
                                      writes.data(), 0, nullptr);
  return KAMI_STATUS_OK;
}

static KamiStatus readTimestamps(KamiVulkanDevice *device,
                                 double *microseconds) {
  *microseconds = 0;
  if (!device->queryPool)
    return KAMI_STATUS_OK;
  uint64_t ticks[2] = {0, 0};
  KamiStatus status =
      check(device->driver.getQueryPoolResults(
                device->device, device->queryPool, 0, 2, sizeof(ticks), ticks,
                sizeof(ticks[0]), queryResult64Bit | queryResultWaitBit),
            "vkGetQueryPoolResults");
  if (status == KAMI_STATUS_OK)
    *microseconds =
        double(ticks[1] - ticks[0]) * device->tickNanoseconds / 1000;
  return status;
}

KamiStatus kamiVulkanLaunchInTurn(KamiVulkanDevice *device,
                                  KamiVulkanKernel *kernel, unsigned groups,
                                  unsigned launches,
                                  KamiVulkanBuffer *const *buffers,
                                  double *microseconds) {
  if (groups > device->info.maxGroupsX)
    return setLastError(KAMI_STATUS_FAILED,
                        "expected at most " +
                            std::to_string(device->info.maxGroupsX) +
                            " workgroups, but got " + std::to_string(groups));
  ArgumentSets arguments(device);
  KamiStatus status = arguments.allocate(kernel, launches);
  for (unsigned i = 0; i != launches && status == KAMI_STATUS_OK; ++i)
    status = arguments.bind(i, kernel, buffers + size_t(i) * kernel->buffers);
  if (status != KAMI_STATUS_OK)
    return status;
  const Driver &driver = device->driver;
  bool isTimed = microseconds && device->queryPool;
  status = execute(device, [&](Dispatchable commands) {
    driver.cmdBindPipeline(commands, bindPointCompute, kernel->pipeline);
    if (isTimed) {
      driver.cmdResetQueryPool(commands, device->queryPool, 0, 2);
      driver.cmdWriteTimestamp(commands, pipelineTopBit, device->queryPool, 0);
    }
    for (unsigned i = 0; i != launches; ++i) {
      if (kernel->buffers != 0)
        driver.cmdBindDescriptorSets(commands, bindPointCompute,
                                     kernel->pipelineLayout, 0, 1,
                                     &arguments.sets[i], 0, nullptr);
      driver.cmdDispatch(commands, groups, 1, 1);
      // The next launch may read what this one wrote.
      if (i + 1 != launches)
        finishWrites(device, commands);
    }
    if (isTimed)
      driver.cmdWriteTimestamp(commands, pipelineBottomBit, device->queryPool,
                               1);
    finishWrites(device, commands);
  });
  if (status != KAMI_STATUS_OK || !microseconds)
    return status;
  return readTimestamps(device, microseconds);
}

KamiStatus kamiVulkanLaunch(KamiVulkanDevice *device, KamiVulkanKernel *kernel,
                            unsigned groups, KamiVulkanBuffer *const *buffers,
                            double *microseconds) {
  return kamiVulkanLaunchInTurn(device, kernel, groups, /*launches=*/1, buffers,
                                microseconds);
}
