//===- RunReport.h - What a run tells ------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_RUNREPORT_H
#define KAMI_DRIVER_RUNREPORT_H

#include "kami/Driver/Run.h"

namespace kami {

/// The device of `--device` for a chip: auto takes one that executes the chip's
/// kernels if there is one, else the simulator. A device that is asked for and
/// not there is an error with the driver's words.
llvm::Expected<DeviceKind> chooseDevice(llvm::StringRef flag,
                                        llvm::StringRef target);

/// What the simulator counted in one launch.
llvm::json::Object describe(const sim::SimulatorReport &report);

/// Plan, resources, time and errors of a run. The keys `ok`, `device`,
/// `max_rel_error`, `time_us` and `plan` are stable.
llvm::json::Value reportJSON(const RunResult &result,
                             const Compilation &compilation);
void reportText(const RunResult &result, const Compilation &compilation,
                llvm::raw_ostream &os);

} // namespace kami

#endif // KAMI_DRIVER_RUNREPORT_H
