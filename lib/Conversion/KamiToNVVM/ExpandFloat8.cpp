//===- ExpandFloat8.cpp - Conversions of 8-bit floats --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no 8-bit floats. From sm_89 on, PTX extends pairs of them to f16,
// and narrows to them with saturation. arith rounds to nearest, ties to even,
// and overflows to infinity, or to NaN where a type has no infinity; a few
// integer operations do that on every chip, and extend where hardware does not.
// The FNUZ formats have one NaN, in the place of negative zero, and no
// infinity.
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_KAMIEXPANDFLOAT8
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {

/// A binary float: a sign, an exponent with a bias, a mantissa.
struct Format {
  unsigned mantissa;
  int64_t bias;
  /// Bits of the largest finite number, and what larger ones become.
  uint64_t largest;
  uint64_t overflow;
  uint64_t nan;

  /// Whether NaN has the bits of a negative zero.
  constexpr bool hasUnsignedZero() const { return nan == 0x80; }
};
constexpr Format e4m3 = {3, 7, 0x7E, 0x7F, 0x7F};
constexpr Format e5m2 = {2, 15, 0x7B, 0x7C, 0x7E};
constexpr Format e4m3fnuz = {3, 8, 0x7F, 0x80, 0x80};
constexpr Format e5m2fnuz = {2, 16, 0x7F, 0x80, 0x80};

const Format *float8Format(Type type) {
  return isa<Float8E4M3FNType>(type)     ? &e4m3
         : isa<Float8E5M2Type>(type)     ? &e5m2
         : isa<Float8E4M3FNUZType>(type) ? &e4m3fnuz
         : isa<Float8E5M2FNUZType>(type) ? &e5m2fnuz
                                         : nullptr;
}

Value integer(ImplicitLocOpBuilder &b, Type type, uint64_t bits) {
  return arith::ConstantOp::create(
      b, IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), bits)));
}

Value bitcast(ImplicitLocOpBuilder &b, Type type, Value value) {
  return arith::BitcastOp::create(b, type, value);
}

Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
              Value left, uint64_t right) {
  return arith::CmpIOp::create(b, predicate, left,
                               integer(b, left.getType(), right));
}

/// The value in f16, exactly. An E5M2 number is the upper half of an f16. An
/// E4M3 number has one exponent bit less: with the mantissa in its place it
/// reads as an f16 that is 2^8 too small, also where it is subnormal.
Value extendToF16(ImplicitLocOpBuilder &b, Value value) {
  bool isE5M2 = isa<Float8E5M2Type>(value.getType());
  Type i16 = b.getI16Type(), f16 = b.getF16Type();
  Value bits = arith::ExtUIOp::create(b, i16, bitcast(b, b.getI8Type(), value));
  auto shifted = [&](Value from, unsigned count) {
    return arith::ShLIOp::create(b, from, integer(b, i16, count)).getResult();
  };
  if (isE5M2)
    return bitcast(b, f16, shifted(bits, 8));
  Value signBit = arith::AndIOp::create(b, bits, integer(b, i16, 0x80));
  Value sign = shifted(signBit, 8);
  Value magnitude = arith::AndIOp::create(b, bits, integer(b, i16, 0x7F));
  Value half =
      bitcast(b, f16, arith::OrIOp::create(b, sign, shifted(magnitude, 7)));
  Value scale = arith::ConstantOp::create(b, b.getF16FloatAttr(256.0f));
  Value scaled = arith::MulFOp::create(b, half, scale);
  Value isNaN = compare(b, arith::CmpIPredicate::eq, magnitude, e4m3.nan);
  Value nan = arith::ConstantOp::create(
      b, b.getFloatAttr(f16, APFloat::getNaN(APFloat::IEEEhalf())));
  return arith::SelectOp::create(b, isNaN, nan, scaled);
}

/// The value of an FNUZ format in f32, exactly: exponent and mantissa in their
/// places read as an f32 that is too small by the difference of the biases.
Value extendToF32(ImplicitLocOpBuilder &b, Value value, const Format &from) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value bits = arith::ExtUIOp::create(b, i32, bitcast(b, b.getI8Type(), value));
  auto shifted = [&](uint64_t mask, unsigned count) -> Value {
    Value part = arith::AndIOp::create(b, bits, integer(b, i32, mask));
    return arith::ShLIOp::create(b, part, integer(b, i32, count));
  };
  Value magnitude = shifted(0x7F, 23 - from.mantissa);
  Value sign = shifted(0x80, 24);
  Value small = bitcast(b, f32, arith::OrIOp::create(b, sign, magnitude));
  Value scale = arith::ConstantOp::create(
      b, b.getF32FloatAttr(std::ldexp(1.0f, 127 - from.bias)));
  Value scaled = arith::MulFOp::create(b, small, scale);
  Value isNaN = compare(b, arith::CmpIPredicate::eq, bits, from.nan);
  Value nan = arith::ConstantOp::create(
      b, b.getFloatAttr(f32, APFloat::getNaN(APFloat::IEEEsingle())));
  return arith::SelectOp::create(b, isNaN, nan, scaled);
}

