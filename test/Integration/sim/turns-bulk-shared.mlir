// A batch of one matrix, which all products share, has a map as others do; rows of C
// are in two tiles, of which the second begins within the engine's boxes.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right
// WARP: %[[NONE:.*]] = arith.constant 0 : index
// WARP: kami.tensor_map {{.*}} : memref<9x70x104xf16>,
// WARP: kami.tensor_map {{.*}} : memref<1x104x48xf16>,
// WARP: kami.place_bulk {{.*}} of[%[[NONE]]] to {{.*}} in #shared_b

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 40x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk>
func.func @main(%a: memref<9x70x104xf16>, %b: memref<1x104x48xf16>, %c: memref<9x70x48xf32>) {
  kami.gemm ins(%a, %b : memref<9x70x104xf16>, memref<1x104x48xf16>) outs(%c : memref<9x70x48xf32>) accumulator(f32) aligned_rows plan(#plan)
  return
}
