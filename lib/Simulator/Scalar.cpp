//===- Scalar.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Scalar.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace kami::sim;
using namespace mlir;

std::optional<ElementFormat> kami::sim::formatOf(Type type) {
  if (type.isIndex())
    return ElementFormat{ElementFormat::Integer, 64, nullptr};
  if (type.isF16())
    return ElementFormat{ElementFormat::F16, 16, nullptr};
  if (type.isBF16())
    return ElementFormat{ElementFormat::BF16, 16, nullptr};
  if (type.isF32())
    return ElementFormat{ElementFormat::F32, 32, nullptr};
  if (type.isF64())
    return ElementFormat{ElementFormat::F64, 64, nullptr};
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && integer.getWidth() >= 1 && integer.getWidth() <= 64)
    return ElementFormat{ElementFormat::Integer, integer.getWidth(), nullptr};
  if (auto other = dyn_cast<FloatType>(type); other && other.getWidth() == 8)
    return ElementFormat{ElementFormat::OtherFloat, other.getWidth(),
                         &other.getFloatSemantics()};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Float formats
//===----------------------------------------------------------------------===//

/// A binary interchange format with `manBits` of mantissa, to double.
template <unsigned expBits, unsigned manBits>
static double decodeFloat(uint64_t bits) {
  constexpr uint64_t expMask = (1u << expBits) - 1;
  constexpr int bias = (1 << (expBits - 1)) - 1;
  uint64_t sign = bits >> (expBits + manBits) & 1;
  uint64_t exponent = bits >> manBits & expMask;
  uint64_t mantissa = bits & ((1ull << manBits) - 1);
  if (exponent == 0) {
    constexpr uint64_t quantum = uint64_t(1023 + 1 - bias - int(manBits)) << 52;
    double magnitude = double(mantissa) * llvm::bit_cast<double>(quantum);
    return sign ? -magnitude : magnitude;
  }
  exponent = exponent == expMask ? 0x7FF : exponent - bias + 1023;
  return llvm::bit_cast<double>(sign << 63 | exponent << 52 |
                                mantissa << (52 - manBits));
}

/// The reverse; to nearest, ties to even, overflow to infinity.
template <unsigned expBits, unsigned manBits>
static uint64_t encodeFloat(double value) {
  constexpr int bias = (1 << (expBits - 1)) - 1;
  constexpr uint64_t infinity = uint64_t((1u << expBits) - 1) << manBits;
  constexpr unsigned shift = 52 - manBits;
  uint64_t raw = llvm::bit_cast<uint64_t>(value);
  uint64_t sign = raw >> 63 << (expBits + manBits);
  uint64_t magnitude = raw & ~(1ull << 63);
  if (magnitude >= 0x7FFull << 52)
    return sign | infinity |
           (magnitude > 0x7FFull << 52 ? 1ull << (manBits - 1) : 0);
  if (magnitude < uint64_t(1024 - bias) << 52) {
    // Subnormal: a sum with 2^52 quanta leaves the rounded number of quanta in
    // the low bits.
    constexpr uint64_t magic = uint64_t(1023 + 1 - bias + (52 - int(manBits)))
                               << 52;
    double sum =
        llvm::bit_cast<double>(magnitude) + llvm::bit_cast<double>(magic);
    return sign | (llvm::bit_cast<uint64_t>(sum) - magic);
  }
  uint64_t rebiased = magnitude - (uint64_t(1023 - bias) << 52);
  uint64_t rounded =
      (rebiased + (1ull << (shift - 1)) - 1 + (rebiased >> shift & 1)) >> shift;
  return sign | std::min(rounded, infinity);
}

double kami::sim::toDouble(const ElementFormat &format, uint64_t bits) {
  switch (format.kind) {
  case ElementFormat::F64:
    return llvm::bit_cast<double>(bits);
  case ElementFormat::F32:
    return llvm::bit_cast<float>(uint32_t(bits));
  case ElementFormat::F16:
    return decodeFloat<5, 10>(bits);
  case ElementFormat::BF16:
    return llvm::bit_cast<float>(uint32_t(bits << 16));
  case ElementFormat::OtherFloat: {
    llvm::APFloat value(*format.semantics, llvm::APInt(format.bits, bits));
    return value.convertToDouble();
  }
  case ElementFormat::Integer:
    break;
  }
  return double(toSigned(format, bits));
}

uint64_t kami::sim::fromDouble(const ElementFormat &format, double value) {
  switch (format.kind) {
  case ElementFormat::F64:
    return llvm::bit_cast<uint64_t>(value);
  case ElementFormat::F32:
    return llvm::bit_cast<uint32_t>(float(value));
  case ElementFormat::F16:
    return encodeFloat<5, 10>(value);
  case ElementFormat::BF16:
    return encodeFloat<8, 7>(value);
  case ElementFormat::OtherFloat: {
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(*format.semantics, llvm::APFloat::rmNearestTiesToEven,
                    &losesInfo);
    return rounded.bitcastToAPInt().getZExtValue();
  }
  case ElementFormat::Integer:
    break;
  }
  // Out of range is undefined where this comes from (fptosi); saturate. 2^63 is
  // the first double that does not fit.
  int64_t integer = 0;
  if (value >= 9223372036854775808.0)
    integer = std::numeric_limits<int64_t>::max();
  else if (value < -9223372036854775808.0)
    integer = std::numeric_limits<int64_t>::min();
  else if (!std::isnan(value))
    integer = int64_t(value);
  return uint64_t(integer) & format.mask();
}

uint64_t kami::sim::roundToTF32(uint64_t bits) {
  bool isNaN = (bits & 0x7FFFFFFF) > 0x7F800000;
  bool isOdd = bits >> 13 & 1;
  return isNaN ? 0x7FFFFFFF : (bits + 0xFFF + isOdd) & 0xFFFFE000;
}

int64_t kami::sim::toSigned(const ElementFormat &format, uint64_t bits) {
  unsigned unused = 64 - format.bits;
  return int64_t(bits << unused) >> unused;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<uint64_t> kami::sim::bitsOf(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute);
      integer && integer.getValue().getBitWidth() <= 64)
    return integer.getValue().getZExtValue();
  if (auto real = dyn_cast<FloatAttr>(attribute);
      real && real.getType().getIntOrFloatBitWidth() <= 64)
    return real.getValue().bitcastToAPInt().getZExtValue();
  return std::nullopt;
}

bool kami::sim::constantBits(Attribute value,
                             llvm::SmallVectorImpl<uint64_t> &bits) {
  if (std::optional<uint64_t> scalar = bitsOf(value)) {
    bits.push_back(*scalar);
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !formatOf(dense.getElementType()))
    return false;
  for (Attribute element : dense.getValues<Attribute>())
    bits.push_back(*bitsOf(element));
  return true;
}
