//===- SimulatorScalarTest.cpp --------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <random>

using namespace kami::sim;
using namespace mlir;

/// Rounding agrees with LLVM's soft floats, for every f16 and for random
/// values.
TEST_F(SimulatorTest, RoundsAsAPFloat) {
  std::mt19937_64 random(1);
  for (Type type : {f16(), Type(BFloat16Type::get(&context)), f32()}) {
    ElementFormat format = *formatOf(type);
    const llvm::fltSemantics &semantics =
        cast<FloatType>(type).getFloatSemantics();
    auto check = [&](double value) {
      llvm::APFloat expected(value);
      bool losesInfo;
      expected.convert(semantics, llvm::APFloat::rmNearestTiesToEven,
                       &losesInfo);
      uint64_t bits = fromDouble(format, value);
      ASSERT_EQ(bits, expected.bitcastToAPInt().getZExtValue()) << value;
      llvm::APFloat back(semantics, llvm::APInt(format.bits, bits));
      ASSERT_EQ(toDouble(format, bits), back.convertToDouble()) << value;
    };
    for (int i = 0; i != 200000; ++i) {
      double mantissa = 1 + std::ldexp(double(random() >> 12), -52);
      check(std::ldexp(random() & 1 ? mantissa : -mantissa,
                       int(random() % 300) - 150));
    }
    // Ties, and their neighbours.
    for (int i = 0; i != 4096; ++i)
      for (int exponent : {-30, -25, -24, -14, 0, 5})
        for (double nudge : {0.0, 1e-9, -1e-9})
          check(std::ldexp(i + 0.5 + nudge, exponent));
    check(0.0);
    check(-0.0);
    check(INFINITY);
    check(65519.99);
    check(65520.0);
    EXPECT_TRUE(std::isnan(toDouble(format, fromDouble(format, NAN))));
  }
}

/// tf32 as a decimal: the multiple of 2^-10 of the leading power that is
/// nearest, ties to even.
TEST_F(SimulatorTest, RoundsToTF32) {
  ElementFormat format = *formatOf(f32());
  auto check = [&](float value, float expected) {
    uint64_t bits = roundToTF32(fromDouble(format, value));
    EXPECT_EQ(float(toDouble(format, bits)), expected) << value;
  };
  float step = std::ldexp(1.0f, -10);
  check(1.0f, 1.0f);
  check(1 + step / 2, 1.0f);
  check(-1 - step / 2, -1.0f);
  check(1 + step * 1.5f, 1 + 2 * step);
  check(1 + step * 0.51f, 1 + step);
  check(1 + step * 0.49f, 1.0f);
  check(3.0f + step, 3.0f);
  check(3.0f + 3 * step, 3.0f + 4 * step);
  check(2.0f - std::ldexp(1.0f, -23), 2.0f);
  check(std::ldexp(1.0f, -149), 0.0f);
  check(INFINITY, INFINITY);
  check(3.4028235e38f, INFINITY);
  for (uint64_t nan : {0x7F800001ull, 0x7FFFFFFFull, 0xFFFFFFFFull})
    EXPECT_TRUE(std::isnan(toDouble(format, roundToTF32(nan))));
  std::mt19937_64 random(2);
  for (int i = 0; i != 100000; ++i) {
    float value = std::ldexp(1 + float(random() >> 41) * 0x1p-23f,
                             int(random() % 200) - 100);
    int exponent;
    std::frexp(value, &exponent);
    double quantum = std::ldexp(1.0, exponent - 11);
    check(value, float(std::nearbyint(value / quantum) * quantum));
  }
}

/// Every number of 8 bits, as OCP's "8-bit Floating Point Specification", table
/// 1, defines it, and every f16 rounded to them.
TEST_F(SimulatorTest, ConvertsFloat8) {
  for (bool isE5M2 : {false, true}) {
    ElementFormat format =
        *formatOf(isE5M2 ? Type(Float8E5M2Type::get(&context))
                         : Type(Float8E4M3FNType::get(&context)));
    int mantissa = isE5M2 ? 2 : 3, bias = isE5M2 ? 15 : 7;
    double largest = isE5M2 ? 57344 : 448;
    std::vector<double> all;
    for (unsigned bits = 0; bits != 128; ++bits) {
      int exponent = bits >> mantissa;
      double fraction = std::ldexp(bits & ((1 << mantissa) - 1), -mantissa);
      double value = exponent == 0 ? std::ldexp(fraction, 1 - bias)
                                   : std::ldexp(1 + fraction, exponent - bias);
      double read = toDouble(format, bits);
      if (value <= largest) {
        EXPECT_EQ(read, value) << bits;
        EXPECT_EQ(toDouble(format, bits | 0x80), -value) << bits;
        EXPECT_EQ(fromDouble(format, value), bits);
        all.push_back(value);
      } else if (isE5M2 && bits == 0x7C) {
        EXPECT_EQ(read, INFINITY);
      } else {
        EXPECT_TRUE(std::isnan(read)) << bits;
      }
    }
    ElementFormat half = *formatOf(f16());
    for (unsigned bits = 0; bits != 0x7C00; ++bits) {
      double value = toDouble(half, bits);
      double rounded = toDouble(format, fromDouble(format, value));
      if (value > largest)
        continue;
      for (double other : all)
        EXPECT_LE(std::fabs(rounded - value), std::fabs(other - value))
            << value;
    }
  }
}

/// The lower half of two words, shifted as one by a number of bits modulo 32.
TEST_F(SimulatorTest, ShiftsTwoWords) {
  MemRef out = array({4}, IntegerType::get(&context, 32));
  ASSERT_TRUE(succeeded(run("%out: memref<4xi32>", R"(
%low = arith.constant 0x43825201 : i32
%high = arith.constant 0x87660504 : i32
%by0 = arith.constant 0 : i32
%by8 = arith.constant 8 : i32
%by48 = arith.constant 48 : i32
%by31 = arith.constant -1 : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%r0 = llvm.intr.fshr(%high, %low, %by0) : (i32, i32, i32) -> i32
%r1 = llvm.intr.fshr(%high, %low, %by8) : (i32, i32, i32) -> i32
%r2 = llvm.intr.fshr(%high, %low, %by48) : (i32, i32, i32) -> i32
%r3 = llvm.intr.fshr(%high, %low, %by31) : (i32, i32, i32) -> i32
memref.store %r0, %out[%c0] : memref<4xi32>
memref.store %r1, %out[%c1] : memref<4xi32>
memref.store %r2, %out[%c2] : memref<4xi32>
memref.store %r3, %out[%c3] : memref<4xi32>
)",
                            {1}, {1}, 0, {out})))
      << message;
  auto bits = [&](int64_t i) {
    return readBits(out.buffer->bytes.data() + out.address({i}), 4);
  };
  EXPECT_EQ(bits(0), 0x43825201u);
  EXPECT_EQ(bits(1), 0x04438252u);
  EXPECT_EQ(bits(2), 0x05044382u);
  EXPECT_EQ(bits(3), 0x0ecc0a08u);
}
