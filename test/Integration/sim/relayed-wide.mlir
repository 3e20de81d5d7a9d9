// C of 64 or 32 bits goes through shared memory, in rows that begin anywhere, and
// where a warp's columns are no whole lines.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/53/56/g' %s | kami-run - --device=sim --inputs=random | FileCheck %s
// RUN: sed 's/accumulator(f64)/accumulator(f32) precision<tf32>/; s/f64, f64, f64/f32, f32, f32/; s/b64/b32/g; s/xf64/xf32/g' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// CHECK: C relayed
// CHECK: verdict   right

#mma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #mma, tile = 32x53x16, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 2, output = relayed>
func.func @main(%a: memref<3x41x29xf64>, %b: memref<3x29x53xf64>, %c: memref<3x41x53xf64>) {
  kami.gemm ins(%a, %b : memref<3x41x29xf64>, memref<3x29x53xf64>) outs(%c : memref<3x41x53xf64>) accumulator(f64) plan(#plan)
  return
}
