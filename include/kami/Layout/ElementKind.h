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
#include <string>

namespace kami {

enum class ElementKind {
  F16,
  BF16,
  /// f32 in memory and accumulator; the elements are rounded to 10 bits of
  /// mantissa when they are loaded.
  TF32,
  /// f32 in memory and accumulator; the elements are multiplied as sums of two
  /// tf32 numbers, in three products.
  TF32x3,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  /// The formats of gfx942: one number more than half of the OCP's, since NaN
  /// is what would be negative zero.
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  I8,
  /// Without a sign. In memory a matrix of it is one of i8.
  U8,
  I32,
};

/// Every kind, in declaration order.
llvm::ArrayRef<ElementKind> allElementKinds();

/// The spelling of `--type`: "f16", "bf16", "tf32", ...
llvm::StringRef name(ElementKind kind);

/// "f16", or "i8 x u8" where B's elements have another type than A's.
std::string names(ElementKind a, ElementKind b);

/// The inverse of `name`; nothing for a spelling that is not a kind.
std::optional<ElementKind> parseElementKind(llvm::StringRef spelling);

/// Bytes of one element in memory and in registers.
unsigned byteWidth(ElementKind kind);

/// Whether elements of the kind are integers.
bool isInteger(ElementKind kind);
/// Whether they are floats of 8 bits.
bool isFloat8(ElementKind kind);
/// Whether elements of these two kinds can be multiplied with each other: equal
/// ones, integers of 8 bits with and without sign, floats of 8 bits of one
/// family, and one of the OCP's with f16, as which it is multiplied.
bool canMultiply(ElementKind a, ElementKind b);
/// The kind that elements may be extended to, exactly, before they are
/// multiplied: f16 for the OCP's floats of 8 bits, all of whose numbers it has.
std::optional<ElementKind> widened(ElementKind kind);
/// Whether an instruction for elements of `to` multiplies those of `from`: the
/// kinds are equal, or `from` is widened to `to`.
bool isMultipliedAs(ElementKind from, ElementKind to);

} // namespace kami

#endif // KAMI_LAYOUT_ELEMENTKIND_H
