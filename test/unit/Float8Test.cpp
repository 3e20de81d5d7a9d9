//===- Float8Test.cpp - Conversions of 8-bit floats ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>

using namespace kami;
using namespace kami::sim;

namespace {

class Float8Test : public SimulatorTest {
protected:
  /// Runs a conversion of `values` by 32 lanes, as arith says it and expanded,
  /// and compares the bits. NaNs are all alike.
  void compare(const std::string &operation, mlir::Type from, mlir::Type to,
               llvm::ArrayRef<uint64_t> values) {
    int64_t count = llvm::alignTo(values.size(), 32);
    std::string a = "memref<" + std::to_string(count) + "x" + print(from) + ">";
    std::string b = "memref<" + std::to_string(count) + "x" + print(to) + ">";
    std::string body =
        "%lane = gpu.lane_id\n%step = arith.constant 32 : index\n"
        "%end = arith.constant " +
        std::to_string(count) +
        " : index\n%zero = arith.constant 0 : index\n"
        "scf.for %first = %zero to %end step %step {\n"
        "%i = arith.addi %first, %lane : index\n"
        "%x = memref.load %a[%i] : " +
        a + "\n%y = arith." + operation + " %x : " + print(from) + " to " +
        print(to) + "\nmemref.store %y, %b[%i] : " + b + "\n}";
    MemRef input = array({count}, from), expected = array({count}, to),
           computed = array({count}, to);
    ElementFormat fromFormat = *formatOf(from);
    for (auto [i, bits] : llvm::enumerate(values))
      writeBits(input.buffer->bytes.data() + i * fromFormat.bytes(),
                fromFormat.bytes(), bits);
    std::string arguments = "%a: " + a + ", %b: " + b;
    ASSERT_TRUE(succeeded(run(arguments, body, {}, {32}, 0, {input, expected})))
        << message;
    mlir::PassManager passes(&context);
    passes.addPass(createKamiExpandFloat8());
    ASSERT_TRUE(succeeded(passes.run(*module))) << message;
    bool isExpanded = true;
    module->walk([&](mlir::Operation *op) {
      if (mlir::isa<mlir::arith::ExtFOp, mlir::arith::TruncFOp>(op))
        for (mlir::Type type :
             {op->getOperand(0).getType(), op->getResult(0).getType()})
          isExpanded &= type.getIntOrFloatBitWidth() > 8;
    });
    EXPECT_TRUE(isExpanded);
    ASSERT_TRUE(
        succeeded(simulateLaunch(find<mlir::gpu::GPUFuncOp>(), {}, {32}, 0,
                                 {input, computed}, options, report)))
        << message;
    for (int64_t i = 0; i != int64_t(values.size()); ++i) {
      double one = at(expected, {i}), other = at(computed, {i});
      bool isEqual = one == other && std::signbit(one) == std::signbit(other);
      EXPECT_TRUE(isEqual || (std::isnan(one) && std::isnan(other)))
          << print(from) << " to " << print(to) << " of " << at(input, {i})
          << ": expected " << one << ", got " << other;
    }
  }

  static std::string print(mlir::Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  std::vector<mlir::Type> float8() {
    return {mlir::Float8E4M3FNType::get(&context),
            mlir::Float8E5M2Type::get(&context),
            mlir::Float8E4M3FNUZType::get(&context),
            mlir::Float8E5M2FNUZType::get(&context)};
  }
};

TEST_F(Float8Test, EveryByteExtends) {
  std::vector<uint64_t> bytes(256);
  for (unsigned i = 0; i != 256; ++i)
    bytes[i] = i;
  for (mlir::Type from : float8())
    for (mlir::Type to : {f16(), f32(), f64()})
      compare("extf", from, to, bytes);
}

TEST_F(Float8Test, EveryHalfTruncates) {
  std::vector<uint64_t> halves(1 << 16);
  for (unsigned i = 0; i != halves.size(); ++i)
    halves[i] = i;
  for (mlir::Type to : float8())
    compare("truncf", f16(), to, halves);
}

/// The numbers between every two neighbours, their middle, and what is just
/// below and above each; infinities, NaNs, the largest and the smallest.
TEST_F(Float8Test, WiderFloatsTruncate) {
  for (mlir::Type to : float8()) {
    ElementFormat format = *formatOf(to);
    for (mlir::Type from : {f32(), f64()}) {
      ElementFormat wide = *formatOf(from);
      std::vector<uint64_t> values;
      auto add = [&](double value) {
        uint64_t bits = fromDouble(wide, value);
        uint64_t sign = 1ull << (wide.bits - 1);
        for (uint64_t near : {bits - 1, bits, bits + 1}) {
          values.push_back(near & wide.mask());
          values.push_back((near ^ sign) & wide.mask());
        }
      };
      for (unsigned bits = 0; bits != 0x7F; ++bits) {
        double low = toDouble(format, bits), high = toDouble(format, bits + 1);
        for (double part : {0.0, 0.25, 0.5, 0.75})
          if (std::isfinite(low) && std::isfinite(high))
            add(low + part * (high - low));
      }
      for (double value :
           {240.0, 248.0, 256.0, 448.0, 464.0, 480.0, 57344.0, 61440.0, 65536.0,
            1e30, 1e-30, double(INFINITY), std::ldexp(1, -126)})
        add(value);
      values.push_back(wide.mask());
      values.push_back(wide.mask() >> 1);
      compare("truncf", from, to, values);
    }
  }
}

} // namespace
