//===- Cuda.cpp -----------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Runtime/Cuda.h"
#include "CudaDriver.h"
#include "LastError.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace kami;

struct KamiCudaDevice {
  const CudaDriver &driver;
  int ordinal;
  CUcontext context;
};

namespace {
/// Makes a device's context current for the scope of one call and gives the
/// thread back what it had: the caller's other libraries must not notice.
class Current {
public:
  explicit Current(KamiCudaDevice *device) : driver(device->driver) {
    // Where a framework has the device's context current, asking is cheaper.
    CUcontext current = nullptr;
    if (driver.ctxGetCurrent(&current) == cudaSuccess &&
        current == device->context)
      return;
    state = checkCuda(driver, driver.ctxPushCurrent(device->context),
                      "cuCtxPushCurrent");
    isPushed = state == KAMI_STATUS_OK;
  }
  ~Current() {
    CUcontext popped;
    if (isPushed)
      driver.ctxPopCurrent(&popped);
  }
  KamiStatus status() const { return state; }

private:
  const CudaDriver &driver;
  KamiStatus state = KAMI_STATUS_OK;
  bool isPushed = false;
};

/// While it lives, nothing that its thread does spoils a capture: by default,
/// what a graph cannot have in it must not be done by any thread meanwhile.
class Relaxed {
public:
  explicit Relaxed(const CudaDriver &driver) : driver(driver) {
    driver.exchangeCaptureMode(&mode);
  }
  ~Relaxed() { driver.exchangeCaptureMode(&mode); }

private:
  const CudaDriver &driver;
  int mode = cudaCaptureRelaxed;
};
} // namespace

/// Calls one driver function with `device` current. `name` is what an error
/// says.
template <typename... Parameters, typename... Arguments>
static KamiStatus call(KamiCudaDevice *device, const char *name,
                       int (*CudaDriver::*function)(Parameters...),
                       Arguments... arguments) {
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  const CudaDriver &driver = device->driver;
  return checkCuda(driver, (driver.*function)(arguments...), name);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

KamiStatus kamiCudaCountDevices(int *count) {
  *count = 0;
  KamiStatus status;
  const CudaDriver *driver = cudaDriver(status);
  // A driver without a device refuses to initialize.
  if (status == KAMI_STATUS_NO_DEVICE)
    return KAMI_STATUS_OK;
  if (!driver)
    return status;
  return checkCuda(*driver, driver->deviceGetCount(count), "cuDeviceGetCount");
}

KamiStatus kamiCudaOpenDevice(int ordinal, KamiCudaDevice **device) {
  *device = nullptr;
  KamiStatus status;
  const CudaDriver *driver = cudaDriver(status);
  if (!driver)
    return status;
  int handle;
  status =
      checkCuda(*driver, driver->deviceGet(&handle, ordinal), "cuDeviceGet");
  if (status != KAMI_STATUS_OK)
    return status;
  CUcontext context;
  status = checkCuda(*driver, driver->primaryCtxRetain(&context, handle),
                     "cuDevicePrimaryCtxRetain");
  if (status != KAMI_STATUS_OK)
    return status;
  *device = new KamiCudaDevice{*driver, handle, context};
  return KAMI_STATUS_OK;
}

void kamiCudaCloseDevice(KamiCudaDevice *device) {
  if (!device)
    return;
  device->driver.primaryCtxRelease(device->ordinal);
  delete device;
}

static KamiStatus describe(const CudaDriver &driver, int device,
                           KamiCudaDeviceInfo *info) {
  *info = {};
  const std::pair<int *, CudaDeviceAttribute> attributes[] = {
      {&info->major, cudaComputeCapabilityMajor},
      {&info->minor, cudaComputeCapabilityMinor},
      {&info->multiprocessors, cudaMultiprocessorCount},
      {&info->kiloHertz, cudaClockRate},
      {&info->warpSize, cudaWarpSize},
      {&info->l2Bytes, cudaL2CacheSize},
      {&info->sharedBytesPerBlock, cudaMaxSharedMemoryPerBlockOptin},
  };
  for (auto [value, attribute] : attributes) {
    int result = driver.deviceGetAttribute(value, attribute, device);
    if (result != cudaSuccess)
      return checkCuda(driver, result, "cuDeviceGetAttribute");
  }
  KamiStatus status = checkCuda(
      driver, driver.deviceGetName(info->name, sizeof(info->name), device),
      "cuDeviceGetName");
  if (status != KAMI_STATUS_OK)
    return status;
  status = checkCuda(driver, driver.driverGetVersion(&info->driverVersion),
                     "cuDriverGetVersion");
  if (status != KAMI_STATUS_OK)
    return status;
  size_t bytes = 0;
  status = checkCuda(driver, driver.deviceTotalMem(&bytes, device),
                     "cuDeviceTotalMem");
  info->memoryBytes = bytes;
  return status;
}

KamiStatus kamiCudaDescribeDevice(KamiCudaDevice *device,
                                  KamiCudaDeviceInfo *info) {
  return describe(device->driver, device->ordinal, info);
}

KamiStatus kamiCudaDescribeOrdinal(int ordinal, KamiCudaDeviceInfo *info) {
  *info = {};
  KamiStatus status;
  const CudaDriver *driver = cudaDriver(status);
  if (!driver)
    return status;
  int handle;
  status =
      checkCuda(*driver, driver->deviceGet(&handle, ordinal), "cuDeviceGet");
  return status == KAMI_STATUS_OK ? describe(*driver, handle, info) : status;
}

KamiStatus kamiCudaSynchronize(KamiCudaDevice *device) {
  return call(device, "cuCtxSynchronize", &CudaDriver::ctxSynchronize);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

KamiStatus kamiCudaAllocate(KamiCudaDevice *device, size_t bytes,
                            KamiCudaPointer *pointer) {
  *pointer = 0;
  return call(device, "cuMemAlloc", &CudaDriver::memAlloc, pointer,
              std::max<size_t>(bytes, 1));
}

KamiStatus kamiCudaFree(KamiCudaDevice *device, KamiCudaPointer pointer) {
  return call(device, "cuMemFree", &CudaDriver::memFree, pointer);
}

KamiStatus kamiCudaCopyToDevice(KamiCudaDevice *device, KamiCudaPointer to,
                                const void *from, size_t bytes) {
  if (bytes == 0)
    return KAMI_STATUS_OK;
  return call(device, "cuMemcpyHtoD", &CudaDriver::memcpyHtoD, to, from, bytes);
}

KamiStatus kamiCudaCopyToHost(KamiCudaDevice *device, void *to,
                              KamiCudaPointer from, size_t bytes) {
  if (bytes == 0)
    return KAMI_STATUS_OK;
  return call(device, "cuMemcpyDtoH", &CudaDriver::memcpyDtoH, to, from, bytes);
}

KamiStatus kamiCudaFillBytes(KamiCudaDevice *device, KamiCudaPointer to,
                             unsigned char byte, size_t bytes) {
  if (bytes == 0)
    return KAMI_STATUS_OK;
  return call(device, "cuMemsetD8", &CudaDriver::memsetD8, to, byte, bytes);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The driver's log, one line, without the padding it ends in.
static std::string joinLines(const char *log) {
  std::string line(log);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' '))
    line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ';');
  return line;
}

