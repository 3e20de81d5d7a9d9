//===- Hip.h - Load, launch and time on AMD devices ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the HIP runtime that it takes to run a kernel. The library is
// found at run time, so nothing here needs ROCm, and a program that links this
// starts on machines without it. Written after "HIP API" (AMD, ROCm 6), and not
// yet run on a device.
//
// Events, modules, functions and device memory are HIP's own handles. A device
// is the thread's current one only during a call.
//
// The environment variable KAMI_HIP_DRIVER names another library to load in
// place of libamdhip64.so.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_RUNTIME_HIP_H
#define KAMI_RUNTIME_HIP_H

#include "kami/Runtime/Owned.h"
#include "kami/Runtime/Status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <memory>
extern "C" {
#endif

typedef struct KamiHipDevice KamiHipDevice;
/* hipModule_t, hipFunction_t, hipStream_t and hipEvent_t. The null stream is
   the default stream. */
typedef struct ihipModule_t *KamiHipModule;
typedef struct ihipModuleSymbol_t *KamiHipFunction;
typedef struct ihipStream_t *KamiHipStream;
typedef struct ihipEvent_t *KamiHipEvent;
/* hipDeviceptr_t: an address on the device. */
typedef uint64_t KamiHipPointer;

typedef struct KamiHipLaunch {
  unsigned grid[3];
  unsigned block[3];
  /* LDS on top of what the kernel declares. */
  unsigned dynamicSharedBytes;
} KamiHipLaunch;

/* Devices. Counting them is how one asks whether there is any: without a driver
   it fails with KAMI_STATUS_NO_DRIVER, with a driver but no device it succeeds
   with 0. */
KamiStatus kamiHipCountDevices(int *count);
KamiStatus kamiHipOpenDevice(int ordinal, KamiHipDevice **device);
/* Of what was made on a device, nothing is to be used after this. */
void kamiHipCloseDevice(KamiHipDevice *device);
/* The product's name, with its terminating zero at most `bytes` long. */
KamiStatus kamiHipGetDeviceName(KamiHipDevice *device, char *name, int bytes);
/* Waits until everything queued on the device is done, and reports what failed
   there since. */
KamiStatus kamiHipSynchronize(KamiHipDevice *device);

/* Memory. Zero bytes are allocated as one. */
KamiStatus kamiHipAllocate(KamiHipDevice *device, size_t bytes,
                           KamiHipPointer *pointer);
KamiStatus kamiHipFree(KamiHipDevice *device, KamiHipPointer pointer);
KamiStatus kamiHipCopyToDevice(KamiHipDevice *device, KamiHipPointer to,
                               const void *from, size_t bytes);
KamiStatus kamiHipCopyToHost(KamiHipDevice *device, void *to,
                             KamiHipPointer from, size_t bytes);

/* Modules. `image` is a code object for the device's chip. */
KamiStatus kamiHipLoadModule(KamiHipDevice *device, const void *image,
                             size_t bytes, KamiHipModule *module);
KamiStatus kamiHipUnloadModule(KamiHipDevice *device, KamiHipModule module);
KamiStatus kamiHipGetFunction(KamiHipDevice *device, KamiHipModule module,
                              const char *name, KamiHipFunction *function);

/* `arguments` points to each of the kernel's parameters. */
KamiStatus kamiHipLaunchKernel(KamiHipDevice *device, KamiHipFunction function,
                               const KamiHipLaunch *launch,
                               KamiHipStream stream, void **arguments);

KamiStatus kamiHipCreateEvent(KamiHipDevice *device, KamiHipEvent *event);
KamiStatus kamiHipDestroyEvent(KamiHipDevice *device, KamiHipEvent event);
KamiStatus kamiHipRecordEvent(KamiHipDevice *device, KamiHipEvent event,
                              KamiHipStream stream);
/* Waits for `stop`, then gives the microseconds since `start`. */
KamiStatus kamiHipElapsed(KamiHipDevice *device, KamiHipEvent start,
                          KamiHipEvent stop, double *microseconds);

#ifdef __cplusplus
} // extern "C"

namespace kami {

struct HipDeviceCloser {
  void operator()(KamiHipDevice *device) const { kamiHipCloseDevice(device); }
};
/// An open device, closed at the end of its scope.
using HipDevice = std::unique_ptr<KamiHipDevice, HipDeviceCloser>;

using HipBuffer = Owned<KamiHipDevice, KamiHipPointer, kamiHipFree>;
using HipModule = Owned<KamiHipDevice, KamiHipModule, kamiHipUnloadModule>;
using HipEvent = Owned<KamiHipDevice, KamiHipEvent, kamiHipDestroyEvent>;

} // namespace kami
#endif

#endif // KAMI_RUNTIME_HIP_H
