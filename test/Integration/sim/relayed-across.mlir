// Warp groups that compute the transpose of a C whose rows begin anywhere put it
// together in shared memory, in the place of operands, or beside those of the next
// product.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/53/56/g' %s | kami-run - --device=sim --inputs=random | FileCheck %s
// RUN: sed 's/output = relayed/output = relayed, blocks = 2/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/output = relayed/output = relayed, blocks = 2, next = prefetched/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/output = relayed/output = relayed, rows = skewed, copies = bulk/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/3x41x53xf32/3x41x53xf16/g' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// CHECK: C relayed
// CHECK: verdict   right

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 32x64x16, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 2, output = relayed>
func.func @main(%a: memref<3x41x29xf32>, %b: memref<3x29x53xf32>, %c: memref<3x41x53xf32>) {
  kami.gemm ins(%a, %b : memref<3x41x29xf32>, memref<3x29x53xf32>) outs(%c : memref<3x41x53xf32>) accumulator(f32) precision<tf32> plan(#plan)
  return
}
