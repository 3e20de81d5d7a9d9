//===- ProductTypes.h - What can be multiplied with what -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_PRODUCTTYPES_H
#define KAMI_LIB_IR_PRODUCTTYPES_H

#include "kami/IR/KamiOps.h"

namespace kami {

/// The types of a product of real numbers.
struct ProductTypes {
  /// As they are multiplied, and C's in memory.
  mlir::Type a, b, c;
  mlir::Type accumulator;
  /// Whether sums, or C's old elements, are converted between the accumulator's
  /// type and C's.
  bool convertsC = true;
  std::optional<Precision> precision = std::nullopt;
  bool unsignedA = false, unsignedB = false;
};

/// Emits an error at `op` unless matrices of these types can be multiplied.
mlir::LogicalResult verifyProductTypes(mlir::Operation *op,
                                       const ProductTypes &types);

} // namespace kami

#endif // KAMI_LIB_IR_PRODUCTTYPES_H
