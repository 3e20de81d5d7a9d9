// Blocks in turn that prefetch: the loop over a block's tiles counts turns, a
// product names the next one's operands, and starts to copy them with its last
// tiles. The block's first product copies its own.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s --check-prefix=GRID
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-map-to-grid,gpu.module(gpu.func(kami-distribute-to-warps,canonicalize,cse)))' | FileCheck %s --check-prefix=WARP

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#ahead = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = copied,
                    slices = {k = 16, shared = [0, 0]}, stages = 3, output = relayed, blocks = 132, next = prefetched>
#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#groups = #kami.plan<one_d, grid = [8, 1, 1], unit = warpgroup, atom = #wgmma, tile = 128x256x64, transport = copied,
                     slices = {k = 16, shared = [0, 0]}, stages = 4, blocks = 132, next = prefetched, copies = bulk, taken = 1024>

// GRID-LABEL: gpu.func @gemm_64x128x96_f16(
// GRID-SAME:    %[[A:[^:]+]]: memref<1000x64x96xf16>, %[[B:[^:]+]]: memref<1000x96x128xf16>
// GRID-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// GRID-DAG:     %[[THREE:.+]] = arith.constant 3 : index
// GRID-DAG:     %[[TOTAL:.+]] = arith.constant 2000 : index
// GRID:         scf.for %[[TILE:.+]] = %{{.+}} to %[[TOTAL]] step %[[STEP:.+]] iter_args(%[[TURN:.+]] = %[[ZERO]])
// GRID:           %[[AFTER:.+]] = arith.addi %[[TILE]], %[[STEP]]
// GRID:           %[[MORE:.+]] = arith.cmpi ult, %[[AFTER]], %[[TOTAL]]
// GRID:           arith.select %[[MORE]], %[[AFTER]], %[[TILE]]
// GRID:           %[[TURNS:.+]] = arith.addi %[[TURN]], %[[THREE]]
// GRID:           kami.gemm
// GRID-SAME:        next(%{{.+}}, %{{.+}} : {{.+}}) if %[[MORE]] turn %[[TURN]] plan
// GRID:           scf.yield %[[TURNS]]
// GRID-NOT:     kami.tile_loop

// WARP-LABEL: gpu.func @gemm_64x128x96_f16(
// The tiles' 3 stages, and C apart from them.
// WARP-SAME:    kami.shared_bytes = 39936
// WARP:         scf.for
// The block's first product: two tiles ahead.
// WARP:           %[[FIRST:.+]] = arith.cmpi eq, %[[TURN:.+]], %{{.+}}
// WARP:           scf.if %[[FIRST]]
// WARP-COUNT-2:     kami.copy_commit
// WARP-NOT:         kami.copy_commit
// WARP:           }
// Its own third tile, with the first that is multiplied.
// WARP:           kami.copy_wait 1
// WARP-NEXT:      gpu.barrier
// WARP:           kami.copy_async
// WARP:           kami.copy_async
// WARP-NEXT:      kami.copy_commit
// WARP-COUNT-2:   kami.mma
// Then the next product's.
// WARP:           scf.for
// WARP:             kami.copy_wait 1
// WARP-NEXT:        gpu.barrier
// WARP:             scf.if
// WARP:               kami.copy_async
// WARP:               kami.copy_async
// WARP:             }
// WARP-NEXT:        kami.copy_commit
// WARP-COUNT-2:     kami.mma
// No warp waits for another one to write C.
// WARP-NOT:       gpu.barrier
// WARP:           kami.store {{.+}} via {{.+}} : memref<2304xi8, #gpu.address_space<workgroup>> {{.+}} : !{{.+}}, memref<64x64xf16
// WARP-NOT:       gpu.barrier
func.func @batch(%a: memref<1000x64x96xf16>, %b: memref<1000x96x128xf16>, %c: memref<1000x64x128xf16>) {
  kami.gemm ins(%a, %b : memref<1000x64x96xf16>, memref<1000x96x128xf16>) outs(%c : memref<1000x64x128xf16>) accumulator(f32) plan(#ahead)
  return
}

// Of sizes known only at run time, what follows from a thread's index is computed
// anew for each tile, and the tile that is multiplied starts one of its own
// product or the next one's; turns without a tile come behind.

// GRID-LABEL: gpu.func @gemm_dxdxd_f16(
// GRID:         scf.while
// GRID:           kami.gemm
// GRID:         } attributes {kami.tile_loop}

// WARP-LABEL: gpu.func @gemm_dxdxd_f16(
// WARP:         scf.while
// WARP-COUNT-3:   kami.mbarrier_arrive {{.+}} arrivals 2
// WARP:           scf.for %[[TILE:.+]] = %c0 to %[[TILES:[^ ]+]] step %c1 iter_args(%[[SUM:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// WARP:             kami.mbarrier_wait
// WARP:             %[[PENDING:.+]] = kami.group_mma
// WARP:             %[[IS_OWN:.+]] = arith.cmpi ult, %[[TILE]], %{{.+}}
// WARP:             arith.select %[[IS_OWN]]
// WARP-COUNT-2:     kami.place_bulk
// WARP-NOT:         kami.place_bulk
// WARP:             kami.group_wait %[[PENDING]]
// WARP:           scf.for %{{.+}} = %[[TILES]] to %{{.+}} step %c1
// WARP-NOT:         kami.group_mma
// WARP-COUNT-2:     kami.place_bulk
// WARP-NOT:       kami.group_mma
// WARP:           kami.store
func.func @unknown(%a: memref<?x?x?xf16> {kami.aligned_rows}, %b: memref<?x?x?xf16> {kami.aligned_rows}, %c: memref<?x?x?xf16>) {
  %0 = memref.assume_alignment %a, 16 : memref<?x?x?xf16>
  %1 = memref.assume_alignment %b, 16 : memref<?x?x?xf16>
  kami.gemm ins(%0, %1 : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%c : memref<?x?x?xf16>) accumulator(f32) aligned_rows plan(#groups)
  return
}
