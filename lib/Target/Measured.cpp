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

// `kami-bench calibrate`, one H200, driver 580.159.04, CUDA 13.0, 2026-11-21;
// spreads of cycles and latencies are below 2 %. What shows of reads and
// exchanges spreads by 20 % and more in a calibration: for mma_sync on 16-bit
// floats, tf32, 8-bit integers and f64 it is fitted to all 18943 candidates of
// 65 products inside a block (`kami-bench regret`, the same day and device).
// fma.m16n16k4 has the rate of fma.m16n8k1 for each operation, and what shows
// of its reads fits 2000 products of f32 from 48 to 256 a side within a fifth
// (2026-11-23).
static constexpr MeasuredAtom h200Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 6.83, 26.8, 0.28, 1.14},
    {"mma_sync.m16n8k16.f16.f16", 6.73, 26.6, 0.28, 1.14},
    {"mma_sync.m16n8k16.f32.bf16", 6.9, 26.8, 0.28, 1.14},
    {"mma_sync.m16n8k8.f32.tf32", 6.76, 26.6, 0.28, 1.14},
    {"mma_sync.m16n8k8.f64.f64", 32.3, 50.3, 0.18, 0.44},
    {"mma_sync.m16n8k16.f64.f64", 65.3, 83.4, 0.18, 0.44},
    {"mma_sync.m8n8k4.f64.f64", 16.2, 26.4, 0.18, 0.44},
    {"mma_sync.m16n8k4.f32.tf32", 4.5, 18.8, 0.28, 1.14},
    {"mma_sync.m16n8k8.f32.tf32x3", 19.9, 79.1, 2.2, 2.5},
    {"mma_sync.m16n8k4.f32.tf32x3", 14.2, 56, 2.3, 2.68},
    {"mma_sync.m16n8k32.i32.i8", 6.77, 26.7, 0.28, 1.14},
    {"mma_sync.m16n8k32.i32.u8", 6.71, 26.6, 0.28, 1.14},
    {"mma_sync.m16n8k32.i32.u8.i8", 6.74, 26.6, 0.28, 1.14},
    {"mma_sync.m16n8k16.i32.i8", 4.48, 18.7, 0.28, 1.14},
    {"mma_sync.m16n8k16.i32.u8", 4.48, 18.7, 0.28, 1.14},
    {"mma_sync.m16n8k16.i32.u8.i8", 4.47, 18.6, 0.28, 1.14},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", 20.6, 13, 0.01, 0.627},
    {"mma_sync.m16n8k32.f32.f8E5M2", 20.5, 13, 0.01, 0.636},
    {"fma.m16n8k1.f32.f32", 5.17, 5.83, 1.3, 2.92},
    {"fma.m16n16k4.f32.f32", 42, 40, 0.28, 1.14},
    {"fma.m16n8k1.f64.f64", 10.2, 12.1, 0.28, 1.14},
    {"fma.m16n8k1.f32.f8E4M3FN", 5.71, 7.55, 0.28, 1.14},
    {"fma.m16n8k1.f32.f8E5M2", 5.71, 6.43, 0.28, 1.14},
    {"wgmma.m16n8k16.f32.f16", 4.84, 20.1, 0.055, 1.14},
    {"wgmma.m16n8k16.f16.f16", 4.66, 20.3, 0.056, 1.14},
    {"wgmma.m16n8k16.f32.bf16", 4.63, 20.2, 0.052, 1.14},
    {"wgmma.m16n8k8.f32.tf32", 4.47, 21.1, 0.064, 1.14},
    {"wgmma.m16n8k32.f32.f8E4M3FN", 4.79, 20.2, 0.057, 1.14},
    {"wgmma.m16n8k32.f32.f8E5M2", 4.66, 20.2, 0.057, 1.14},
    {"wgmma.m16n8k32.i32.i8", 4.42, 19.9, 0.078, 1.14},
};

static constexpr Kin h200Kin[] = {
    {"mma_sync.m16n8k32.i32.i8.u8", "mma_sync.m16n8k32.i32.i8"},
    {"mma_sync.m16n8k16.i32.i8.u8", "mma_sync.m16n8k16.i32.i8"},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", "mma_sync.m16n8k32.f32.f8E4M3FN"},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", "mma_sync.m16n8k32.f32.f8E4M3FN"},
    {"wgmma.m16n8k32.f32.f8E4M3FN.f8E5M2", "wgmma.m16n8k32.f32.f8E4M3FN"},
    {"wgmma.m16n8k32.f32.f8E5M2.f8E4M3FN", "wgmma.m16n8k32.f32.f8E4M3FN"},
};

static constexpr Measurements all[] = {
    {"sm_90", "NVIDIA H200", "2026-11-21, driver 580.159.04, CUDA 13.0", 126,
     29.2, 16.7, 1.86, 24.6, 3934, 701, 0.52, h200Atoms, h200Kin},
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
