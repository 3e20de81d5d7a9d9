// The copy engine brings both operands, and rounds them, of products whose rows are
// aligned, the next one's before this one is done; threads bring others'. Some have
// fewer tiles of k than are on their way at a time, one has none.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=3 | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right
// WARP: kami.load_placed
// WARP: kami.mbarrier_arrive

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x16, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 3, next = prefetched, rows = skewed, copies = bulk>
func.func @main(
    %a: memref<14068xf32>, %b: memref<12352xf32>, %c: memref<13116xf32>,
    %aAt: memref<12xi64> {kami.contents = dense<[0, 3840, 6048, 9468, 9596, 11360, 11840, 11840, 12064, 12172, 13180, 13348]> : tensor<12xi64>},
    %bAt: memref<12xi64> {kami.contents = dense<[0, 960, 3456, 5040, 6960, 7108, 7876, 7876, 8516, 10000, 10336, 10752]> : tensor<12xi64>},
    %cAt: memref<12xi64> {kami.contents = dense<[0, 1600, 3992, 8172, 8412, 9000, 9360, 10256, 10816, 10872, 11304, 12396]> : tensor<12xi64>},
    %m: memref<12xi32> {kami.contents = dense<[80, 46, 95, 4, 84, 15, 32, 14, 2, 36, 21, 18]> : tensor<12xi32>},
    %n: memref<12xi32> {kami.contents = dense<[20, 52, 44, 60, 7, 24, 28, 40, 28, 12, 52, 40]> : tensor<12xi32>},
    %k: memref<12xi32> {kami.contents = dense<[48, 48, 36, 32, 21, 32, 0, 16, 53, 28, 8, 40]> : tensor<12xi32>},
    %beta: f32) {
  kami.grouped_gemm ins(%a, %b : memref<14068xf32>, memref<12352xf32>) outs(%c : memref<13116xf32>)
      at(%aAt, %bAt, %cAt : memref<12xi64>, memref<12xi64>, memref<12xi64>)
      sizes(%m, %n, %k : memref<12xi32>, memref<12xi32>, memref<12xi32>)
      beta(%beta : f32) accumulator(f32) precision<tf32> plan(#plan)
  return
}
