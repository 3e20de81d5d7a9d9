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
