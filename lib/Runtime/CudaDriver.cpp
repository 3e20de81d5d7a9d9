//===- CudaDriver.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "DriverLibrary.h"

using namespace kami;

namespace {
struct LoadedDriver {
  DriverLibrary library{"CUDA", "KAMI_CUDA_DRIVER", "libcuda.so.1"};
  CudaDriver driver = {};

  LoadedDriver() {
#define KAMI_CUDA_RESOLVE(member, symbol, ...)                                 \
  if (!library.resolve(symbol, reinterpret_cast<void **>(&driver.member),      \
                       "a driver of CUDA 11.4 or newer is needed"))            \
    return;
    KAMI_CUDA_FUNCTIONS(KAMI_CUDA_RESOLVE)
#undef KAMI_CUDA_RESOLVE
    KamiStatus status = checkCuda(driver, driver.init(0), "cuInit");
    if (status != KAMI_STATUS_OK)
      library.fail(status);
  }
};
} // namespace

const CudaDriver *kami::cudaDriver(KamiStatus &status) {
  static const LoadedDriver loaded;
  status = loaded.library.check();
  return status == KAMI_STATUS_OK ? &loaded.driver : nullptr;
}

KamiStatus kami::checkCuda(const CudaDriver &driver, int result,
                           const char *call, const char *details) {
  if (result == cudaSuccess)
    return KAMI_STATUS_OK;
  const char *name = nullptr;
  const char *description = nullptr;
  driver.getErrorName(result, &name);
  driver.getErrorString(result, &description);
  return reportFailure(result, call, name, description, details);
}
