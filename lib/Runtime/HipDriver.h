//===- HipDriver.h - The HIP runtime's entry points ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's ABI as "HIP API" (AMD, ROCm 6) documents it, declared here so
// that building needs no ROCm.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_RUNTIME_HIPDRIVER_H
#define KAMI_LIB_RUNTIME_HIPDRIVER_H

#include "kami/Runtime/Hip.h"

namespace kami {

/// hipError_t.
enum HipResult : int { hipSuccess = 0 };

// X(result, member, symbol, parameters...).
#define KAMI_HIP_FUNCTIONS(X)                                                  \
  X(int, init, "hipInit", unsigned)                                            \
  X(int, getDeviceCount, "hipGetDeviceCount", int *)                           \
  X(int, deviceGetName, "hipDeviceGetName", char *, int, int)                  \
  X(int, getDevice, "hipGetDevice", int *)                                     \
  X(int, setDevice, "hipSetDevice", int)                                       \
  X(int, deviceSynchronize, "hipDeviceSynchronize")                            \
  X(int, memAlloc, "hipMalloc", void **, size_t)                               \
  X(int, memFree, "hipFree", void *)                                           \
  X(int, memcpyHtoD, "hipMemcpyHtoD", void *, const void *, size_t)            \
  X(int, memcpyDtoH, "hipMemcpyDtoH", void *, void *, size_t)                  \
  X(int, moduleLoadData, "hipModuleLoadData", KamiHipModule *, const void *)   \
  X(int, moduleUnload, "hipModuleUnload", KamiHipModule)                       \
  X(int, moduleGetFunction, "hipModuleGetFunction", KamiHipFunction *,         \
    KamiHipModule, const char *)                                               \
  X(int, launchKernel, "hipModuleLaunchKernel", KamiHipFunction, unsigned,     \
    unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, KamiHipStream, \
    void **, void **)                                                          \
  X(int, eventCreate, "hipEventCreate", KamiHipEvent *)                        \
  X(int, eventDestroy, "hipEventDestroy", KamiHipEvent)                        \
  X(int, eventRecord, "hipEventRecord", KamiHipEvent, KamiHipStream)           \
  X(int, eventSynchronize, "hipEventSynchronize", KamiHipEvent)                \
  X(int, eventElapsedTime, "hipEventElapsedTime", float *, KamiHipEvent,       \
    KamiHipEvent)                                                              \
  X(const char *, getErrorName, "hipGetErrorName", int)                        \
  X(const char *, getErrorString, "hipGetErrorString", int)

struct HipDriver {
#define KAMI_HIP_MEMBER(result, member, symbol, ...)                           \
  result (*member)(__VA_ARGS__);
  KAMI_HIP_FUNCTIONS(KAMI_HIP_MEMBER)
#undef KAMI_HIP_MEMBER
};

/// The loaded and initialized runtime, or null, in which case `status` says why
/// and the thread's last error is set. Loaded once, at the first call.
const HipDriver *hipDriver(KamiStatus &status);

/// OK for `hipSuccess`; else sets the thread's last error, as `checkCuda` does.
KamiStatus checkHip(const HipDriver &driver, int result, const char *call,
                    const char *details = "");

} // namespace kami

#endif // KAMI_LIB_RUNTIME_HIPDRIVER_H
