//===- DriverLibrary.cpp - A vendor's driver, found at run time ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverLibrary.h"
#include "LastError.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace kami;

DriverLibrary::DriverLibrary(const char *vendor, const char *variable,
                             const char *name)
    : vendor(vendor), name(name) {
  const char *chosen = std::getenv(variable);
  if (chosen && *chosen)
    this->name = chosen;
  // Never closed: drivers keep threads of their own.
  library = dlopen(this->name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library)
    return;
  const char *reason = dlerror();
  status = KAMI_STATUS_NO_DRIVER;
  error = std::string("no ") + vendor +
          " driver found: " + (reason ? reason : this->name);
}

bool DriverLibrary::resolve(const char *symbol, void **address,
                            const char *needed) {
  if (status != KAMI_STATUS_OK)
    return false;
  *address = dlsym(library, symbol);
  if (*address)
    return true;
  status = KAMI_STATUS_NO_DRIVER;
  error = std::string("the ") + vendor + " driver " + name + " has no " +
          symbol + "; " + needed;
  return false;
}

void DriverLibrary::fail(KamiStatus failure) {
  status = failure;
  error = kamiRuntimeLastError();
}

KamiStatus DriverLibrary::check() const {
  return status == KAMI_STATUS_OK ? status : setLastError(status, error);
}

KamiStatus kami::reportFailure(int result, const char *call, const char *name,
                               const char *description, const char *details) {
  constexpr int noDevice = 100, invalidDevice = 101;
  std::string message = std::string(call) + " failed: " +
                        (name ? name : "error " + std::to_string(result));
  if (description)
    message += std::string(" (") + description + ")";
  if (*details)
    message += std::string(": ") + details;
  bool isMissing = result == noDevice || result == invalidDevice;
  return setLastError(isMissing ? KAMI_STATUS_NO_DEVICE : KAMI_STATUS_FAILED,
                      std::move(message));
}
