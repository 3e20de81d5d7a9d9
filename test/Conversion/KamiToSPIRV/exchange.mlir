// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-spirv),canonicalize,cse))' | FileCheck %s

// Fragments travel as matrices through workgroup memory, between barriers of the
// block. Warps are numbered by the device. The block's bytes become a variable for
// each type, only as large as what it holds.

// CHECK-LABEL: gpu.func @broadcast
// CHECK-SAME:    workgroup(%{{[a-z0-9]+}} : memref<512xf16, #gpu.address_space<workgroup>>
// CHECK:         %[[WARP:.+]] = gpu.subgroup_id : index
// CHECK:         %[[COLUMN:.+]] = arith.remui %[[WARP]], %c2
// CHECK:         %[[REST:.+]] = arith.divui %[[WARP]], %c2
// CHECK:         %[[ROW:.+]] = arith.remui %[[REST]], %c2
// CHECK:         %[[OWNS:.+]] = arith.cmpi eq, %[[COLUMN]], %c1
// CHECK:         scf.if %[[OWNS]] {
// CHECK:           spirv.KHR.CooperativeMatrixStore %{{.+}}, %[[OWN:.+]], %c16_i32, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f16, Workgroup>
// CHECK:         gpu.barrier
// CHECK:         %[[GOT:.+]] = scf.if %[[OWNS]] -> (!spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>) {
// CHECK-NEXT:      scf.yield %[[OWN]]
// CHECK:         } else {
// CHECK:           spirv.KHR.CooperativeMatrixLoad %{{.+}}, %c16_i32, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f16, Workgroup>
// CHECK:         gpu.barrier
// CHECK:         spirv.KHR.CooperativeMatrixStore {{.+}} StorageBuffer
#atom = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @broadcast(%m: memref<64x64xf16>, %o: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xi8, #gpu.address_space<workgroup>>
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  %g = kami.broadcast in [2, 2, 1]
         %f : !a along row from 1 via %s : memref<1024xi8, #gpu.address_space<workgroup>>
  %b = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %g, %b, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}

// -----

// Slots of parked slices, and a fence that is the block's whatever the plan names.
// What is loaded only to be shared is copied by words of 16 bytes, two a lane here:
// a row of 16 elements is two words, one of the matrix in memory eight.

