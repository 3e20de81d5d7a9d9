// A block takes eight products that follow each other along the last dimension of
// the batch; the last block of each row of the batch has fewer.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
  // CHECK-LABEL: func.func @rows
  // CHECK-DAG:     %[[BLOCKS:.+]] = arith.constant 9 : index
  // CHECK-DAG:     %[[THREADS:.+]] = arith.constant 32 : index
  // CHECK:         gpu.launch_func {{.+}} blocks in (%[[BLOCKS]], {{.+}}) threads in (%[[THREADS]],
  func.func @rows(%a: memref<3x20x4x4xf32>, %b: memref<20x4x4xf32>, %c: memref<3x20x4x4xf32>) {
    kami.gemm ins(%a, %b : memref<3x20x4x4xf32>, memref<20x4x4xf32>) outs(%c : memref<3x20x4x4xf32>) accumulator(f32) plan(#plan)
    return
  }

  // CHECK:       gpu.func @gemm_4x4x4_f32
  // CHECK-SAME:    known_block_size = array<i32: 32, 1, 1>
  // CHECK:         %[[BLOCK:.+]] = gpu.block_id x
  // CHECK:         %[[ROW:.+]] = arith.divui %[[BLOCK]], %c3
  // CHECK:         %[[PACK:.+]] = arith.remui %[[BLOCK]], %c3
  // CHECK:         %[[FIRST:.+]] = arith.muli %[[PACK]], %c8
  // CHECK:         %[[LEFT:.+]] = arith.subi %c20, %[[FIRST]]
  // CHECK:         %[[COUNT:.+]] = arith.minsi %[[LEFT]], %c8
  // CHECK:         memref.subview %{{.+}}[%[[ROW]], %[[FIRST]], 0, 0] [1, %[[COUNT]], 4, 4]
  // CHECK:         memref.subview %{{.+}}[%[[FIRST]], 0, 0] [%{{.+}}, 4, 4]
  // CHECK:         kami.gemm ins({{.+}} : memref<?x4x4xf32, strided<[16, 4, 1], offset: ?>>, memref<?x4x4xf32
}
