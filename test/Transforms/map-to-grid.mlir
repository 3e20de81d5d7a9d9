// RUN: kami-opt %s --split-input-file --kami-map-to-grid --canonicalize --cse | FileCheck %s

// Blocks are numbered along x: 64 × 48 is 2 × 3 tiles of 32 × 16, row by row.
// Two warps are 64 threads; the broadcast of B needs a slice of 16 × 16 f16.

// CHECK:       module attributes {gpu.container_module}
// CHECK-LABEL: func @static
// CHECK-SAME:    %[[A:.+]]: memref<64x32xf16>, %[[B:.+]]: memref<32x48xf16>, %[[C:.+]]: memref<64x48xf32>
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK-DAG:     %[[BLOCKS:.+]] = arith.constant 6 : index
// CHECK-DAG:     %[[THREADS:.+]] = arith.constant 64 : index
// CHECK-DAG:     %[[BYTES:.+]] = arith.constant 512 : i32
// CHECK:         gpu.launch_func @gemm_64x48x32_f16_module::@gemm_64x48x32_f16 blocks in (%[[BLOCKS]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS]], %[[ONE]], %[[ONE]]) dynamic_shared_memory_size %[[BYTES]] args(%[[A]] : memref<64x32xf16>, %[[B]] : memref<32x48xf16>, %[[C]] : memref<64x48xf32>)
// CHECK-LABEL: gpu.func @gemm_64x48x32_f16
// CHECK-SAME:    %[[A:.+]]: memref<64x32xf16>, %[[B:.+]]: memref<32x48xf16>, %[[C:.+]]: memref<64x48xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>}
// CHECK:         %[[BLOCK:.+]] = gpu.block_id x
// CHECK:         %[[ROW:.+]] = arith.divui %[[BLOCK]], %c3
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[BLOCK]], %c3
// CHECK:         %[[M:.+]] = arith.muli %[[ROW]], %c32
// CHECK:         %[[N:.+]] = arith.muli %[[COLUMN]], %c16
// CHECK:         %[[AT:.+]] = memref.subview %[[A]][%[[M]], 0] [32, 32] [1, 1]
// CHECK:         %[[BT:.+]] = memref.subview %[[B]][0, %[[N]]] [32, 16] [1, 1]
// CHECK:         %[[CT:.+]] = memref.subview %[[C]][%[[M]], %[[N]]] [32, 16] [1, 1]
// CHECK:         kami.gemm ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[CT]] : {{.*}}) accumulator(f32) plan(#{{.+}})
// CHECK:         gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @static(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// Tiles at the edge are smaller: 50 is 32 + 18, 37 is 16 + 16 + 5.

