//===- HipDriver.cpp - The HIP runtime's entry points -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HipDriver.h"
#include "DriverLibrary.h"

using namespace kami;

namespace {
struct LoadedDriver {
  DriverLibrary library{"HIP", "KAMI_HIP_DRIVER", "libamdhip64.so"};
  HipDriver driver = {};

  LoadedDriver() {
#define KAMI_HIP_RESOLVE(result, member, symbol, ...)                          \
  if (!library.resolve(symbol, reinterpret_cast<void **>(&driver.member),      \
                       "a runtime of ROCm 5.7 or newer is needed"))            \
    return;
    KAMI_HIP_FUNCTIONS(KAMI_HIP_RESOLVE)
#undef KAMI_HIP_RESOLVE
    KamiStatus status = checkHip(driver, driver.init(0), "hipInit");
    if (status != KAMI_STATUS_OK)
      library.fail(status);
  }
};
} // namespace

const HipDriver *kami::hipDriver(KamiStatus &status) {
  static const LoadedDriver loaded;
  status = loaded.library.check();
  return status == KAMI_STATUS_OK ? &loaded.driver : nullptr;
}

KamiStatus kami::checkHip(const HipDriver &driver, int result, const char *call,
                          const char *details) {
  if (result == hipSuccess)
    return KAMI_STATUS_OK;
  return reportFailure(result, call, driver.getErrorName(result),
                       driver.getErrorString(result), details);
}
