// Tiles are dealt to blocks, which list them with all that they need to know of
// each; several of a batch take turns, too.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x32x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 264>
#turns = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged,
                    slices = {k = 16, shared = [0, 0]}, blocks = 100>
!i32s = memref<?xi32>
!i64s = memref<?xi64>
module attributes {kami.target = #kami.target<"sm_90">} {
  // CHECK-LABEL: func.func @grouped
  // CHECK-DAG:     %[[BLOCKS:.+]] = arith.constant 264 : index
  // CHECK-DAG:     %[[THREADS:.+]] = arith.constant 128 : index
  // CHECK:         gpu.launch_func {{.+}} blocks in (%[[BLOCKS]], {{.+}}) threads in (%[[THREADS]],
  func.func @grouped(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: !i32s, %ld: !i32s, %beta: memref<?xf32>) {
    kami.grouped_gemm ins(%a, %b : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
        at(%at, %at, %at : !i64s, !i64s, !i64s) bytes sizes(%m, %m, %m : !i32s, !i32s, !i32s)
        leading(%ld, %ld, %ld : !i32s, !i32s, !i32s) beta(%beta : memref<?xf32>) transpose_b accumulator(f32) plan(#plan)
    return
  }
  // CHECK-LABEL: func.func @batch
  // CHECK:         %[[FEW:.+]] = arith.constant 100 : index
  // CHECK:         gpu.launch_func {{.+}} blocks in (%[[FEW]],
  func.func @batch(%a: memref<1000x16x16xf16>, %c: memref<1000x16x16xf32>) {
    kami.gemm ins(%a, %a : memref<1000x16x16xf16>, memref<1000x16x16xf16>) outs(%c : memref<1000x16x16xf32>) accumulator(f32) plan(#turns)
    return
  }

  // 264 blocks are two for each of 132 multiprocessors.
  // CHECK:       gpu.func @grouped_gemm_dxdxd_f16
  // CHECK-SAME:    kami.resident_blocks = 2
  // The tiles of 256 turns are dealt at a time, and 32 of them listed; how many
  // there are of all is known with the first ones.
  // CHECK:         scf.while (%[[TURN:.+]] = %c0_i32, %[[ALL:.+]] = %c1_i32)
  // CHECK:           arith.cmpi ult, %[[TURN]], %[[ALL]]
  // CHECK:         ^bb0(%[[NARROW:.+]]: i32, %[[KNOWN:.+]]: i32):
  // CHECK:           %[[FIRST:.+]] = arith.index_castui %[[NARROW]]
  // CHECK:           %[[WITHIN:.+]] = arith.remui %[[FIRST]], %c256
  // CHECK:           %[[DEALS:.+]] = arith.cmpi eq, %[[WITHIN]], %c0
  // CHECK:           %[[TURNS:.+]] = scf.if %[[DEALS]]
  // CHECK:             %[[BLOCK:.+]] = gpu.block_id x
  // CHECK:             %[[COUNT:.+]], %{{.+}} = kami.deal_tiles %[[BLOCK]] of 264 from %[[FIRST]] {{.+}} by [64, 32, 32] to %{{.+}} through %{{.+}} by 128
  // CHECK:             gpu.barrier
  // CHECK:             %[[ALL_TURNS:.+]] = arith.index_castui %[[COUNT]]
  // CHECK:             scf.yield %[[ALL_TURNS]]
  // CHECK:             scf.yield %[[KNOWN]]
  // CHECK:           %[[WIDE:.+]] = arith.index_castui %[[TURNS]]
  // CHECK:           %[[REST:.+]] = arith.subi %[[WIDE]], %[[FIRST]]
  // CHECK:           %[[LISTED:.+]] = arith.minui %[[REST]], %c32
  // Each tile by a thread.
  // CHECK:           %[[THREAD:.+]] = gpu.thread_id x
  // CHECK:           %[[OWN:.+]] = arith.cmpi ult, %[[THREAD]], %[[LISTED]]
  // CHECK:           scf.if %[[OWN]]
  // CHECK:             %[[ENTRY:.+]] = arith.addi %[[WITHIN]], %[[THREAD]]
  // CHECK-COUNT-2:     memref.load %{{.+}}[%[[ENTRY]], %{{.+}}] : memref<256x2xi32
  // CHECK-COUNT-13:    memref.store {{.+}} : memref<32xi{{32|64}}, #gpu.address_space<workgroup>>
  // CHECK:           gpu.barrier
  // CHECK:           scf.for %[[TILE:.+]] = %c0 to %[[LISTED]]
  // CHECK:             %[[PLACES:.+]] = memref.load %{{.+}}[%[[TILE]]] : memref<32xi32, #gpu.address_space<workgroup>>
  // CHECK:             %[[PLACE:.+]] = arith.index_castui %[[PLACES]]
  // CHECK:             %[[BITS:.+]] = arith.andi %[[PLACE]], %c15
  // CHECK:             %[[ALIGNED:.+]] = arith.cmpi eq, %[[BITS]], %c0
  // CHECK:             memref.reinterpret_cast {{.+}} to memref<?x?xf16, strided<[?, 1], offset: ?>>
  // CHECK:             kami.gemm ins({{.+}}) outs({{.+}}) beta(%{{.+}} : f32) transpose_b accumulator(f32) aligned_rows_if %[[ALIGNED]] plan
  // CHECK:           {kami.tile_loop}
  // CHECK:           gpu.barrier
  // CHECK:           %[[SUM:.+]] = arith.addi %[[FIRST]], %c32
  // CHECK:           %[[NEXT:.+]] = arith.index_castui %[[SUM]]
  // CHECK:           scf.yield %[[NEXT]], %[[TURNS]]

  // CHECK:       gpu.func @gemm_16x16x16_f16
  // CHECK:         %[[FIRST:.+]] = gpu.block_id x
  // CHECK:         %[[GRID:.+]] = gpu.grid_dim x
  // CHECK:         scf.for %{{.+}} = %[[FIRST]] to %{{.+}} step %[[GRID]]
}
