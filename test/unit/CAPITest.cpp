//===- CAPITest.cpp - What other languages see ----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami-c/kami.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <cstring>
#include <numeric>
#include <vector>

namespace {

/// The message, or nothing for success.
std::string messageOf(KamiError *error) {
  std::string message = error ? kamiErrorGetMessage(error) : "";
  kamiErrorDestroy(error);
  return message;
}

std::string take(KamiText *text) {
  std::string bytes(kamiTextGetData(text), kamiTextGetSize(text));
  kamiTextDestroy(text);
  return bytes;
}

struct Program {
  KamiProgram *handle = nullptr;
  ~Program() { kamiProgramDestroy(handle); }
};

struct Array {
  std::vector<int64_t> sizes, strides;

  KamiArgument at(void *data) const {
    return {data, sizes.size(), sizes.data(), strides.data(), 0};
  }
};

KamiGemm makeGemm(int64_t m, int64_t n, int64_t k, const char *type) {
  KamiGemm gemm = {};
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.a.type = gemm.b.type = gemm.c.type = type;
  return gemm;
}

std::string simulate(const Program &program,
                     llvm::ArrayRef<KamiArgument> arguments) {
  KamiSimulation *simulation = nullptr;
  std::string message = messageOf(kamiProgramSimulate(
      program.handle, arguments.data(), arguments.size(), &simulation));
  kamiSimulationDestroy(simulation);
  return message;
}

TEST(CAPI, ErrorsSayWhatWasExpected) {
  Program program;
  KamiGemm gemm = makeGemm(4, 4, 4, "f12");
  EXPECT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)),
            "expected type of a to be one of f16, bf16, tf32, tf32x3, f32, "
            "f64, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, i8, u8, i32, but "
            "got 'f12'");
  gemm = makeGemm(-3, 4, 4, "f16");
  EXPECT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)),
            "expected m from 0 to 2147483648, but got -3");
  gemm = makeGemm(4, 4, 4, "i8");
  gemm.c.type = nullptr;
  gemm.gelu = 1;
  EXPECT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)),
            "expected gelu and silu of floats, but got sums of i32");
  gemm = makeGemm(4, 4, 4, "f16");
  gemm.alignment = 12;
  EXPECT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)),
            "expected alignment to be 0 or a power of two up to 1073741824, "
            "but got 12");
  gemm.alignment = 8;
  gemm.alignedRows = 1;
  EXPECT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)),
            "expected alignment of 16 or more where rows are aligned, but got "
            "8");
  KamiOptions options = {};
  options.target = "sm_42";
  gemm = makeGemm(4, 4, 4, "f16");
  KamiError *error = kamiCompileGemm(&gemm, &options, &program.handle);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(kamiErrorGetKind(error), KAMI_ERROR_INVALID);
  EXPECT_EQ(messageOf(error).find("unknown target 'sm_42', expected one of: "),
            0u);
  options = {};
  options.plan = "42 : i32";
  EXPECT_EQ(messageOf(kamiCompileGemm(&gemm, &options, &program.handle)),
            "expected a #kami.plan<...>, but got '42 : i32'");
  llvm::StringRef text = "func.func @f() {\n  kami.nothing\n  return\n}";
  EXPECT_EQ(messageOf(kamiCompileText(text.data(), text.size(), nullptr,
                                      &program.handle))
                .find("line 2: "),
            0u);
  EXPECT_EQ(program.handle, nullptr);
}

TEST(CAPI, ArgumentsAreCheckedBeforeAnythingRuns) {
  Program program;
  KamiGemm gemm = makeGemm(2, 3, 4, "f32");
  ASSERT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)), "");
  float a[8] = {}, b[12] = {}, c[6] = {};
  Array shapeA{{2, 4}, {4, 1}}, shapeB{{4, 3}, {3, 1}}, shapeC{{2, 3}, {3, 1}};
  EXPECT_EQ(simulate(program, {shapeA.at(a), shapeB.at(b)}),
            "expected 3 arguments, but got 2");
  Array wrong{{2, 5}, {5, 1}};
  EXPECT_EQ(simulate(program, {wrong.at(a), shapeB.at(b), shapeC.at(c)}),
            "argument 0: expected extent 4 in dimension 1, but got 5");
  wrong = {{2, 4}, {1, 2}};
  EXPECT_EQ(simulate(program, {wrong.at(a), shapeB.at(b), shapeC.at(c)}),
            "argument 0: expected stride 4 along dimension 0, but got 1");
  EXPECT_EQ(simulate(program, {shapeA.at(a), shapeB.at(b), shapeC.at(c)}), "");
}

