// Batches that follow each other without gaps become one, where C and all operands
// that have a batch agree.

// RUN: kami-opt %s --kami-flatten-batch | FileCheck %s

// CHECK-LABEL: func.func @dense
// CHECK-DAG:     memref.collapse_shape %{{.+}} {{\[\[}}0, 1], [2], [3]] : memref<3x?x4x5xf16> into memref<?x4x5xf16>
// CHECK-DAG:     memref.collapse_shape %{{.+}} : memref<3x?x4x6xf32> into memref<?x4x6xf32>
// CHECK:         kami.gemm ins({{.+}} : memref<?x4x5xf16>, memref<5x6xf16>) outs({{.+}} : memref<?x4x6xf32>)
func.func @dense(%a: memref<3x?x4x5xf16>, %b: memref<5x6xf16>, %c: memref<3x?x4x6xf32>) {
  kami.gemm ins(%a, %b : memref<3x?x4x5xf16>, memref<5x6xf16>) outs(%c : memref<3x?x4x6xf32>) accumulator(f32)
  return
}

// Gaps between products are no gaps between dimensions.
// CHECK-LABEL: func.func @strided
// CHECK:         kami.gemm ins({{.+}} : memref<21x4x5xf16, strided<[40, 5, 1], offset: ?>>, memref<21x5x6xf16>)
func.func @strided(%a: memref<3x7x4x5xf16, strided<[280, 40, 5, 1], offset: ?>>, %b: memref<3x7x5x6xf16>, %c: memref<3x7x4x6xf32>) {
  kami.gemm ins(%a, %b : memref<3x7x4x5xf16, strided<[280, 40, 5, 1], offset: ?>>, memref<3x7x5x6xf16>) outs(%c : memref<3x7x4x6xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func.func @gap
// CHECK-NOT:     memref.collapse_shape
func.func @gap(%a: memref<3x7x4x5xf16, strided<[300, 40, 5, 1]>>, %b: memref<3x7x5x6xf16>, %c: memref<3x7x4x6xf32>) {
  kami.gemm ins(%a, %b : memref<3x7x4x5xf16, strided<[300, 40, 5, 1]>>, memref<3x7x5x6xf16>) outs(%c : memref<3x7x4x6xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func.func @repeated
// CHECK-NOT:     memref.collapse_shape
func.func @repeated(%a: memref<7x4x5xf16>, %b: memref<3x1x5x6xf16>, %c: memref<3x7x4x6xf32>) {
  kami.gemm ins(%a, %b : memref<7x4x5xf16>, memref<3x1x5x6xf16>) outs(%c : memref<3x7x4x6xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func.func @bias
// CHECK-NOT:     memref.collapse_shape
func.func @bias(%a: memref<3x7x4x5xf16>, %b: memref<5x6xf16>, %bias: memref<7xf32>, %c: memref<3x7x4x6xf32>) {
  kami.gemm ins(%a, %b : memref<3x7x4x5xf16>, memref<5x6xf16>) outs(%c : memref<3x7x4x6xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %bias : memref<7xf32> at affine_map<(p, q, m, n) -> (q)>) {
        %z = arith.addf %x, %y : f32
        kami.yield %z : f32
      }
  return
}
