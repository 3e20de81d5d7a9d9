//===- SpeedOfLight.h - What a batch takes without its products -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that move the bytes of A, B and C and multiply nothing, run and
// timed: the fastest of them is what a batch is held against.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_SPEEDOFLIGHT_H
#define KAMI_LIB_DRIVER_SPEEDOFLIGHT_H

#include "LightKernels.h"
#include "TimedGraph.h"
#include <memory>
#include <optional>

namespace kami {

/// What a launch reads and writes.
struct LightOperands {
  KamiCudaPointer a = 0, b = 0, c = 0;
  int64_t aBytes = 0, bBytes = 0, cBytes = 0;

  int64_t mostBytes() const;
};

/// A variant that is loaded.
class LightKernel {
public:
  LightKernel(KamiCudaDevice *device, const LightVariant &variant,
              int64_t multiprocessors)
      : variant(variant), device(device), module(device),
        multiprocessors(multiprocessors) {}

  llvm::Error load(const Chip &chip);
  llvm::Error enqueue(const LightOperands &operands,
                      KamiCudaStream stream) const;
  /// Whether C is what it should be, at its ends and at some places between.
  llvm::Expected<bool> isRight(const LightOperands &operands) const;

  const LightVariant variant;

private:
  KamiCudaDevice *device;
  CudaModule module;
  KamiCudaFunction function = nullptr;
  int64_t multiprocessors;
};

/// A kernel on somebody's operands.
struct LightContestant {
  const LightKernel *kernel = nullptr;
  std::unique_ptr<TimedGraph> graph;
};

/// The operands that a benchmark's launches take in turn.
struct LightSets {
  int64_t count = 0;
  /// Launches of a graph.
  int64_t launches = 0;
  llvm::function_ref<LightOperands(int64_t set)> operands;
};

class SpeedOfLight {
public:
  /// Loads all variants. What the driver refuses is said on `log` and left out.
  SpeedOfLight(KamiCudaDevice *device, const Chip &chip,
               int64_t multiprocessors, llvm::raw_ostream &log);

  /// The fastest few on these operands, checked and captured, to be timed in
  /// turn with others. An error means that the device has failed.
  llvm::Expected<std::vector<LightContestant>>
  contestants(const LightSets &sets, const GraphClock &clock,
              llvm::raw_ostream &log) const;

private:
  KamiCudaDevice *device;
  std::vector<std::unique_ptr<LightKernel>> kernels;
};

/// The fastest that has been timed; null without any.
const LightContestant *fastest(llvm::ArrayRef<LightContestant> contestants);

/// The fastest way of a chip to multiply a type's elements.
struct OperationRate {
  double teraflops = 0;
  Provenance provenance = Provenance::Assumed;
};

/// Nothing where the chip cannot.
std::optional<OperationRate> operationRate(const Chip &chip, ElementKind type);

} // namespace kami

#endif // KAMI_LIB_DRIVER_SPEEDOFLIGHT_H