int kamiCudaOptimizationLevel(const void *image, size_t bytes) {
  constexpr std::string_view asks = KAMI_PTX_OPTIMIZATION_LEVEL;
  std::string_view text(static_cast<const char *>(image), bytes);
  constexpr int most = 4;
  if (text.size() <= asks.size() || text.substr(0, asks.size()) != asks)
    return most;
  int level = text[asks.size()] - '0';
  return level >= 0 && level < most ? level : most;
}

/// The driver takes numbers in the bits of a pointer.
static void *asPointer(uintptr_t number) {
  return reinterpret_cast<void *>(number);
}

namespace {
/// What the driver's assembler is told, and where it says what is wrong.
struct AssemblerOptions {
  AssemblerOptions(const void *image, size_t bytes)
      : values{log, asPointer(sizeof(log) - 1),
               asPointer(kamiCudaOptimizationLevel(image, bytes))} {}
  // Values point into it.
  AssemblerOptions(const AssemblerOptions &) = delete;
  AssemblerOptions &operator=(const AssemblerOptions &) = delete;

  char log[8192] = "";
  static constexpr unsigned count = 3;
  int names[count] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
                      cudaJitOptimizationLevel};
  void *values[count];
};
} // namespace

KamiStatus kamiCudaLoadModule(KamiCudaDevice *device, const void *image,
                              size_t bytes, KamiCudaModule *module) {
  *module = nullptr;
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  // The driver tells PTX from a cubin by its first bytes and reads PTX up to a
  // zero, which a std::string has behind its last byte.
  std::string text(static_cast<const char *>(image), bytes);
  AssemblerOptions options(image, bytes);
  Relaxed relaxed(device->driver);
  int result = device->driver.moduleLoadDataEx(
      module, text.data(), options.count, options.names, options.values);
  return checkCuda(device->driver, result, "cuModuleLoadDataEx",
                   joinLines(options.log).c_str());
}

