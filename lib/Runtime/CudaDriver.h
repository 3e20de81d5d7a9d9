//===- CudaDriver.h - The CUDA driver's entry points ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's ABI as "CUDA Driver API" (NVIDIA, release 13.0) documents it,
// declared here so that building needs no toolkit.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_RUNTIME_CUDADRIVER_H
#define KAMI_LIB_RUNTIME_CUDADRIVER_H

#include "kami/Runtime/Cuda.h"

typedef struct CUctx_st *CUcontext;
typedef struct CUgraph_st *CUgraph;
typedef struct CUlinkState_st *CUlinkState;

namespace kami {

/// CUresult.
enum CudaResult : int { cudaSuccess = 0 };

/// CUdevice_attribute.
enum CudaDeviceAttribute : int {
  cudaWarpSize = 10,
  cudaClockRate = 13,
  cudaMultiprocessorCount = 16,
  cudaL2CacheSize = 38,
  cudaComputeCapabilityMajor = 75,
  cudaComputeCapabilityMinor = 76,
  cudaMaxSharedMemoryPerBlockOptin = 97,
};

/// CUfunction_attribute.
enum CudaFunctionAttribute : int {
  cudaMaxThreadsPerBlock = 0,
  cudaSharedSizeBytes = 1,
  cudaLocalSizeBytes = 3,
  cudaNumRegisters = 4,
  cudaMaxDynamicSharedSizeBytes = 8,
};

/// CUjit_option.
enum CudaJitOption : int {
  cudaJitErrorLogBuffer = 5,
  cudaJitErrorLogBufferSizeBytes = 6,
  cudaJitOptimizationLevel = 7,
};

/// CUjitInputType.
enum CudaJitInput : int {
  cudaJitInputPtx = 1,
};

/// CUstreamCaptureMode: only calls of the capturing thread can spoil a capture.
constexpr int cudaCaptureThreadLocal = 1;
/// A thread in this mode spoils nobody's capture.
constexpr int cudaCaptureRelaxed = 2;
/// CUstreamCaptureStatus of a stream that is captured.
constexpr int cudaCaptureActive = 1;

// X(member, symbol, parameters...). Symbols carry the version that has these
// parameters; one without a suffix has had them in every release since 11.4.
#define KAMI_CUDA_FUNCTIONS(X)                                                 \
  X(init, "cuInit", unsigned)                                                  \
  X(driverGetVersion, "cuDriverGetVersion", int *)                             \
  X(deviceGetCount, "cuDeviceGetCount", int *)                                 \
  X(deviceGet, "cuDeviceGet", int *, int)                                      \
  X(deviceGetName, "cuDeviceGetName", char *, int, int)                        \
  X(deviceGetAttribute, "cuDeviceGetAttribute", int *, int, int)               \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", size_t *, int)                      \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", CUcontext *, int)            \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", int)                    \
  X(ctxGetCurrent, "cuCtxGetCurrent", CUcontext *)                             \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", CUcontext)                          \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", CUcontext *)                          \
  X(ctxSynchronize, "cuCtxSynchronize")                                        \
  X(memAlloc, "cuMemAlloc_v2", KamiCudaPointer *, size_t)                      \
  X(memFree, "cuMemFree_v2", KamiCudaPointer)                                  \
  X(memcpyHtoD, "cuMemcpyHtoD_v2", KamiCudaPointer, const void *, size_t)      \
  X(memcpyDtoH, "cuMemcpyDtoH_v2", void *, KamiCudaPointer, size_t)            \
  X(memsetD8, "cuMemsetD8_v2", KamiCudaPointer, unsigned char, size_t)         \
  X(moduleLoadDataEx, "cuModuleLoadDataEx", KamiCudaModule *, const void *,    \
    unsigned, int *, void **)                                                  \
  X(linkCreate, "cuLinkCreate_v2", unsigned, int *, void **, CUlinkState *)    \
  X(linkAddData, "cuLinkAddData_v2", CUlinkState, int, void *, size_t,         \
    const char *, unsigned, int *, void **)                                    \
  X(linkComplete, "cuLinkComplete", CUlinkState, void **, size_t *)            \
  X(linkDestroy, "cuLinkDestroy", CUlinkState)                                 \
  X(moduleUnload, "cuModuleUnload", KamiCudaModule)                            \
  X(moduleGetFunction, "cuModuleGetFunction", KamiCudaFunction *,              \
    KamiCudaModule, const char *)                                              \
  X(moduleGetGlobal, "cuModuleGetGlobal_v2", KamiCudaPointer *, size_t *,      \
    KamiCudaModule, const char *)                                              \
  X(funcGetAttribute, "cuFuncGetAttribute", int *, int, KamiCudaFunction)      \
  X(funcSetAttribute, "cuFuncSetAttribute", KamiCudaFunction, int, int)        \
  X(launchKernel, "cuLaunchKernel", KamiCudaFunction, unsigned, unsigned,      \
    unsigned, unsigned, unsigned, unsigned, unsigned, KamiCudaStream, void **, \
    void **)                                                                   \
  X(streamCreate, "cuStreamCreate", KamiCudaStream *, unsigned)                \
  X(streamDestroy, "cuStreamDestroy_v2", KamiCudaStream)                       \
  X(streamSynchronize, "cuStreamSynchronize", KamiCudaStream)                  \
  X(streamBeginCapture, "cuStreamBeginCapture_v2", KamiCudaStream, int)        \
  X(streamEndCapture, "cuStreamEndCapture", KamiCudaStream, CUgraph *)         \
  X(streamIsCapturing, "cuStreamIsCapturing", KamiCudaStream, int *)           \
  X(exchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", int *)           \
  X(eventCreate, "cuEventCreate", KamiCudaEvent *, unsigned)                   \
  X(eventDestroy, "cuEventDestroy_v2", KamiCudaEvent)                          \
  X(eventRecord, "cuEventRecord", KamiCudaEvent, KamiCudaStream)               \
  X(streamWaitEvent, "cuStreamWaitEvent", KamiCudaStream, KamiCudaEvent,       \
    unsigned)                                                                  \
  X(eventSynchronize, "cuEventSynchronize", KamiCudaEvent)                     \
  X(eventElapsedTime, "cuEventElapsedTime", float *, KamiCudaEvent,            \
    KamiCudaEvent)                                                             \
  X(graphInstantiate, "cuGraphInstantiateWithFlags", KamiCudaGraph *, CUgraph, \
    unsigned long long)                                                        \
  X(graphDestroy, "cuGraphDestroy", CUgraph)                                   \
  X(graphLaunch, "cuGraphLaunch", KamiCudaGraph, KamiCudaStream)               \
  X(graphExecDestroy, "cuGraphExecDestroy", KamiCudaGraph)                     \
  X(getErrorName, "cuGetErrorName", int, const char **)                        \
  X(getErrorString, "cuGetErrorString", int, const char **)

struct CudaDriver {
#define KAMI_CUDA_MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);
  KAMI_CUDA_FUNCTIONS(KAMI_CUDA_MEMBER)
#undef KAMI_CUDA_MEMBER
};

/// The loaded and initialized driver, or null, in which case `status` says why
/// and the thread's last error is set. Loaded once, at the first call.
const CudaDriver *cudaDriver(KamiStatus &status);

/// OK for `cudaSuccess`; else sets the thread's last error to "`call` failed:
/// NAME (description)", with ": `details`" where there are any.
KamiStatus checkCuda(const CudaDriver &driver, int result, const char *call,
                     const char *details = "");

} // namespace kami

#endif // KAMI_LIB_RUNTIME_CUDADRIVER_H
