// Several groups wait apart for what the copy engine brings, and the thread that starts
// copies for all of them: of sums in four tiles, and in one, which is fewer than are ahead;
// of rows of C, and, of tf32, of its columns.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=5 | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right
// WARP: kami.mbarrier_init %{{.*}} arrivals 2
// WARP: kami.mbarrier_init %{{.*}} arrivals 8
// WARP: gpu.barrier
// WARP: scf.for
// WARP: kami.mbarrier_wait {{.*}} every_warp
// WARP-NOT: gpu.barrier
// WARP: kami.group_mma
// WARP: kami.mbarrier_wait %{{.*}} parity %{{[a-z0-9]*}} : memref
// WARP: kami.place_bulk
// WARP: kami.group_wait
// WARP: kami.mbarrier_arrive {{.*}} arrivals 1 every_warp
// WARP: gpu.barrier

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#rows = #kami.plan<one_d, grid = [8, 1, 1], unit = warpgroup, atom = #wgmma, tile = 128x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3, output = relayed, blocks = 2, next = prefetched, copies = bulk, taken = 2>
#columns = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 40x128x32, transport = copied,
                      slices = {k = 8, shared = [0, 0]}, stages = 4, blocks = 2, next = prefetched, copies = bulk>
func.func @main(%a: memref<7x130x104xf16>, %b: memref<7x104x48xf16>, %c: memref<7x130x48xf16>,
                %d: memref<5x40x24xf32>, %e: memref<5x24x132xf32>, %f: memref<5x40x132xf32>) {
  kami.gemm ins(%a, %b : memref<7x130x104xf16>, memref<7x104x48xf16>) outs(%c : memref<7x130x48xf16>) accumulator(f32) aligned_rows plan(#rows)
  kami.gemm ins(%d, %e : memref<5x40x24xf32>, memref<5x24x132xf32>) outs(%f : memref<5x40x132xf32>) accumulator(f32) precision<tf32> aligned_rows plan(#columns)
  return
}
