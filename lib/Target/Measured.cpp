//===- Measured.cpp - Measurements that are built in ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measured.h"

using namespace kami;

namespace {
struct MeasuredAtom {
  llvm::StringRef atom;
  double cycles;
  double latency;
};

struct Measurements {
  llvm::StringRef chip;
  llvm::StringRef device;
  llvm::StringRef source;
  double sharedBandwidth, sharedLatency;
  double barrier, barrierPerWarp;
  double cacheBandwidth;
  double memoryBandwidth, memoryLatency;
  double launchMicroseconds;
  llvm::ArrayRef<MeasuredAtom> atoms;
};
} // namespace

// Rates and the barrier: loops of the instruction alone; memory: a copy;
// launch: an empty kernel in a graph's replay. Latencies of atoms and of device
// memory and the cache's bandwidth are estimates still.
static constexpr MeasuredAtom h200Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 4096 / (643e12 / (132 * 4 * 1980e6)), 33},
};

static constexpr Measurements all[] = {
    {"sm_90", "NVIDIA H200", "2026-11-21, driver 580.159.04, CUDA 13.0", 128,
     29, 30, 2, 32, 4264, 700, 0.7, h200Atoms},
};

void kami::addMeasurements(Calibration &calibration) {
  for (const Measurements &measured : all) {
    if (measured.chip != calibration.chip)
      continue;
    calibration.device = measured.device.str();
    calibration.source = measured.source.str();
    calibration.provenance = Provenance::Measured;
    calibration.sharedBandwidth = measured.sharedBandwidth;
    calibration.sharedLatency = measured.sharedLatency;
    calibration.barrier = measured.barrier;
    calibration.barrierPerWarp = measured.barrierPerWarp;
    calibration.cacheBandwidth = measured.cacheBandwidth;
    calibration.memoryBandwidth = measured.memoryBandwidth;
    calibration.memoryLatency = measured.memoryLatency;
    calibration.launchMicroseconds = measured.launchMicroseconds;
    for (const MeasuredAtom &one : measured.atoms) {
      AtomCalibration &entry = calibration.of(*findAtom(one.atom));
      entry.cycles = one.cycles;
      entry.latency = one.latency;
      entry.provenance = Provenance::Measured;
    }
  }
}
