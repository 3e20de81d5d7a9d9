// The copy engine brings both operands of products in turn, the next one's before this
// one is done. Of a batch whose matrices follow each other at a known distance a
// block makes one map of each operand; of others a product's are made ahead.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right
// WARP-COUNT-2: kami.tensor_map
// WARP-NOT: kami.tensor_map
// WARP-COUNT-6: kami.place_bulk {{.*}} of[
// WARP-NOT: kami.tensor_map

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk>
func.func @main(%a: memref<9x64x104xf16>, %b: memref<9x104x48xf16>, %c: memref<9x64x48xf32>) {
  kami.gemm ins(%a, %b : memref<9x64x104xf16>, memref<9x104x48xf16>) outs(%c : memref<9x64x48xf32>) accumulator(f32) aligned_rows plan(#plan)
  return
}