TEST(CAPI, RowsAreWhereTheyWerePromisedToBe) {
  Program program;
  KamiGemm gemm = makeGemm(KAMI_DYNAMIC, KAMI_DYNAMIC, KAMI_DYNAMIC, "f32");
  const int64_t rows[] = {KAMI_DYNAMIC, 1};
  gemm.b.strides = rows;
  gemm.alignment = 16;
  gemm.alignedRows = 1;
  ASSERT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)), "");
  alignas(16) float a[12] = {}, b[32] = {}, c[6];
  Array shapeA{{2, 4}, {4, 1}}, shapeB{{4, 3}, {8, 1}}, shapeC{{2, 3}, {3, 1}};
  EXPECT_EQ(simulate(program, {shapeA.at(a), shapeB.at(b), shapeC.at(c)}), "");
  for (int64_t step : {6, -8}) {
    Array wrong{{4, 3}, {step, 1}};
    EXPECT_EQ(simulate(program, {shapeA.at(a), wrong.at(b), shapeC.at(c)}),
              "argument 1: expected rows at multiples of 16 bytes, but got "
              "stride " +
                  std::to_string(step) +
                  " along dimension 0 of elements of 4 bytes");
  }
  // Rows without gaps, of 3 elements.
  Array narrow{{2, 3}, {3, 1}}, shallow{{3, 3}, {8, 1}};
  EXPECT_EQ(simulate(program, {narrow.at(a), shallow.at(b), shapeC.at(c)}),
            "argument 0: expected rows at multiples of 16 bytes, but got "
            "stride 3 along dimension 0 of elements of 4 bytes");
  Array none{{0, 3}, {3, 1}}, empty{{0, 3}, {3, 1}};
  EXPECT_EQ(simulate(program, {none.at(a), shallow.at(b), empty.at(c)}), "");
}

/// A is reversed along both dimensions, and C's rows lie across memory.
TEST(CAPI, StridesOfAnySign) {
  Program program;
  KamiGemm gemm = makeGemm(3, 2, 5, "f64");
  const int64_t any[] = {KAMI_DYNAMIC, KAMI_DYNAMIC};
  gemm.a.strides = gemm.c.strides = any;
  ASSERT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)), "");
  double a[15], b[10], c[12];
  std::iota(a, a + 15, -7);
  std::iota(b, b + 10, -4);
  std::fill(c, c + 12, 99);
  Array shapeA{{3, 5}, {-5, -1}}, shapeB{{5, 2}, {2, 1}},
      shapeC{{3, 2}, {2, 6}};
  ASSERT_EQ(simulate(program, {shapeA.at(a + 14), shapeB.at(b), shapeC.at(c)}),
            "");
  for (int i = 0; i != 3; ++i)
    for (int j = 0; j != 2; ++j) {
      double sum = 0;
      for (int k = 0; k != 5; ++k)
        sum += a[14 - 5 * i - k] * b[2 * k + j];
      EXPECT_EQ(c[2 * i + 6 * j], sum);
      EXPECT_EQ(c[2 * i + 6 * j + 1], 99);
    }
}

TEST(CAPI, SizesAndScalesAtLaunch) {
  Program program;
  KamiGemm gemm = makeGemm(KAMI_DYNAMIC, KAMI_DYNAMIC, KAMI_DYNAMIC, "f32");
  const int64_t rows[] = {KAMI_DYNAMIC, 1};
  gemm.a.strides = gemm.b.strides = gemm.c.strides = rows;
  gemm.hasAlpha = gemm.hasBeta = 1;
  KamiOptions options = {};
  options.tile = "16x16x16";
  ASSERT_EQ(messageOf(kamiCompileGemm(&gemm, &options, &program.handle)), "");
  auto bits = [](float value) {
    KamiArgument argument = {};
    std::memcpy(&argument.bits, &value, sizeof(value));
    return argument;
  };
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{3, 5, 7}, {1, 1, 1}, {2, 9, 0}}) {
    std::vector<float> a(m * k + 1), b(k * n + 1), c(m * n, 3), expected;
    std::iota(a.begin(), a.end(), -4);
    std::iota(b.begin(), b.end(), -9);
    for (int64_t i = 0; i != m * n; ++i) {
      float sum = 0;
      for (int64_t l = 0; l != k; ++l)
        sum += a[i / n * k + l] * b[l * n + i % n];
      expected.push_back(2 * sum - 0.5f * 3);
    }
    Array shapeA{{m, k}, {k, 1}}, shapeB{{k, n}, {n, 1}},
        shapeC{{m, n}, {n, 1}};
    ASSERT_EQ(simulate(program, {shapeA.at(a.data()), shapeB.at(b.data()),
                                 shapeC.at(c.data()), bits(2), bits(-0.5f)}),
              "");
    EXPECT_EQ(c, expected);
  }
}

