//===- KamiTypes.h - Types of the dialect --------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMITYPES_H
#define KAMI_IR_KAMITYPES_H

#include "kami/IR/KamiAttrs.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kami {
/// The most elements of a fragment: those of the largest register file, of a
/// CDNA compute unit (512 KiB).
inline int64_t mostFragmentElements(mlir::Type element) {
  return int64_t(512) * 1024 * 8 / element.getIntOrFloatBitWidth();
}
} // namespace kami

#define GET_TYPEDEF_CLASSES
#include "kami/IR/KamiTypes.h.inc"

#endif // KAMI_IR_KAMITYPES_H
