// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Lane l of C's 16 × 8 tile holds rows l / 4 and l / 4 + 8, columns 2·(l mod 4) and
// the next. Rows of 9 elements do not all begin at multiples of two.

// CHECK-LABEL: gpu.func @plain
// CHECK-SAME:    %[[M:.+]]: memref<16x9xf32>, %[[X:.+]]: f32
// CHECK:         %[[SHIFTED:.+]] = arith.shrui %[[LANE:.+]], %c2
// CHECK:         %[[ROW:.+]] = arith.andi %[[SHIFTED]], %c7
// CHECK:         %[[QUAD:.+]] = arith.andi %[[LANE]], %c3
// CHECK:         %[[COLUMN:.+]] = arith.muli %[[QUAD]], %c2
// CHECK-NOT:     memref.load
// CHECK:         memref.store %{{.+}}, %[[M]][%[[ROW]], %[[COLUMN]]]
// CHECK:         %[[COLUMN1:.+]] = arith.addi %[[COLUMN]], %c1
// CHECK:         memref.store %{{.+}}, %[[M]][%[[ROW]], %[[COLUMN1]]]
// CHECK:         %[[ROW8:.+]] = arith.addi %[[ROW]], %c8
// CHECK:         memref.store %{{.+}}, %[[M]][%[[ROW8]], %[[COLUMN]]]
// CHECK:         memref.store %{{.+}}, %[[M]][%[[ROW8]], %[[COLUMN1]]]
// CHECK-NEXT:    gpu.return

// α and β apply to the accumulator; what is stored is rounded once. Where β is 0
// at run time, C is not read, and beyond C nothing is. Where all of the fragment is
// in the matrix, no element is asked for.

// CHECK-LABEL: gpu.func @scaled
// CHECK-SAME:    %[[M:.+]]: memref<?x9xf16>, %[[I:.+]]: index, %[[X:.+]]: f32, %[[ALPHA:.+]]: f32, %[[BETA:.+]]: f32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[EXTENT:.+]] = memref.dim %[[M]], %c0
// CHECK-DAG:     %[[READS:.+]] = arith.cmpf une, %[[BETA]], %[[ZERO]] : f32
// CHECK:         %[[LAST:.+]] = arith.addi %[[I]], %c16
// CHECK:         %[[ALL:.+]] = arith.cmpi sle, %[[LAST]], %[[EXTENT]]
// CHECK:         scf.if %[[ALL]] {
// CHECK-NOT:       arith.cmpi
// CHECK:         } else {
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW:.+]], %[[EXTENT]]
// CHECK:         scf.if %[[INSIDE]] {
// CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %[[ALPHA]], %[[X]]
// CHECK-NEXT:      %[[SUM:.+]] = scf.if %[[READS]] -> (f32) {
// CHECK-NEXT:        %[[OLD:.+]] = memref.load %[[M]][%[[ROW]], %[[COLUMN:.+]]]
// CHECK-NEXT:        %[[WIDE:.+]] = arith.extf %[[OLD]] : f16 to f32
// CHECK-NEXT:        %[[TIMES:.+]] = arith.mulf %[[BETA]], %[[WIDE]]
// CHECK-NEXT:        %[[ADDED:.+]] = arith.addf %[[SCALED]], %[[TIMES]]
// CHECK-NEXT:        scf.yield %[[ADDED]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[SCALED]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[ROUNDED:.+]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT:      memref.store %[[ROUNDED]], %[[M]][%[[ROW]], %[[COLUMN]]]
// CHECK-NEXT:    }

// A constant β that is not 0 needs no question at run time.

// CHECK-LABEL: gpu.func @constant_beta
// CHECK-NOT:     scf.if
// CHECK-COUNT-4: memref.load

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<16x8xf32, c, #hmma>
gpu.module @kernels {
gpu.func @plain(%m: memref<16x9xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<16x9xf32>
  gpu.return
}
gpu.func @scaled(%m: memref<?x9xf16>, %i: index, %x: f32, %alpha: f32, %beta: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%i, %i] alpha(%alpha : f32) beta(%beta : f32) column_in_bounds : !c, memref<?x9xf16>
  gpu.return
}
gpu.func @constant_beta(%m: memref<16x9xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %beta = arith.constant 0.5 : f32
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%c0, %c0] beta(%beta : f32) row_in_bounds column_in_bounds : !c, memref<16x9xf32>
  gpu.return
}
}

// -----

// Integers wrap.

// CHECK-LABEL: gpu.func @integers
// CHECK-SAME:    %[[M:.+]]: memref<16x9xi32>, %[[X:.+]]: i32, %[[ALPHA:.+]]: i32, %[[BETA:.+]]: i32
// CHECK:         %[[READS:.+]] = arith.cmpi ne, %[[BETA]], %c0_i32 : i32
// CHECK:         %[[SCALED:.+]] = arith.muli %[[ALPHA]], %[[X]] : i32
// CHECK:         scf.if %[[READS]] -> (i32) {
// CHECK-NEXT:      %[[OLD:.+]] = memref.load %[[M]]
// CHECK-NEXT:      %[[TIMES:.+]] = arith.muli %[[BETA]], %[[OLD]] : i32
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[SCALED]], %[[TIMES]] : i32
// CHECK-NEXT:      scf.yield %[[SUM]]

#imma = #kami.mma_atom<mma_sync 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
!c = !kami.fragment<16x8xi32, c, #imma>
gpu.module @kernels {
gpu.func @integers(%m: memref<16x9xi32>, %x: i32, %alpha: i32, %beta: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : i32 -> !c
  kami.store %f, %m[%c0, %c0] alpha(%alpha : i32) beta(%beta : i32) row_in_bounds column_in_bounds : !c, memref<16x9xi32>
  gpu.return
}
}
