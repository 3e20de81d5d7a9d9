// Blocks share all work evenly, and list the tiles of their share with all that they
// need to know of each; several of a batch take turns, too.

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
  // Block b and b + 132 have shares beside each other.
  // CHECK:         %[[BLOCK:.+]] = gpu.block_id x
  // CHECK:         %[[PLACE:.+]] = arith.remui %[[BLOCK]], %c132
  // CHECK:         arith.divui %[[BLOCK]], %c132
  // CHECK:         arith.muli %[[PLACE]], %c2
  // Products of 128 × 128 × 128, which have 8 tiles of 4 steps and 6 more, have less
  // work than 88: there is one round.
  // CHECK:         %[[NEAR:.+]], %[[BEFORE:.+]], %[[ROUNDS:.+]], %[[ALL:.+]] = kami.share_work {{.+}} of 264 least 1099511627776 {{.+}} by [64, 32, 32] start 4 {{.+}} by 128
  // CHECK:         %[[SHARES:.+]] = arith.muli %[[ROUNDS]], %c264
  // CHECK:         %[[PART:.+]] = arith.divui %[[ALL]], %[[SHARES]]
  // CHECK:         %[[LONGER:.+]] = arith.remui %[[ALL]], %[[SHARES]]
  // CHECK:         scf.for %[[ROUND:.+]] = %c0 to %[[ROUNDS]] {{.+}} iter_args(%[[P:.+]] = %[[NEAR]], %[[B:.+]] = %[[BEFORE]])
  // CHECK:         arith.muli %[[ROUND]], %c264
  // CHECK:         %[[MORE:.+]] = arith.minui %{{.+}}, %[[LONGER]]
  // CHECK:         %[[BEGIN:.+]] = arith.addi %{{.+}}, %[[MORE]]
  // CHECK:         %[[NEXT_MORE:.+]] = arith.minui %{{.+}}, %[[LONGER]]
  // CHECK:         %[[END:.+]] = arith.addi %{{.+}}, %[[NEXT_MORE]]
  // What there is of the share is listed, product by product, as far as there is
  // room: each tile by a thread.
  // CHECK:         scf.while (%[[WORK:.+]] = %[[BEGIN]], %[[OF:.+]] = %[[P]], %[[OF_BEFORE:.+]] = %[[B]])
  // CHECK:           arith.cmpi ult, %[[WORK]], %[[END]]
  // CHECK:           %[[LISTED:.+]]:4 = scf.while (%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %[[NUMBER:.+]] = %c0)
  // CHECK:             arith.cmpi ult, %[[NUMBER]], %c32
  // CHECK:             kami.find_product
  // CHECK:             %[[COUNT:.+]] = arith.minui
  // CHECK:             %[[THREAD:.+]] = gpu.thread_id x
  // CHECK:             %[[OWN:.+]] = arith.cmpi ult, %[[THREAD]]
  // CHECK:             scf.if %[[OWN]]
  // CHECK-COUNT-13:      memref.store {{.+}} : memref<32xi{{32|64}}, #gpu.address_space<workgroup>>
  // CHECK:           gpu.barrier
  // CHECK:           scf.for %[[TILE:.+]] = %c0 to %[[LISTED]]#3
  // CHECK:             %[[PLACES:.+]] = memref.load %{{.+}}[%[[TILE]]] : memref<32xi32, #gpu.address_space<workgroup>>
  // CHECK:             %[[PLACE:.+]] = arith.index_castui %[[PLACES]]
  // CHECK:             %[[BITS:.+]] = arith.andi %[[PLACE]], %c15
  // CHECK:             %[[ALIGNED:.+]] = arith.cmpi eq, %[[BITS]], %c0
  // CHECK:             memref.reinterpret_cast {{.+}} to memref<?x?xf16, strided<[?, 1], offset: ?>>
  // CHECK:             scf.if %[[ALIGNED]] {
  // CHECK:               kami.gemm ins({{.+}}) outs({{.+}}) beta(%{{.+}} : f32) transpose_b accumulator(f32) aligned_rows
  // CHECK:             } else {
  // CHECK:               kami.gemm ins({{.+}}) outs({{.+}}) beta(%{{.+}} : f32) transpose_b accumulator(f32) plan
  // CHECK:           {kami.tile_loop}
  // CHECK:           gpu.barrier
  // CHECK:           scf.yield %[[LISTED]]#0, %[[LISTED]]#1, %[[LISTED]]#2

  // CHECK:       gpu.func @gemm_16x16x16_f16
  // CHECK:         %[[FIRST:.+]] = gpu.block_id x
  // CHECK:         %[[GRID:.+]] = gpu.grid_dim x
  // CHECK:         scf.for %{{.+}} = %[[FIRST]] to %{{.+}} step %[[GRID]]
}
