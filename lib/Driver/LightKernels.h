//===- LightKernels.h - Kernels that only move bytes ------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They read all of A and B, write all of C and multiply nothing, in several
// ways: which one is the fastest depends on how much there is to read.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_LIGHTKERNELS_H
#define KAMI_LIB_DRIVER_LIGHTKERNELS_H

#include "kami/Target/Chip.h"
#include <string>
#include <vector>

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
  int64_t sharedBytes() const { return (2 * chunk + 8) * stages; }
};

/// All that the chip can execute.
std::vector<LightVariant> lightVariants(const Chip &chip);

/// The kernel `kami_light`: three addresses, aligned to 16 bytes, then the
/// bytes of A, B and C, all of 64 bits. Where threads move the words, C becomes
/// A xor B, each continued by zeros; where the copy engine does, C's whole
/// words are A's, and what follows the last of them is A xor B.
std::string lightKernel(const LightVariant &variant, const Chip &chip);

} // namespace kami

#endif // KAMI_LIB_DRIVER_LIGHTKERNELS_H
