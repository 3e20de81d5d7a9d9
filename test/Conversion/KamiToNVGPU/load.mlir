// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Lane l of B's 16 × 8 tile holds rows 2·(l mod 4) + {0, 1, 8, 9} of column l / 4:
// PTX ISA, section "Matrix Fragments for mma.m16n8k16".

// CHECK-LABEL: gpu.func @in_bounds
// CHECK-SAME:    %[[M:.+]]: memref<50x23xf16>, %[[I:.+]]: index, %[[J:.+]]: index, %{{.+}}: memref<2048xi8
// CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %c32
// CHECK:         %[[QUAD:.+]] = arith.andi %[[LANE]], %c3
// CHECK:         %[[R:.+]] = arith.muli %[[QUAD]], %c2
// CHECK:         %[[SHIFTED:.+]] = arith.shrui %[[LANE]], %c2
// CHECK:         %[[C:.+]] = arith.andi %[[SHIFTED]], %c7
// CHECK:         %[[ROW:.+]] = arith.addi %[[I]], %[[R]]
// CHECK:         %[[COLUMN:.+]] = arith.addi %[[J]], %[[C]]
// CHECK-NOT:     scf.if
// CHECK:         %[[V0:.+]] = memref.load %[[M]][%[[ROW]], %[[COLUMN]]]
// CHECK:         %[[ROW1:.+]] = arith.addi %[[ROW]], %c1
// CHECK:         %[[V1:.+]] = memref.load %[[M]][%[[ROW1]], %[[COLUMN]]]
// CHECK:         %[[ROW8:.+]] = arith.addi %[[ROW]], %c8
// CHECK:         %[[V2:.+]] = memref.load %[[M]][%[[ROW8]], %[[COLUMN]]]
// CHECK:         %[[ROW9:.+]] = arith.addi %[[ROW]], %c9
// CHECK:         %[[V3:.+]] = memref.load %[[M]][%[[ROW9]], %[[COLUMN]]]
// CHECK:         vector.from_elements %[[V0]], %[[V1]], %[[V2]], %[[V3]] : vector<4xf16>

// What may be beyond the matrix is 0, and not read. A column is asked for once,
// for all that a lane has of it.

// CHECK-LABEL: gpu.func @columns_checked
// CHECK-SAME:    %[[M:.+]]: memref<50x?xf16>,
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f16
// CHECK-DAG:     %[[EXTENT:.+]] = memref.dim %[[M]], %c1
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[COLUMN:.+]], %[[EXTENT]]
// CHECK:         %[[V:.+]]:4 = scf.if %[[INSIDE]] -> (f16, f16, f16, f16) {
// CHECK-NEXT:      %[[READ:.+]] = memref.load %[[M]][%{{.+}}, %[[COLUMN]]]
// CHECK-COUNT-3:   memref.load %[[M]][%{{.+}}, %[[COLUMN]]]
// CHECK-NEXT:      scf.yield %[[READ]],
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]
// CHECK:         vector.from_elements %[[V]]#0, %[[V]]#1, %[[V]]#2, %[[V]]#3

// CHECK-LABEL: gpu.func @both_checked
// CHECK:         %[[COLUMN_INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c23
// CHECK:         scf.if %[[COLUMN_INSIDE]] -> (f16, f16, f16, f16) {
// CHECK:           %[[ROW_INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c50
// CHECK:           scf.if %[[ROW_INSIDE]] -> (f16) {
// CHECK-NEXT:        memref.load

// Nobody asks for what is inside for all lanes and warps.

// CHECK-LABEL: gpu.func @known
// CHECK-NOT:     scf.if
// CHECK-COUNT-4: memref.load
// CHECK-NOT:     scf.if

// One row more, and the last one is beyond; one warp more, and its columns are.

// CHECK-LABEL: gpu.func @last_row_checked
// CHECK-COUNT-3: memref.load
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c28
// CHECK-NEXT:    scf.if %[[INSIDE]] -> (f16) {
// CHECK-NEXT:      memref.load

// CHECK-LABEL: gpu.func @last_warp_checked
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c23
// CHECK:         scf.if %[[INSIDE]] -> (f16, f16, f16, f16) {
// CHECK-NOT:     scf.if
// CHECK:         gpu.return

// Elements are extended a tile at a time.

