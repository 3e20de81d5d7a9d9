//===- VulkanLauncher.h - Host launches on a Vulkan device ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_VULKANLAUNCHER_H
#define KAMI_LIB_DRIVER_VULKANLAUNCHER_H

#include "kami/Driver/Compile.h"
#include "kami/Runtime/Vulkan.h"
#include "kami/Simulator/Host.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace kami {

/// Executes launches on the first device. Every allocation that a launch names
/// is copied to the device before and back after it, as it is for CUDA.
class VulkanLauncher {
public:
  static llvm::Expected<std::unique_ptr<VulkanLauncher>>
  create(const Compilation &compilation, int64_t repeats);

  llvm::Error launch(const sim::Launch &launch);

  /// Sum over the launches of their median times.
  double totalMicroseconds() const { return microseconds; }
  llvm::StringRef deviceName() const { return name; }

private:
  VulkanLauncher() = default;

  llvm::Error load(const Compilation &compilation);
  llvm::Error time(KamiVulkanKernel *kernel, unsigned blocks,
                   llvm::ArrayRef<KamiVulkanBuffer *> arguments);

  VulkanDevice device;
  std::string name;
  int64_t repeats = 0;
  double microseconds = 0;
  llvm::StringMap<VulkanKernel> kernels;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_VULKANLAUNCHER_H
