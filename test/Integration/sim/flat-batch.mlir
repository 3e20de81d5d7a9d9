// Two dimensions of a batch, of which packs see one: seven products of a block of
// eight would be all that the last dimension has.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// CHECK: fma.m1n1k1{{.*}} products packed
// CHECK: verdict   right

func.func @f(%a: memref<30x7x3x4xf32>, %b: memref<30x7x4x5xf32>, %c: memref<30x7x3x5xf32>) {
  kami.gemm ins(%a, %b : memref<30x7x3x4xf32>, memref<30x7x4x5xf32>) outs(%c : memref<30x7x3x5xf32>) accumulator(f32)
  return
}