// CHECK-LABEL: gpu.func @slots
// CHECK-SAME:    workgroup(%[[SHARED:[a-z0-9]+]] : memref<128xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:         %[[WORDS:.+]] = builtin.unrealized_conversion_cast %{{.+}} : memref<4096xf16> to memref<512xvector<4xi32>>
// CHECK:         %[[LANE:.+]] = gpu.lane_id
// CHECK:         %[[LINE:.+]] = arith.divui %[[LANE]], %c2
// CHECK:         %[[WORD:.+]] = arith.remui %[[LANE]], %c2
// CHECK:         %[[BELOW:.+]] = arith.muli %[[LINE]], %c8
// CHECK:         %[[FROM:.+]] = arith.addi %[[WORD]], %[[BELOW]]
// CHECK:         %[[FIRST:.+]] = memref.load %[[WORDS]][%[[FROM]]]
// CHECK:         %[[SECOND:.+]] = memref.load %[[WORDS]]
// CHECK:         %[[TO:.+]] = arith.addi %[[LANE]], %c32
// CHECK:         memref.store %[[FIRST]], %[[SHARED]][%[[TO]]]
// CHECK:         memref.store %[[SECOND]], %[[SHARED]]
// CHECK:         gpu.barrier
// CHECK:         spirv.KHR.CooperativeMatrixLoad %{{.+}}, %c2_i32, <RowMajor> : !spirv.ptr<vector<4xi32>, Workgroup>
#atom = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
!a = !kami.fragment<8x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<8x16xf32, c, #atom>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"xe-hpc">} {
gpu.module @kernels {
gpu.func @slots(%m: memref<64x64xf16>, %o: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
  kami.share %f, %s[%c1] : !b, !shared
  kami.barrier in [2, 2, 1] within row
  %g = kami.fetch %s[%c1] : !shared -> !b
  %a = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %a, %g, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}

// -----

// Rows of four words or more are one more apart in workgroup memory, so that rows
// below each other do not meet in its banks: 16 of nine words for eight, and the
// second slot begins behind them.

// CHECK-LABEL: gpu.func @apart
// CHECK-SAME:    workgroup(%[[SHARED:[a-z0-9]+]] : memref<288xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:         %[[LINE:.+]] = arith.divui %{{.+}}, %c2
// CHECK:         %[[WORD:.+]] = arith.remui %{{.+}}, %c2
// CHECK:         %[[BELOW:.+]] = arith.muli %[[LINE]], %c9
// CHECK:         %[[PLACE:.+]] = arith.addi %[[WORD]], %[[BELOW]]
// CHECK:         %[[TO:.+]] = arith.addi %[[PLACE]], %c144
// CHECK:         memref.store %{{.+}}, %[[SHARED]][%[[TO]]]
// CHECK:         gpu.barrier
// CHECK:         spirv.KHR.CooperativeMatrixLoad %{{.+}}, %c9_i32, <RowMajor> : !spirv.ptr<vector<4xi32>, Workgroup>
#atom = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
!a = !kami.fragment<8x16xf16, a, #atom>
!b = !kami.fragment<16x64xf16, b, #atom>
!c = !kami.fragment<8x64xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"xe-hpc">} {
gpu.module @kernels {
gpu.func @apart(%m: memref<64x64xf16>, %o: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
  kami.share %f, %s[%c1] : !b, !shared
  kami.barrier in [2, 2, 1] within row
  %g = kami.fetch %s[%c1] : !shared -> !b
  %a = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %a, %g, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}

// -----

// The same, but of memory that has no room for more: 120 KiB of 128.

// CHECK-LABEL: gpu.func @full
// CHECK-SAME:    workgroup(%[[SHARED:[a-z0-9]+]] : memref<7680xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:         %[[TO:.+]] = arith.addi %{{.+}}, %c128
// CHECK:         memref.store %{{.+}}, %[[SHARED]][%[[TO]]]
// CHECK:         spirv.KHR.CooperativeMatrixLoad %{{.+}}, %c2_i32, <RowMajor> : !spirv.ptr<vector<4xi32>, Workgroup>
#atom = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
!a = !kami.fragment<8x16xf16, a, #atom>
!b = !kami.fragment<16x64xf16, b, #atom>
!c = !kami.fragment<8x64xf32, c, #atom>
!shared = memref<122880xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"xe-hpc">} {
gpu.module @kernels {
gpu.func @full(%m: memref<64x64xf16>, %o: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
  kami.share %f, %s[%c1] : !b, !shared
  kami.barrier in [2, 2, 1] within row
  %g = kami.fetch %s[%c1] : !shared -> !b
  %a = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %a, %g, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}

// -----

// Each layer's sums in turn, added as matrices by the first.

// CHECK-LABEL: gpu.func @layers
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           spirv.KHR.CooperativeMatrixStore
// CHECK:         gpu.barrier
// CHECK:         scf.if %[[FIRST]] -> (!spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>)
// CHECK:           %[[OTHER:.+]] = spirv.KHR.CooperativeMatrixLoad
// CHECK:           spirv.FAdd %{{.+}}, %[[OTHER]] : !spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>
#atom = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
!c = !kami.fragment<8x16xf32, c, #atom>
!shared = memref<512xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"xe2">} {
gpu.module @kernels {
gpu.func @layers(%m: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %s = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
  %c = kami.fill %one : f32 -> !c
  %d = kami.reduce in [1, 1, 2] %c via %s : !c, !shared
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}
