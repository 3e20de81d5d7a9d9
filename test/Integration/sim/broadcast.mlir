// Batches of which one operand, or a row of it, is the same for every product, and
// operands whose rows overlap.

// RUN: split-file %s %t
// RUN: kami-run %t/lanes.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/lanes.mlir --device=sim --inputs=integers --unit=warp | FileCheck %s
// RUN: kami-run %t/warps.mlir --device=sim --seed=4 | FileCheck %s
// RUN: kami-run %t/rows.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/windows.mlir --device=sim --inputs=integers | FileCheck %s
// CHECK: verdict   right

//--- lanes.mlir
func.func @f(%a: memref<7x16x24xf32>, %b: memref<7x24x8xf32, strided<[0, 8, 1]>>, %c: memref<7x16x8xf32>) {
  kami.gemm ins(%a, %b : memref<7x16x24xf32>, memref<7x24x8xf32, strided<[0, 8, 1]>>) outs(%c : memref<7x16x8xf32>) accumulator(f32)
  return
}

//--- warps.mlir
func.func @f(%a: memref<5x3x33x40xbf16, strided<[0, 1320, 40, 1]>>, %b: memref<5x3x40x17xbf16, strided<[680, 0, 17, 1]>>, %c: memref<5x3x33x17xbf16>) {
  kami.gemm ins(%a, %b : memref<5x3x33x40xbf16, strided<[0, 1320, 40, 1]>>, memref<5x3x40x17xbf16, strided<[680, 0, 17, 1]>>) outs(%c : memref<5x3x33x17xbf16>) accumulator(f32)
  return
}

//--- rows.mlir
func.func @f(%a: memref<9x20x12xf16, strided<[12, 0, 1]>>, %b: memref<9x12x20xf16, strided<[240, 20, 1]>>, %c: memref<9x20x20xf32>) {
  kami.gemm ins(%a, %b : memref<9x20x12xf16, strided<[12, 0, 1]>>, memref<9x12x20xf16, strided<[240, 20, 1]>>) outs(%c : memref<9x20x20xf32>) accumulator(f32)
  return
}

//--- windows.mlir
func.func @f(%a: memref<6x10x8xf64, strided<[17, 1, 1]>>, %b: memref<6x8x10xf64, strided<[3, 1, 1]>>, %c: memref<6x10x10xf64>) {
  kami.gemm ins(%a, %b : memref<6x10x8xf64, strided<[17, 1, 1]>>, memref<6x8x10xf64, strided<[3, 1, 1]>>) outs(%c : memref<6x10x10xf64>) accumulator(f64)
  return
}
