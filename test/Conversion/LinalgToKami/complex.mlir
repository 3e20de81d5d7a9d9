// RUN: kami-opt %s --convert-linalg-to-kami | FileCheck %s
// RUN: kami-opt %s --convert-linalg-to-kami=precision=tf32x3 | FileCheck %s --check-prefix=TF32X3

// linalg adds to C, unless it is filled with zeros before.

// CHECK-LABEL: func @matmul
// CHECK:         %[[ONE:.+]] = complex.constant [1.000000e+00 : f32, 0.000000e+00 : f32]
// CHECK:         kami.gemm ins({{.+}}) outs({{.+}}) beta(%[[ONE]] : complex<f32>) accumulator(complex<f32>) -> tensor<8x4xcomplex<f32>>
// TF32X3-LABEL: func @matmul
// TF32X3:        accumulator(complex<f32>) precision<tf32x3>
func.func @matmul(%a: tensor<8x16xcomplex<f32>>, %b: tensor<16x4xcomplex<f32>>, %c: tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xcomplex<f32>>, tensor<16x4xcomplex<f32>>) outs(%c : tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>
  return %0 : tensor<8x4xcomplex<f32>>
}

// CHECK-LABEL: func @filled
// CHECK-NOT:     linalg.fill
// CHECK:         kami.gemm ins({{.+}}) outs({{.+}}) accumulator(complex<f64>){{$}}
// TF32X3-LABEL: func @filled
// TF32X3:        accumulator(complex<f64>){{$}}
func.func @filled(%a: memref<3x8x16xcomplex<f64>>, %b: memref<3x16x4xcomplex<f64>>, %c: memref<3x8x4xcomplex<f64>>) {
  %zero = complex.constant [0.0 : f64, 0.0 : f64] : complex<f64>
  linalg.fill ins(%zero : complex<f64>) outs(%c : memref<3x8x4xcomplex<f64>>)
  linalg.batch_matmul ins(%a, %b : memref<3x8x16xcomplex<f64>>, memref<3x16x4xcomplex<f64>>) outs(%c : memref<3x8x4xcomplex<f64>>)
  return
}

// CHECK-LABEL: func @conjugate
// CHECK:         kami.gemm ins({{.+}}) outs({{.+}}) transpose_a conjugate_a accumulator(complex<f32>)
func.func @conjugate(%a: memref<16x8xcomplex<f32>>, %b: memref<16x4xcomplex<f32>>, %c: memref<8x4xcomplex<f32>>) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  linalg.fill ins(%zero : complex<f32>) outs(%c : memref<8x4xcomplex<f32>>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x8xcomplex<f32>>, memref<16x4xcomplex<f32>>) outs(%c : memref<8x4xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %z: complex<f32>):
    %0 = complex.conj %x : complex<f32>
    %1 = complex.mul %0, %y : complex<f32>
    %2 = complex.add %z, %1 : complex<f32>
    linalg.yield %2 : complex<f32>
  }
  return
}

// Parts of another type are not multiplied as linalg says.

// CHECK-LABEL: func @halves
// CHECK:         linalg.matmul
func.func @halves(%a: memref<8x8xcomplex<f16>>, %c: memref<8x8xcomplex<f16>>) {
  linalg.matmul ins(%a, %a : memref<8x8xcomplex<f16>>, memref<8x8xcomplex<f16>>) outs(%c : memref<8x8xcomplex<f16>>)
  return
}
