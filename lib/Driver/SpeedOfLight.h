//===- SpeedOfLight.h - What a batch takes without its products -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that read all of A and B and write all of C and multiply nothing, in
// several ways: which one is the fastest depends on how much there is to read.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_SPEEDOFLIGHT_H
#define KAMI_LIB_DRIVER_SPEEDOFLIGHT_H

#include "TimedGraph.h"
#include "kami/Target/Chip.h"
#include <memory>
#include <optional>

namespace kami {

/// How a kernel moves the bytes.
struct LightVariant {
  /// Whether the device's copy engine moves blocks of bytes through shared
  /// memory; otherwise threads move words of 16 bytes through registers.
  bool isBulk = false;
  /// Blocks of a multiprocessor; 0 for as many blocks as it takes for each
  /// thread to go once.
  int64_t blocks = 0;
  /// Of a block.
  int64_t threads = 32;
  /// Words of A, and as many of B, that a thread reads before it writes any.
  int64_t words = 1;
  /// Whether reads leave no trace in the first-level cache, and writes are
  /// marked as not needed again.
  bool isStreaming = false;
  /// Of the copy engine: bytes of A, and as many of B, that are copied at once,
  /// and how many of these are under way.
  int64_t chunk = 0;
  int64_t stages = 0;

  /// "bulk, 8192 bytes, 4 stages, 3 a multiprocessor".
  std::string describe() const;
  /// Of dynamic shared memory.
  int64_t sharedBytes() const { return 2 * chunk * stages; }
};

/// All that the chip can execute.
std::vector<LightVariant> lightVariants(const Chip &chip);

/// The kernel `kami_light`: three addresses, aligned to 16 bytes, then the
/// bytes of A, B and C, all of 64 bits. Where threads move the words, C becomes
/// A xor B, each continued by zeros; where the copy engine does, C's whole
/// words are A's, and what follows the last of them is A xor B.
std::string lightKernel(const LightVariant &variant, const Chip &chip);

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
