// Sums in layers of run time, of spans that no tile ends with, by copied operands,
// by warps that load theirs and by groups: each term once.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --tile=32x32x16 --unit=warp | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --tile=32x32x64 --unit=warp | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --tile=32x32x32 --stages=3 | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --tile=64x64x64 --unit=warpgroup | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --target=gfx942 | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --target=vulkan | FileCheck %s
// What is less than 1 counts as 1, and nothing overflows.
// RUN: sed 's/constant 7/constant 0/; s/constant 3/constant -2/' %s > %t.mlir
// RUN: kami-run %t.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/constant 7/constant 4611686018427387904/; s/constant 3/constant 6/' %s > %t.mlir
// RUN: kami-run %t.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: not kami-run %s --device=sim --algorithm=3d 2>&1 | FileCheck %s --check-prefix=LAYERED
// CHECK: verdict   right
// LAYERED: error: {{.*}}expected no layers of a plan where sums have layers of run time

func.func @f(%a: memref<2x50x101xf16>, %b: memref<2x101x37xf16>, %c: memref<2x50x37xf32>, %beta: f32) {
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  kami.gemm ins(%a, %b : memref<2x50x101xf16>, memref<2x101x37xf16>) outs(%c : memref<2x50x37xf32>) beta(%beta : f32) accumulator(f32) layers(%three, %seven)
  return
}
