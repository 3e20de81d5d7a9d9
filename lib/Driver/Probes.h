//===- Probes.h - Kernels that measure one figure each --------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_PROBES_H
#define KAMI_LIB_DRIVER_PROBES_H

#include "BlockTimer.h"

namespace kami {

/// A kernel that does nothing but what it measures. All have the same
/// arguments: an input and an output of `count` elements of 32 bits, all zero,
/// `count`, and how often to repeat.
enum class Probe {
  /// Nothing at all.
  Empty,
  /// A block's barrier.
  Barrier,
  /// A load from shared memory at the place that the one before has given.
  SharedLatency,
  /// Loads of 16 bytes a lane from shared memory.
  SharedBandwidth,
  /// Loads of 16 bytes a lane, over and over, from all of the input.
  Read,
  /// The input to the output, 16 bytes a lane.
  Copy,
  /// A load from the input at a place that the one before has given, `stride`
  /// elements further.
  MemoryLatency,
};

/// Elements from one load of `Probe::MemoryLatency` to the next: beyond a line,
/// and beyond a sector of the next.
constexpr int64_t latencyStride = 1024 + 32;

/// As PTX, with blocks of `threads`; errors are bugs.
llvm::Expected<Kernel> buildProbe(Probe probe, llvm::StringRef chip,
                                  int64_t threads);

} // namespace kami

#endif // KAMI_LIB_DRIVER_PROBES_H
