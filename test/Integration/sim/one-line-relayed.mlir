// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s

// Rows of 65 elements begin anywhere, and so does the last part of C, which is one
// row: it is not stored in pieces of 16 bytes because no row follows it.

// CHECK: C relayed
// CHECK: verdict   right
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 2, 1], unit = warp, atom = #hmma, tile = 65x65x65, transport = copied, slices = {k = 16, shared = [0, 0]}, output = relayed, rows = skewed>
func.func @gemm(%a: memref<3x65x65xf16>, %b: memref<3x65x65xf16>, %c: memref<3x65x65xf16>) {
  kami.gemm ins(%a, %b : memref<3x65x65xf16>, memref<3x65x65xf16>) outs(%c : memref<3x65x65xf16>) accumulator(f32) plan(#plan)
  return
}
