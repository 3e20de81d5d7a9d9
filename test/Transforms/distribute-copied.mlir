// Copied operands: the first tiles start before the loop over k, each round starts
// one more, waits for the oldest, and multiplies what it reads of it; C of 16 bits
// leaves by way of a part of shared memory that each warp has for itself.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps,canonicalize,cse)))' | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#deep = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3>
#whole = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = copied,
                    slices = {k = 16, shared = [0, 0]}, output = relayed>
#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#group = #kami.plan<one_d, grid = [8, 1, 1], unit = warpgroup, atom = #wgmma, tile = 128x96x64, transport = copied,
                    slices = {k = 16, shared = [0, 0]}, stages = 3>
#skewed = #kami.plan<one_d, grid = [8, 1, 1], unit = warpgroup, atom = #wgmma, tile = 128x96x64, transport = copied,
                    slices = {k = 16, shared = [0, 0]}, stages = 3, rows = skewed>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#kept = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 64x32x16, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 3, rows = skewed>
#ahead = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 96x48x16, transport = copied,
                    slices = {k = 8, shared = [0, 0]}, stages = 3>
#fma = #kami.mma_atom<fma 16x16x4, f32, f32, f32, ["paired.a.16x4.b32", "paired.b.4x16.b32", "paired.c.16x16.b32"]>
#lanes = #kami.plan<one_d, grid = [1, 2, 1], unit = warp, atom = #fma, tile = 64x64x32, transport = copied,
                    slices = {k = 4, shared = [0, 0]}, stages = 2>
#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#column = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #tf32, tile = 64x96x32, transport = copied,
                     slices = {k = 8, shared = [0, 0]}, stages = 3>
#row = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #tf32, tile = 96x64x32, transport = copied,
                  slices = {k = 8, shared = [0, 0]}, stages = 3>
#row_relayed = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #tf32, tile = 96x64x32, transport = copied,
                          slices = {k = 8, shared = [0, 0]}, stages = 2, output = relayed>
#row_skewed = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #tf32, tile = 96x64x32, transport = copied,
                         slices = {k = 8, shared = [0, 0]}, stages = 3, rows = skewed>
