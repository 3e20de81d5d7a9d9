// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami | FileCheck %s

// linalg.generic ops that are contractions, their loops and operands in any
// order.

// CHECK-LABEL: func @loops_in_any_order
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : tensor<32x64xf16>, tensor<48x32xf16>) {{.*}} transpose_a transpose_b accumulator(f32)
func.func @loops_in_any_order(%a: tensor<32x64xf16>, %b: tensor<48x32xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = linalg.generic {
      indexing_maps = [affine_map<(k, n, m) -> (k, m)>, affine_map<(k, n, m) -> (n, k)>, affine_map<(k, n, m) -> (m, n)>],
      iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a, %b : tensor<32x64xf16>, tensor<48x32xf16>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %1, %0 : f32
    %3 = arith.addf %2, %z : f32
    linalg.yield %3 : f32
  } -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// A transposed C is the product of the operands in the other order. Here
// C[n, m] = sum of A[m, k] B[k, n].

// CHECK-LABEL: func @transposed_c
// CHECK-SAME:    %[[A:.+]]: tensor<64x32xf64>, %[[B:.+]]: tensor<32x48xf64>, %[[C:.+]]: tensor<48x64xf64>
// CHECK:         kami.gemm ins(%[[B]], %[[A]] : tensor<32x48xf64>, tensor<64x32xf64>) outs(%[[C]] : tensor<48x64xf64>) {{.*}} transpose_a transpose_b accumulator(f64)
func.func @transposed_c(%a: tensor<64x32xf64>, %b: tensor<32x48xf64>, %c: tensor<48x64xf64>) -> tensor<48x64xf64> {
  %d = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf64>, tensor<32x48xf64>) outs(%c : tensor<48x64xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<48x64xf64>
  return %d : tensor<48x64xf64>
}

// -----

// The batch loop last: buffers are viewed with it in front.

// CHECK-LABEL: func @batch_last_memref
// CHECK-SAME:    %[[A:.+]]: memref<64x32x8xf16>, %[[B:.+]]: memref<8x32x48xf16>, %[[C:.+]]: memref<64x8x48xf32>
// CHECK:         %[[AT:.+]] = memref.transpose %[[A]] (d0, d1, d2) -> (d2, d0, d1) : memref<64x32x8xf16> to memref<8x64x32xf16, strided<[1, 256, 8]>>
// CHECK:         %[[CT:.+]] = memref.transpose %[[C]] (d0, d1, d2) -> (d1, d0, d2) : memref<64x8x48xf32> to memref<8x64x48xf32, strided<[48, 384, 1]>>
// CHECK:         kami.gemm ins(%[[AT]], %[[B]] : {{.*}}) outs(%[[CT]] : {{.*}})
func.func @batch_last_memref(%a: memref<64x32x8xf16>, %b: memref<8x32x48xf16>, %c: memref<64x8x48xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (m, b, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32x8xf16>, memref<8x32x48xf16>) outs(%c : memref<64x8x48xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// -----

// Tensors would have to be copied for that: they stay.

// CHECK-LABEL: func @batch_last_tensor
// CHECK-NOT:     kami.gemm
// CHECK:         linalg.generic
func.func @batch_last_tensor(%a: tensor<64x32x8xf64>, %b: tensor<8x32x48xf64>, %c: tensor<8x64x48xf64>) -> tensor<8x64x48xf64> {
  %d = linalg.generic {
      indexing_maps = [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32x8xf64>, tensor<8x32x48xf64>) outs(%c : tensor<8x64x48xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<8x64x48xf64>
  return %d : tensor<8x64x48xf64>
}

// -----

// Two batch loops; B has only the first of them, so its second is of extent 1,
// and A only the second, so its first is left out.

// CHECK-LABEL: func @batches_broadcast
// CHECK-SAME:    %[[A:.+]]: tensor<8x64x32xf64>, %[[B:.+]]: tensor<4x32x48xf64>, %[[C:.+]]: tensor<4x8x64x48xf64>
// CHECK:         %[[BX:.+]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1], [2], [3]] output_shape [4, 1, 32, 48]
// CHECK:         kami.gemm ins(%[[A]], %[[BX]] : tensor<8x64x32xf64>, tensor<4x1x32x48xf64>) outs(%[[C]] : tensor<4x8x64x48xf64>)
func.func @batches_broadcast(%a: tensor<8x64x32xf64>, %b: tensor<4x32x48xf64>, %c: tensor<4x8x64x48xf64>) -> tensor<4x8x64x48xf64> {
  %d = linalg.generic {
      indexing_maps = [affine_map<(b, e, m, n, k) -> (e, m, k)>, affine_map<(b, e, m, n, k) -> (b, k, n)>, affine_map<(b, e, m, n, k) -> (b, e, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x64x32xf64>, tensor<4x32x48xf64>) outs(%c : tensor<4x8x64x48xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<4x8x64x48xf64>
  return %d : tensor<4x8x64x48xf64>
}

// -----

// The same on buffers: the repeated dimension costs no stride.

// CHECK-LABEL: func @batches_broadcast_memref
// CHECK:         memref.expand_shape %{{.+}} {{\[\[}}0, 1], [2], [3]] output_shape [%{{.+}}, 1, 32, 48] : memref<?x32x48xf64, strided<[2000, 60, 1]>> into memref<?x1x32x48xf64, strided<[2000, 2000, 60, 1]>>
// CHECK:         kami.gemm
func.func @batches_broadcast_memref(%a: memref<8x64x32xf64>, %b: memref<?x32x48xf64, strided<[2000, 60, 1]>>, %c: memref<?x8x64x48xf64>) {
  linalg.generic {
      indexing_maps = [affine_map<(b, e, m, n, k) -> (e, m, k)>, affine_map<(b, e, m, n, k) -> (b, k, n)>, affine_map<(b, e, m, n, k) -> (b, e, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x64x32xf64>, memref<?x32x48xf64, strided<[2000, 60, 1]>>) outs(%c : memref<?x8x64x48xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// -----

// Two loops that only A and C have: the outer one is a batch.

// CHECK-LABEL: func @two_row_loops
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : tensor<5x64x32xf64>, tensor<32x48xf64>) outs(%{{.+}} : tensor<5x64x48xf64>)
func.func @two_row_loops(%a: tensor<5x64x32xf64>, %b: tensor<32x48xf64>, %c: tensor<5x64x48xf64>) -> tensor<5x64x48xf64> {
  %d = linalg.generic {
      indexing_maps = [affine_map<(o, m, n, k) -> (o, m, k)>, affine_map<(o, m, n, k) -> (k, n)>, affine_map<(o, m, n, k) -> (o, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x64x32xf64>, tensor<32x48xf64>) outs(%c : tensor<5x64x48xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<5x64x48xf64>
  return %d : tensor<5x64x48xf64>
}
