//===- Cuda.h - Load, launch and time on NVIDIA devices -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver that it takes to run a kernel. The driver is
// found at run time, so nothing here needs a toolkit, and a program that links
// this starts on machines without a GPU.
//
// Streams, events, modules, functions and device memory are the driver's own
// handles: a stream or a buffer that another library made on the same device
// serves as well. A device is used through its primary context, which is the
// one that other libraries use, and which is current only during a call.
//
// The environment variable KAMI_CUDA_DRIVER names another library to load in
// place of libcuda.so.1.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_RUNTIME_CUDA_H
#define KAMI_RUNTIME_CUDA_H

#include "kami/Runtime/Owned.h"
#include "kami/Runtime/Status.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <memory>
extern "C" {
#endif

typedef struct KamiCudaDevice KamiCudaDevice;
/* CUmodule, CUfunction, CUstream, CUevent and CUgraphExec. The null stream is
   the default stream. */
typedef struct CUmod_st *KamiCudaModule;
typedef struct CUfunc_st *KamiCudaFunction;
typedef struct CUstream_st *KamiCudaStream;
typedef struct CUevent_st *KamiCudaEvent;
typedef struct CUgraphExec_st *KamiCudaGraph;
/* CUdeviceptr: an address on the device. */
typedef uint64_t KamiCudaPointer;

typedef struct KamiCudaDeviceInfo {
  char name[128];
  /* Compute capability: 9 and 0 for sm_90. */
  int major, minor;
  int multiprocessors;
  /* 12040 for CUDA 12.4: the newest that the driver supports. */
  int driverVersion;
  /* Typical clock of the multiprocessors. */
  int kiloHertz;
  int warpSize;
  int l2Bytes;
  /* Most shared memory that a block can ask for. */
  int sharedBytesPerBlock;
  uint64_t memoryBytes;
} KamiCudaDeviceInfo;

/* What the assembler made of a kernel. */
typedef struct KamiCudaFunctionInfo {
  /* 32-bit registers of a thread. */
  int registers;
  /* Local memory of a thread: spilled registers and indexed arrays. */
  int localBytes;
  /* Shared memory that the kernel declares itself. */
  int staticSharedBytes;
  /* Threads of a block that its registers allow. */
  int maxThreads;
} KamiCudaFunctionInfo;

typedef struct KamiCudaLaunch {
  unsigned grid[3];
  unsigned block[3];
  /* Shared memory on top of what the kernel declares. Sizes beyond 48 KiB are
     asked for at the driver on the caller's behalf. */
  unsigned dynamicSharedBytes;
} KamiCudaLaunch;

/* Devices. Counting them is how one asks whether there is any: without a driver
   it fails with KAMI_STATUS_NO_DRIVER, with a driver but no device it succeeds
   with 0. */
KamiStatus kamiCudaCountDevices(int *count);
KamiStatus kamiCudaOpenDevice(int ordinal, KamiCudaDevice **device);
/* Of what was made on a device, nothing is to be used after this. */
void kamiCudaCloseDevice(KamiCudaDevice *device);
KamiStatus kamiCudaDescribeDevice(KamiCudaDevice *device,
                                  KamiCudaDeviceInfo *info);
/* The same of a device that nobody has to open, which costs memory there. */
KamiStatus kamiCudaDescribeOrdinal(int ordinal, KamiCudaDeviceInfo *info);
/* Waits until everything queued on the device is done, and reports what failed
   there since: an illegal address shows up here. */
KamiStatus kamiCudaSynchronize(KamiCudaDevice *device);

/* Memory. Copies and fills are done in the order of the default stream, behind
   which the streams made here wait. Zero bytes are allocated as one. */
KamiStatus kamiCudaAllocate(KamiCudaDevice *device, size_t bytes,
                            KamiCudaPointer *pointer);
KamiStatus kamiCudaFree(KamiCudaDevice *device, KamiCudaPointer pointer);
KamiStatus kamiCudaCopyToDevice(KamiCudaDevice *device, KamiCudaPointer to,
                                const void *from, size_t bytes);
KamiStatus kamiCudaCopyToHost(KamiCudaDevice *device, void *to,
                              KamiCudaPointer from, size_t bytes);
KamiStatus kamiCudaFillBytes(KamiCudaDevice *device, KamiCudaPointer to,
                             unsigned char byte, size_t bytes);

/* PTX may begin with a line that tells assemblers how much to optimize it, from
   0 to 4: `// optimization level: 1`. Returns that, or 4, the driver's default,
   for a text without one or a cubin. */
#define KAMI_PTX_OPTIMIZATION_LEVEL "// optimization level: "
int kamiCudaOptimizationLevel(const void *image, size_t bytes);
/* Modules. `image` is PTX text or a cubin of `bytes` bytes; a terminating zero
   need not be there. PTX is assembled at the level that it asks for; what the
   driver's assembler says against it is part of the error. */
KamiStatus kamiCudaLoadModule(KamiCudaDevice *device, const void *image,
                              size_t bytes, KamiCudaModule *module);
/* Makes a cubin for the device from PTX text of `bytes` bytes. `cubin` is the
   caller's to free(). Neither this nor loading spoils a capture. */
KamiStatus kamiCudaAssemble(KamiCudaDevice *device, const void *ptx,
                            size_t bytes, void **cubin, size_t *cubinBytes);
KamiStatus kamiCudaUnloadModule(KamiCudaDevice *device, KamiCudaModule module);
KamiStatus kamiCudaGetFunction(KamiCudaDevice *device, KamiCudaModule module,
                               const char *name, KamiCudaFunction *function);
/* A module's variable, which lives as long as the module. */
KamiStatus kamiCudaGetVariable(KamiCudaDevice *device, KamiCudaModule module,
                               const char *name, KamiCudaPointer *pointer);
KamiStatus kamiCudaDescribeFunction(KamiCudaDevice *device,
                                    KamiCudaFunction function,
                                    KamiCudaFunctionInfo *info);

/* `arguments[i]` points to the kernel's i-th argument. Returns once the kernel
   is queued. */
KamiStatus kamiCudaLaunchKernel(KamiCudaDevice *device,
                                KamiCudaFunction function,
                                const KamiCudaLaunch *launch,
                                KamiCudaStream stream, void **arguments);

/* The same in two parts: what is done once for a function and a shape, and what
   each launch of them takes. */
KamiStatus kamiCudaPrepareLaunch(KamiCudaDevice *device,
                                 KamiCudaFunction function,
                                 const KamiCudaLaunch *launch);
KamiStatus kamiCudaLaunchPrepared(KamiCudaDevice *device,
                                  KamiCudaFunction function,
                                  const KamiCudaLaunch *launch,
                                  KamiCudaStream stream, void **arguments);

KamiStatus kamiCudaCreateStream(KamiCudaDevice *device, KamiCudaStream *stream);
KamiStatus kamiCudaDestroyStream(KamiCudaDevice *device, KamiCudaStream stream);
KamiStatus kamiCudaSynchronizeStream(KamiCudaDevice *device,
                                     KamiCudaStream stream);

KamiStatus kamiCudaCreateEvent(KamiCudaDevice *device, KamiCudaEvent *event);
KamiStatus kamiCudaDestroyEvent(KamiCudaDevice *device, KamiCudaEvent event);
KamiStatus kamiCudaRecordEvent(KamiCudaDevice *device, KamiCudaEvent event,
                               KamiCudaStream stream);
/* What is queued on the stream from now on waits for what the event recorded.
 */
KamiStatus kamiCudaWaitEvent(KamiCudaDevice *device, KamiCudaStream stream,
                             KamiCudaEvent event);
/* Waits for `stop`, then gives the microseconds since `start`. The driver
   resolves about half a microsecond: time many launches at once. */
KamiStatus kamiCudaElapsed(KamiCudaDevice *device, KamiCudaEvent start,
                           KamiCudaEvent stop, double *microseconds);

/* Graphs: what is launched on `stream` between the two calls runs only when the
   graph is launched, without the host's cost per launch. `stream` must not be
   null. */
KamiStatus kamiCudaBeginCapture(KamiCudaDevice *device, KamiCudaStream stream);
KamiStatus kamiCudaEndCapture(KamiCudaDevice *device, KamiCudaStream stream,
                              KamiCudaGraph *graph);
/* Whether what is launched on `stream` goes into a graph. */
KamiStatus kamiCudaIsCapturing(KamiCudaDevice *device, KamiCudaStream stream,
                               int *isCapturing);
KamiStatus kamiCudaLaunchGraph(KamiCudaDevice *device, KamiCudaGraph graph,
                               KamiCudaStream stream);
KamiStatus kamiCudaDestroyGraph(KamiCudaDevice *device, KamiCudaGraph graph);

#ifdef __cplusplus
} // extern "C"

namespace kami {

struct CudaDeviceCloser {
  void operator()(KamiCudaDevice *device) const { kamiCudaCloseDevice(device); }
};
/// An open device, closed at the end of its scope.
using CudaDevice = std::unique_ptr<KamiCudaDevice, CudaDeviceCloser>;

template <typename Handle,
          KamiStatus (*release)(KamiCudaDevice *, Handle handle)>
using CudaOwned = Owned<KamiCudaDevice, Handle, release>;

using CudaBuffer = CudaOwned<KamiCudaPointer, kamiCudaFree>;
using CudaModule = CudaOwned<KamiCudaModule, kamiCudaUnloadModule>;
using CudaStream = CudaOwned<KamiCudaStream, kamiCudaDestroyStream>;
using CudaEvent = CudaOwned<KamiCudaEvent, kamiCudaDestroyEvent>;
using CudaGraph = CudaOwned<KamiCudaGraph, kamiCudaDestroyGraph>;

} // namespace kami
#endif

#endif // KAMI_RUNTIME_CUDA_H
