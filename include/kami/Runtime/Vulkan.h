//===- Vulkan.h - Load, launch and time on Vulkan devices -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Vulkan 1.3 that it takes to run a kernel with cooperative
// matrices. The loader is found at run time, so nothing here needs an SDK, and
// a program that links this starts on machines without Vulkan.
//
// A device is one with a compute queue, of Vulkan 1.3 or newer. What is
// launched on a device is done when the call returns. Calls for one device must
// not overlap in time.
//
// The environment variable KAMI_VULKAN_LOADER names another library to load in
// place of libvulkan.so.1. Which drivers it finds is the loader's business
// (VK_DRIVER_FILES).
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_RUNTIME_VULKAN_H
#define KAMI_RUNTIME_VULKAN_H

#include "kami/Runtime/Owned.h"
#include "kami/Runtime/Status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <memory>
extern "C" {
#endif

typedef struct KamiVulkanDevice KamiVulkanDevice;
typedef struct KamiVulkanBuffer KamiVulkanBuffer;
typedef struct KamiVulkanKernel KamiVulkanKernel;

typedef struct KamiVulkanDeviceInfo {
  char name[256];
  /* Name and version, as the driver says them. */
  char driver[512];
  /* VkDriverId: 13 is Mesa's llvmpipe. */
  unsigned driverId;
  /* The newest version of Vulkan that the device has: 1 and 4 for 1.4. */
  unsigned major, minor;
  /* Whether it is a CPU that plays a GPU. */
  int isSoftware;
  /* Invocations of a subgroup: what the device prefers, and what a kernel may
     ask for. */
  unsigned subgroupSize, minSubgroupSize, maxSubgroupSize;
  /* Bytes of Workgroup memory that a workgroup may have. */
  unsigned sharedBytes;
  /* Invocations of a workgroup, in all and along x; workgroups along x. */
  unsigned maxInvocations, maxSizeX, maxGroupsX;
  /* Bytes of a buffer that a kernel sees. */
  uint64_t maxBufferBytes;
  uint64_t memoryBytes;
  /* Whether kernels may have cooperative matrices, of bfloat16 too, and other
     types than 32-bit ones in arithmetic and in buffers. */
  int hasCooperativeMatrix, hasBFloat16, hasFloat16, hasInt8, hasInt64;
} KamiVulkanDeviceInfo;

/* VkComponentTypeKHR: what the elements of a matrix are. */
typedef enum KamiVulkanComponent {
  KAMI_VULKAN_FLOAT16 = 0,
  KAMI_VULKAN_FLOAT32 = 1,
  KAMI_VULKAN_FLOAT64 = 2,
  KAMI_VULKAN_SINT8 = 3,
  KAMI_VULKAN_SINT32 = 5,
  KAMI_VULKAN_UINT8 = 7,
  KAMI_VULKAN_UINT32 = 9,
  KAMI_VULKAN_BFLOAT16 = 1000141000
} KamiVulkanComponent;

/* A product of cooperative matrices that a subgroup computes: m x k times k x n
   added to m x n. The device may list components that have no name above. */
typedef struct KamiVulkanMatrixShape {
  unsigned m, n, k;
  int a, b, c, result;
  int isSaturating;
} KamiVulkanMatrixShape;

/* Devices that can be opened, GPUs before CPUs. No loader is an error, no
   device is none. */
KamiStatus kamiVulkanCountDevices(int *count);
KamiStatus kamiVulkanOpenDevice(int ordinal, KamiVulkanDevice **device);
/* Null is ignored. Everything made on the device must be gone. */
void kamiVulkanCloseDevice(KamiVulkanDevice *device);
KamiStatus kamiVulkanDescribeDevice(KamiVulkanDevice *device,
                                    KamiVulkanDeviceInfo *info);
/* Fills in up to `capacity` shapes, and says how many there are. */
KamiStatus kamiVulkanListMatrixShapes(KamiVulkanDevice *device, int capacity,
                                      KamiVulkanMatrixShape *shapes,
                                      int *count);

/* Memory of the device. A buffer of no bytes has one. */
KamiStatus kamiVulkanAllocate(KamiVulkanDevice *device, size_t bytes,
                              KamiVulkanBuffer **buffer);
KamiStatus kamiVulkanFree(KamiVulkanDevice *device, KamiVulkanBuffer *buffer);
KamiStatus kamiVulkanCopyToDevice(KamiVulkanDevice *device,
                                  KamiVulkanBuffer *to, const void *from,
                                  size_t bytes);
KamiStatus kamiVulkanCopyToHost(KamiVulkanDevice *device, void *to,
                                KamiVulkanBuffer *from, size_t bytes);

/* The entry point `name` of a SPIR-V module, whose arguments are the storage
   buffers 0 to `buffers` - 1 of descriptor set 0. Its workgroups consist of
   whole subgroups of `subgroupSize` invocations; 0 leaves their size to the
   device. */
KamiStatus kamiVulkanLoadKernel(KamiVulkanDevice *device, const uint32_t *words,
                                size_t bytes, const char *name,
                                unsigned buffers, unsigned subgroupSize,
                                KamiVulkanKernel **kernel);
KamiStatus kamiVulkanUnloadKernel(KamiVulkanDevice *device,
                                  KamiVulkanKernel *kernel);

/* Runs `groups` workgroups along x and waits for them. `microseconds`, if not
   null, gets what the device took by its own clock, 0 where it has none. */
KamiStatus kamiVulkanLaunch(KamiVulkanDevice *device, KamiVulkanKernel *kernel,
                            unsigned groups, KamiVulkanBuffer *const *buffers,
                            double *microseconds);

/* The like for `launches` launches, one after the other, that go to the device
   together: each finds in memory what those before it wrote. `buffers` are the
   arguments of the first, then those of the second, and so on; `microseconds`
   is what all of them took. */
KamiStatus kamiVulkanLaunchInTurn(KamiVulkanDevice *device,
                                  KamiVulkanKernel *kernel, unsigned groups,
                                  unsigned launches,
                                  KamiVulkanBuffer *const *buffers,
                                  double *microseconds);

#ifdef __cplusplus
} // extern "C"

namespace kami {

struct VulkanDeviceCloser {
  void operator()(KamiVulkanDevice *device) const {
    kamiVulkanCloseDevice(device);
  }
};
/// An open device, closed at the end of its scope.
using VulkanDevice = std::unique_ptr<KamiVulkanDevice, VulkanDeviceCloser>;

using VulkanBuffer =
    Owned<KamiVulkanDevice, KamiVulkanBuffer *, kamiVulkanFree>;
using VulkanKernel =
    Owned<KamiVulkanDevice, KamiVulkanKernel *, kamiVulkanUnloadKernel>;

} // namespace kami
#endif

#endif // KAMI_RUNTIME_VULKAN_H
