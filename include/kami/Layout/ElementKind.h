//===- ElementKind.h - Element types of matrix operands -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that a matrix unit multiplies or accumulates, spelled as
// the command lines spell them.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_ELEMENTKIND_H
#define KAMI_LAYOUT_ELEMENTKIND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace kami {

enum class ElementKind {
  F16,
  BF16,
  /// 32 bits in memory, of which the matrix unit multiplies 10 bits of
  /// mantissa.
  TF32,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  I8,
  I32,
};

/// Every kind, in declaration order.
llvm::ArrayRef<ElementKind> allElementKinds();

/// The spelling of `--type`: "f16", "bf16", "tf32", ...
llvm::StringRef name(ElementKind kind);

/// The inverse of `name`; nothing for a spelling that is not a kind.
std::optional<ElementKind> parseElementKind(llvm::StringRef spelling);

/// Bytes of one element in memory and in registers.
unsigned byteWidth(ElementKind kind);

} // namespace kami

#endif // KAMI_LAYOUT_ELEMENTKIND_H