KamiStatus kamiCudaAssemble(KamiCudaDevice *device, const void *ptx,
                            size_t bytes, void **cubin, size_t *cubinBytes) {
  *cubin = nullptr;
  *cubinBytes = 0;
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  const CudaDriver &driver = device->driver;
  Relaxed relaxed(driver);
  // The driver wants the zero behind the text.
  std::string text(static_cast<const char *>(ptx), bytes);
  AssemblerOptions options(ptx, bytes);
  CUlinkState link = nullptr;
  int result =
      driver.linkCreate(options.count, options.names, options.values, &link);
  if (result != cudaSuccess)
    return checkCuda(driver, result, "cuLinkCreate");
  result = driver.linkAddData(link, cudaJitInputPtx, text.data(),
                              text.size() + 1, "kami", 0, nullptr, nullptr);
  void *image = nullptr;
  size_t imageBytes = 0;
  if (result == cudaSuccess)
    result = driver.linkComplete(link, &image, &imageBytes);
  if (result == cudaSuccess) {
    // The image is the link's, which is about to go.
    *cubin = std::malloc(imageBytes);
    std::memcpy(*cubin, image, imageBytes);
    *cubinBytes = imageBytes;
  }
  KamiStatus status = checkCuda(driver, result, "cuLinkComplete",
                                joinLines(options.log).c_str());
  driver.linkDestroy(link);
  return status;
}

KamiStatus kamiCudaUnloadModule(KamiCudaDevice *device, KamiCudaModule module) {
  return call(device, "cuModuleUnload", &CudaDriver::moduleUnload, module);
}

KamiStatus kamiCudaGetFunction(KamiCudaDevice *device, KamiCudaModule module,
                               const char *name, KamiCudaFunction *function) {
  *function = nullptr;
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  return checkCuda(device->driver,
                   device->driver.moduleGetFunction(function, module, name),
                   "cuModuleGetFunction", name);
}

KamiStatus kamiCudaGetVariable(KamiCudaDevice *device, KamiCudaModule module,
                               const char *name, KamiCudaPointer *pointer) {
  *pointer = 0;
  size_t bytes;
  return call(device, "cuModuleGetGlobal", &CudaDriver::moduleGetGlobal,
              pointer, &bytes, module, name);
}

