// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Layer after layer: a barrier, since the buffer may overlay what is still read,
// the layer writes, a barrier, layer 0 reads and adds. What other layers have beside
// their own value is that value, so that nobody holds two.

// CHECK-LABEL: gpu.func @layers
// CHECK:         %[[OWN:.+]] = vector.broadcast %{{.+}} : f32 to vector<4xf32>
// CHECK:         %[[LAYER:.+]] = arith.divui %{{.+}}, %c32
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[LAYER]], %c0
// CHECK:         gpu.barrier
// CHECK:         %[[IS_1:.+]] = arith.cmpi eq, %[[LAYER]], %c1
// CHECK:         scf.if %[[IS_1]] {
// CHECK-NEXT:      memref.store %[[OWN]], %[[BUFFER:.+]][%[[LANE:.+]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %[[SUM_1:.+]] = scf.if %[[FIRST]] -> (vector<4xf32>) {
// CHECK-NEXT:      %[[FROM_1:.+]] = memref.load %[[BUFFER]][%[[LANE]]]
// CHECK-NEXT:      %[[ADDED_1:.+]] = arith.addf %[[OWN]], %[[FROM_1]]
// CHECK-NEXT:      scf.yield %[[ADDED_1]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[OWN]]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK:         %[[IS_2:.+]] = arith.cmpi eq, %[[LAYER]], %c2
// CHECK:         scf.if %[[IS_2]] {
// CHECK-NEXT:      memref.store %[[SUM_1]], %[[BUFFER]][%[[LANE]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    scf.if %[[FIRST]] -> (vector<4xf32>) {
// CHECK-NEXT:      %[[FROM_2:.+]] = memref.load %[[BUFFER]][%[[LANE]]]
// CHECK-NEXT:      arith.addf %[[SUM_1]], %[[FROM_2]]
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<16x8xf32, c, #hmma>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @layers(%s: !shared, %x: f32, %m: memref<16x8xf32>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  %sum = kami.reduce in [1, 1, 3] %f via %s : !c, !shared
  kami.store %sum, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<16x8xf32>
  gpu.return
}
}
