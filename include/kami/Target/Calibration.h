//===- Calibration.h - What a device was measured to do -----------*- C++
//-*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures that decide how long a kernel takes and that no vendor prints, as
// somebody measured them on one device, beside the documented facts of its
// chip. Models take all their figures of speed from here. Where nobody
// measured, the figures are the chip's documented ones and estimates.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TARGET_CALIBRATION_H
#define KAMI_TARGET_CALIBRATION_H

#include "kami/Target/Chip.h"
#include <string>
#include <vector>

namespace kami {

/// How one atom behaves.
struct AtomCalibration {
  const Atom *atom = nullptr;
  /// Cycles that a tensor core is busy with one (for `fma`, the lanes beside
  /// it), in a loop of nothing else with enough of them in flight.
  double cycles = 0;
  /// Cycles until its sums may be added to again.
  double latency = 0;
  /// Of the cycles in which the less busy one of tensor cores and shared memory
  /// works, the part that the other does not hide: where warps read operands
  /// from shared memory between their instructions, with enough warps on each
  /// tensor core.
  double exposedReads = 0;
  /// Of the cycles in which shared memory serves what a block exchanges between
  /// barriers, the part that other blocks' instructions do not hide. Above 1
  /// where moves to and from registers take longer than shared memory.
  double exposedExchange = 0;
  /// Whether somebody measured it.
  Provenance provenance = Provenance::Assumed;
};

struct Calibration {
  /// "sm_90".
  std::string chip;
  /// "NVIDIA H200"; where nothing was measured, the chip's product.
  std::string device;
  /// When and under what it was measured: "2026-11-21, CUDA 13.0".
  std::string source;
  Provenance provenance = Provenance::Documented;

  /// Shared memory of a multiprocessor: bytes per cycle, and cycles from a load
  /// to its value.
  double sharedBandwidth = 0;
  double sharedLatency = 0;
  /// Cycles from the first to the last warp through a barrier: of a block of
  /// one warp, and of each more.
  double barrier = 0;
  double barrierPerWarp = 0;
  /// Bytes per cycle that one multiprocessor draws from the second-level cache.
  double cacheBandwidth = 0;
  /// 10^9 bytes per second from and to device memory, and cycles of an idle
  /// load.
  double memoryBandwidth = 0;
  double memoryLatency = 0;
  /// What an empty kernel costs, in microseconds.
  double launchMicroseconds = 0;

  /// One entry for every atom of the chip.
  std::vector<AtomCalibration> atoms;

  /// The chip has to have the atom.
  const AtomCalibration &of(const Atom &atom) const;
  AtomCalibration &of(const Atom &atom);
};

/// The chip's documented figures, and estimates for the others.
Calibration documentedCalibration(const Chip &chip);

/// What was measured on the chip, if kami has it built in; otherwise
/// `documentedCalibration`.
const Calibration &calibrationOf(const Chip &chip);

} // namespace kami

#endif // KAMI_TARGET_CALIBRATION_H
