//===- CalibrateMode.cpp - What a device can do ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/Calibrate.h"
#include "kami/Driver/Run.h"
#include "kami/Model/CalibrationFile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;

llvm::Expected<bool> kami::runCalibrateMode(Flags &flags) {
  CalibrateOptions options;
  options.device = flags.device;
  if (llvm::Error error = checkRange("device", options.device, 0))
    return error;
  if (llvm::Error error = probeCuda())
    return error;
  llvm::Expected<Calibration> calibration =
      calibrate(options, llvm::outs(), llvm::errs());
  if (!calibration)
    return calibration.takeError();
  if (flags.output.getNumOccurrences() == 0)
    return true;
  std::error_code code;
  llvm::raw_fd_ostream os(flags.output, code);
  if (code)
    return cannotWrite(flags.output, code);
  os << llvm::formatv("{0:2}\n", toJSON(*calibration));
  return true;
}
