//===- Hip.cpp - Load, launch and time on AMD devices -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Runtime/Hip.h"
#include "HipDriver.h"
#include "LastError.h"
#include <algorithm>

using namespace kami;

struct KamiHipDevice {
  const HipDriver &driver;
  int ordinal;
};

namespace {
/// Makes a device the thread's current one for the scope of one call, and gives
/// the thread back what it had: the caller's other libraries must not notice.
class Current {
public:
  explicit Current(KamiHipDevice *device) : driver(device->driver) {
    state = checkHip(driver, driver.getDevice(&previous), "hipGetDevice");
    if (state == KAMI_STATUS_OK)
      state =
          checkHip(driver, driver.setDevice(device->ordinal), "hipSetDevice");
  }
  ~Current() {
    if (state == KAMI_STATUS_OK)
      driver.setDevice(previous);
  }
  KamiStatus status() const { return state; }

private:
  const HipDriver &driver;
  int previous = 0;
  KamiStatus state;
};
} // namespace

/// Calls one function with `device` current. `name` is what an error says.
template <typename... Parameters, typename... Arguments>
static KamiStatus call(KamiHipDevice *device, const char *name,
                       int (*HipDriver::*function)(Parameters...),
                       Arguments... arguments) {
  Current current(device);
  if (current.status() != KAMI_STATUS_OK)
    return current.status();
  const HipDriver &driver = device->driver;
  return checkHip(driver, (driver.*function)(arguments...), name);
}

static void *toAddress(KamiHipPointer pointer) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

KamiStatus kamiHipCountDevices(int *count) {
  *count = 0;
  KamiStatus status;
  const HipDriver *driver = hipDriver(status);
  // A runtime without a device refuses to initialize.
  if (status == KAMI_STATUS_NO_DEVICE)
    return KAMI_STATUS_OK;
  if (!driver)
    return status;
  return checkHip(*driver, driver->getDeviceCount(count), "hipGetDeviceCount");
}

KamiStatus kamiHipOpenDevice(int ordinal, KamiHipDevice **device) {
  *device = nullptr;
  int count = 0;
  KamiStatus status = kamiHipCountDevices(&count);
  if (status != KAMI_STATUS_OK)
    return status;
  if (ordinal < 0 || ordinal >= count)
    return setLastError(KAMI_STATUS_NO_DEVICE,
                        "expected a HIP device below " + std::to_string(count) +
                            ", but got " + std::to_string(ordinal));
  *device = new KamiHipDevice{*hipDriver(status), ordinal};
  return status;
}

void kamiHipCloseDevice(KamiHipDevice *device) { delete device; }

KamiStatus kamiHipGetDeviceName(KamiHipDevice *device, char *name, int bytes) {
  return call(device, "hipDeviceGetName", &HipDriver::deviceGetName, name,
              bytes, device->ordinal);
}

KamiStatus kamiHipSynchronize(KamiHipDevice *device) {
  return call(device, "hipDeviceSynchronize", &HipDriver::deviceSynchronize);
}

KamiStatus kamiHipAllocate(KamiHipDevice *device, size_t bytes,
                           KamiHipPointer *pointer) {
  void *address = nullptr;
  KamiStatus status = call(device, "hipMalloc", &HipDriver::memAlloc, &address,
                           std::max<size_t>(bytes, 1));
  *pointer = reinterpret_cast<uintptr_t>(address);
  return status;
}

KamiStatus kamiHipFree(KamiHipDevice *device, KamiHipPointer pointer) {
  return call(device, "hipFree", &HipDriver::memFree, toAddress(pointer));
}

KamiStatus kamiHipCopyToDevice(KamiHipDevice *device, KamiHipPointer to,
                               const void *from, size_t bytes) {
  if (bytes == 0)
    return KAMI_STATUS_OK;
  return call(device, "hipMemcpyHtoD", &HipDriver::memcpyHtoD, toAddress(to),
              from, bytes);
}

KamiStatus kamiHipCopyToHost(KamiHipDevice *device, void *to,
                             KamiHipPointer from, size_t bytes) {
  if (bytes == 0)
    return KAMI_STATUS_OK;
  return call(device, "hipMemcpyDtoH", &HipDriver::memcpyDtoH, to,
              toAddress(from), bytes);
}

KamiStatus kamiHipLoadModule(KamiHipDevice *device, const void *image, size_t,
                             KamiHipModule *module) {
  *module = nullptr;
  // A code object says itself how long it is.
  return call(device, "hipModuleLoadData", &HipDriver::moduleLoadData, module,
              image);
}

KamiStatus kamiHipUnloadModule(KamiHipDevice *device, KamiHipModule module) {
  return call(device, "hipModuleUnload", &HipDriver::moduleUnload, module);
}

KamiStatus kamiHipGetFunction(KamiHipDevice *device, KamiHipModule module,
                              const char *name, KamiHipFunction *function) {
  *function = nullptr;
  return call(device, "hipModuleGetFunction", &HipDriver::moduleGetFunction,
              function, module, name);
}

KamiStatus kamiHipLaunchKernel(KamiHipDevice *device, KamiHipFunction function,
                               const KamiHipLaunch *launch,
                               KamiHipStream stream, void **arguments) {
  return call(device, "hipModuleLaunchKernel", &HipDriver::launchKernel,
              function, launch->grid[0], launch->grid[1], launch->grid[2],
              launch->block[0], launch->block[1], launch->block[2],
              launch->dynamicSharedBytes, stream, arguments,
              static_cast<void **>(nullptr));
}

KamiStatus kamiHipCreateEvent(KamiHipDevice *device, KamiHipEvent *event) {
  *event = nullptr;
  return call(device, "hipEventCreate", &HipDriver::eventCreate, event);
}

KamiStatus kamiHipDestroyEvent(KamiHipDevice *device, KamiHipEvent event) {
  return call(device, "hipEventDestroy", &HipDriver::eventDestroy, event);
}

KamiStatus kamiHipRecordEvent(KamiHipDevice *device, KamiHipEvent event,
                              KamiHipStream stream) {
  return call(device, "hipEventRecord", &HipDriver::eventRecord, event, stream);
}

KamiStatus kamiHipElapsed(KamiHipDevice *device, KamiHipEvent start,
                          KamiHipEvent stop, double *microseconds) {
  *microseconds = 0;
  KamiStatus status =
      call(device, "hipEventSynchronize", &HipDriver::eventSynchronize, stop);
  if (status != KAMI_STATUS_OK)
    return status;
  float milliseconds = 0;
  status = call(device, "hipEventElapsedTime", &HipDriver::eventElapsedTime,
                &milliseconds, start, stop);
  *microseconds = milliseconds * 1e3;
  return status;
}
