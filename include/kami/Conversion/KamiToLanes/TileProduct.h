//===- TileProduct.h - kami.mma, tile by tile ---------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_TILEPRODUCT_H
#define KAMI_CONVERSION_KAMITOLANES_TILEPRODUCT_H

#include "kami/Conversion/KamiToLanes/OperandTiles.h"

namespace kami::lanes {

/// The sums of a product by matrix instructions. `prepare` makes of an
/// operand's tile what is multiplied, once for each step of k; `multiply` adds
/// the product of two of those to a tile of C.
template <typename Prepare, typename Multiply>
llvm::SmallVector<mlir::Value>
multiplyTiles(mlir::ImplicitLocOpBuilder &b, MmaOp op,
              MmaOp::GenericAdaptor<llvm::ArrayRef<mlir::ValueRange>> adaptor,
              Prepare prepare, Multiply multiply) {
  FragmentType c = op.getC().getType();
  int64_t columns = c.getTileColumns();
  auto [rows, others] = op.getTiles();
  int64_t depth = op.getA().getType().getTileColumns();
  llvm::SmallVector<mlir::Value> sums(adaptor.getC());
  OperandTiles left(b, op, op.getA(), adaptor.getA());
  OperandTiles right(b, op, op.getB(), adaptor.getB());
  // Of each step of k, the smaller operand stays while the larger passes.
  bool staysA = rows <= others;
  for (int64_t k = 0; k != depth; ++k) {
    auto partsA = [&](int64_t i) {
      return prepare(left.get(b, i * depth + k));
    };
    auto partsB = [&](int64_t j) {
      return prepare(right.get(b, k * columns + j));
    };
    llvm::SmallVector<decltype(partsA(0))> staying;
    for (int64_t i = 0; i != (staysA ? rows : others); ++i)
      staying.push_back(staysA ? partsA(i) : partsB(i));
    for (int64_t i = 0; i != (staysA ? others : rows); ++i) {
      auto passing = staysA ? partsB(i) : partsA(i);
      for (auto [other, parts] : llvm::enumerate(staying)) {
        int64_t row = staysA ? other : i, column = staysA ? i : other;
        mlir::Value &sum = sums[row * columns + column];
        sum = staysA ? multiply(parts, passing, sum)
                     : multiply(passing, parts, sum);
      }
    }
  }
  return sums;
}

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_TILEPRODUCT_H