TEST(CAPI, ResultsOfTensors) {
  llvm::StringRef text = R"(
    func.func @f(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %empty = tensor.empty() : tensor<2x2xf32>
      %zero = arith.constant 0.0 : f32
      %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
      %d = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>)
                         outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
      return %d : tensor<2x2xf32>
    })";
  Program program;
  ASSERT_EQ(messageOf(kamiCompileText(text.data(), text.size(), nullptr,
                                      &program.handle)),
            "");
  float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  Array shape{{2, 2}, {2, 1}};
  KamiArgument arguments[] = {shape.at(a), shape.at(b)};
  KamiSimulation *simulation = nullptr;
  ASSERT_EQ(
      messageOf(kamiProgramSimulate(program.handle, arguments, 2, &simulation)),
      "");
  ASSERT_EQ(kamiSimulationGetResultCount(simulation), 1u);
  KamiArgument result;
  ASSERT_EQ(messageOf(kamiSimulationGetResult(simulation, 0, &result)), "");
  ASSERT_EQ(result.rank, 2u);
  auto *c = static_cast<float *>(result.data);
  EXPECT_EQ(std::vector<float>(c, c + 4), std::vector<float>({19, 22, 43, 50}));
  EXPECT_EQ(messageOf(kamiSimulationGetResult(simulation, 1, &result)),
            "expected a result below 1, but got 1");
  kamiSimulationDestroy(simulation);
}

TEST(CAPI, ProgramsAreSavedAndRestored) {
  Program program, restored, none;
  KamiGemm gemm = makeGemm(16, 16, 16, "f16");
  gemm.c.type = "f32";
  ASSERT_EQ(messageOf(kamiCompileGemm(&gemm, nullptr, &program.handle)), "");
  KamiText *image = nullptr;
  ASSERT_EQ(messageOf(kamiProgramSave(program.handle, &image)), "");
  std::string bytes = take(image);
  ASSERT_EQ(messageOf(kamiProgramRestore(bytes.data(), bytes.size(),
                                         &restored.handle)),
            "");
  for (const char *level : {"kami", "planned", "warp", "target", "ptx"}) {
    KamiText *before = nullptr, *after = nullptr;
    ASSERT_EQ(messageOf(kamiProgramGetCode(program.handle, level, &before)),
              "");
    ASSERT_EQ(messageOf(kamiProgramGetCode(restored.handle, level, &after)),
              "");
    std::string text = take(before);
    EXPECT_EQ(text, take(after)) << level;
    EXPECT_FALSE(text.empty()) << level;
  }
  bytes.resize(bytes.size() / 2);
  EXPECT_EQ(
      messageOf(kamiProgramRestore(bytes.data(), bytes.size(), &none.handle)),
      "expected a program that this version of kami has saved");
}

static std::string sumOrder(int64_t m, int64_t n, int64_t k, const char *type,
                            const char *tile = nullptr,
                            const char *unit = nullptr) {
  KamiGemm gemm = makeGemm(m, n, k, type);
  if (llvm::StringRef(type) == "i8")
    gemm.c.type = "i32";
  KamiOptions options = {};
  options.tile = tile;
  options.unit = unit;
  KamiText *order = nullptr;
  EXPECT_EQ(messageOf(kamiGetSumOrder(&gemm, &options, &order)), "");
  return take(order);
}

