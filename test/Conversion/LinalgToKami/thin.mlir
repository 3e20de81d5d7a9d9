// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami | FileCheck %s

// Products with vectors are matrix products with one row or one column.

// CHECK-LABEL: func @matvec_tensor
// CHECK-SAME:    %[[A:.+]]: tensor<64x32xf16>, %[[X:.+]]: tensor<32xf16>, %[[Y:.+]]: tensor<64xf32>
// CHECK:         %[[COLUMN:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [32, 1] : tensor<32xf16> into tensor<32x1xf16>
// CHECK:         %[[C:.+]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
// CHECK:         %[[D:.+]] = kami.gemm ins(%[[A]], %[[COLUMN]] : tensor<64x32xf16>, tensor<32x1xf16>) outs(%[[C]] : tensor<64x1xf32>) beta(%{{.+}} : f32) accumulator(f32) -> tensor<64x1xf32>
// CHECK:         %[[R:.+]] = tensor.collapse_shape %[[D]] {{\[\[}}0, 1]] : tensor<64x1xf32> into tensor<64xf32>
// CHECK:         return %[[R]]
func.func @matvec_tensor(%a: tensor<64x32xf16>, %x: tensor<32xf16>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.matvec ins(%a, %x : tensor<64x32xf16>, tensor<32xf16>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @matvec_dynamic
// CHECK-SAME:    %[[A:.+]]: tensor<?x?xf16>, %[[X:.+]]: tensor<?xf16>, %[[Y:.+]]: tensor<?xf32>
// CHECK:         %[[K:.+]] = tensor.dim %[[X]]
// CHECK:         %[[COLUMN:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [%[[K]], 1]
// CHECK:         %[[M:.+]] = tensor.dim %[[Y]]
// CHECK:         %[[C:.+]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [%[[M]], 1]
// CHECK:         %[[D:.+]] = kami.gemm ins(%[[A]], %[[COLUMN]] : {{.*}}) outs(%[[C]] : tensor<?x1xf32>)
// CHECK:         tensor.collapse_shape %[[D]] {{\[\[}}0, 1]] : tensor<?x1xf32> into tensor<?xf32>
func.func @matvec_dynamic(%a: tensor<?x?xf16>, %x: tensor<?xf16>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.matvec ins(%a, %x : tensor<?x?xf16>, tensor<?xf16>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Strides of vectors are kept: every third element of x, every y.

// CHECK-LABEL: func @matvec_strided
// CHECK-SAME:    %[[A:.+]]: memref<64x32xf64>, %[[X:.+]]: memref<32xf64, strided<[3], offset: 5>>, %[[Y:.+]]: memref<64xf64, strided<[?], offset: ?>>
// CHECK:         %[[COLUMN:.+]] = memref.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [32, 1] : {{.*}} into memref<32x1xf64, strided<[3, 3], offset: 5>>
// CHECK:         %[[C:.+]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [64, 1] : {{.*}} into memref<64x1xf64, strided<[?, ?], offset: ?>>
// CHECK:         kami.gemm ins(%[[A]], %[[COLUMN]] : {{.*}}) outs(%[[C]] : {{.*}}) beta(%{{.+}} : f64) accumulator(f64)
// CHECK-NEXT:    return
func.func @matvec_strided(%a: memref<64x32xf64>, %x: memref<32xf64, strided<[3], offset: 5>>, %y: memref<64xf64, strided<[?], offset: ?>>) {
  linalg.matvec ins(%a, %x : memref<64x32xf64>, memref<32xf64, strided<[3], offset: 5>>) outs(%y : memref<64xf64, strided<[?], offset: ?>>)
  return
}

// -----

// CHECK-LABEL: func @vecmat_strided
// CHECK-SAME:    %[[X:.+]]: memref<?xbf16, strided<[4]>>, %[[B:.+]]: memref<?x48xbf16>, %[[Y:.+]]: memref<48xf32>
// CHECK:         %[[K:.+]] = memref.dim %[[X]]
// CHECK:         %[[ROW:.+]] = memref.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [1, %[[K]]] : {{.*}} into memref<1x?xbf16, strided<[?, 4]>>
// CHECK:         %[[C:.+]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [1, 48] : {{.*}} into memref<1x48xf32>
// CHECK:         kami.gemm ins(%[[ROW]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}})
func.func @vecmat_strided(%x: memref<?xbf16, strided<[4]>>, %b: memref<?x48xbf16>, %y: memref<48xf32>) {
  linalg.vecmat ins(%x, %b : memref<?xbf16, strided<[4]>>, memref<?x48xbf16>) outs(%y : memref<48xf32>)
  return
}

// -----

// CHECK-LABEL: func @batch_matvec
// CHECK-SAME:    %[[A:.+]]: tensor<8x64x32xf16>, %[[X:.+]]: tensor<8x32xf16>, %[[Y:.+]]: tensor<8x64xf16>
// CHECK:         %[[COLUMN:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [8, 32, 1]
// CHECK:         %[[C:.+]] = tensor.expand_shape %[[Y]] {{\[\[}}0], [1, 2]] output_shape [8, 64, 1]
// CHECK:         %[[D:.+]] = kami.gemm ins(%[[A]], %[[COLUMN]] : {{.*}}) outs(%[[C]] : tensor<8x64x1xf16>)
// CHECK:         tensor.collapse_shape %[[D]] {{\[\[}}0], [1, 2]]
func.func @batch_matvec(%a: tensor<8x64x32xf16>, %x: tensor<8x32xf16>, %y: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %r = linalg.batch_matvec ins(%a, %x : tensor<8x64x32xf16>, tensor<8x32xf16>) outs(%y : tensor<8x64xf16>) -> tensor<8x64xf16>
  return %r : tensor<8x64xf16>
}

// -----

// CHECK-LABEL: func @batch_vecmat
// CHECK-SAME:    %[[X:.+]]: memref<8x32xf16>, %[[B:.+]]: memref<8x32x48xf16>, %[[Y:.+]]: memref<8x48xf32>
// CHECK:         %[[ROW:.+]] = memref.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [8, 1, 32]
// CHECK:         %[[C:.+]] = memref.expand_shape %[[Y]] {{\[\[}}0, 1], [2]] output_shape [8, 1, 48]
// CHECK:         kami.gemm ins(%[[ROW]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}})
func.func @batch_vecmat(%x: memref<8x32xf16>, %b: memref<8x32x48xf16>, %y: memref<8x48xf32>) {
  linalg.batch_vecmat ins(%x, %b : memref<8x32xf16>, memref<8x32x48xf16>) outs(%y : memref<8x48xf32>)
  return
}

// -----

// CHECK-LABEL: func @matvec_with_fill
// CHECK-SAME:    %[[A:.+]]: tensor<64x32xf16>, %[[X:.+]]: tensor<32xf16>
// CHECK:         %[[EMPTY:.+]] = tensor.empty() : tensor<64xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         %[[C:.+]] = tensor.expand_shape %[[EMPTY]]
// CHECK:         kami.gemm ins({{.*}}) outs(%[[C]] : tensor<64x1xf32>) accumulator(f32)
func.func @matvec_with_fill(%a: tensor<64x32xf16>, %x: tensor<32xf16>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.matvec ins(%a, %x : tensor<64x32xf16>, tensor<32xf16>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
