// Of f64, warps hold the first slice of the next tile of k before they multiply the last
// one of this tile, whose stage then takes the tile that is as many stages further. The
// last tile is multiplied behind the loop. Where k ends within a tile, nothing is held.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right

// WARP-LABEL: gpu.func @gemm_70x36x80_f64
// WARP:         kami.copy_wait 2
// WARP-NEXT:    gpu.barrier
// WARP:         %[[A:.+]] = kami.load
// WARP:         %[[B:.+]] = kami.load
// WARP:         %[[SUM:.+]]:4 = scf.for %{{.+}} = %c0 to %c4 step %c1 iter_args(%[[C:.+]] = %{{.+}}, %{{.+}} = %c0_i32, %[[HELD_A:.+]] = %[[A]], %[[HELD_B:.+]] = %[[B]])
// WARP:           %[[LAST_A:.+]] = kami.load
// WARP:           %[[LAST_B:.+]] = kami.load
// WARP:           %[[C1:.+]] = kami.mma %[[HELD_A]], %[[HELD_B]], %[[C]]
// WARP:           kami.copy_wait 1
// WARP-NEXT:      gpu.barrier
// WARP:           %[[NEXT_A:.+]] = kami.load
// WARP:           %[[NEXT_B:.+]] = kami.load
// WARP-COUNT-2:   kami.copy_async
// WARP:           %[[C2:.+]] = kami.mma %[[LAST_A]], %[[LAST_B]], %[[C1]]
// WARP:           scf.yield %[[C2]], %{{.+}}, %[[NEXT_A]], %[[NEXT_B]]
// WARP:         %[[END_A:.+]] = kami.load
// WARP:         %[[END_B:.+]] = kami.load
// WARP:         %[[C3:.+]] = kami.mma %[[SUM]]#2, %[[SUM]]#3, %[[SUM]]#0
// WARP:         kami.mma %[[END_A]], %[[END_B]], %[[C3]]
// WARP-LABEL: gpu.func @gemm_70x36x80_f64
// WARP:         scf.for %{{.+}} = %c0 to %c9 step %c1 iter_args
// WARP:           kami.copy_wait 0
// WARP-LABEL: gpu.func @gemm_70x36x83_f64
// WARP:         scf.for %{{.+}} = %c0 to %c83 step %c16 iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %c0_i32) ->

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#three = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 32x32x16, transport = copied,
                    slices = {k = 8, shared = [0, 0]}, stages = 3>
#two = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 32x32x8, transport = copied,
                  slices = {k = 8, shared = [0, 0]}, stages = 2>
func.func @main(%a: memref<3x70x80xf64>, %at: memref<3x80x70xf64>, %b: memref<3x80x36xf64>, %odd: memref<3x83x36xf64>,
                %wide: memref<3x70x83xf64>, %bias: memref<36xf64>, %beta: f64,
                %c: memref<3x70x36xf64>, %d: memref<3x70x36xf64>, %e: memref<3x70x36xf64>) {
  kami.gemm ins(%a, %b : memref<3x70x80xf64>, memref<3x80x36xf64>) outs(%c : memref<3x70x36xf64>)
      beta(%beta : f64) accumulator(f64)
      epilogue(%x: f64, %y = %bias : memref<36xf64> at affine_map<(p, i, j) -> (j)>) {
        %0 = arith.addf %x, %y : f64
        kami.yield %0 : f64
      } plan(#three)
  kami.gemm ins(%at, %b : memref<3x80x70xf64>, memref<3x80x36xf64>) outs(%d : memref<3x70x36xf64>)
      transpose_a accumulator(f64) plan(#two)
  kami.gemm ins(%wide, %odd : memref<3x70x83xf64>, memref<3x83x36xf64>) outs(%e : memref<3x70x36xf64>)
      accumulator(f64) plan(#three)
  return
}
