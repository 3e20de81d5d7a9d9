// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami | FileCheck %s

// linalg accumulates into its output: β is 1, of the accumulator's type.

// CHECK-LABEL: func @matmul_tensor
// CHECK-SAME:    %[[A:.+]]: tensor<64x32xf16>, %[[B:.+]]: tensor<32x48xf16>, %[[C:.+]]: tensor<64x48xf32>
// CHECK-NEXT:    %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    %[[D:.+]] = kami.gemm ins(%[[A]], %[[B]] : tensor<64x32xf16>, tensor<32x48xf16>) outs(%[[C]] : tensor<64x48xf32>) beta(%[[ONE]] : f32) accumulator(f32) -> tensor<64x48xf32>
// CHECK-NEXT:    return %[[D]]
func.func @matmul_tensor(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// CHECK-LABEL: func @matmul_memref
// CHECK-SAME:    %[[A:.+]]: memref<?x?xf64, strided<[?, ?], offset: ?>>, %[[B:.+]]: memref<?x?xf64>, %[[C:.+]]: memref<?x?xf64>
// CHECK-NEXT:    %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:    kami.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : memref<?x?xf64>) beta(%[[ONE]] : f64) accumulator(f64)
// CHECK-NEXT:    return
func.func @matmul_memref(%a: memref<?x?xf64, strided<[?, ?], offset: ?>>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  linalg.matmul ins(%a, %b : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64>) outs(%c : memref<?x?xf64>)
  return
}

// -----

// Narrow outputs are summed in f32 and rounded once.

// CHECK-LABEL: func @narrow_output
// CHECK:         %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         kami.gemm {{.*}} outs({{.*}} : tensor<8x8xf16>) beta(%[[ONE]] : f32) accumulator(f32)
// CHECK:         %[[ONE_BF16:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         kami.gemm {{.*}} outs({{.*}} : tensor<8x8xbf16>) beta(%[[ONE_BF16]] : f32) accumulator(f32)
// CHECK:         kami.gemm ins({{.*}} : tensor<8x8xbf16>, tensor<8x8xbf16>) outs({{.*}} : tensor<8x8xf32>) {{.*}} accumulator(f32)
func.func @narrow_output(%a: tensor<8x8xf16>, %c: tensor<8x8xf16>, %e: tensor<8x8xbf16>, %f: tensor<8x8xbf16>, %g: tensor<8x8xf32>)
    -> (tensor<8x8xf16>, tensor<8x8xbf16>, tensor<8x8xf32>) {
  %0 = linalg.matmul ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = linalg.matmul ins(%e, %e : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%f : tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %2 = linalg.matmul ins(%e, %e : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%g : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf16>, tensor<8x8xbf16>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func @transposed_a
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : tensor<32x64xf16>, tensor<32x48xf16>) {{.*}} transpose_a accumulator(f32)
func.func @transposed_a(%a: tensor<32x64xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<32x64xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// CHECK-LABEL: func @transposed_b
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : memref<64x32xf16>, memref<48x32xf16>) {{.*}} transpose_b accumulator(f32)
func.func @transposed_b(%a: memref<64x32xf16>, %b: memref<48x32xf16>, %c: memref<64x48xf32>) {
  linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<64x32xf16>, memref<48x32xf16>) outs(%c : memref<64x48xf32>)
  return
}

// -----

// A is one row, repeated over m: m becomes a batch of single rows.

// CHECK-LABEL: func @broadcast_row
// CHECK-SAME:    %[[A:.+]]: tensor<32xf16>, %[[B:.+]]: tensor<32x48xf16>, %[[C:.+]]: tensor<64x48xf32>
// CHECK:         %[[ROW:.+]] = tensor.expand_shape %[[A]] {{\[\[}}0, 1]] output_shape [1, 32]
// CHECK:         %[[ROWS:.+]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2]] output_shape [64, 1, 48]
// CHECK:         %[[D:.+]] = kami.gemm ins(%[[ROW]], %[[B]] : tensor<1x32xf16>, tensor<32x48xf16>) outs(%[[ROWS]] : tensor<64x1x48xf32>)
// CHECK:         tensor.collapse_shape %[[D]] {{\[\[}}0, 1], [2]] : tensor<64x1x48xf32> into tensor<64x48xf32>
func.func @broadcast_row(%a: tensor<32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// CHECK-LABEL: func @batch
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%{{.+}} : tensor<?x?x?xf32>) {{.*}} accumulator(f32)
func.func @batch(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}

// -----

// CHECK-LABEL: func @batch_broadcast_a_transposed_b
// CHECK-NOT:     expand_shape
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : memref<3x5xf16>, memref<2x7x5xf16>) outs(%{{.+}} : memref<2x3x7xf32>) {{.*}} transpose_b accumulator(f32)
func.func @batch_broadcast_a_transposed_b(%a: memref<3x5xf16>, %b: memref<2x7x5xf16>, %c: memref<2x3x7xf32>) {
  linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : memref<3x5xf16>, memref<2x7x5xf16>) outs(%c : memref<2x3x7xf32>)
  return
}

