//===- DeviceLauncher.h - Host launches on a device ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_DEVICELAUNCHER_H
#define KAMI_LIB_DRIVER_DEVICELAUNCHER_H

#include "CudaStatus.h"
#include "kami/Driver/Compile.h"
#include "kami/Driver/Run.h"
#include "kami/Simulator/Host.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace kami {

/// Executes launches on a device. Every allocation that a launch names is
/// copied to the device before and back after it, padding and all, so that what
/// a kernel must not touch is seen to be untouched.
class DeviceLauncher {
public:
  /// On device 0 of the kind's vendor.
  static llvm::Expected<std::unique_ptr<DeviceLauncher>>
  create(DeviceKind kind, const Compilation &compilation, int64_t repeats);
  virtual ~DeviceLauncher() = default;

  virtual llvm::Error launch(const sim::Launch &launch) = 0;

  /// Sum over the launches of their median times.
  double totalMicroseconds() const { return microseconds; }
  llvm::StringRef deviceName() const { return name; }

protected:
  std::string name;
  double microseconds = 0;
};

/// A memref as the fields of its descriptor: allocated and aligned pointer,
/// offset, sizes, strides. Upstream passes each as a parameter of its own.
void appendDescriptor(const sim::MemRef &memref, uint64_t pointer,
                      std::vector<uint64_t> &fields);

/// As a vendor's runtime wants it.
template <typename Shape> Shape shapeOf(const sim::Launch &launch) {
  return {{unsigned(launch.grid.x), unsigned(launch.grid.y),
           unsigned(launch.grid.z)},
          {unsigned(launch.block.x), unsigned(launch.block.y),
           unsigned(launch.block.z)},
          unsigned(launch.dynamicSharedBytes)};
}

} // namespace kami

#endif // KAMI_LIB_DRIVER_DEVICELAUNCHER_H
