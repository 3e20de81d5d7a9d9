//===- Calibrate.h - Measure what the models need --------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a calibration on a CUDA device, in a minute or two: memory, barriers
// and launches by small kernels, the atoms by products inside a block whose
// plans show one figure each.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_CALIBRATE_H
#define KAMI_DRIVER_CALIBRATE_H

#include "kami/Target/Calibration.h"
#include "llvm/Support/raw_ostream.h"

namespace kami {

struct CalibrateOptions {
  int64_t device = 0;
};

/// Writes a line for each figure as it is measured, and returns all of them.
/// What cannot be measured (an atom without a plan that shows it) is said on
/// `log` and stays as documented.
llvm::Expected<Calibration> calibrate(const CalibrateOptions &options,
                                      llvm::raw_ostream &table,
                                      llvm::raw_ostream &log);

} // namespace kami

#endif // KAMI_DRIVER_CALIBRATE_H
