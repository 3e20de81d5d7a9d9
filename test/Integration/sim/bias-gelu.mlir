// RUN: kami-run --device=sim %s | FileCheck %s
// RUN: kami-opt %s --kami-to-warps=chip=sm_90 | FileCheck %s --check-prefix=ONE

// The bias of a linear layer and gelu, in its form with erf, as PyTorch's export
// writes them: one kernel, whose rows and columns are multiples of nothing.
// CHECK: gemm_37x29x23_f16
// CHECK: verdict right

// ONE-COUNT-1: gpu.launch_func
// ONE-NOT:     gpu.launch_func
// ONE-NOT:     linalg.
// ONE:         kami.map
// ONE:           math.erf
func.func @linear(%x: tensor<37x23xf16>, %w: tensor<23x29xf16>, %bias: tensor<29xf32>) -> tensor<37x29xf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.70710678 : f32
  %e = tensor.empty() : tensor<37x29xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<37x29xf32>) -> tensor<37x29xf32>
  %xw = linalg.matmul ins(%x, %w : tensor<37x23xf16>, tensor<23x29xf16>) outs(%z : tensor<37x29xf32>) -> tensor<37x29xf32>
  %b = linalg.broadcast ins(%bias : tensor<29xf32>) outs(%e : tensor<37x29xf32>) dimensions = [0]
  %y = linalg.add ins(%xw, %b : tensor<37x29xf32>, tensor<37x29xf32>) outs(%e : tensor<37x29xf32>) -> tensor<37x29xf32>
  %eh = tensor.empty() : tensor<37x29xf16>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<37x29xf32>) outs(%eh : tensor<37x29xf16>) {
    ^bb0(%v: f32, %out: f16):
      %s = arith.mulf %v, %rsqrt2 : f32
      %r = math.erf %s : f32
      %p = arith.addf %r, %one : f32
      %h = arith.mulf %v, %half : f32
      %q = arith.mulf %h, %p : f32
      %t = arith.truncf %q : f32 to f16
      linalg.yield %t : f16
  } -> tensor<37x29xf16>
  return %g : tensor<37x29xf16>
}
