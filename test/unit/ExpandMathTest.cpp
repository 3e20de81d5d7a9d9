//===- ExpandMathTest.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expanded functions, operation by operation, against the C library's long
// doubles.
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Scalar.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {
using Reference = long double (*)(long double);

/// y = f(x) as straight-line code, with values numbered.
class Expanded {
public:
  template <typename Op> static Expanded make(MLIRContext &context, Type type) {
    Expanded made;
    ImplicitLocOpBuilder b(UnknownLoc::get(&context), &context);
    made.module = ModuleOp::create(b);
    b.setInsertionPointToStart(made.module->getBody());
    auto function =
        func::FuncOp::create(b, "f", b.getFunctionType({type}, {type}));
    b.setInsertionPointToStart(function.addEntryBlock());
    Value y = Op::create(b, function.getArgument(0));
    func::ReturnOp::create(b, y);
    RewritePatternSet patterns(&context);
    populateExpandMathPatterns(patterns);
    walkAndApplyPatterns(*made.module, std::move(patterns));
    made.decode(function);
    return made;
  }

  double operator()(double x) {
    values[0] = fromDouble(format, x);
    for (const Step &step : steps)
      values[step.result] =
          step.op(values[step.operands[0]], values[step.operands[1]],
                  values[step.operands[2]]);
    return toDouble(format, values[result]);
  }

  ElementFormat format;

private:
  struct Step {
    ScalarOp op;
    unsigned operands[3] = {0, 0, 0};
    unsigned result;
  };

  void decode(func::FuncOp function) {
    Block &body = function.getBody().front();
    format = *formatOf(body.getArgument(0).getType());
    llvm::DenseMap<Value, unsigned> numbers = {{body.getArgument(0), 0}};
    values.resize(1);
    for (Operation &op : body.without_terminator()) {
      unsigned number = values.size();
      numbers[op.getResult(0)] = number;
      values.push_back(0);
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        values[number] = *bitsOf(constant.getValue());
        continue;
      }
      std::optional<ScalarOp> scalar = decodeScalarOp(&op);
      ASSERT_TRUE(scalar) << op.getName().getStringRef().str();
      ASSERT_FALSE((isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::ErfOp,
                        math::RsqrtOp>(op)));
      Step &step = steps.emplace_back();
      step.op = *scalar;
      step.result = number;
      for (auto [i, operand] : llvm::enumerate(op.getOperands()))
        step.operands[i] = numbers.lookup(operand);
    }
    result = numbers.lookup(body.getTerminator()->getOperand(0));
  }

  OwningOpRef<ModuleOp> module;
  std::vector<Step> steps;
  std::vector<uint64_t> values;
  unsigned result = 0;
};

class ExpandMathTest : public ::testing::Test {
protected:
  ExpandMathTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
  }

  /// The distance in units of the last place of the true value, which are no
  /// smaller than the smallest subnormal.
  static double ulps(const ElementFormat &format, double got,
                     long double want) {
    bool isF64 = format.kind == ElementFormat::F64;
    if (toDouble(format, fromDouble(format, double(want))) == got)
      return 0;
    int exponent =
        std::max(want == 0 ? -100000 : std::ilogb(want), isF64 ? -1022 : -126);
    long double unit = std::ldexp(1.0L, exponent - (isF64 ? 52 : 23));
    return double(std::fabs(got - want) / unit);
  }

  template <typename Op>
  void check(Type type, Reference reference, double low, double high,
             double bound) {
    Expanded function = Expanded::make<Op>(context, type);
    std::mt19937_64 random(1);
    double worst = 0, where = 0;
    auto visit = [&](double x) {
      x = toDouble(function.format, fromDouble(function.format, x));
      double error = ulps(function.format, function(x), reference(x));
      if (!(error <= worst))
        worst = error, where = x;
    };
    for (int i = 0; i != 60000; ++i) {
      double unit = std::ldexp(double(random() >> 11), -53);
      visit(low + (high - low) * unit);
      // All magnitudes alike.
      double scale = std::ldexp(0.5 + unit / 2, int(random() % 60) - 50);
      for (double x : {scale, -scale})
        if (x >= low && x <= high)
          visit(x);
    }
    EXPECT_LE(worst, bound) << "at " << where;
    RecordProperty("ulps", std::to_string(worst));
  }

  template <typename Op> void checkAt(Type type, double x, double y) {
    double got = Expanded::make<Op>(context, type)(x);
    if (std::isnan(y)) {
      EXPECT_TRUE(std::isnan(got)) << x;
      return;
    }
    EXPECT_EQ(got, y) << x;
    EXPECT_EQ(std::signbit(got), std::signbit(y)) << x;
  }

  MLIRContext context;
  Type f32 = Float32Type::get(&context), f64 = Float64Type::get(&context);
};
} // namespace

TEST_F(ExpandMathTest, Exp) {
  check<math::ExpOp>(f32, std::exp, -104, 88.7, 1);
  check<math::ExpOp>(f64, std::exp, -745, 709.7, 1);
}

TEST_F(ExpandMathTest, Exp2) {
  check<math::Exp2Op>(f32, std::exp2, -150, 127.9, 1);
  check<math::Exp2Op>(f64, std::exp2, -1075, 1023.9, 1);
}

TEST_F(ExpandMathTest, Tanh) {
  check<math::TanhOp>(f32, std::tanh, -12, 12, 2);
  check<math::TanhOp>(f64, std::tanh, -24, 24, 2);
}

TEST_F(ExpandMathTest, Erf) {
  check<math::ErfOp>(f32, std::erf, -5, 5, 1.5);
  check<math::ErfOp>(f64, std::erf, -7, 7, 1.5);
}

TEST_F(ExpandMathTest, Rsqrt) {
  auto reference = [](long double x) { return 1 / std::sqrt(x); };
  check<math::RsqrtOp>(f32, reference, 1e-30, 1e30, 1.5);
  check<math::RsqrtOp>(f64, reference, 1e-200, 1e200, 1.5);
}

TEST_F(ExpandMathTest, SpecialValues) {
  for (Type type : {f32, f64}) {
    double infinity = INFINITY;
    checkAt<math::ExpOp>(type, infinity, infinity);
    checkAt<math::ExpOp>(type, -infinity, 0);
    checkAt<math::ExpOp>(type, NAN, NAN);
    checkAt<math::ExpOp>(type, 0, 1);
    checkAt<math::ExpOp>(type, 1e30, infinity);
    checkAt<math::Exp2Op>(type, infinity, infinity);
    checkAt<math::Exp2Op>(type, -infinity, 0);
    checkAt<math::Exp2Op>(type, NAN, NAN);
    checkAt<math::Exp2Op>(type, 10, 1024);
    checkAt<math::TanhOp>(type, infinity, 1);
    checkAt<math::TanhOp>(type, -infinity, -1);
    checkAt<math::TanhOp>(type, NAN, NAN);
    checkAt<math::TanhOp>(type, -0.0, -0.0);
    checkAt<math::ErfOp>(type, infinity, 1);
    checkAt<math::ErfOp>(type, -infinity, -1);
    checkAt<math::ErfOp>(type, NAN, NAN);
    checkAt<math::ErfOp>(type, -0.0, -0.0);
    checkAt<math::RsqrtOp>(type, 0.0, infinity);
    checkAt<math::RsqrtOp>(type, infinity, 0);
    checkAt<math::RsqrtOp>(type, -1, NAN);
  }
}