// CHECK-LABEL: func @ragged
// CHECK:         %[[BLOCKS:.+]] = arith.constant 6 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[BLOCKS]],
// CHECK-LABEL: gpu.func @gemm_50x37x23_f16
// CHECK-SAME:    %[[A:.+]]: memref<50x23xf16>, %[[B:.+]]: memref<23x37xf16>, %[[C:.+]]: memref<50x37xf32>)
// CHECK:         %[[M:.+]] = arith.muli %{{.+}}, %c32
// CHECK:         %[[N:.+]] = arith.muli %{{.+}}, %c16
// CHECK:         %[[LEFT_M:.+]] = arith.subi %c50, %[[M]]
// CHECK:         %[[ROWS:.+]] = arith.minsi %[[LEFT_M]], %c32
// CHECK:         memref.subview %[[A]][%[[M]], 0] [%[[ROWS]], 23] [1, 1]
// CHECK:         %[[LEFT_N:.+]] = arith.subi %c37, %[[N]]
// CHECK:         %[[COLUMNS:.+]] = arith.minsi %[[LEFT_N]], %c16
// CHECK:         memref.subview %[[B]][0, %[[N]]] [23, %[[COLUMNS]]] [1, 1]
// CHECK:         memref.subview %[[C]][%[[M]], %[[N]]] [%[[ROWS]], %[[COLUMNS]]] [1, 1]
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @ragged(%a: memref<50x23xf16>, %b: memref<23x37xf16>, %c: memref<50x37xf32>) {
  kami.gemm ins(%a, %b : memref<50x23xf16>, memref<23x37xf16>) outs(%c : memref<50x37xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// A product that one tile covers keeps its extents: nothing is cut.

// CHECK-LABEL: func @one_block
// CHECK:         gpu.launch_func {{.*}} blocks in (%c1{{[_0-9]*}}, %c1{{[_0-9]*}}, %c1{{[_0-9]*}})
// CHECK-LABEL: gpu.func @gemm_20x16x32_f16
// CHECK-NOT:     memref.subview
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : memref<20x32xf16>, memref<32x16xf16>) outs(%{{.+}} : memref<20x16xf32>)
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @one_block(%a: memref<20x32xf16>, %b: memref<32x16xf16>, %c: memref<20x16xf32>) {
  kami.gemm ins(%a, %b : memref<20x32xf16>, memref<32x16xf16>) outs(%c : memref<20x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// Transposed operands are cut along the other dimension. A scale known at run
// time is an argument of the kernel, a constant one is in it.

// CHECK-LABEL: func @transposed
// CHECK-SAME:    %[[A:.+]]: memref<32x64xf16>, %[[B:.+]]: memref<48x32xf16>, %[[C:.+]]: memref<64x48xf32>, %[[ALPHA:.+]]: f32
// CHECK:         gpu.launch_func {{.*}} args(%[[A]] : {{.+}}, %[[B]] : {{.+}}, %[[C]] : {{.+}}, %[[ALPHA]] : f32)
// CHECK-LABEL: gpu.func @gemm_64x48x32_f16
// CHECK-SAME:    %[[A:.+]]: memref<32x64xf16>, %[[B:.+]]: memref<48x32xf16>, %[[C:.+]]: memref<64x48xf32>, %[[ALPHA:.+]]: f32)
// CHECK:         %[[BETA:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[M:.+]] = arith.muli %{{.+}}, %c32
// CHECK:         %[[N:.+]] = arith.muli %{{.+}}, %c16
// CHECK:         %[[AT:.+]] = memref.subview %[[A]][0, %[[M]]] [32, 32] [1, 1]
// CHECK:         %[[BT:.+]] = memref.subview %[[B]][%[[N]], 0] [16, 32] [1, 1]
// CHECK:         kami.gemm ins(%[[AT]], %[[BT]] : {{.*}}) outs({{.*}}) alpha(%[[ALPHA]] : f32) beta(%[[BETA]] : f32) transpose_a transpose_b
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @transposed(%a: memref<32x64xf16>, %b: memref<48x32xf16>, %c: memref<64x48xf32>, %alpha: f32) {
  %beta = arith.constant 0.5 : f32
  kami.gemm ins(%a, %b : memref<32x64xf16>, memref<48x32xf16>) outs(%c : memref<64x48xf32>)
            alpha(%alpha : f32) beta(%beta : f32) transpose_a transpose_b accumulator(f32) plan(#plan)
  return
}

// -----

// Products of a batch follow one another. A's batch dimension of extent 1 and
// the one that B lacks are repeated.

// CHECK-LABEL: func @batch
// CHECK:         %[[BLOCKS:.+]] = arith.constant 35 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[BLOCKS]],
// CHECK-LABEL: gpu.func @gemm_32x16x32_f16
// CHECK-SAME:    %[[A:.+]]: memref<7x1x32x32xf16>, %[[B:.+]]: memref<5x32x16xf16>, %[[C:.+]]: memref<7x5x32x16xf32>)
// CHECK:         %[[BLOCK:.+]] = gpu.block_id x
// CHECK:         %[[I:.+]] = arith.divui %[[BLOCK]], %c5
// CHECK:         %[[J:.+]] = arith.remui %[[BLOCK]], %c5
// CHECK:         %[[AT:.+]] = memref.subview %[[A]][%[[I]], 0, 0, 0] [1, 1, 32, 32]
// CHECK-SAME:      to memref<32x32xf16,
// CHECK:         %[[BT:.+]] = memref.subview %[[B]][%[[J]], 0, 0] [1, 32, 16]
// CHECK:         %[[CT:.+]] = memref.subview %[[C]][%[[I]], %[[J]], 0, 0] [1, 1, 32, 16]
// CHECK:         kami.gemm ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[CT]] : {{.*}})
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @batch(%a: memref<7x1x32x32xf16>, %b: memref<5x32x16xf16>, %c: memref<7x5x32x16xf32>) {
  kami.gemm ins(%a, %b : memref<7x1x32x32xf16>, memref<5x32x16xf16>) outs(%c : memref<7x5x32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// Sizes known at run time: the grid is counted by the host, and is not launched
// if it is empty; it has rows of blocks, since there may be more tiles than a row
// has blocks. Each block has one tile at most: a loop would take registers.

// CHECK-LABEL: func @dynamic
// CHECK-SAME:    %{{.+}}: memref<?x?x?xf16>, %{{.+}}: memref<?x?x?xf16>, %[[C:.+]]: memref<?x?x?xf32>
// CHECK-DAG:     %[[MOST:.+]] = arith.constant 2147483647 : index
// CHECK-DAG:     %[[BATCH:.+]] = memref.dim %[[C]], %c0
// CHECK-DAG:     %[[M:.+]] = memref.dim %[[C]], %c1
// CHECK-DAG:     %[[ROWS:.+]] = arith.ceildivui %[[M]], %c32
// CHECK-DAG:     %[[N:.+]] = memref.dim %[[C]], %c2
// CHECK-DAG:     %[[COLUMNS:.+]] = arith.ceildivui %[[N]], %c16
// CHECK:         %[[TILES:.+]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK:         %[[TOTAL:.+]] = arith.muli %[[TILES]], %[[BATCH]]
// CHECK:         %[[GRID_ROWS:.+]] = arith.ceildivui %[[TOTAL]], %[[MOST]]
// CHECK:         %[[BLOCKS:.+]] = arith.minui %[[TOTAL]], %[[MOST]]
// CHECK:         %[[ANY:.+]] = arith.cmpi ne, %[[BLOCKS]], %c0
// CHECK:         scf.if %[[ANY]] {
// CHECK:           gpu.launch_func @gemm_dxdxd_f16_module::@gemm_dxdxd_f16 blocks in (%[[BLOCKS]], %[[GRID_ROWS]], %c1{{.*}})
// CHECK-LABEL: gpu.func @gemm_dxdxd_f16
// CHECK-NOT:     scf.for
// CHECK:         %[[X:.+]] = gpu.block_id x
// CHECK:         %[[Y:.+]] = gpu.block_id y
// CHECK:         %[[BEFORE:.+]] = arith.muli %[[Y]], %c2147483647
// CHECK:         %[[BLOCK:.+]] = arith.addi %[[X]], %[[BEFORE]]
// CHECK:         %[[EXISTS:.+]] = arith.cmpi ult, %[[BLOCK]], %{{.+}}
// CHECK:         scf.if %[[EXISTS]] {
// CHECK:           kami.gemm
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @dynamic(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf32>) {
  kami.gemm ins(%a, %b : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%c : memref<?x?x?xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// The last batch for which every tile has a block of its own, 2^31 - 1, and one
// more.

// CHECK-LABEL: func @largest_grid
// CHECK:         gpu.launch_func {{.*}} blocks in (%c2147483647,
// CHECK-LABEL: gpu.func @
// CHECK-NOT:     scf.for
// CHECK:         gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @largest_grid(%a: memref<2147483647x32x32xf16>, %b: memref<32x16xf16>, %c: memref<2147483647x32x16xf32>) {
  kami.gemm ins(%a, %b : memref<2147483647x32x32xf16>, memref<32x16xf16>) outs(%c : memref<2147483647x32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// CHECK-LABEL: func @beyond_the_grid
// CHECK:         gpu.launch_func {{.*}} blocks in (%c2147483647, %c2, %c1)
// CHECK-LABEL: gpu.func @
// CHECK:         %[[TOTAL:.+]] = arith.constant 2147483648 : index
// CHECK:         gpu.block_id y
// CHECK:         %[[EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %[[TOTAL]]
// CHECK:         scf.if %[[EXISTS]] {
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @beyond_the_grid(%a: memref<2147483648x32x32xf16>, %b: memref<32x16xf16>, %c: memref<2147483648x32x16xf32>) {
  kami.gemm ins(%a, %b : memref<2147483648x32x32xf16>, memref<32x16xf16>) outs(%c : memref<2147483648x32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// Kernels of the same product get names of their own.

// CHECK-LABEL: func @twice
// CHECK:         gpu.launch_func @[[FIRST:gemm_32x16x32_f16_module]]::@gemm_32x16x32_f16
// CHECK:         gpu.launch_func @[[SECOND:gemm_32x16x32_f16_module_[0-9]+]]::@gemm_32x16x32_f16
// CHECK:       gpu.module @[[FIRST]]
// CHECK:       gpu.module @[[SECOND]]
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @twice(%a: memref<32x32xf16>, %b: memref<32x16xf16>, %c: memref<32x16xf32>, %d: memref<32x16xf32>) {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x16xf16>) outs(%d : memref<32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// Of dimensions of extent 1, those of the batch are dropped.

// CHECK-LABEL: gpu.func @gemm_1x1x16_f16
// CHECK:         memref.subview %{{.+}}[%{{.+}}, 0, 0] [1, 1, 1] [1, 1, 1] : memref<2x1x1xf32, strided<[11, 3, 11], offset: 8>> to memref<1x1xf32, strided<[3, 11], offset: ?>>
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 1x1x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @one_element(%a: memref<2x1x16xf16>, %b: memref<2x16x1xf16>, %c: memref<2x1x1xf32, strided<[11, 3, 11], offset: 8>>) {
  kami.gemm ins(%a, %b : memref<2x1x16xf16>, memref<2x16x1xf16>) outs(%c : memref<2x1x1xf32, strided<[11, 3, 11], offset: 8>>) accumulator(f32) plan(#plan)
  return
}

// -----

// Without terms: the kernel finds a k of 0, and the host casts it.

// CHECK-LABEL: func @no_terms
// CHECK-SAME:    %[[A:.+]]: memref<32x0xf16>, %[[B:.+]]: memref<0x16xf16>, %[[C:.+]]: memref<32x16xf32>
// CHECK-DAG:     %[[A0:.+]] = memref.cast %[[A]] : memref<32x0xf16> to memref<32x?xf16>
// CHECK-DAG:     %[[B0:.+]] = memref.cast %[[B]] : memref<0x16xf16> to memref<?x16xf16>
// CHECK:         gpu.launch_func {{.*}} args(%[[A0]] : memref<32x?xf16>, %[[B0]] : memref<?x16xf16>, %[[C]] : memref<32x16xf32>)
// CHECK-LABEL: gpu.func @gemm_32x16xd_f16
// CHECK:         kami.gemm
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @no_terms(%a: memref<32x0xf16>, %b: memref<0x16xf16>, %c: memref<32x16xf32>) {
  kami.gemm ins(%a, %b : memref<32x0xf16>, memref<0x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

// Without elements there is no kernel.

// CHECK-LABEL: func @no_elements
// CHECK-NEXT:    return
// CHECK-NOT:   gpu.func
func.func @no_elements(%a: memref<32x8xf16>, %b: memref<8x0xf16>, %c: memref<32x0xf32>) {
  kami.gemm ins(%a, %b : memref<32x8xf16>, memref<8x0xf16>) outs(%c : memref<32x0xf32>) accumulator(f32)
  return
}
