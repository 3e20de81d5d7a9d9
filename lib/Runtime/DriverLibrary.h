//===- DriverLibrary.h - A vendor's driver, found at run time -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_RUNTIME_DRIVERLIBRARY_H
#define KAMI_LIB_RUNTIME_DRIVERLIBRARY_H

#include "kami/Runtime/Status.h"
#include <string>

namespace kami {

/// The outcome of the one attempt to load a driver, kept because every later
/// call, of any thread, has to be able to repeat it.
class DriverLibrary {
public:
  /// `vendor` is what errors call it, "CUDA". The library's name is in the
  /// environment variable, if that is set.
  DriverLibrary(const char *vendor, const char *variable, const char *name);

  /// False if there is none, from then on for every symbol. `needed` is what
  /// an error says of versions.
  bool resolve(const char *symbol, void **address, const char *needed);
  /// For errors of what is called to initialize it.
  void fail(KamiStatus failure);

  /// OK, or sets the thread's last error.
  KamiStatus check() const;

private:
  const char *vendor;
  std::string name;
  void *library = nullptr;
  KamiStatus status = KAMI_STATUS_OK;
  std::string error;
};

/// Sets the thread's last error to "`call` failed: NAME (description)", with
/// ": `details`" where there are any. CUDA's results that say that there is no
/// device are HIP's, too.
KamiStatus reportFailure(int result, const char *call, const char *name,
                         const char *description, const char *details);

} // namespace kami

#endif // KAMI_LIB_RUNTIME_DRIVERLIBRARY_H
