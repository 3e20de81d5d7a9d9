//===- SimulatorReferenceTest.cpp -----------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "kami/Simulator/Reference.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include <cmath>

using namespace kami::sim;
using namespace mlir;

namespace {
class ReferenceTest : public SimulatorTest {
protected:
  LogicalResult evaluate(const std::string &text,
                         ArrayRef<ReferenceArray> inputs,
                         bool magnitudes = false) {
    parse(text);
    if (!module)
      return failure();
    return evaluateReference(find<func::FuncOp>(), inputs, magnitudes, outputs);
  }

  static long double value(int64_t i) { return (i * 7 % 13) - 6; }
  static ReferenceArray numbers(ArrayRef<int64_t> sizes, int64_t salt) {
    ReferenceArray array{SmallVector<int64_t, 4>(sizes), {}};
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    for (int64_t i = 0; i != count; ++i)
      array.values.push_back(value(i + salt));
    return array;
  }

  SmallVector<ReferenceArray> outputs;
};
} // namespace

TEST_F(ReferenceTest, MatmulOnTensors) {
  const char *text = R"(
func.func @f(%a : tensor<5x7xf16>, %b : tensor<7x?xf16>) -> tensor<5x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c1 : tensor<7x?xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<5x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x?xf32>) -> tensor<5x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<5x7xf16>, tensor<7x?xf16>) outs(%init : tensor<5x?xf32>) -> tensor<5x?xf32>
  return %c : tensor<5x?xf32>
}
)";
  for (bool magnitudes : {false, true}) {
    ASSERT_TRUE(succeeded(
        evaluate(text, {numbers({5, 7}, 0), numbers({7, 3}, 5)}, magnitudes)))
        << message;
    ASSERT_EQ(outputs.size(), 1u);
    ASSERT_EQ(outputs[0].values.size(), 15u);
    for (int64_t i = 0; i != 5; ++i) {
      for (int64_t j = 0; j != 3; ++j) {
        long double expected = 0;
        for (int64_t k = 0; k != 7; ++k) {
          long double product = value(i * 7 + k) * value(k * 3 + j + 5);
          expected += magnitudes ? std::fabs(product) : product;
        }
        EXPECT_EQ(outputs[0].values[i * 3 + j], expected);
      }
    }
  }
}

/// The general way and the fast one agree: this body is no contraction that the
/// fast one knows.
TEST_F(ReferenceTest, TransposedBatchOnMemRefs) {
  auto text = [](const char *extra) {
    return std::string(R"(
#a = affine_map<(b, m, n, k) -> (b, k, m)>
#b = affine_map<(b, m, n, k) -> (n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a : memref<2x4x3xf32>, %b : memref<5x4xf32>, %c : memref<2x3x5xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<2x4x3xf32>, memref<5x4xf32>) outs(%c : memref<2x3x5xf32>) {
  ^bb0(%x : f32, %y : f32, %z : f32):
    %p = arith.mulf %x, %y : f32
    )") + extra +
           R"(
    linalg.yield %s : f32
  }
  return
})";
  };
  SmallVector<ReferenceArray> inputs = {
      numbers({2, 4, 3}, 0), numbers({5, 4}, 3), numbers({2, 3, 5}, 1)};
  ASSERT_TRUE(succeeded(evaluate(text("%s = arith.addf %z, %p : f32"), inputs)))
      << message;
  SmallVector<ReferenceArray> fast = outputs;
  ASSERT_TRUE(succeeded(evaluate(
      text("%q = arith.divf %p, %one : f32\n%s = arith.addf %q, %z : f32"),
      inputs)))
      << message;
  ASSERT_EQ(fast.size(), 3u);
  EXPECT_EQ(fast[2].values, outputs[2].values);
  long double expected = inputs[2].values[29];
  for (int64_t k = 0; k != 4; ++k)
    expected += inputs[0].values[12 + k * 3 + 2] * inputs[1].values[16 + k];
  EXPECT_EQ(fast[2].values[29], expected);
}