/// The values in f16 by the hardware's conversion of pairs.
SmallVector<Value> convertPairs(ImplicitLocOpBuilder &b,
                                ArrayRef<Value> values) {
  auto bytes = VectorType::get({2}, b.getI8Type());
  auto halves = VectorType::get({2}, b.getF16Type());
  SmallVector<Value> results;
  for (size_t i = 0; i < values.size(); i += 2) {
    Value first = bitcast(b, b.getI8Type(), values[i]);
    Value second = i + 1 == values.size()
                       ? first
                       : bitcast(b, b.getI8Type(), values[i + 1]);
    Value pair = vector::FromElementsOp::create(b, bytes, {first, second});
    Value converted = NVVM::ConvertF8x2ToF16x2Op::create(
        b, halves, pair, /*relu=*/false, values[i].getType());
    for (int64_t part = 0; part != 2 && i + part != values.size(); ++part)
      results.push_back(vector::ExtractOp::create(b, converted, part));
  }
  return results;
}

/// An f16 or f32 that was an 8-bit float in another type, all of which have it.
Value convertExact(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (to > from)
    return arith::ExtFOp::create(b, type, value);
  if (from == 16)
    value = arith::ExtFOp::create(b, b.getF32Type(), value);
  return arith::TruncFOp::create(b, type, value);
}

/// The nearest number of the format to an f32 or f64.
Value truncate(ImplicitLocOpBuilder &b, Value value, const Format &to,
               Type result) {
  auto from = cast<FloatType>(value.getType());
  unsigned width = from.getWidth(), mantissa = from.getFPMantissaWidth() - 1;
  int64_t bias = (int64_t(1) << (width - mantissa - 2)) - 1;
  Type word = b.getIntegerType(width);
  uint64_t signBit = uint64_t(1) << (width - 1);
  Value bits = bitcast(b, word, value);
  Value magnitude =
      arith::AndIOp::create(b, bits, integer(b, word, signBit - 1));

  // Normal numbers: another bias, and half a unit in the last place less one,
  // or not less where that makes a tie even.
  unsigned shift = mantissa - to.mantissa;
  Value rebiased = arith::SubIOp::create(
      b, magnitude, integer(b, word, uint64_t(bias - to.bias) << mantissa));
  Value places = integer(b, word, shift);
  Value truncated = arith::ShRUIOp::create(b, rebiased, places);
  Value isOdd = arith::AndIOp::create(b, truncated, integer(b, word, 1));
  Value half = arith::AddIOp::create(
      b, isOdd, integer(b, word, (uint64_t(1) << (shift - 1)) - 1));
  Value raised = arith::AddIOp::create(b, rebiased, half);
  Value normal = arith::ShRUIOp::create(b, raised, places);
  normal = arith::SelectOp::create(
      b, compare(b, arith::CmpIPredicate::ugt, normal, to.largest),
      integer(b, word, to.overflow), normal);

  // Subnormal ones: in a sum with a number whose last place is theirs, the
  // hardware rounds.
  uint64_t magic = uint64_t(bias + mantissa + 1 - to.bias - to.mantissa)
                   << mantissa;
  Value magicBits = integer(b, word, magic);
  Value sum = arith::AddFOp::create(b, bitcast(b, from, magnitude),
                                    bitcast(b, from, magicBits));
  Value subnormal = arith::SubIOp::create(b, bitcast(b, word, sum), magicBits);

  uint64_t leastNormal = uint64_t(bias + 1 - to.bias) << mantissa;
  uint64_t infinity = uint64_t(2 * bias + 1) << mantissa;
  Value rounded = arith::SelectOp::create(
      b, compare(b, arith::CmpIPredicate::ult, magnitude, leastNormal),
      subnormal, normal);
  rounded = arith::SelectOp::create(
      b, compare(b, arith::CmpIPredicate::ugt, magnitude, infinity),
      integer(b, word, to.nan), rounded);
  Value high = arith::ShRUIOp::create(b, bits, integer(b, word, width - 8));
  Value sign = arith::AndIOp::create(b, high, integer(b, word, 0x80));
  if (to.hasUnsignedZero())
    sign = arith::SelectOp::create(
        b, compare(b, arith::CmpIPredicate::eq, rounded, 0),
        integer(b, word, 0), sign);
  Value all = arith::OrIOp::create(b, rounded, sign);
  Value byte = arith::TruncIOp::create(b, b.getI8Type(), all);
  return bitcast(b, result, byte);
}

