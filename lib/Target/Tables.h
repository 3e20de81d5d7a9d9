//===- Tables.h - One table of chips per vendor ---------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TARGET_TABLES_H
#define KAMI_LIB_TARGET_TABLES_H

#include "kami/Target/Chip.h"

namespace kami {

llvm::ArrayRef<Chip> nvidiaChips();
llvm::ArrayRef<Chip> amdChips();
/// Intel's chips, and the device of no vendor that SPIR-V for Vulkan targets.
llvm::ArrayRef<Chip> intelChips();

} // namespace kami

#endif // KAMI_LIB_TARGET_TABLES_H
