// A linear layer with gelu, as a framework writes it on tensors: one kernel, in
// which bias and gelu are computed on the accumulators in registers.

// RUN: kami-compile %s --target=sm_90 --emit=kami -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: kami-run %s --target=sm_90 --device=sim | FileCheck %s --check-prefix=RAN

// CHECK-NOT: linalg.
// CHECK:     kami.gemm
// CHECK-SAME: epilogue (%[[X:.+]]: f32, %{{.+}} = %{{.+}} : memref<48xf16> at #{{.+}}) {
// CHECK:       math.erf
// CHECK:       kami.yield %{{.+}} : f16

// RAN: verdict right

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
func.func @linear(%x: tensor<37x64xf16>, %w: tensor<64x48xf16>, %bias: tensor<48xf16>) -> tensor<37x48xf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %sums = tensor.empty() : tensor<37x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%sums : tensor<37x48xf32>) -> tensor<37x48xf32>
  %xw = linalg.matmul ins(%x, %w : tensor<37x64xf16>, tensor<64x48xf16>)
                      outs(%zeros : tensor<37x48xf32>) -> tensor<37x48xf32>
  %out = tensor.empty() : tensor<37x48xf16>
  %y = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%xw, %bias : tensor<37x48xf32>, tensor<48xf16>) outs(%out : tensor<37x48xf16>) {
    ^bb0(%sum: f32, %b: f16, %_: f16):
      %b32 = arith.extf %b : f16 to f32
      %v = arith.addf %sum, %b32 : f32
      %s = arith.mulf %v, %rsqrt2 : f32
      %e = math.erf %s : f32
      %p = arith.addf %e, %one : f32
      %h = arith.mulf %v, %half : f32
      %g = arith.mulf %h, %p : f32
      %t = arith.truncf %g : f32 to f16
      linalg.yield %t : f16
  } -> tensor<37x48xf16>
  return %y : tensor<37x48xf16>
}
