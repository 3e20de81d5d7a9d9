//===- CudaDriver.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "LastError.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace kami;

namespace {
/// The outcome of the one attempt to load the driver, kept because every later
/// call, of any thread, has to be able to repeat it.
struct LoadedDriver {
  CudaDriver driver = {};
  KamiStatus status = KAMI_STATUS_OK;
  std::string error;

  LoadedDriver();

private:
  bool resolve(void *library, const char *name, const char *symbol,
               void **address);
  bool load();
};
} // namespace

bool LoadedDriver::resolve(void *library, const char *name, const char *symbol,
                           void **address) {
  *address = dlsym(library, symbol);
  if (*address)
    return true;
  status = KAMI_STATUS_NO_DRIVER;
  error = std::string("the CUDA driver ") + name + " has no " + symbol +
          "; a driver of CUDA 11.4 or newer is needed";
  return false;
}

bool LoadedDriver::load() {
  const char *name = std::getenv("KAMI_CUDA_DRIVER");
  if (!name || !*name)
    name = "libcuda.so.1";
  // Never closed: the driver keeps threads of its own.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    status = KAMI_STATUS_NO_DRIVER;
    error = std::string("no CUDA driver found: ") + (reason ? reason : name);
    return false;
  }
#define KAMI_CUDA_RESOLVE(member, symbol, ...)                                 \
  if (!resolve(library, name, symbol,                                          \
               reinterpret_cast<void **>(&driver.member)))                     \
    return false;
  KAMI_CUDA_FUNCTIONS(KAMI_CUDA_RESOLVE)
#undef KAMI_CUDA_RESOLVE
  return true;
}

LoadedDriver::LoadedDriver() {
  if (!load())
    return;
  int result = driver.init(0);
  status = checkCuda(driver, result, "cuInit");
  if (status != KAMI_STATUS_OK)
    error = kamiRuntimeLastError();
}

const CudaDriver *kami::cudaDriver(KamiStatus &status) {
  static const LoadedDriver loaded;
  status = loaded.status;
  if (status == KAMI_STATUS_OK)
    return &loaded.driver;
  setLastError(status, loaded.error);
  return nullptr;
}

KamiStatus kami::checkCuda(const CudaDriver &driver, int result,
                           const char *call, const char *details) {
  if (result == cudaSuccess)
    return KAMI_STATUS_OK;
  const char *name = nullptr;
  const char *description = nullptr;
  driver.getErrorName(result, &name);
  driver.getErrorString(result, &description);
  std::string message = std::string(call) + " failed: " +
                        (name ? name : "error " + std::to_string(result));
  if (description)
    message += std::string(" (") + description + ")";
  if (*details)
    message += std::string(": ") + details;
  bool noDevice =
      result == cudaErrorNoDevice || result == cudaErrorInvalidDevice;
  return setLastError(noDevice ? KAMI_STATUS_NO_DEVICE : KAMI_STATUS_FAILED,
                      std::move(message));
}
