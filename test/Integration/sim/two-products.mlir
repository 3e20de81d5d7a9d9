// RUN: kami-run --device=sim %s | FileCheck %s

// Two products, the first rounded to f16 on its way to the second: their errors
// add up, and so do the bounds.
// CHECK: gemm_30x50x40_f16
// CHECK: gemm_30x20x50_f16
// CHECK: verdict right
func.func @mlp(%x: tensor<30x40xf16>, %w1: tensor<40x50xf16>, %w2: tensor<50x20xf16>) -> tensor<30x20xf32> {
  %zero = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<30x50xf16>
  %h0 = linalg.fill ins(%zero : f16) outs(%e : tensor<30x50xf16>) -> tensor<30x50xf16>
  %h = linalg.matmul ins(%x, %w1 : tensor<30x40xf16>, tensor<40x50xf16>) outs(%h0 : tensor<30x50xf16>) -> tensor<30x50xf16>
  %e2 = tensor.empty() : tensor<30x20xf32>
  %y0 = linalg.fill ins(%zf : f32) outs(%e2 : tensor<30x20xf32>) -> tensor<30x20xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<30x50xf16>, tensor<50x20xf16>) outs(%y0 : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %y : tensor<30x20xf32>
}