TEST_F(ReferenceTest, GemmWithScales) {
  const char *text = R"(
func.func @f(%a : memref<2x7x5xf16>, %b : memref<7x3xf16>, %c : memref<2x5x3xf32>, %beta : f32) {
  %alpha = arith.constant -2.0 : f32
  kami.gemm ins(%a, %b : memref<2x7x5xf16>, memref<7x3xf16>) outs(%c : memref<2x5x3xf32>)
    alpha(%alpha : f32) beta(%beta : f32) transpose_a accumulator(f32)
  return
}
)";
  ReferenceArray a = numbers({2, 7, 5}, 0), b = numbers({7, 3}, 4);
  for (long double beta : {0.0L, 0.5L}) {
    ReferenceArray c = numbers({2, 5, 3}, 9);
    if (beta == 0)
      c.values.assign(30, NAN);
    ASSERT_TRUE(
        succeeded(evaluate(text, {a, b, c, ReferenceArray::scalar(beta)})))
        << message;
    ASSERT_EQ(outputs.size(), 3u);
    for (int64_t z = 0; z != 2; ++z) {
      for (int64_t i = 0; i != 5; ++i) {
        for (int64_t j = 0; j != 3; ++j) {
          long double sum = 0;
          for (int64_t k = 0; k != 7; ++k)
            sum += a.values[z * 35 + k * 5 + i] * b.values[k * 3 + j];
          int64_t at = z * 15 + i * 3 + j;
          EXPECT_EQ(outputs[2].values[at],
                    -2 * sum + (beta == 0 ? 0 : beta * c.values[at]));
        }
      }
    }
  }
}

TEST_F(ReferenceTest, SlicesAndShapes) {
  const char *text = R"(
func.func @f(%a : tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<2x2xf32>, f32) {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %s = tensor.extract_slice %a[1, 2] [2, 2] [2, 1] : tensor<4x6xf32> to tensor<2x2xf32>
  %t = arith.subf %s, %s : tensor<2x2xf32>
  %k = arith.constant dense<-3.0> : tensor<2x2xf32>
  %u = arith.addf %t, %k : tensor<2x2xf32>
  %w = tensor.insert_slice %u into %a[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x6xf32>
  %flat = tensor.collapse_shape %w [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %e = tensor.extract %flat[%c1] : tensor<24xf32>
  return %w, %s, %e : tensor<4x6xf32>, tensor<2x2xf32>, f32
}
)";
  ReferenceArray a = numbers({4, 6}, 0);
  ASSERT_TRUE(succeeded(evaluate(text, {a}))) << message;
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[1].values[3], a.values[3 * 6 + 3]);
  EXPECT_EQ(outputs[0].values[7], -3);
  EXPECT_EQ(outputs[0].values[8], a.values[8]);
  EXPECT_EQ(outputs[2].values[0], -3);
  ASSERT_TRUE(succeeded(evaluate(text, {a}, /*magnitudes=*/true)));
  EXPECT_EQ(outputs[0].values[0], 2 * std::fabs(a.values[8]) + 3);
}

TEST_F(ReferenceTest, WrongInputs) {
  const char *text = R"(
func.func @f(%a : tensor<4x6xf32>) -> tensor<4x6xf32> {
  return %a : tensor<4x6xf32>
}
)";
  EXPECT_TRUE(failed(evaluate(text, {numbers({4, 5}, 0)})));
  EXPECT_EQ(message, "expected an argument of type 'tensor<4x6xf32>', but got "
                     "an array of 20 elements in 2 dimensions");
}

/// Not a test of speed, but of the way taken: the general one takes seconds.
TEST_F(ReferenceTest, LargeContraction) {
  const char *text = R"(
func.func @f(%a : tensor<192x192xf16>, %b : tensor<192x192xf16>, %c : tensor<192x192xf32>) -> tensor<192x192xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<192x192xf16>, tensor<192x192xf16>) outs(%c : tensor<192x192xf32>) -> tensor<192x192xf32>
  return %d : tensor<192x192xf32>
}
)";
  ASSERT_TRUE(
      succeeded(evaluate(text, {numbers({192, 192}, 0), numbers({192, 192}, 1),
                                numbers({192, 192}, 2)})));
}