// CHECK-LABEL: gpu.func @widened
// CHECK:         %[[NARROW:.+]] = vector.from_elements %{{.+}} : vector<4xf8E4M3FN>
// CHECK-NEXT:    arith.extf %[[NARROW]] : vector<4xf8E4M3FN> to vector<4xf16>

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!b = !kami.fragment<16x8xf16, b, #hmma>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @in_bounds(%m: memref<50x23xf16>, %i: index, %j: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.load %m[%i, %j] row_in_bounds column_in_bounds : memref<50x23xf16> -> !b
  kami.share %f, %s[%i] : !b, !shared
  gpu.return
}
gpu.func @columns_checked(%m: memref<50x?xf16>, %i: index, %j: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.load %m[%i, %j] row_in_bounds : memref<50x?xf16> -> !b
  kami.share %f, %s[%i] : !b, !shared
  gpu.return
}
gpu.func @both_checked(%m: memref<50x23xf16>, %i: index, %j: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.load %m[%i, %j] : memref<50x23xf16> -> !b
  kami.share %f, %s[%i] : !b, !shared
  gpu.return
}
gpu.func @known(%m: memref<28x23xf16>, %s: !shared) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i = arith.constant 12 : index
  %row, %column, %layer = kami.warp_coordinates [1, 2, 1]
  %j = arith.muli %column, %c8 : index
  %f = kami.load %m[%i, %j] : memref<28x23xf16> -> !b
  kami.share %f, %s[%c0] : !b, !shared
  gpu.return
}
gpu.func @last_row_checked(%m: memref<28x23xf16>, %s: !shared) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i = arith.constant 13 : index
  %row, %column, %layer = kami.warp_coordinates [1, 2, 1]
  %j = arith.muli %column, %c8 : index
  %f = kami.load %m[%i, %j] : memref<28x23xf16> -> !b
  kami.share %f, %s[%c0] : !b, !shared
  gpu.return
}
gpu.func @last_warp_checked(%m: memref<28x23xf16>, %s: !shared) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i = arith.constant 12 : index
  %row, %column, %layer = kami.warp_coordinates [1, 3, 1]
  %j = arith.muli %column, %c8 : index
  %f = kami.load %m[%i, %j] : memref<28x23xf16> -> !b
  kami.share %f, %s[%c0] : !b, !shared
  gpu.return
}
gpu.func @widened(%m: memref<50x23xf8E4M3FN>, %i: index, %j: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.load %m[%i, %j] row_in_bounds column_in_bounds : memref<50x23xf8E4M3FN> -> !b
  kami.share %f, %s[%i] : !b, !shared
  gpu.return
}
}

// -----

// A fragment of tf32 holds rounded elements, of which the matrix unit ignores what
// is left behind the bits that count; with three products it holds what was read.

// CHECK-LABEL: gpu.func @tf32
// CHECK-DAG:     %[[HALF:.+]] = arith.constant 4.8828125E-4 : f32
// CHECK-DAG:     %[[MASK:.+]] = arith.constant -8388608 : i32
// CHECK:         %[[READ:.+]] = memref.load
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[READ]] : f32 to i32
// CHECK:         %[[KEPT:.+]] = arith.andi %[[BITS]], %[[MASK]] : i32
// CHECK:         %[[POWER:.+]] = arith.bitcast %[[KEPT]] : i32 to f32
// CHECK:         %[[V0:.+]] = math.fma %[[POWER]], %[[HALF]], %[[READ]] : f32
// CHECK:         vector.from_elements %[[V0]], %{{.+}} : vector<2xf32>
// CHECK-LABEL: gpu.func @tf32x3
// CHECK-NOT:     math.fma
// CHECK:         gpu.return

#tf32 = #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#tf32x3 = #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"], products = 3>
!b = !kami.fragment<8x8xf32, b, #tf32>
!b3 = !kami.fragment<8x8xf32, b, #tf32x3>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @tf32(%m: memref<8x8xf32>, %i: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.load %m[%i, %i] row_in_bounds column_in_bounds : memref<8x8xf32> -> !b
  kami.share %f, %s[%i] : !b, !shared
  gpu.return
}
gpu.func @tf32x3(%m: memref<8x8xf32>, %i: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.load %m[%i, %i] row_in_bounds column_in_bounds : memref<8x8xf32> -> !b3
  kami.share %f, %s[%i] : !b3, !shared
  gpu.return
}
}
