// Of products in turn a group's loop over the tiles of k is one, in which a turn starts
// its own product's or the next one's, where sizes are known.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right
// WARP-LABEL: gpu.func
// WARP: kami.group_mma
// WARP: arith.select {{.*}} memref<
// WARP-NOT: kami.group_mma
// WARP: llvm.loop_annotation
// WARP-NOT: kami.group_mma
// WARP-LABEL: gpu.func
// WARP: kami.group_mma
// WARP: arith.select {{.*}} memref<
// WARP-NOT: kami.group_mma
// WARP: llvm.loop_annotation
// WARP-NOT: kami.group_mma

#f16 = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #f16, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched>
#taken = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #f16, tile = 64x64x32, transport = copied,
                    slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 2, next = prefetched, taken = 3>
func.func @main(%a: memref<9x70x104xf16>, %b: memref<9x104x48xf16>, %c: memref<9x70x48xf32>, %d: memref<9x70x48xf32>) {
  kami.gemm ins(%a, %b : memref<9x70x104xf16>, memref<9x104x48xf16>) outs(%c : memref<9x70x48xf32>) accumulator(f32) plan(#plan)
  kami.gemm ins(%a, %b : memref<9x70x104xf16>, memref<9x104x48xf16>) outs(%d : memref<9x70x48xf32>) accumulator(f32) plan(#taken)
  return
}
