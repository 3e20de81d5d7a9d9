// RUN: kami-opt %s --kami-verify-target | FileCheck %s

// A plan that fits passes unchanged, also one that nobody would choose: tiles
// larger than the product, slices in shared memory for no need.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 3, 1], unit = warp, atom = #hmma,
                   tile = 48x50x70, transport = staged,
                   slices = {k = 16, shared = [1, 2]}>

// CHECK: #[[PLAN:.+]] = #kami.plan<two_d, grid = [2, 3, 1], {{.*}}, tile = 48x50x70, transport = staged, slices = {k = 16, shared = [1, 2]}>
module attributes {kami.target = #kami.target<"sm_90">} {

// CHECK-LABEL: func @odd
// CHECK:         kami.gemm {{.*}} plan(#[[PLAN]])
func.func @odd(%a: memref<5x9xf16>, %b: memref<9x7xf16>, %c: memref<5x7xf32>) {
  kami.gemm ins(%a, %b : memref<5x9xf16>, memref<9x7xf16>) outs(%c : memref<5x7xf32>) accumulator(f32) plan(#plan)
  return
}

}
