// An operand of all terms stays in registers: its parts and tiles of the other come
// through the same stages, and behind the last tile the next product's first part.

// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(kami-map-to-grid,gpu.module(gpu.func(kami-distribute-to-warps,canonicalize,cse)))' | FileCheck %s
// RUN: kami-opt %s --split-input-file --kami-map-to-grid --canonicalize | FileCheck %s --check-prefix=GRID

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 32x128x64, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>
module attributes {kami.target = #kami.target<"sm_90">} {
  func.func @gemm(%a: memref<5x96x64xf32>, %b: memref<5x64x256xf32>, %c: memref<5x96x256xf32>) {
    %0 = memref.assume_alignment %a, 16 : memref<5x96x64xf32>
    %1 = memref.assume_alignment %b, 16 : memref<5x64x256xf32>
    kami.gemm ins(%0, %1 : memref<5x96x64xf32>, memref<5x64x256xf32>) outs(%c : memref<5x96x256xf32>)
        accumulator(f32) precision<tf32> plan(#plan)
    return
  }

  // A block has all rows of 128 columns: 10 of these, and four parts of B of 16
  // terms and three tiles of A for each, twice as many turns with its maps' bit.
  // GRID-LABEL: gpu.func @gemm_96x256x64_f32
  // GRID:         kami.gemm ins({{.+}} : memref<96x64xf32, {{.+}}>, memref<64x128xf32, {{.+}}>)

  // CHECK-LABEL: gpu.func @gemm_96x256x64_f32
  // CHECK:         %[[SHARED:.+]] = memref.view %{{.+}} to memref<[[BYTES:[0-9]+]]xi8
  // CHECK-COUNT-2: kami.tensor_map
  // CHECK:         kami.mbarrier_init %{{.+}} arrivals 1
  // CHECK:         kami.mbarrier_init %{{.+}} arrivals 8
  // The first two of four parts.
  // CHECK:         kami.place_bulk {{.+}} to %{{.+}} in #[[A:shared_a128x16]]
  // CHECK:         kami.place_bulk {{.+}} to %{{.+}} in #[[A]]
  // CHECK-NOT:     kami.place_bulk {{.+}} in #[[A]]
  // CHECK:         gpu.barrier
  // CHECK:         kami.mbarrier_wait {{.+}} every_warp
  // CHECK:         %[[P0:.+]] = kami.load_placed %{{.+}} in #[[A]] : {{.+}} -> !a16x16
  // CHECK:         kami.mbarrier_wait
  // CHECK:         kami.place_bulk {{.+}} in #[[A]]
  // CHECK:         kami.mbarrier_arrive {{.+}} arrivals 1 every_warp
  // CHECK:         %[[P1:.+]] = kami.load_placed
  // CHECK:         %[[P2:.+]] = kami.load_placed
  // CHECK:         kami.place_bulk {{.+}} in #[[B:shared_b64x32]]
  // CHECK:         %[[P3:.+]] = kami.load_placed
  // CHECK:         %[[ROWS:.+]] = kami.join %[[P0]], %[[P1]], %[[P2]], %[[P3]] : !a16x16, !a16x16, !a16x16, !a16x16 -> !a16x64
  // CHECK:         scf.for %[[PLACE:.+]] = %c4 to %c7
  // CHECK:           kami.mbarrier_wait {{.+}} every_warp
  // CHECK:           %[[SUM:.+]] = kami.group_mma %[[ROWS]], %{{.+}} in #[[B]], %{{.+}} pending : !a16x64, {{.+}}, !c16x32
  // CHECK:           kami.place_bulk {{.+}} in #[[A]]
  // CHECK:           kami.place_bulk {{.+}} in #[[B]]
  // CHECK:           kami.group_wait %[[SUM]]
  // CHECK:           kami.mbarrier_arrive {{.+}} arrivals 1 every_warp
  // CHECK:           %[[TILE:.+]] = arith.subi %[[PLACE]], %c4
  // CHECK:           %[[COLUMN:.+]] = arith.muli %[[TILE]], %c32
  // CHECK:           kami.store %{{.+}}, %{{.+}}[%{{.+}}, %[[COLUMN]]] row_in_bounds column_in_bounds
}

// -----

// Where the engine cannot bring it so, tiles are computed one by one, some of the terms at a
// time: of rows that may begin anywhere.

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 32x128x104, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, taken = 2, stationary = operand>
module attributes {kami.target = #kami.target<"sm_90">} {
  func.func @anywhere(%a: memref<5x96x104xf32>, %b: memref<5x104x256xf32>, %c: memref<5x96x256xf32>) {
    kami.gemm ins(%a, %b : memref<5x96x104xf32>, memref<5x104x256xf32>) outs(%c : memref<5x96x256xf32>)
        accumulator(f32) precision<tf32> plan(#plan)
    return
  }
  // GRID:       #plan = #kami.plan<{{.+}} tile = 32x128x64, {{.+}} stages = 2>
  // GRID-LABEL: gpu.func @gemm_96x256x104_f32
  // GRID:         kami.gemm ins({{.+}} : memref<32x104xf32, {{.+}}>, memref<104x128xf32, {{.+}}>)
}