/// `value`, or the elements of it where it is a vector, converted to `type` all
/// at once: what regions do to fragments are operations on vectors.
template <typename Convert>
Value convertElements(ImplicitLocOpBuilder &b, Value value, Type type,
                      Convert convert) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return convert(ArrayRef(value), type).front();
  SmallVector<Value> elements;
  for (int64_t i = 0; i != vector.getNumElements(); ++i)
    elements.push_back(vector::ExtractOp::create(b, value, i));
  return vector::FromElementsOp::create(
      b, vector, convert(elements, vector.getElementType()));
}

/// The format where the type is one of its numbers, or a plain vector of them.
const Format *convertedFormat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector && (vector.getRank() != 1 || vector.isScalable()))
    return nullptr;
  return float8Format(getElementTypeOrSelf(type));
}

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  ExpandExtension(MLIRContext *context, bool hasConversion)
      : OpRewritePattern(context), hasConversion(hasConversion) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    const Format *format = convertedFormat(op.getIn().getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "not from an 8-bit float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto extend = [&](ArrayRef<Value> values, Type type) {
      SmallVector<Value> wide;
      if (hasConversion && !format->hasUnsignedZero())
        wide = convertPairs(b, values);
      else
        for (Value value : values)
          wide.push_back(format->hasUnsignedZero()
                             ? extendToF32(b, value, *format)
                             : extendToF16(b, value));
      return llvm::map_to_vector(
          wide, [&](Value exact) { return convertExact(b, exact, type); });
    };
    rewriter.replaceOp(op,
                       convertElements(b, op.getIn(), op.getType(), extend));
    return success();
  }

  /// Whether the chip extends the OCP's 8-bit floats to f16.
  bool hasConversion;
};

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    const Format *format = convertedFormat(op.getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "not to an 8-bit float");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return op.emitOpError("expected rounding to the nearest even number");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto narrow = [&](ArrayRef<Value> values, Type type) {
      return llvm::map_to_vector(values, [&](Value in) {
        if (in.getType().getIntOrFloatBitWidth() < 32)
          in = arith::ExtFOp::create(b, b.getF32Type(), in);
        return truncate(b, in, *format, type);
      });
    };
    rewriter.replaceOp(op,
                       convertElements(b, op.getIn(), op.getType(), narrow));
    return success();
  }
};

/// Core matrices are bytes, whatever they mean. LLVM's descriptors of both
/// matrices are the same.
struct LoadBytes : OpRewritePattern<nvgpu::LdMatrixOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nvgpu::LdMatrixOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<VectorType>(op.getRes().getType());
    if (!float8Format(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "no 8-bit floats");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto matrix = cast<MemRefType>(op.getSrcMemref().getType());
    // A range of types refers to them, and a builder's would be gone.
    MemRefType ofBytes =
        MemRefType::Builder(matrix).setElementType(b.getI8Type());
    Value bytes =
        UnrealizedConversionCastOp::create(b, ofBytes, op.getSrcMemref())
            .getResult(0);
    Value loaded = nvgpu::LdMatrixOp::create(
        b, type.clone(b.getI8Type()), bytes, op.getIndices(), op.getTranspose(),
        op.getNumTiles());
    rewriter.replaceOp(op, bitcast(b, type, loaded));
    return success();
  }
};

struct ExpandFloat8 : kami::impl::KamiExpandFloat8Base<ExpandFloat8> {
  void runOnOperation() override {
    bool hasConversion = false;
    if (namesTarget(getOperation())) {
      FailureOr<const Chip *> chip = targetOf(getOperation());
      if (failed(chip))
        return signalPassFailure();
      hasConversion = (*chip)->extendsFloat8;
    }
    RewritePatternSet patterns(&getContext());
    populateExpandFloat8Patterns(patterns, hasConversion);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

void kami::populateExpandFloat8Patterns(RewritePatternSet &patterns,
                                        bool hasConversion) {
  patterns.add<ExpandExtension>(patterns.getContext(), hasConversion);
  patterns.add<ExpandTruncation, LoadBytes>(patterns.getContext());
}
