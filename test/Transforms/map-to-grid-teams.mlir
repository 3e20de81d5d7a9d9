// Four warps of a block take a product each; the last block's have none to take.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, teams = 4>
#turns = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}, teams = 16, blocks = 10000>
module attributes {kami.target = #kami.target<"sm_90">} {
  // CHECK-LABEL: func.func @ten
  // CHECK-DAG:     %[[BLOCKS:.+]] = arith.constant 3 : index
  // CHECK-DAG:     %[[THREADS:.+]] = arith.constant 128 : index
  // CHECK:         gpu.launch_func {{.+}} blocks in (%[[BLOCKS]], {{.+}}) threads in (%[[THREADS]],
  func.func @ten(%a: memref<10x16x16xf16>, %b: memref<10x16x16xf16>, %c: memref<10x16x16xf32>) {
    kami.gemm ins(%a, %b : memref<10x16x16xf16>, memref<10x16x16xf16>) outs(%c : memref<10x16x16xf32>) accumulator(f32) plan(#plan)
    return
  }
  // CHECK-LABEL: func.func @any
  // CHECK:         %[[BATCH:.+]] = memref.dim
  // CHECK:         %[[ALL:.+]] = arith.ceildivui %[[BATCH]], %c4
  // CHECK:         gpu.launch_func
  func.func @any(%a: memref<?x16x16xf16>, %b: memref<?x16x16xf16>, %c: memref<?x16x16xf32>) {
    kami.gemm ins(%a, %b : memref<?x16x16xf16>, memref<?x16x16xf16>) outs(%c : memref<?x16x16xf32>) accumulator(f32) plan(#plan)
    return
  }

  // CHECK:       gpu.func @gemm_16x16x16_f16
  // CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
  // CHECK-DAG:     %[[BLOCK:.+]] = gpu.block_id x
  // CHECK-DAG:     %[[FIRST:.+]] = arith.muli %[[BLOCK]], %c4
  // CHECK-DAG:     %[[THREAD:.+]] = gpu.thread_id x
  // CHECK-DAG:     %[[TEAM:.+]] = arith.divui %[[THREAD]], %c32
  // CHECK:         %[[INDEX:.+]] = arith.addi %[[FIRST]], %[[TEAM]]
  // CHECK:         %[[HAS:.+]] = arith.cmpi ult, %[[INDEX]], %c10
  // CHECK:         scf.if %[[HAS]] {
  // CHECK:           kami.gemm

  // Teams with a tile each fill a block, and a multiprocessor, together.
  // CHECK:       gpu.func @gemm_16x16x32_f16
  // CHECK-SAME:    kami.resident_blocks = 2
  func.func @turns(%a: memref<100000x16x32xf16>, %b: memref<100000x32x16xf16>, %c: memref<100000x16x16xf32>) {
    kami.gemm ins(%a, %b : memref<100000x16x32xf16>, memref<100000x32x16xf16>) outs(%c : memref<100000x16x16xf32>) accumulator(f32) plan(#turns)
    return
  }
}
