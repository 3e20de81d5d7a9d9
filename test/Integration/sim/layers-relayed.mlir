// A C of 16 bits goes through shared memory behind sums in layers, whose pieces
// begin where no row is known to be aligned, though the matrices are.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --tile=32x32x16 --unit=warp --stages=3 | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --tile=64x64x64 --unit=warpgroup | FileCheck %s
// CHECK: verdict   right

func.func @f(%a: memref<48x128xf16>, %b: memref<128x40xf16>, %c: memref<48x40xf16>) {
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  %a16 = memref.assume_alignment %a, 16 : memref<48x128xf16>
  %b16 = memref.assume_alignment %b, 16 : memref<128x40xf16>
  %c16 = memref.assume_alignment %c, 16 : memref<48x40xf16>
  kami.gemm ins(%a16, %b16 : memref<48x128xf16>, memref<128x40xf16>) outs(%c16 : memref<48x40xf16>) accumulator(f32) layers(%three, %seven)
  return
}
