// A promise of the rows of all matrices, of which tiles of 20 columns keep nothing.

// RUN: kami-run %s --device=sim --tile=32x20x16 --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --tile=32x16x16 --inputs=integers | FileCheck %s
// CHECK: verdict   right

func.func @f(%a: memref<64x32xf16>, %b: memref<32x40xf16>, %c: memref<64x40xf32>) {
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x40xf16>) outs(%c : memref<64x40xf32>) accumulator(f32) aligned_rows
  return
}