TEST(CAPI, OrdersOfSumsAreEqualWhereBitsAre) {
  const int64_t any = KAMI_DYNAMIC;
  // Tiles, and who knows the sizes, have no part in it; instructions have.
  std::string groups = sumOrder(any, any, any, "f16", "64x64x64", "warpgroup");
  EXPECT_EQ(groups, sumOrder(any, any, any, "f16", "128x128x64", "warpgroup"));
  EXPECT_EQ(groups, sumOrder(200, 200, 200, "f16", "64x64x64", "warpgroup"));
  EXPECT_NE(groups, sumOrder(any, any, any, "f16", "32x32x32", "warp"));
  // Nor has whether products have sizes of their own.
  KamiGrouped grouped = {};
  grouped.typeA = grouped.typeB = grouped.typeC = "f16";
  KamiOptions options = {};
  options.tile = "64x64x64";
  options.unit = "warpgroup";
  KamiText *ofGrouped = nullptr;
  ASSERT_EQ(messageOf(kamiGetGroupedSumOrder(&grouped, &options, &ofGrouped)),
            "");
  EXPECT_EQ(groups, take(ofGrouped));
  grouped.typeB = "f32";
  EXPECT_NE(messageOf(kamiGetGroupedSumOrder(&grouped, &options, &ofGrouped)),
            "");
  EXPECT_EQ(ofGrouped, nullptr);
  // Lanes add one term after the other, by outer products or not.
  EXPECT_EQ(sumOrder(5, 5, 5, "f32"),
            sumOrder(any, any, any, "f32", "32x32x16"));
  // Integers have the same sum in any order.
  EXPECT_EQ(sumOrder(5, 5, 5, "i8"), sumOrder(96, 96, 96, "i8"));
  KamiGemm gemm = makeGemm(16, 16, 16, "f17");
  KamiText *order = nullptr;
  EXPECT_NE(messageOf(kamiGetSumOrder(&gemm, nullptr, &order)), "");
  EXPECT_EQ(order, nullptr);
  KamiGemm layered = makeGemm(16, 16, 16, "f32");
  layered.hasLayers = layered.alignedRows = 1;
  layered.alignment = 16;
  EXPECT_NE(messageOf(kamiGetSumOrder(&layered, nullptr, &order))
                .find("expected no aligned rows where sums have layers"),
            std::string::npos);
}

TEST(CAPI, EveryCandidateThatFitsHasItsPlan) {
  KamiProblem problem = {64, 64, 64, 100, "f16", nullptr, nullptr, nullptr};
  KamiText *json = nullptr, *table = nullptr;
  ASSERT_EQ(messageOf(kamiPlan(&problem, nullptr, &json, &table)), "");
  EXPECT_NE(take(table).find("64x64x64 f16 -> f32, batch 100, on sm_90"),
            std::string::npos);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(take(json));
  ASSERT_TRUE(bool(value));
  const llvm::json::Array &candidates =
      *value->getAsObject()->getArray("candidates");
  ASSERT_GT(candidates.size(), 10u);
  std::string plan;
  for (const llvm::json::Value &entry : candidates) {
    const llvm::json::Object &candidate = *entry.getAsObject();
    bool fits = candidate.getString("rejected") == llvm::StringRef("");
    EXPECT_EQ(fits, candidate.get("plan") != nullptr);
    if (fits)
      plan = candidate.getString("plan")->str();
  }
  // The one that lost most is obeyed.
  KamiGemm gemm = makeGemm(64, 64, 64, "f16");
  gemm.c.type = "f32";
  KamiOptions options = {};
  options.plan = plan.c_str();
  Program program;
  ASSERT_EQ(messageOf(kamiCompileGemm(&gemm, &options, &program.handle)), "");
  KamiText *code = nullptr;
  ASSERT_EQ(messageOf(kamiProgramGetCode(program.handle, "planned", &code)),
            "");
  // The atom has an alias there.
  std::string decisions = plan.substr(plan.find("tile = "));
  EXPECT_NE(take(code).find(decisions), std::string::npos) << decisions;
}

/// Calls from Python need one, and say so without.
TEST(CAPI, KnownCallsNeedPython) {
  KamiArrayKind kind = {};
  KamiCalls *calls = nullptr;
  EXPECT_EQ(kamiCallsCreate(&kind, &calls), nullptr);
  EXPECT_EQ(calls, nullptr);
  EXPECT_EQ(kamiCallsAnswer(nullptr, nullptr, nullptr, 0), 0);
}

} // namespace
