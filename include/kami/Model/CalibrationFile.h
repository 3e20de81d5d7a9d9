//===- CalibrationFile.h - Calibrations as JSON --------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kami-bench calibrate` writes and `--calibration` reads:
//
//   { "version": 1, "chip": "sm_90", "device": "NVIDIA H200",
//     "source": "2026-11-21, CUDA 13.0",
//     "shared_bandwidth_bytes_per_cycle": 128, ...,
//     "atoms": [{"name": "mma_sync.m16n8k16.f32.f16", "cycles": 6.7, ...}] }
//
// Every figure has to be there, and no other key. Atoms that are left out are
// as documented.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_CALIBRATIONFILE_H
#define KAMI_MODEL_CALIBRATIONFILE_H

#include "kami/Target/Calibration.h"
#include "llvm/Support/JSON.h"

namespace kami {

/// Changes whenever a reader of the old format would misread the new one.
constexpr int64_t calibrationVersion = 1;

/// Errors say which key is missing, unknown or out of range, and which version
/// or chip was expected.
llvm::Expected<Calibration> parseCalibration(llvm::StringRef text,
                                             const Chip &chip);

/// The same of a file, whose name the errors start with; nothing if no file is
/// named.
llvm::Expected<std::optional<Calibration>> loadCalibration(llvm::StringRef path,
                                                           const Chip &chip);

/// Only the atoms that were measured.
llvm::json::Value toJSON(const Calibration &calibration);

/// A calibration's figure beside those of the atoms: what tables and files call
/// it. `key` ends in the unit.
struct CalibrationFigure {
  llvm::StringRef key;
  double Calibration::*value;
  /// Values above this are mistakes; all are above 0.
  double most;
};
llvm::ArrayRef<CalibrationFigure> calibrationFigures();

} // namespace kami

#endif // KAMI_MODEL_CALIBRATIONFILE_H