KamiStatus kamiCudaDescribeFunction(KamiCudaDevice *device,
                                    KamiCudaFunction function,
                                    KamiCudaFunctionInfo *info) {
  *info = {};
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  const std::pair<int *, CudaFunctionAttribute> attributes[] = {
      {&info->registers, cudaNumRegisters},
      {&info->localBytes, cudaLocalSizeBytes},
      {&info->staticSharedBytes, cudaSharedSizeBytes},
      {&info->maxThreads, cudaMaxThreadsPerBlock},
  };
  for (auto [value, attribute] : attributes) {
    int result = device->driver.funcGetAttribute(value, attribute, function);
    if (result != cudaSuccess)
      return checkCuda(device->driver, result, "cuFuncGetAttribute");
  }
  return KAMI_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Raises the function's limit of dynamic shared memory where `bytes` exceed
/// it. Never lowers it: another thread may be about to launch with more.
static KamiStatus allowDynamicShared(const CudaDriver &driver,
                                     KamiCudaFunction function, int bytes) {
  int limit = 0;
  KamiStatus status = checkCuda(
      driver,
      driver.funcGetAttribute(&limit, cudaMaxDynamicSharedSizeBytes, function),
      "cuFuncGetAttribute");
  if (status != KAMI_STATUS_OK || bytes <= limit)
    return status;
  int result =
      driver.funcSetAttribute(function, cudaMaxDynamicSharedSizeBytes, bytes);
  if (result == cudaSuccess)
    return KAMI_STATUS_OK;
  std::string wanted = std::to_string(bytes) + " bytes of shared memory asked";
  return checkCuda(driver, result, "cuFuncSetAttribute", wanted.c_str());
}

KamiStatus kamiCudaPrepareLaunch(KamiCudaDevice *device,
                                 KamiCudaFunction function,
                                 const KamiCudaLaunch *launch) {
  if (launch->dynamicSharedBytes == 0)
    return KAMI_STATUS_OK;
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  return allowDynamicShared(device->driver, function,
                            launch->dynamicSharedBytes);
}

KamiStatus kamiCudaLaunchKernel(KamiCudaDevice *device,
                                KamiCudaFunction function,
                                const KamiCudaLaunch *launch,
                                KamiCudaStream stream, void **arguments) {
  KamiStatus status = kamiCudaPrepareLaunch(device, function, launch);
  if (status != KAMI_STATUS_OK)
    return status;
  return kamiCudaLaunchPrepared(device, function, launch, stream, arguments);
}

KamiStatus kamiCudaLaunchPrepared(KamiCudaDevice *device,
                                  KamiCudaFunction function,
                                  const KamiCudaLaunch *launch,
                                  KamiCudaStream stream, void **arguments) {
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  const CudaDriver &driver = device->driver;
  int result = driver.launchKernel(
      function, launch->grid[0], launch->grid[1], launch->grid[2],
      launch->block[0], launch->block[1], launch->block[2],
      launch->dynamicSharedBytes, stream, arguments, nullptr);
  return checkCuda(driver, result, "cuLaunchKernel");
}

KamiStatus kamiCudaCreateStream(KamiCudaDevice *device,
                                KamiCudaStream *stream) {
  *stream = nullptr;
  // 0: ordered with the default stream. A copy from pageable memory may return
  // before it is done, and a kernel must not overtake it.
  return call(device, "cuStreamCreate", &CudaDriver::streamCreate, stream, 0u);
}

KamiStatus kamiCudaDestroyStream(KamiCudaDevice *device,
                                 KamiCudaStream stream) {
  return call(device, "cuStreamDestroy", &CudaDriver::streamDestroy, stream);
}

KamiStatus kamiCudaSynchronizeStream(KamiCudaDevice *device,
                                     KamiCudaStream stream) {
  return call(device, "cuStreamSynchronize", &CudaDriver::streamSynchronize,
              stream);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

KamiStatus kamiCudaCreateEvent(KamiCudaDevice *device, KamiCudaEvent *event) {
  *event = nullptr;
  return call(device, "cuEventCreate", &CudaDriver::eventCreate, event, 0u);
}

KamiStatus kamiCudaDestroyEvent(KamiCudaDevice *device, KamiCudaEvent event) {
  return call(device, "cuEventDestroy", &CudaDriver::eventDestroy, event);
}

KamiStatus kamiCudaRecordEvent(KamiCudaDevice *device, KamiCudaEvent event,
                               KamiCudaStream stream) {
  return call(device, "cuEventRecord", &CudaDriver::eventRecord, event, stream);
}

KamiStatus kamiCudaWaitEvent(KamiCudaDevice *device, KamiCudaStream stream,
                             KamiCudaEvent event) {
  return call(device, "cuStreamWaitEvent", &CudaDriver::streamWaitEvent, stream,
              event, 0u);
}

KamiStatus kamiCudaElapsed(KamiCudaDevice *device, KamiCudaEvent start,
                           KamiCudaEvent stop, double *microseconds) {
  *microseconds = 0;
  KamiStatus status =
      call(device, "cuEventSynchronize", &CudaDriver::eventSynchronize, stop);
  if (status != KAMI_STATUS_OK)
    return status;
  float milliseconds = 0;
  status = call(device, "cuEventElapsedTime", &CudaDriver::eventElapsedTime,
                &milliseconds, start, stop);
  *microseconds = milliseconds * 1e3;
  return status;
}

KamiStatus kamiCudaBeginCapture(KamiCudaDevice *device, KamiCudaStream stream) {
  return call(device, "cuStreamBeginCapture", &CudaDriver::streamBeginCapture,
              stream, cudaCaptureThreadLocal);
}

KamiStatus kamiCudaEndCapture(KamiCudaDevice *device, KamiCudaStream stream,
                              KamiCudaGraph *graph) {
  *graph = nullptr;
  CUgraph recorded = nullptr;
  KamiStatus status = call(device, "cuStreamEndCapture",
                           &CudaDriver::streamEndCapture, stream, &recorded);
  if (status != KAMI_STATUS_OK)
    return status;
  status = call(device, "cuGraphInstantiate", &CudaDriver::graphInstantiate,
                graph, recorded, 0ull);
  // The executable graph does not refer to the one that it was made from.
  device->driver.graphDestroy(recorded);
  return status;
}

KamiStatus kamiCudaIsCapturing(KamiCudaDevice *device, KamiCudaStream stream,
                               int *isCapturing) {
  int status = 0;
  KamiStatus result = call(device, "cuStreamIsCapturing",
                           &CudaDriver::streamIsCapturing, stream, &status);
  *isCapturing = status == cudaCaptureActive;
  return result;
}

KamiStatus kamiCudaLaunchGraph(KamiCudaDevice *device, KamiCudaGraph graph,
                               KamiCudaStream stream) {
  return call(device, "cuGraphLaunch", &CudaDriver::graphLaunch, graph, stream);
}

KamiStatus kamiCudaDestroyGraph(KamiCudaDevice *device, KamiCudaGraph graph) {
  return call(device, "cuGraphExecDestroy", &CudaDriver::graphExecDestroy,
              graph);
}
