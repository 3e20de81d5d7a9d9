//===- RequestTest.cpp --------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Request.h"
#include "gtest/gtest.h"

using namespace kami;

static std::string failure(const ProblemText &text) {
  auto problem = parseProblem(text);
  return problem ? "" : llvm::toString(problem.takeError());
}

static ProblemText gemm(llvm::StringRef extents) {
  ProblemText text;
  text.gemm = extents.str();
  return text;
}

TEST(Request, ReadsAProblem) {
  ProblemText text = gemm("3x2147483648x7");
  text.type = "tf32";
  text.batch = "12";
  text.algorithm = "2d";
  text.warps = "4";
  Problem problem = llvm::cantFail(parseProblem(text));
  EXPECT_EQ(problem.extents, (Extents{3, int64_t(1) << 31, 7}));
  EXPECT_EQ(problem.operand, ElementKind::TF32);
  EXPECT_EQ(problem.accumulator, ElementKind::F32);
  EXPECT_EQ(problem.batch, 12);
  EXPECT_EQ(problem.algorithm, Algorithm::TwoD);
  EXPECT_EQ(problem.warps, 4);
}

TEST(Request, ReadsTwoTypes) {
  ProblemText text = gemm("1x1x1");
  text.type = "u8";
  text.typeB = "i8";
  Problem problem = llvm::cantFail(parseProblem(text));
  EXPECT_EQ(problem.operandB(), ElementKind::I8);
  EXPECT_EQ(problem.accumulator, ElementKind::I32);
  text.typeB = "u8";
  EXPECT_EQ(llvm::cantFail(parseProblem(text)).otherOperand, std::nullopt);
  text.typeB = "f8E5M2";
  EXPECT_EQ(failure(text),
            "expected --type-b to be u8, or as --type one of i8 and u8 or of "
            "f16, f8E4M3FN and f8E5M2, but got 'f8E5M2'");
  text.type = "f16";
  EXPECT_EQ(llvm::cantFail(parseProblem(text)).operandB(), ElementKind::F8E5M2);
}

TEST(Request, ReadsComplexTypes) {
  for (auto [type, part] : {std::pair("complex<f32>", ElementKind::F32),
                            std::pair("c64", ElementKind::F32),
                            std::pair("complex<tf32x3>", ElementKind::TF32x3),
                            std::pair("c128", ElementKind::F64)}) {
    ProblemText text = gemm("1x1x1");
    text.type = type;
    Problem problem = llvm::cantFail(parseProblem(text));
    EXPECT_TRUE(problem.isComplex) << type;
    EXPECT_EQ(problem.operand, part) << type;
    EXPECT_EQ(problem.accumulator, defaultAccumulator(part)) << type;
    EXPECT_EQ(problem.otherOperand, std::nullopt) << type;
  }
  EXPECT_FALSE(llvm::cantFail(parseProblem(gemm("1x1x1"))).isComplex);
  ProblemText text = gemm("1x1x1");
  text.type = "complex<i8>";
  EXPECT_EQ(failure(text), "expected complex numbers of f32, tf32, tf32x3 or "
                           "f64, but got --type 'complex<i8>'");
  text.type = "c128";
  text.typeB = "complex<f64>";
  text.accumulator = "c128";
  EXPECT_EQ(failure(text), "");
  text.typeB = "f64";
  EXPECT_EQ(failure(text),
            "expected --type-b to be complex<f64>, but got 'f64'");
}

TEST(Request, RefusesMalformedExtents) {
  for (llvm::StringRef extents :
       {"", "x", "1x2", "1x2x3x4", "-1x1x1", "+1x1x1", "1 x1x1",
        "1x1x2147483649", "1x99999999999999999999x1", "1xax1", "1x0x1f",
        "1xx1"})
    EXPECT_EQ(failure(gemm(extents)),
              "expected --gemm=MxNxK with extents from 0 to 2147483648, but "
              "got '" +
                  extents.str() + "'");
}

TEST(Request, TakesExtentsOfZero) {
  ProblemText text = gemm("0x8x1");
  text.batch = "0";
  Problem problem = llvm::cantFail(parseProblem(text));
  EXPECT_EQ(problem.extents.m, 0);
  EXPECT_EQ(problem.batch, 0);
}

TEST(Request, RefusesUnknownWords) {
  ProblemText text = gemm("1x1x1");
  text.type = "f99";
  EXPECT_EQ(failure(text),
            "unknown --type 'f99', expected one of: f16, bf16, "
            "tf32, tf32x3, f32, f64, f8E4M3FN, f8E5M2, f8E4M3FNUZ, "
            "f8E5M2FNUZ, i8, u8, i32");
  text = gemm("1x1x1");
  text.algorithm = "4d";
  EXPECT_EQ(failure(text),
            "unknown --algorithm '4d', expected one of: auto, 1d, 2d, 3d");
  text = gemm("1x1x1");
  text.batch = "many";
  EXPECT_EQ(failure(text),
            "expected --batch from 0 to 2147483648, but got 'many'");
}

TEST(Request, ParametersOfThePapersMachine) {
  OptionsText text;
  text.model = "paper";
  text.lSm = "22.5";
  text.thetaR = "0.5";
  PlannerOptions options = llvm::cantFail(parseOptions(text));
  EXPECT_EQ(options.paper.latencyShared, 22.5);
  EXPECT_EQ(options.paper.thetaR, 0.5);
  EXPECT_FALSE(options.paper.thetaW.has_value());

  auto failure = [](const OptionsText &text) {
    auto options = parseOptions(text);
    return options ? "" : llvm::toString(options.takeError());
  };
  text.thetaR = "1.5";
  EXPECT_EQ(failure(text),
            "expected --theta-r above 0 and up to 1, but got '1.5'");
  for (llvm::StringRef bad : {"0", "-1", "nan", "inf", "2x", "1e999"}) {
    text = OptionsText();
    text.model = "paper";
    text.bSm = bad.str();
    EXPECT_EQ(failure(text),
              "expected --b-sm above 0, but got '" + bad.str() + "'");
  }
  text = OptionsText();
  text.nTc = "4";
  EXPECT_EQ(failure(text), "--n-tc needs --model=paper");
}
