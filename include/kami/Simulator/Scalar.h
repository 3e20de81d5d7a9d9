//===- Scalar.h - Elements as raw bits ------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element, in registers and in memory, is a run of raw bits in a
// `uint64_t`. A format says how they are read. Conversions round to nearest,
// ties to even, once.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_SIMULATOR_SCALAR_H
#define KAMI_SIMULATOR_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include <cstdint>
#include <optional>

namespace kami::sim {

/// How the bits of an element are read.
struct ElementFormat {
  enum Kind : uint8_t { Integer, F16, BF16, F32, F64, OtherFloat };

  Kind kind = Integer;
  /// Significant bits; an index has 64.
  unsigned bits = 64;
  /// Of an `OtherFloat`.
  const llvm::fltSemantics *semantics = nullptr;

  bool isFloat() const { return kind != Integer; }
  /// Bytes in memory: an i1 takes one.
  unsigned bytes() const { return bits <= 8 ? 1 : bits / 8; }
  uint64_t mask() const { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
  bool operator==(const ElementFormat &other) const {
    return kind == other.kind && bits == other.bits &&
           semantics == other.semantics;
  }
};

/// The format of an integer, index or float type of at most 64 bits.
std::optional<ElementFormat> formatOf(mlir::Type type);

/// The value of a float; exact for all formats.
double toDouble(const ElementFormat &format, uint64_t bits);
/// The nearest float of that format.
uint64_t fromDouble(const ElementFormat &format, double value);
/// The tf32 number, as an f32, that is nearest to an f32, ties to even.
uint64_t roundToTF32(uint64_t bits);
/// Sign-extended integer value.
int64_t toSigned(const ElementFormat &format, uint64_t bits);

/// The bits of a scalar attribute (an integer or a float).
std::optional<uint64_t> bitsOf(mlir::Attribute attribute);
/// The bits of every element of a scalar or dense constant, in row-major order.
bool constantBits(mlir::Attribute value, llvm::SmallVectorImpl<uint64_t> &bits);

/// An operation of `arith` or `math` that maps elements to an element, ready to
/// be applied many times.
struct ScalarOp {
  using Function = uint64_t (*)(const ScalarOp &op, uint64_t a, uint64_t b,
                                uint64_t c);

  Function function = nullptr;
  unsigned operands = 0;
  /// Of the first (for a select, the last) operand, and of the result.
  ElementFormat from;
  ElementFormat to;
  /// A comparison's predicate.
  int predicate = 0;

  uint64_t operator()(uint64_t a, uint64_t b = 0, uint64_t c = 0) const {
    return function(*this, a, b, c);
  }
};

/// How to evaluate `op` on one element of each operand, or nothing where `op`
/// is none of those operations or its types are not known.
std::optional<ScalarOp> decodeScalarOp(mlir::Operation *op);

/// Whether a comparison of floats holds, which are unordered where they are
/// neither less, nor equal, nor greater.
bool holds(mlir::arith::CmpFPredicate predicate, bool less, bool equal,
           bool greater);

} // namespace kami::sim

#endif // KAMI_SIMULATOR_SCALAR_H
