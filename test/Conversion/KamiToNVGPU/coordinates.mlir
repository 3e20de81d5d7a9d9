// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Warps are numbered layer by layer, row by row.

// CHECK-LABEL: gpu.func @flat
// CHECK:         %[[X:.+]] = gpu.thread_id x
// CHECK-NOT:     gpu.thread_id
// CHECK:         %[[WARP:.+]] = arith.divui %[[X]], %c32
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[WARP]], %c3
// CHECK:         %[[REST:.+]] = arith.divui %[[WARP]], %c3
// CHECK:         %[[ROW:.+]] = arith.remui %[[REST]], %c2
// CHECK:         %[[LAYER:.+]] = arith.divui %[[REST]], %c2
// CHECK:         memref.store %[[ROW]], %{{.+}}[%c0]
// CHECK:         memref.store %[[COLUMN]], %{{.+}}[%c1]
// CHECK:         memref.store %[[LAYER]], %{{.+}}[%c2]

// Where the block's shape is not known, a thread's index counts all three
// dimensions: x + X · (y + Y · z).

// CHECK-LABEL: gpu.func @any_block
// CHECK-DAG:     %[[X:.+]] = gpu.thread_id x
// CHECK-DAG:     %[[Y:.+]] = gpu.thread_id y
// CHECK-DAG:     %[[Z:.+]] = gpu.thread_id z
// CHECK-DAG:     %[[DIM_X:.+]] = gpu.block_dim x
// CHECK-DAG:     %[[DIM_Y:.+]] = gpu.block_dim y
// CHECK:         %[[YZ:.+]] = arith.muli %[[DIM_Y]], %[[Z]]
// CHECK:         %[[Y_YZ:.+]] = arith.addi %[[Y]], %[[YZ]]
// CHECK:         %[[XYZ:.+]] = arith.muli %[[DIM_X]], %[[Y_YZ]]
// CHECK:         %[[THREAD:.+]] = arith.addi %[[X]], %[[XYZ]]
// CHECK:         %[[WARP:.+]] = arith.divui %[[THREAD]], %c32
// CHECK:         %[[ROW:.+]] = arith.remui %[[WARP]], %c4
// CHECK:         memref.store %[[ROW]], %{{.+}}[%c0]
// CHECK:         memref.store %c0, %{{.+}}[%c1]

gpu.module @kernels {
gpu.func @flat(%out: memref<3xindex>) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %row, %column, %layer = kami.warp_coordinates [2, 3, 2]
  memref.store %row, %out[%c0] : memref<3xindex>
  memref.store %column, %out[%c1] : memref<3xindex>
  memref.store %layer, %out[%c2] : memref<3xindex>
  gpu.return
}
gpu.func @any_block(%out: memref<3xindex>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row, %column, %layer = kami.warp_coordinates [4, 1, 1]
  memref.store %row, %out[%c0] : memref<3xindex>
  memref.store %column, %out[%c1] : memref<3xindex>
  gpu.return
}
}
