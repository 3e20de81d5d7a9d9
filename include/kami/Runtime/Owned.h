//===- Owned.h - What is made on a device, for C++ ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_RUNTIME_OWNED_H
#define KAMI_RUNTIME_OWNED_H

#include "kami/Runtime/Status.h"

#ifdef __cplusplus
namespace kami {

/// Something made on a device, released with `release` at the end of its
/// scope. Must not outlive the device.
template <typename Device, typename Handle,
          KamiStatus (*release)(Device *, Handle handle)>
class Owned {
public:
  explicit Owned(Device *device) : device(device) {}
  ~Owned() {
    if (handle)
      release(device, handle);
  }
  Owned(Owned &&other) : device(other.device), handle(other.handle) {
    other.handle = Handle();
  }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;

  Handle get() const { return handle; }
  /// For the call that makes it; to be used once.
  Handle *out() { return &handle; }

private:
  Device *device;
  Handle handle = Handle();
};

} // namespace kami
#endif

#endif // KAMI_RUNTIME_OWNED_H