//===----------------------------------------------------------------------===//
// Regions, and errors through them
//===----------------------------------------------------------------------===//

/// relu(α·(s·A)·B + β·C + bias), with A in integers, by hand.
TEST_F(ReferenceTest, GemmWithRegions) {
  const char *text = R"(
func.func @f(%q : memref<2x3x4xi8>, %b : memref<4x5xf16>, %c : memref<2x3x5xf32>, %s : memref<3xf16>,
             %bias : memref<2x1xf32>, %alpha : memref<f32>, %beta : f32) {
  kami.gemm ins(%q, %b : memref<2x3x4xi8>, memref<4x5xf16>) outs(%c : memref<2x3x5xf32>)
            alpha(%alpha : memref<f32>) beta(%beta : f32) accumulator(f32)
      prologue_a(%x: i8, %sx = %s : memref<3xf16> at affine_map<(b, m, k) -> (m)>) {
        %f = arith.sitofp %x : i8 to f16
        %y = arith.mulf %f, %sx : f16
        kami.yield %y : f16
      }
      epilogue(%x: f32, %bx = %bias : memref<2x1xf32> at affine_map<(b, m, n) -> (b, 0)>) {
        %zero = arith.constant 0.0 : f32
        %y = arith.addf %x, %bx : f32
        %z = arith.maximumf %y, %zero : f32
        kami.yield %z : f32
      }
  return
}
)";
  ReferenceArray q = numbers({2, 3, 4}, 0), b = numbers({4, 5}, 3),
                 c = numbers({2, 3, 5}, 1), s = numbers({3}, 2),
                 bias = numbers({2, 1}, 4);
  ASSERT_TRUE(
      succeeded(evaluate(text, {q, b, c, s, bias, ReferenceArray::scalar(2),
                                ReferenceArray::scalar(-3)})))
      << message;
  const ReferenceArray &result = outputs[2];
  for (int64_t batch = 0; batch != 2; ++batch)
    for (int64_t i = 0; i != 3; ++i)
      for (int64_t j = 0; j != 5; ++j) {
        int64_t at = (batch * 3 + i) * 5 + j;
        long double sum = 0;
        for (int64_t k = 0; k != 4; ++k)
          sum += s.values[i] * q.values[(batch * 3 + i) * 4 + k] *
                 b.values[k * 5 + j];
        sum = 2 * sum - 3 * c.values[at] + bias.values[batch];
        EXPECT_EQ(result.values[at], std::max(sum, 0.0L)) << at;
      }
}

TEST_F(ReferenceTest, ErrorsThroughOperations) {
  parse(R"(
func.func @f(%a : memref<1x2xf32>, %b : memref<2x1xf32>, %c : memref<1x1xf32>) -> (f32, f32, f32, f32, f32) {
  kami.gemm ins(%a, %b : memref<1x2xf32>, memref<2x1xf32>) outs(%c : memref<1x1xf32>) accumulator(f32)
  %i = arith.constant 0 : index
  %x = memref.load %c[%i, %i] : memref<1x1xf32>
  %four = arith.constant 4.0 : f32
  %half = arith.constant 0.25 : f32
  %product = arith.mulf %x, %four : f32
  %power = math.exp %x : f32
  %sure = arith.cmpf ogt, %x, %four : f32
  %chosen = arith.select %sure, %four, %x : f32
  %unsure = arith.cmpf ogt, %x, %half : f32
  %either = arith.select %unsure, %four, %half : f32
  return %x, %product, %power, %chosen, %either : f32, f32, f32, f32, f32
}
)");
  ASSERT_TRUE(module);
  // 3·1 − 2.8·1 = 0.2 of magnitudes 5.8, with a hundredth of those.
  ReferenceArray a{{1, 2}, {3, -2.8L}}, b{{2, 1}, {1, 1}}, c{{1, 1}, {0}};
  ASSERT_TRUE(
      succeeded(evaluateErrors(find<func::FuncOp>(), {a, b, c}, 0.01, outputs)))
      << message;
  auto bound = [&](int i) { return double(outputs[i].values[0]); };
  EXPECT_NEAR(bound(0), 0.058, 1e-12);
  EXPECT_NEAR(bound(1), 4 * 0.058, 1e-6);
  EXPECT_NEAR(bound(2), std::exp(0.258) - std::exp(0.2), 1e-6);
  EXPECT_NEAR(bound(3), 0.058, 1e-12);
  EXPECT_NEAR(bound(4), 3.75, 1e-12);
}