// -----

// CHECK-LABEL: func @batch_transposed_a_broadcast_b
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : tensor<2x5x3xf64>, tensor<5x7xf64>) {{.*}} transpose_a accumulator(f64)
func.func @batch_transposed_a_broadcast_b(%a: tensor<2x5x3xf64>, %b: tensor<5x7xf64>, %c: tensor<2x3x7xf64>) -> tensor<2x3x7xf64> {
  %d = linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<2x5x3xf64>, tensor<5x7xf64>) outs(%c : tensor<2x3x7xf64>) -> tensor<2x3x7xf64>
  return %d : tensor<2x3x7xf64>
}

// -----

// CHECK-LABEL: func @contract
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : tensor<4x8x16x32xf16>, tensor<4x8x24x32xf16>) outs(%{{.+}} : tensor<4x8x16x24xf32>) {{.*}} transpose_b accumulator(f32)
func.func @contract(%a: tensor<4x8x16x32xf16>, %b: tensor<4x8x24x32xf16>, %c: tensor<4x8x16x24xf32>) -> tensor<4x8x16x24xf32> {
  %d = linalg.contract
      indexing_maps = [affine_map<(x, y, m, n, k) -> (x, y, m, k)>, affine_map<(x, y, m, n, k) -> (x, y, n, k)>, affine_map<(x, y, m, n, k) -> (x, y, m, n)>]
      ins(%a, %b : tensor<4x8x16x32xf16>, tensor<4x8x24x32xf16>) outs(%c : tensor<4x8x16x24xf32>) -> tensor<4x8x16x24xf32>
  return %d : tensor<4x8x16x24xf32>
}

// -----

// Operands may be parts of one buffer.

// CHECK-LABEL: func @one_workspace
// CHECK:         kami.gemm
func.func @one_workspace(%w: memref<3x8x8xf64>) {
  %a = memref.subview %w[0, 0, 0] [1, 8, 8] [1, 1, 1] : memref<3x8x8xf64> to memref<8x8xf64, strided<[8, 1]>>
  %b = memref.subview %w[1, 0, 0] [1, 8, 8] [1, 1, 1] : memref<3x8x8xf64> to memref<8x8xf64, strided<[8, 1], offset: 64>>
  %c = memref.subview %w[2, 0, 0] [1, 8, 8] [1, 1, 1] : memref<3x8x8xf64> to memref<8x8xf64, strided<[8, 1], offset: 128>>
  linalg.matmul ins(%a, %b : memref<8x8xf64, strided<[8, 1]>>, memref<8x8xf64, strided<[8, 1], offset: 64>>)
                outs(%c : memref<8x8xf64, strided<[8, 1], offset: 128>>)
  return
}

// -----

// The pass is anchored on any op; a product inside a kernel is one too.

// CHECK-LABEL: gpu.func @kernel
// CHECK:         kami.gemm
gpu.module @module {
  gpu.func @kernel(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) kernel {
    linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
    gpu.return
  }
}

// -----

// A sum without terms, and a batch without rows.

// CHECK-LABEL: func @empty
// CHECK:         kami.gemm {{.*}} : tensor<8x0xf16>, tensor<0x8xf16>)
// CHECK:         kami.gemm {{.*}} : memref<2x0x3xf64>, memref<2x3x4xf64>)
func.func @empty(%a: tensor<8x0xf16>, %b: tensor<0x8xf16>, %c: tensor<8x8xf32>,
                 %d: memref<2x0x3xf64>, %e: memref<2x3x4xf64>, %f: memref<2x0x4xf64>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x0xf16>, tensor<0x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  linalg.batch_matmul ins(%d, %e : memref<2x0x3xf64>, memref<2x3x4xf64>) outs(%f : memref<2x0x4xf64>)
  return %0 : tensor<8x8xf32>
}
