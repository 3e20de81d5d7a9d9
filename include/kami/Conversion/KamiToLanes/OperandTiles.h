//===- OperandTiles.h - A and B of a product, tile by tile ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand that was fetched for a product is read where it is multiplied.
// Compilers keep the order of reads and instructions as far as nothing is
// gained, so that few registers wait for their turn.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_OPERANDTILES_H
#define KAMI_CONVERSION_KAMITOLANES_OPERANDTILES_H

#include "kami/Conversion/KamiToLanes/FragmentSlot.h"
#include <optional>

namespace kami::lanes {

class OperandTiles {
public:
  /// `registers`: the operand, converted.
  OperandTiles(mlir::ImplicitLocOpBuilder &b, MmaOp op,
               mlir::TypedValue<FragmentType> operand,
               mlir::ValueRange registers);

  /// Whether tiles lie in shared memory, and may be any at run time.
  bool areFetched() const { return slot.has_value(); }
  /// The tile of that index, `from` further on; null is 0. Each call reads it
  /// anew.
  mlir::Value get(mlir::ImplicitLocOpBuilder &b, int64_t tile,
                  mlir::Value from = {}) const;

private:
  llvm::SmallVector<mlir::Value> registers;
  std::optional<FragmentSlot> slot;
};

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_OPERANDTILES_H