/// linalg's products: the errors of what is multiplied come on top.
TEST_F(ReferenceTest, ErrorsThroughLinalg) {
  parse(R"(
func.func @f(%a : tensor<1x2xf32>, %b : tensor<2x1xf32>, %w : tensor<1x1xf32>) -> tensor<1x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %x = linalg.matmul ins(%a, %b : tensor<1x2xf32>, tensor<2x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x1xf32>, tensor<1x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
)");
  ASSERT_TRUE(module);
  ReferenceArray a{{1, 2}, {3, -2}}, b{{2, 1}, {1, 1}}, w{{1, 1}, {-10}};
  ASSERT_TRUE(
      succeeded(evaluateErrors(find<func::FuncOp>(), {a, b, w}, 0.01, outputs)))
      << message;
  // x = 1 ± 0.05; y = 10·0.05 more, and 0.01 of 10·1.05.
  EXPECT_NEAR(double(outputs[0].values[0]), 0.5 + 0.105, 1e-12);
}

/// By hand: (1+2i)(3+4i) + (5-i)(2+2i) = -5+10i + 12+8i, and of magnitudes
/// (3+8) + (4+6)i + (10+2) + (10+2)i; with A's conjugates 11-2i + 8+12i.
TEST_F(ReferenceTest, ComplexProducts) {
  auto text = [](const char *body) {
    return std::string(R"(
func.func @f(%a : memref<1x2xcomplex<f32>>, %b : memref<2x1xcomplex<f32>>, %c : memref<1x1xcomplex<f32>>) {
  %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  )") + body +
           R"(
  return
}
)";
  };
  const char *plain =
      R"(kami.gemm ins(%a, %b : memref<1x2xcomplex<f32>>, memref<2x1xcomplex<f32>>)
      outs(%c : memref<1x1xcomplex<f32>>) accumulator(complex<f32>))";
  const char *conjugate =
      R"(kami.gemm ins(%a, %b : memref<1x2xcomplex<f32>>, memref<2x1xcomplex<f32>>)
      outs(%c : memref<1x1xcomplex<f32>>) conjugate_a accumulator(complex<f32>))";
  // i · A·B + i · C, where C is 2 + 3i.
  const char *scaled =
      R"(kami.gemm ins(%a, %b : memref<1x2xcomplex<f32>>, memref<2x1xcomplex<f32>>)
      outs(%c : memref<1x1xcomplex<f32>>) alpha(%i : complex<f32>) beta(%i : complex<f32>) accumulator(complex<f32>))";
  // C + A·B
  const char *linalg =
      R"(linalg.matmul ins(%a, %b : memref<1x2xcomplex<f32>>, memref<2x1xcomplex<f32>>)
      outs(%c : memref<1x1xcomplex<f32>>))";
  ReferenceArray a{{1, 2}, {1, 2, 5, -1}}, b{{2, 1}, {3, 4, 2, 2}},
      c{{1, 1}, {2, 3}};
  using Values = std::vector<long double>;
  auto run = [&](const char *body, bool magnitudes) {
    EXPECT_TRUE(succeeded(evaluate(text(body), {a, b, c}, magnitudes)))
        << message;
    return outputs.empty() ? Values() : outputs.back().values;
  };
  EXPECT_EQ(run(plain, false), (Values{7, 18}));
  EXPECT_EQ(run(plain, true), (Values{23, 22}));
  EXPECT_EQ(run(conjugate, false), (Values{19, 10}));
  EXPECT_EQ(run(conjugate, true), (Values{23, 22}));
  EXPECT_EQ(run(scaled, false), (Values{-18 - 3, 7 + 2}));
  EXPECT_EQ(run(linalg, false), (Values{7 + 2, 18 + 3}));
}
