//===- FragmentSlot.h - A fragment in shared memory ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's accesses of a fragment that lies in shared memory in fragment order
// (kami/Layout/SharedOrder.h), a word of up to 16 bytes each.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_FRAGMENTSLOT_H
#define KAMI_CONVERSION_KAMITOLANES_FRAGMENTSLOT_H

#include "kami/Conversion/KamiToLanes/Lanes.h"

namespace kami::lanes {

/// A slot of a buffer that holds fragments of one type.
class FragmentSlot {
public:
  FragmentSlot(mlir::ImplicitLocOpBuilder &b, FragmentType fragment,
               mlir::Value buffer, mlir::Value slot);

  void write(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange tiles) const;
  llvm::SmallVector<mlir::Value> read(mlir::ImplicitLocOpBuilder &b) const;
  /// One tile: `tile` behind the one whose index is `from`, 0 if it is null.
  mlir::Value readTile(mlir::ImplicitLocOpBuilder &b, int64_t tile,
                       mlir::Value from = {}) const;

private:
  FragmentType fragment;
  SharedOrder order;
  mlir::Value memory;
  /// The lane's first word of the slot.
  mlir::Value origin;
};

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_FRAGMENTSLOT_H
