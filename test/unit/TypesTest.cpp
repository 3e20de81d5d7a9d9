//===- TypesTest.cpp - Every element type, from flags to bits ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GemmSpec.h"
#include "kami/Driver/Run.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace kami;

namespace {

RunResult runProduct(ElementKind type, const char *chip = "sm_90",
                     InputKind inputs = InputKind::Random) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  GemmSpec spec;
  spec.extents = {48, 40, 96};
  spec.operand = type;
  spec.accumulator = spec.output = defaultAccumulator(type);
  CompileOptions compile;
  compile.chip = chip;
  RunOptions run;
  run.inputs = inputs;
  run.poisoned = {2};
  Compilation compilation;
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(&context, spec);
  llvm::Expected<RunResult> result =
      compileAndRun(*module, compile, run, compilation);
  EXPECT_TRUE(bool(result));
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  EXPECT_TRUE(result->ok);
  return *result;
}

/// Rounding two operands to 11 bits loses up to 2^-10 of a product, and much
/// less of a sum of 96, as errors cancel; a sum of two tf32 numbers keeps 23
/// bits, so that what is lost is of f32's size, as in f32 itself. Were operands
/// truncated, errors would be biased, and would not cancel.
TEST(Precision, ErrorsAreThoseOfTheOperands) {
  double exact = runProduct(ElementKind::F32).maxError;
  double tf32 = runProduct(ElementKind::TF32).maxError;
  double tf32x3 = runProduct(ElementKind::TF32x3).maxError;
  EXPECT_GT(exact, 0);
  EXPECT_LT(exact, std::ldexp(1, -21));
  EXPECT_LT(tf32x3, std::ldexp(1, -21));
  EXPECT_GT(tf32, std::ldexp(1, -15));
  EXPECT_LT(tf32, std::ldexp(1, -11));
}

TEST(Precision, ThreeProductsAreCounted) {
  RunResult result = runProduct(ElementKind::TF32x3);
  ASSERT_EQ(result.reports.size(), 1u);
  int64_t count = 0;
  for (const auto &[name, times] : result.reports[0].matrixInstructions) {
    EXPECT_EQ(name, "m16n8k8 tf32 f32");
    count += times;
  }
  EXPECT_EQ(count, 3 * (48 / 16) * (40 / 8) * (96 / 8));
}

TEST(Precision, SmallIntegersAreExactInEveryType) {
  for (ElementKind type : allElementKinds()) {
    if (type == ElementKind::I32)
      continue;
    auto errorOn = [&](const char *chip) {
      return runProduct(type, chip, InputKind::Integers).maxError;
    };
    // FNUZ floats are one chip's.
    if (isFloat8(type) && !widened(type)) {
      EXPECT_EQ(errorOn("gfx942"), 0) << name(type).str();
      continue;
    }
    EXPECT_EQ(errorOn("sm_90"), 0) << name(type).str();
    EXPECT_EQ(errorOn("sm_80"), 0) << name(type).str();
  }
}

TEST(ErrorBound, SaysWhatOperandsAndMatrixUnitsLose) {
  Problem problem;
  problem.extents = {1, 1, 9};
  auto bound = [&](ElementKind operand, const char *atom = nullptr) {
    problem.operand = operand;
    return errorBound(problem, ElementKind::F32,
                      atom ? findAtom(atom) : nullptr);
  };
  double f32 = std::ldexp(1 + 4 * 4, -24);
  EXPECT_DOUBLE_EQ(bound(ElementKind::F32), f32);
  EXPECT_DOUBLE_EQ(bound(ElementKind::TF32), f32 + std::ldexp(1, -10));
  EXPECT_DOUBLE_EQ(bound(ElementKind::TF32x3),
                   std::ldexp(1 + 4 * (1 + std::sqrt(27)), -24) +
                       std::ldexp(1, -21));
  EXPECT_DOUBLE_EQ(bound(ElementKind::F8E5M2, "fma.m16n8k1.f32.f8E5M2"), f32);
  EXPECT_DOUBLE_EQ(bound(ElementKind::F8E5M2, "mma_sync.m16n8k32.f32.f8E5M2"),
                   std::ldexp(1, -24) + 16 * std::ldexp(1, -14));
}

} // namespace
