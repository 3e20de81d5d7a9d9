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

/// What tells one product from its kin.
struct Product {
  llvm::StringRef chip;
  llvm::StringRef name;
  int64_t multiprocessors;
  double boostMHz;
  int64_t l2MiB;
  double memoryBandwidth;
  llvm::ArrayRef<AtomRate> atoms;
  llvm::ArrayRef<Citation> citations;
  int64_t ptxVersion = 0;
  llvm::ArrayRef<AtomRate> laneAtoms = {};
  llvm::ArrayRef<AtomRate> groupAtoms = {};
};

/// A chip of the family `chip` with the product's own figures.
Chip makeChip(Chip chip, const Product &product);

/// What the vendors' chips execute.
llvm::ArrayRef<Atom> nvidiaAtoms();
llvm::ArrayRef<Atom> amdAtoms();

llvm::ArrayRef<Chip> nvidiaChips();
llvm::ArrayRef<Chip> amdChips();
llvm::ArrayRef<Chip> intelChips();
/// Devices of no vendor, which SPIR-V for Vulkan targets.
llvm::ArrayRef<Chip> vulkanChips();

/// What is known of a device with Vulkan that nobody measured.
Chip vulkanFamily();

} // namespace kami

#endif // KAMI_LIB_TARGET_TABLES_H
