//===- VulkanPeer.h - A batch on the device's Vulkan driver -----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_VULKANPEER_H
#define KAMI_LIB_DRIVER_VULKANPEER_H

#include "BenchmarkOperands.h"
#include "kami/Driver/Benchmark.h"
#include "kami/Driver/Compile.h"
#include "kami/Runtime/Vulkan.h"

namespace kami {

/// kami's own SPIR-V for the first Vulkan device, on operands like those of the
/// other contestants. In the place of a graph's replay stands a submission of
/// as many dispatches, one after the other, between two timestamps of the
/// device.
class VulkanPeer {
public:
  /// Opens the device.
  static llvm::Expected<std::unique_ptr<VulkanPeer>> open();

  /// Compiles the product of a module, runs it over every set of operands and
  /// compares, and times as many dispatches as there are launches in `repeats`
  /// replays of a graph. `options` say what of the planner is wanted, for
  /// whatever chip. An error is why there are no times.
  llvm::Error run(mlir::ModuleOp module, CompileOptions options,
                  const Operands &operands, double bound, int64_t repeats);

  LaunchTime time() const { return summarize(times); }
  /// The plan in one line.
  std::string plan;

private:
  struct Set {
    VulkanBuffer a, b, c;
  };
  llvm::Error load(mlir::ModuleOp module, const CompileOptions &options,
                   const Operands &operands);
  llvm::Expected<double> launch(llvm::ArrayRef<KamiVulkanBuffer *> arguments);
  std::vector<KamiVulkanBuffer *> arguments(int64_t launches) const;
  llvm::Expected<double> firstRun(const Operands &operands);
  llvm::Error measure(const Operands &operands, int64_t repeats);

  VulkanDevice device;
  std::string chip;
  // After the device, so that they go before it.
  std::unique_ptr<VulkanKernel> kernel;
  std::vector<Set> sets;
  int64_t blocks = 0;
  std::vector<double> times;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_VULKANPEER_H
