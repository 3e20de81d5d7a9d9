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
  double exposedReads;
  double exposedExchange;
};

/// An atom that nobody measured, taken to run as its kin.
struct Kin {
  llvm::StringRef atom;
  llvm::StringRef as;
  /// Instructions that it takes for one of its kin's.
  double times = 1;
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
  llvm::ArrayRef<Kin> kin;
};
} // namespace

// All candidates of 26 products inside a block (`kami-bench block --all`), 5297
// of them, 2026-11-21: cycles are those of the plans that exchange nothing and
// read little, the rest is fitted to all. Latencies of atoms and of device
// memory and the cache's bandwidth are estimates still.
static constexpr MeasuredAtom h200Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 6.8, 33, 0.28, 1.14},
    {"mma_sync.m16n8k16.f32.bf16", 6.8, 33, 0.28, 1.14},
    {"mma_sync.m16n8k8.f32.tf32", 6.75, 33, 0.28, 1.14},
    {"mma_sync.m16n8k4.f32.tf32", 4.5, 33, 0.28, 1.14},
    {"mma_sync.m16n8k32.i32.i8", 6.9, 33, 0.28, 1.14},
    {"mma_sync.m16n8k16.i32.i8", 4.55, 33, 0.28, 1.14},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", 19, 33, 0.28, 1.14},
    {"mma_sync.m16n8k8.f64.f64", 32.8, 33, 0.18, 0.44},
};

static constexpr Kin h200Kin[] = {
    {"mma_sync.m16n8k16.f16.f16", "mma_sync.m16n8k16.f32.f16"},
    {"mma_sync.m16n8k16.f64.f64", "mma_sync.m16n8k8.f64.f64", 2},
    {"mma_sync.m16n8k8.f32.tf32x3", "mma_sync.m16n8k8.f32.tf32", 3},
    {"mma_sync.m16n8k4.f32.tf32x3", "mma_sync.m16n8k4.f32.tf32", 3},
    {"mma_sync.m16n8k32.i32.u8", "mma_sync.m16n8k32.i32.i8"},
    {"mma_sync.m16n8k32.i32.i8.u8", "mma_sync.m16n8k32.i32.i8"},
    {"mma_sync.m16n8k32.i32.u8.i8", "mma_sync.m16n8k32.i32.i8"},
    {"mma_sync.m16n8k16.i32.u8", "mma_sync.m16n8k16.i32.i8"},
    {"mma_sync.m16n8k16.i32.i8.u8", "mma_sync.m16n8k16.i32.i8"},
    {"mma_sync.m16n8k16.i32.u8.i8", "mma_sync.m16n8k16.i32.i8"},
    {"mma_sync.m16n8k32.f32.f8E5M2", "mma_sync.m16n8k32.f32.f8E4M3FN"},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", "mma_sync.m16n8k32.f32.f8E4M3FN"},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", "mma_sync.m16n8k32.f32.f8E4M3FN"},
};

static constexpr Measurements all[] = {
    {"sm_90", "NVIDIA H200", "2026-11-21, driver 580.159.04, CUDA 13.0", 128,
     29, 14, 1.9, 32, 4264, 700, 0.7, h200Atoms, h200Kin},
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
      entry.exposedReads = one.exposedReads;
      entry.exposedExchange = one.exposedExchange;
      entry.provenance = Provenance::Measured;
    }
    for (const Kin &kin : measured.kin) {
      AtomCalibration &entry = calibration.of(*findAtom(kin.atom));
      const AtomCalibration &as = calibration.of(*findAtom(kin.as));
      entry.cycles = kin.times * as.cycles;
      entry.latency = entry.atom->products() * as.latency;
      entry.exposedReads = as.exposedReads;
      entry.exposedExchange = as.exposedExchange;
      entry.provenance = Provenance::Assumed;
    }
  }
}
