// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// The owner writes and keeps its registers, a barrier, the others read, a barrier.

// CHECK-LABEL: gpu.func @along_column
// CHECK-SAME:    %[[S:.+]]: memref<2048xi8,
// CHECK:         %[[OWN:.+]] = memref.load
// CHECK:         %[[WARP:.+]] = arith.divui %{{.+}}, %c32
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[WARP]], %c2
// CHECK:         %[[REST:.+]] = arith.divui %[[WARP]], %c2
// CHECK:         %[[ROW:.+]] = arith.remui %[[REST]], %c2
// CHECK:         %[[GROUP:.+]] = arith.muli %[[COLUMN]], %c32
// CHECK:         %[[PLACE:.+]] = arith.addi %[[GROUP]], %[[LANE:.+]] :
// CHECK:         %[[OWNER:.+]] = arith.cmpi eq, %[[ROW]], %c1
// CHECK:         scf.if %[[OWNER]] {
// CHECK-NEXT:      memref.store %[[OWN]], %[[BUFFER:.+]][%[[PLACE]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %[[RECEIVED:.+]] = scf.if %[[OWNER]] -> (vector<4xf16>) {
// CHECK-NEXT:      scf.yield %[[OWN]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[READ:.+]] = memref.load %[[BUFFER]][%[[PLACE]]]
// CHECK-NEXT:      scf.yield %[[READ]]
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.barrier
// CHECK:         memref.store %[[RECEIVED]]

// Two messages of one stage share the two barriers.

// CHECK-LABEL: gpu.func @both
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK:         gpu.barrier
// CHECK:         scf.if {{.*}} -> (vector<8xf16>)
// CHECK:         scf.if {{.*}} -> (vector<4xf16>)
// CHECK:         gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return

// Barriers of rows have numbers of their own, from 1 on, and so many threads.

// CHECK-LABEL: gpu.func @within_row
// CHECK-DAG:     %[[THREADS:.+]] = arith.constant 64 : i32
// CHECK:         %[[NAME:.+]] = arith.addi %{{.+}}, %c1
// CHECK:         %[[NUMBER:.+]] = arith.index_castui %[[NAME]] : index to i32
// CHECK:         nvvm.barrier id = %[[NUMBER]] number_of_threads = %[[THREADS]]
// CHECK:         nvvm.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return

// One layer is the block; and there are fifteen barriers beside the block's.

// CHECK-LABEL: gpu.func @within_block
// CHECK-NOT:     nvvm.barrier
// CHECK:         gpu.barrier
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK-NOT:     barrier
// CHECK:         gpu.return

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @along_column(%s: !shared, %t: !shared, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %f = kami.fetch %t[%i] : !shared -> !b
  %g = kami.broadcast in [2, 2, 1] %f : !b along column from 1 via %s : !shared
  kami.share %g, %t[%i] : !b, !shared
  gpu.return
}
gpu.func @both(%s: !shared, %t: !shared, %u: !shared, %i: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %a = kami.fetch %u[%i] : !shared -> !a
  %b = kami.fetch %u[%i] : !shared -> !b
  %g, %h = kami.broadcast in [2, 2, 1]
      %a : !a along row from 0 via %s : !shared,
      %b : !b along column from 1 via %t : !shared
  kami.share %g, %u[%i] : !a, !shared
  kami.share %h, %u[%i] : !b, !shared
  gpu.return
}
gpu.func @within_row(%s: !shared, %t: !shared, %i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
  %f = kami.fetch %t[%i] : !shared -> !a
  %g = kami.broadcast in [2, 2, 2] within row %f : !a along row from 1 via %s : !shared
  kami.share %g, %t[%i] : !a, !shared
  gpu.return
}
gpu.func @within_block(%m: memref<f32>, %x: f32) kernel attributes {known_block_size = array<i32: 1024, 1, 1>} {
  kami.barrier in [8, 4, 1] within layer
  memref.store %x, %m[] : memref<f32>
  kami.barrier in [16, 2, 1] within row
  gpu.return
}
}