// CHECK-DAG: #[[PLACED:.+]] = #kami.shared_matrix<32x96xf32, b, k_major, swizzle = 128>
// CHECK-DAG: #{{.+}} = #kami.shared_matrix<128x64xf16, a, k_major, swizzle = 128>
// CHECK-DAG: #{{.+}} = #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @deep
  // CHECK-SAME:    kami.shared_bytes = 30720
  // CHECK:         scf.for
  // CHECK:           kami.copy_async
  // CHECK:           kami.copy_async
  // CHECK:           kami.copy_commit
  // The stage is counted.
  // CHECK:         scf.for {{.+}} iter_args(%{{.+}}, %[[NUMBER:.+]] = %c0_i32) -> (!c{{.+}}, i32)
  // CHECK:           kami.copy_wait 1
  // CHECK-NEXT:      gpu.barrier
  // The first slice is on its way from shared memory while copies are started.
  // CHECK:           kami.load {{.+}} row_in_bounds column_in_bounds
  // CHECK:           kami.load
  // CHECK-NOT:       kami.load
  // CHECK:           %[[FIRST:.+]] = arith.cmpi eq, %[[NUMBER]], %c0_i32
  // CHECK:           arith.select %[[FIRST]], %c2_i32
  // CHECK:           kami.copy_async {{.+}} by 128 {{.+}} to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  // CHECK:           kami.copy_async {{.+}} by 128 {{.+}} to memref<32x64xf16, strided<[72, 1]>, #gpu.address_space<workgroup>>
  // CHECK:           kami.copy_commit
  // CHECK:           kami.mma
  // CHECK:           kami.load
  // CHECK:           kami.mma
  // CHECK-NOT:       kami.mma
  // CHECK:         kami.store
  gpu.func @deep(%a: memref<64x300xf16>, %b: memref<300x64xf16>, %c: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x300xf16>, memref<300x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32) plan(#deep)
    gpu.return
  }

  // The matrix unit reads both operands where they arrive, in the order that they
  // have in memory; B's rows are padded to whole swizzle rows.
  // CHECK-LABEL: gpu.func @group
  // CHECK-SAME:    kami.shared_bytes = 98304
  // CHECK:         scf.for {{.+}} iter_args
  // CHECK:           kami.copy_wait 1 for_matrix_unit
  // CHECK-NEXT:      gpu.barrier
  // The threads copy while the unit multiplies.
  // CHECK:           %[[SUM:.+]] = kami.group_mma {{.+}} in #[[GROUP_A:[^ ,]+]], {{.+}} in #[[GROUP_B:[^ ,]+]], {{.+}} depth 64 pending
  // CHECK:           kami.place_async {{.+}} in #[[GROUP_A]] by 256
  // CHECK:           kami.place_async {{.+}} in #[[GROUP_B]] by 256
  // CHECK:           kami.copy_commit
  // CHECK:           kami.group_wait %[[SUM]]
  // CHECK:         kami.store
  gpu.func @group(%a: memref<128x300xf16>, %b: memref<300x96xf16>, %c: memref<128x96xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    kami.gemm ins(%a, %b : memref<128x300xf16>, memref<300x96xf16>) outs(%c : memref<128x96xf32>) accumulator(f32) plan(#group)
    gpu.return
  }

  // A is copied for the lanes to read, which round it on the way; what is placed
  // is rounded between the wait and the barrier, by those who copied it.
  // CHECK-LABEL: gpu.func @column
  // CHECK:         scf.for {{.+}} iter_args
  // CHECK:           kami.copy_wait 1{{$}}
  // CHECK:           %[[TERMS:.+]] = memref.subview
  // CHECK:           kami.round_placed %[[TERMS]] to %{{.+}} in #[[PLACED]] by 128
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           %[[A:.+]] = kami.load {{.+}} row_in_bounds column_in_bounds : memref<64x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>> -> !a16x32
  // CHECK:           kami.group_mma %[[A]], {{.+}} in #[[PLACED]]
  // CHECK:           kami.copy_async {{.+}} by 128 {{.+}} to memref<64x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>>
  // CHECK:           kami.place_async {{.+}} in #[[PLACED]] by 128
  // CHECK:         kami.store {{.+}}, memref<64x96xf32>
  gpu.func @column(%a: memref<64x300xf32>, %b: memref<96x300xf32>, %c: memref<64x96xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x300xf32>, memref<96x300xf32>) outs(%c : memref<64x96xf32>) transpose_b accumulator(f32) precision<tf32> plan(#column)
    gpu.return
  }

  // Warps in a row: the same of Bᵀ and Aᵀ, and C is written as its transpose.
  // CHECK-LABEL: gpu.func @row
  // CHECK-SAME:    %[[A:.+]]: memref<96x300xf32>, %[[B:.+]]: memref<300x64xf32>, %[[C:.+]]: memref<96x64xf32>
  // CHECK-DAG:     %[[BT:.+]] = memref.transpose %[[B]]
  // CHECK-DAG:     %[[AT:.+]] = memref.transpose %[[A]]
  // CHECK:         scf.for {{.+}} iter_args
  // CHECK:           kami.copy_wait 1{{$}}
  // CHECK:           %[[TERMS:.+]] = memref.subview %[[AT]]
  // CHECK:           kami.round_placed %[[TERMS]] to %{{.+}} in #[[PLACED]] by 128
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           kami.group_mma {{.+}} in #[[PLACED]]
  // CHECK:           kami.copy_async {{.+}} by 128 {{.+}} to memref<64x32xf32, strided<[1, 72]>, #gpu.address_space<workgroup>>
  // CHECK:           kami.place_async {{.+}} in #[[PLACED]] by 128
  // CHECK:         %[[CT:.+]] = memref.transpose %[[C]]
  // CHECK:         kami.store %{{.+}}, %[[CT]][
  gpu.func @row(%a: memref<96x300xf32>, %b: memref<300x64xf32>, %c: memref<96x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<96x300xf32>, memref<300x64xf32>) outs(%c : memref<96x64xf32>) accumulator(f32) precision<tf32> plan(#row)
    gpu.return
  }

  // Its C is put together by rows where the operands were, once all warps have
  // read them, and sent by all threads.
  // CHECK-LABEL: gpu.func @row_relayed
  // CHECK-SAME:    kami.shared_bytes = 43008
  // CHECK:         %[[SUM:.+]]:2 = scf.for
  // CHECK:         gpu.barrier
  // CHECK:         %[[PADDED:.+]] = memref.view %{{.+}}[%c0][] : {{.+}} to memref<96x68xf32, #gpu.address_space<workgroup>>
  // CHECK:         %[[ROWS:.+]] = memref.subview %[[PADDED]][0, 0] [96, 64] [1, 1]
  // CHECK:         %[[COLUMNS:.+]] = memref.transpose %[[ROWS]]
  // CHECK:         kami.store %[[SUM]]#0, %[[COLUMNS]][%{{.+}}, %c0] alpha(%{{.+}} : f32) row_in_bounds column_in_bounds
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    kami.copy_out %[[ROWS]] to %arg2 by 128 : {{.+}} to memref<90x61xf32>
  // CHECK-NEXT:    gpu.return
  gpu.func @row_relayed(%a: memref<90x300xf32>, %b: memref<300x61xf32>, %c: memref<90x61xf32>, %alpha: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<90x300xf32>, memref<300x61xf32>) outs(%c : memref<90x61xf32>) alpha(%alpha : f32) accumulator(f32) precision<tf32> plan(#row_relayed)
    gpu.return
  }

  // Slices of what the lanes multiply by themselves are a loop: one of them is
  // hundreds of instructions.
  // CHECK-LABEL: gpu.func @lanes
  // CHECK:           kami.copy_commit
  // CHECK:         scf.for {{.+}} iter_args
  // CHECK:           kami.copy_wait 0
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           kami.copy_commit
  // CHECK:           scf.for %[[K:.+]] = %c0 to %c32 step %c4 iter_args(%[[SUM:.+]] =
  // CHECK-NEXT:        %[[A:.+]] = kami.load %{{.+}}[%c0, %[[K]]] row_in_bounds column_in_bounds
  // CHECK:             %[[B:.+]] = kami.load %{{.+}}[%[[K]], %{{.+}}] row_in_bounds column_in_bounds
  // CHECK-NEXT:        %[[MORE:.+]] = kami.mma %[[A]], %[[B]], %[[SUM]]
  // CHECK-NEXT:        scf.yield %[[MORE]]
  // CHECK-NOT:         kami.mma
  gpu.func @lanes(%a: memref<64x300xf32>, %b: memref<300x64xf32>, %c: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x300xf32>, memref<300x64xf32>) outs(%c : memref<64x64xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }

  // Rows that are apart as is known only at run time are started in one place: the
  // first turn of the loop has nothing to multiply.
  // CHECK-LABEL: gpu.func @lanes_anywhere
  // CHECK-SAME:    %[[A:[^:]+]]: memref<64x?xf32
  // CHECK-NOT:     kami.copy_async
  // CHECK:         %[[DEPTH:.+]] = memref.dim %[[A]], %c1
  // CHECK-NEXT:    %[[TILES:.+]] = arith.ceildivui %[[DEPTH]], %c32
  // CHECK-NEXT:    %[[END:.+]] = arith.addi %[[TILES]], %c1
  // CHECK:         scf.for %[[AHEAD:.+]] = %c0 to %[[END]] step %c1 iter_args(%[[SUM:.+]] = %{{.+}}, %{{.+}} = %c1_i32)
  // CHECK:           %[[IS_TILE:.+]] = arith.cmpi uge, %[[AHEAD]], %c1
  // CHECK:           scf.if %[[IS_TILE]] {
  // CHECK-NEXT:        kami.copy_wait 0
  // CHECK-NEXT:        gpu.barrier
  // CHECK-NEXT:      }
  // CHECK:           %[[IS_NEXT:.+]] = arith.cmpi ult, %[[AHEAD]], %[[TILES]]
  // CHECK:           scf.if %[[IS_NEXT]]
  // CHECK:             kami.copy_async
  // CHECK:           kami.copy_commit
  // CHECK:           scf.if %[[IS_TILE]] -> (!{{.+}}) {
  // CHECK:             kami.mma
  // CHECK:           } else {
  // CHECK-NEXT:        scf.yield %[[SUM]]
  // CHECK-NOT:     kami.copy_async
  gpu.func @lanes_anywhere(%a: memref<64x?xf32, strided<[?, 1]>>, %b: memref<?x64xf32, strided<[?, 1]>>, %c: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x?xf32, strided<[?, 1]>>, memref<?x64xf32, strided<[?, 1]>>) outs(%c : memref<64x64xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }

  // A warp whose part of C has no column of the matrix copies, and waits, but
  // multiplies nothing.
  // CHECK-LABEL: gpu.func @lanes_cut
  // CHECK-SAME:    %[[B:[^:]+]]: memref<300x?xf32
  // CHECK:         %[[COLUMNS:.+]] = memref.dim %[[B]], %c1
  // CHECK:         scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}, %{{.+}} = %c0_i32)
  // CHECK:           gpu.barrier
  // CHECK:           kami.copy_commit
  // CHECK:           %[[FROM:.+]] = arith.muli %{{.+}}, %c32
  // CHECK-NEXT:      %[[IS_INSIDE:.+]] = arith.cmpi ult, %[[FROM]], %[[COLUMNS]]
  // CHECK-NEXT:      scf.if %[[IS_INSIDE]] -> (!{{.+}}) {
  // CHECK:             kami.mma
  // CHECK:           } else {
  // CHECK-NEXT:        scf.yield %[[SUM]]
  // CHECK-NOT:       kami.mma
  gpu.func @lanes_cut(%a: memref<64x300xf32>, %b: memref<300x?xf32, strided<[64, 1]>>, %c: memref<64x?xf32, strided<[64, 1]>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x300xf32>, memref<300x?xf32, strided<[64, 1]>>) outs(%c : memref<64x?xf32, strided<[64, 1]>>) accumulator(f32) plan(#lanes)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @whole
  // CHECK-NOT:     scf.for
  // CHECK:         kami.copy_async
  // CHECK:         kami.copy_wait 0
  // CHECK-NEXT:    gpu.barrier
  // CHECK-COUNT-4: kami.mma
  // CHECK-NOT:     gpu.barrier
  // CHECK:         %[[OWN:.+]] = arith.muli %{{.+}}, %c2304
  // CHECK:         %[[AT:.+]] = arith.addi %[[OWN]], %c18432
  // CHECK:         %[[PART:.+]] = memref.view %{{.+}}[%[[AT]]]
  // CHECK:         kami.store {{.+}} via %[[PART]]
  // CHECK-NOT:     gpu.barrier
  gpu.func @whole(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) accumulator(f32) plan(#whole)
    gpu.return
  }

  // Rows that begin anywhere have room for what is beyond the tiles, and are put
  // straight between the wait and the barrier; one fence is for both.
  // CHECK-LABEL: gpu.func @skewed
  // CHECK-SAME:    kami.shared_bytes = 109056
  // CHECK:         scf.for {{.+}} iter_args
  // CHECK:           kami.copy_wait 1{{$}}
  // CHECK:           kami.deskew {{.+}} in #[[GROUP_A]] by 256 tails %{{[^ ]+}} :
  // CHECK:           kami.deskew {{.+}} in #[[GROUP_B]] by 256 tails %{{[^ ]+}} for_matrix_unit :
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           kami.place_async {{.+}} in #[[GROUP_A]] by 256 skewed
  // CHECK:           kami.place_async {{.+}} in #[[GROUP_B]] by 256 skewed
  gpu.func @skewed(%a: memref<128x300xf16, strided<[301, 1]>>, %b: memref<300x96xf16, strided<[97, 1]>>, %c: memref<128x96xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    kami.gemm ins(%a, %b : memref<128x300xf16, strided<[301, 1]>>, memref<300x96xf16, strided<[97, 1]>>) outs(%c : memref<128x96xf32>) accumulator(f32) plan(#skewed)
    gpu.return
  }

  // Of f64 a slice is in registers ahead. What starts a part of a tile, here the
  // 19th of 12 terms, is not in the loop that starts whole ones, and its slices
  // that have no terms are not multiplied.
  // CHECK-LABEL: gpu.func @ahead
  // CHECK:         scf.for %{{.+}} = %c0 to %c3 step %c1 {
  // CHECK-COUNT-2:   kami.copy_async
  // CHECK:           kami.copy_commit
  // CHECK:         kami.copy_wait 2
  // CHECK-NEXT:    gpu.barrier
  // CHECK-COUNT-2: kami.load
  // CHECK:         scf.for %{{.+}} = %c0 to %c15 step %c1 iter_args
  // CHECK-COUNT-2:   kami.load
  // CHECK-NEXT:      kami.mma
  // CHECK:           kami.copy_wait 1
  // CHECK-NEXT:      gpu.barrier
  // CHECK-COUNT-2:   kami.load
  // CHECK-NOT:       scf.if
  // CHECK:           kami.copy_async {{.+}} : memref<96x16xf64
  // CHECK:           kami.copy_async {{.+}} : memref<16x48xf64
  // CHECK:           kami.copy_commit
  // CHECK-NEXT:      kami.mma
  // CHECK:         scf.for %[[TILE:.+]] = %c15 to %c18 step %c1 iter_args
  // CHECK:           kami.copy_wait 1
  // CHECK:           %[[IS_FIRST:.+]] = arith.cmpi eq, %[[TILE]], %c15
  // CHECK:           scf.if %[[IS_FIRST]] {
  // CHECK:             kami.copy_async {{.+}} : memref<96x12xf64
  // CHECK:             kami.copy_async {{.+}} : memref<12x48xf64
  // CHECK-NOT:         scf.for
  // CHECK:           kami.copy_commit
  // CHECK-NEXT:      kami.mma
  // CHECK:         }
  // CHECK-COUNT-2: kami.load
  // CHECK-NEXT:    kami.mma
  // CHECK-NEXT:    kami.mma
  // CHECK-NOT:     kami.mma
  gpu.func @ahead(%a: memref<96x300xf64>, %b: memref<300x48xf64>, %c: memref<96x48xf64>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<96x300xf64>, memref<300x48xf64>) outs(%c : memref<96x48xf64>) accumulator(f64) plan(#ahead)
    gpu.return
  }

  // Lanes read f64 wherever it is: rows stay as they come, with room for a word
  // more, and nothing is put straight.
  // CHECK-LABEL: gpu.func @kept
  // CHECK-SAME:    (%[[A:[a-z0-9]+]]: memref<64x300xf64, strided<[301, 1]>>, %[[B:[a-z0-9]+]]: memref<300x32xf64, strided<[33, 1]>>
  // CHECK-SAME:    kami.shared_bytes = 46080
  // CHECK:         kami.copy_async {{.+}} keeps_skew : memref<64x16xf64, strided<[301, 1], offset: ?>> to memref<64x18xf64, strided<[20, 1]>
  // CHECK:         kami.copy_async {{.+}} keeps_skew : memref<16x32xf64, strided<[33, 1], offset: ?>> to memref<16x34xf64, strided<[36, 1]>
  // CHECK-NOT:     deskew
  // CHECK:         kami.load {{.+}} skewed_as %[[A]]
  // CHECK:         kami.load {{.+}} skewed_as %[[B]]
  // CHECK-NOT:     deskew
  // CHECK:         gpu.return
  gpu.func @kept(%a: memref<64x300xf64, strided<[301, 1]>>, %b: memref<300x32xf64, strided<[33, 1]>>, %c: memref<64x32xf64>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<64x300xf64, strided<[301, 1]>>, memref<300x32xf64, strided<[33, 1]>>) outs(%c : memref<64x32xf64>) accumulator(f64) plan(#kept)
    gpu.return
  }

  // Nor is tf32 across whose rows lanes read; what the matrix unit reads is.
  // CHECK-LABEL: gpu.func @row_skewed
  // CHECK-SAME:    %{{.+}}: memref<96x300xf32, strided<[301, 1]>>, %[[B:.+]]: memref<300x64xf32, strided<[65, 1]>>, %
  // CHECK:         %[[BT:.+]] = memref.transpose %[[B]]
  // CHECK:         kami.copy_async {{.+}} keeps_skew : {{.+}} to memref<68x32xf32, strided<[1, 72]>, #gpu.address_space<workgroup>>
  // CHECK:         kami.place_async {{.+}} skewed
  // CHECK:         scf.for {{.+}} iter_args
  // CHECK:           kami.deskew {{.+}} in #[[PLACED]] {{.+}} rounded for_matrix_unit
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           kami.load {{.+}} skewed_as %[[BT]]
  gpu.func @row_skewed(%a: memref<96x300xf32, strided<[301, 1]>>, %b: memref<300x64xf32, strided<[65, 1]>>, %c: memref<96x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<96x300xf32, strided<[301, 1]>>, memref<300x64xf32, strided<[65, 1]>>) outs(%c : memref<96x64xf32>) accumulator(f32) precision<tf32> plan(#row_skewed)
    gpu.return
  }

  // Where that depends, the sum is computed in one of two ways; C is stored in one.
  // CHECK-LABEL: gpu.func @either
  // CHECK-SAME:    %[[ALIGNED:[a-z0-9]+]]: i1
  // CHECK:         %[[SUM:.+]] = scf.if %[[ALIGNED]]
  // CHECK-NOT:       deskew
  // CHECK:           kami.place_async {{.+}} by 256 aligned_rows :
  // CHECK-NOT:       deskew
  // CHECK:         } else {
  // CHECK:           kami.place_async {{.+}} by 256 skewed
  // CHECK:           kami.deskew
  // CHECK:         }
  // CHECK:         kami.store %[[SUM]]
  // CHECK-NOT:     kami.store
  // CHECK:         gpu.return
  gpu.func @either(%a: memref<128x300xf16, strided<[?, 1], offset: ?>>, %b: memref<300x96xf16, strided<[?, 1], offset: ?>>, %c: memref<128x96xf32>, %aligned: i1) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    kami.gemm ins(%a, %b : memref<128x300xf16, strided<[?, 1], offset: ?>>, memref<300x96xf16, strided<[?, 1], offset: ?>>) outs(%c : memref<128x96xf32>) accumulator(f32) aligned_rows_if %aligned plan(#skewed)
    gpu.return
  }

  // Where they do not, nothing is put straight.
  // CHECK-LABEL: gpu.func @straight
  // CHECK-NOT:     deskew
  // CHECK:         kami.copy_wait 1 for_matrix_unit
  // CHECK:         kami.place_async {{.+}} by 256 aligned_rows :
  // CHECK-NOT:     deskew
  // CHECK:         gpu.return
  gpu.func @straight(%a: memref<128x300xf16, strided<[?, 1], offset: ?>>, %b: memref<300x96xf16, strided<[?, 1], offset: ?>>, %c: memref<128x96xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    kami.gemm ins(%a, %b : memref<128x300xf16, strided<[?, 1], offset: ?>>, memref<300x96xf16, strided<[?, 1], offset: ?>>) outs(%c : memref<128x96xf32>) accumulator(f32) aligned_rows plan(#skewed)
    gpu.return
  }
}
