// Packs of batches that are known only at run time, in two dimensions of which B has
// one, and with factors in memory, of which beta may be 0.

// RUN: split-file %s %t
// RUN: kami-run %t/batch.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/scales.mlir --device=sim --seed=2 | FileCheck %s
// CHECK: fma.m1n1k1{{.*}} products packed
// CHECK: verdict   right

//--- batch.mlir
func.func @f(%a: memref<3x21x5x7xf32>, %b: memref<21x7x3xf32>, %c: memref<3x21x5x3xf32>) {
  %a1 = memref.cast %a : memref<3x21x5x7xf32> to memref<?x?x5x7xf32>
  %b1 = memref.cast %b : memref<21x7x3xf32> to memref<?x7x3xf32>
  %c1 = memref.cast %c : memref<3x21x5x3xf32> to memref<?x?x5x3xf32>
  kami.gemm ins(%a1, %b1 : memref<?x?x5x7xf32>, memref<?x7x3xf32>) outs(%c1 : memref<?x?x5x3xf32>) accumulator(f32)
  return
}

//--- scales.mlir
func.func @f(%a: memref<300x5x7xf16>, %b: memref<300x7x3xf16>, %c: memref<300x5x3xf16>, %alpha: memref<f32>, %beta: memref<f32>) {
  kami.gemm ins(%a, %b : memref<300x5x7xf16>, memref<300x7x3xf16>) outs(%c : memref<300x5x3xf16>) alpha(%alpha : memref<f32>) beta(%beta : memref<f32>) accumulator(f32)
  return
}
