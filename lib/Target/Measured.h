//===- Measured.h - Measurements that are built in ----------------*- C++
//-*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TARGET_MEASURED_H
#define KAMI_LIB_TARGET_MEASURED_H

#include "kami/Target/Calibration.h"

namespace kami {

/// Replaces figures by those measured on a device of the same chip, where there
/// are any.
void addMeasurements(Calibration &calibration);

} // namespace kami

#endif // KAMI_LIB_TARGET_MEASURED_H
