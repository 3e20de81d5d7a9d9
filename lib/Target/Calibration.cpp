//===- Calibration.cpp - What a device was measured to do -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Target/Calibration.h"
#include "Measured.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <map>
#include <mutex>

using namespace kami;

const AtomCalibration &Calibration::of(const Atom &atom) const {
  auto entry = llvm::find_if(
      atoms, [&](const AtomCalibration &one) { return one.atom == &atom; });
  assert(entry != atoms.end() && "an atom that the chip does not have");
  return *entry;
}

AtomCalibration &Calibration::of(const Atom &atom) {
  return const_cast<AtomCalibration &>(std::as_const(*this).of(atom));
}

/// Cycles until sums may be added to again, of matrix units and of the lanes:
/// estimates, near what sm_80 and sm_90 take.
static constexpr double matrixLatency = 33;
static constexpr double laneLatency = 4;
/// As on an H200 with mma.sync on floats of 16 bits (Measured.cpp).
static constexpr double exposedReads = 0.28;
static constexpr double exposedExchange = 1.14;

Calibration kami::documentedCalibration(const Chip &chip) {
  Calibration calibration;
  calibration.chip = chip.name.str();
  calibration.device = chip.product.str();
  calibration.source = "documented figures and estimates";
  calibration.sharedBandwidth = chip.sharedBandwidth;
  calibration.sharedLatency = chip.sharedLatency;
  calibration.barrier = 14;
  calibration.barrierPerWarp = 2;
  calibration.cacheBandwidth = 32;
  calibration.memoryBandwidth = chip.memoryBandwidth;
  calibration.memoryLatency = chip.memoryLatency;
  calibration.launchMicroseconds = chip.launchMicroseconds;
  for (llvm::ArrayRef<AtomRate> rates : chip.atomLists()) {
    for (const AtomRate &rate : rates) {
      const Atom *atom = findAtom(rate.atom);
      assert(atom && "a rate of no atom");
      const Extents &shape = atom->shape;
      AtomCalibration entry;
      entry.atom = atom;
      entry.cycles =
          2.0 * shape.m * shape.n * shape.k / (rate.opsPerCycle * rate.reached);
      entry.latency =
          atom->products() *
          (atom->instruction == Instruction::Fma ? laneLatency : matrixLatency);
      entry.exposedReads = exposedReads;
      entry.exposedExchange = exposedExchange;
      entry.provenance = rate.provenance;
      calibration.atoms.push_back(entry);
    }
  }
  return calibration;
}

const Calibration &kami::calibrationOf(const Chip &chip) {
  // Chips are added at run time, by devices that describe themselves.
  static std::mutex mutex;
  static std::map<llvm::StringRef, Calibration> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = known.find(chip.name);
  if (found != known.end())
    return found->second;
  Calibration calibration =
      documentedCalibration(*llvm::cantFail(findChip(chip.name)));
  addMeasurements(calibration);
  return known.emplace(chip.name, std::move(calibration)).first->second;
}
