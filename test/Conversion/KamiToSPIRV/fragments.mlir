// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-spirv),canonicalize,cse))' | FileCheck %s

// Whole tiles of aligned rows are loaded and stored as matrices, with no question
// asked: the product of a block and a warp's part is a multiple of 8 elements.
// Sums become f16 as a matrix, which the chip adds to.

// CHECK-LABEL: gpu.func @whole
// CHECK-NOT:     scf.if
// CHECK:         %[[POINTER:.+]] = builtin.unrealized_conversion_cast %{{.+}} : memref<36864xf16> to !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0])>, StorageBuffer>
// CHECK:         %[[AT:.+]] = spirv.AccessChain %[[POINTER]][%{{.+}}, %{{.+}}]
// CHECK:         %[[A:.+]] = spirv.KHR.CooperativeMatrixLoad %[[AT]], %c64_i32, <RowMajor> : !spirv.ptr<f16, StorageBuffer>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
// CHECK:         %[[B:.+]] = spirv.KHR.CooperativeMatrixLoad %{{.+}}, %c64_i32, <ColumnMajor> : {{.+}} -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixB>
// CHECK:         %[[ZERO:.+]] = spirv.CompositeConstruct %{{.+}} : (f32) -> !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
// CHECK:         %[[D:.+]] = spirv.KHR.CooperativeMatrixMulAdd %[[A]], %[[B]], %[[ZERO]] :
// CHECK:         %[[NARROW:.+]] = spirv.FConvert %[[D]] : !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc> to !spirv.coopmatrix<16x16xf16, Subgroup, MatrixAcc>
// CHECK:         spirv.KHR.CooperativeMatrixStore %{{.+}}, %[[NARROW]], %c64_i32, <RowMajor>
// CHECK-NOT:     scf.if
// CHECK:         gpu.return
#atom = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @whole(%m: memref<9x64x64xf16>, %n: memref<64x64xf16, strided<[1, 64]>>, %o: memref<9x64x64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %block = gpu.block_id x
  %warp = gpu.subgroup_id : index
  %row = arith.muli %warp, %c16 : index
  %of = memref.subview %m[%block, 0, 0] [1, 64, 64] [1, 1, 1] : memref<9x64x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
  %to = memref.subview %o[%block, 0, 0] [1, 64, 64] [1, 1, 1] : memref<9x64x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
  %a = kami.load %of[%row, %c0] row_in_bounds column_in_bounds : memref<64x64xf16, strided<[64, 1], offset: ?>> -> !a
  %b = kami.load %n[%c0, %row] row_in_bounds column_in_bounds : memref<64x64xf16, strided<[1, 64]>> -> !b
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %a, %b, %c : !a, !b, !c
  kami.store %d, %to[%row, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf16, strided<[64, 1], offset: ?>>
  gpu.return
}
}
}

// -----

// At an edge that is not known to be far, a warp asks whether all of its tile is
// inside; if not, lanes move what is inside by elements, through workgroup memory.
// Alignment is asked for where a stride does not show it.

// CHECK-LABEL: gpu.func @ragged
// CHECK-SAME:    workgroup(%[[STAGED:[a-z0-9]+]] : memref<256xf16, #gpu.address_space<workgroup>>
// CHECK:         %[[FITS:.+]] = arith.cmpi sle, %{{.+}}, %c40
// CHECK:         %[[A:.+]] = scf.if %[[FITS]] -> (!spirv.coopmatrix<8x16xf16, Subgroup, MatrixA>)
// CHECK:           spirv.KHR.CooperativeMatrixLoad
// CHECK:         } else {
// CHECK:           %[[INSIDE:.+]] = arith.cmpi slt, %{{.+}}, %c40
// CHECK:           %[[X:.+]] = scf.if %[[INSIDE]] -> (f16)
// CHECK:             memref.load
// CHECK:             scf.yield %cst
// CHECK:           spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK:           memref.store %{{.+}}, %[[STAGED]]
// CHECK:           spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK:           spirv.KHR.CooperativeMatrixLoad
#atom = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
!a = !kami.fragment<8x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<8x16xf32, c, #atom>
module attributes {kami.target = #kami.target<"xe2">} {
gpu.module @kernels {
gpu.func @ragged(%m: memref<40x48xf16>, %o: memref<40x48xf32>, %i: index) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = kami.load %m[%i, %c0] column_in_bounds : memref<40x48xf16> -> !a
  %b = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<40x48xf16> -> !b
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %a, %b, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<40x48xf32>
  gpu.return
}
}
}

// -----

// What a loop's variable is a multiple of is known, too, before loops are converted.

// CHECK-LABEL: gpu.func @loop
// CHECK:         scf.for
// CHECK-NOT:       scf.if
// CHECK:           spirv.KHR.CooperativeMatrixLoad
// CHECK-NOT:       scf.if
// CHECK:           scf.yield
#atom = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @loop(%m: memref<64x64xf16>, %o: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %none = kami.fill %zero : f32 -> !c
  %sum = scf.for %k = %c0 to %c64 step %c16 iter_args(%c = %none) -> (!c) {
    %a = kami.load %m[%c0, %k] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
    %b = kami.load %m[%k, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
    %d = kami.mma %a, %b, %c : !a, !b, !c
    scf.yield %d : !c
  }
  kami.store %sum, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}

// -----

// Rows of 33 elements are aligned nowhere: no lane's way but by elements. Scaled
// sums are elements, too, and C is read only where β is not 0.

// CHECK-LABEL: gpu.func @elements
// CHECK-NOT:     spirv.KHR.CooperativeMatrixLoad %{{.+}} !spirv.ptr<f16, StorageBuffer>
// CHECK:         %[[READS:.+]] = arith.cmpf une, %[[BETA:.+]], %{{.+}} : f32
// CHECK:         spirv.KHR.CooperativeMatrixStore
// CHECK:         spirv.MemoryBarrier <Subgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK:         %[[SUM:.+]] = memref.load
// CHECK:         %[[SCALED:.+]] = arith.mulf %{{.+}}, %[[SUM]] : f32
// CHECK:         scf.if %[[READS]] -> (f32)
// CHECK:           memref.load %{{.+}} : memref<1089xf32>
// CHECK:         memref.store %{{.+}}, %{{.+}} : memref<1089xf32>
#atom = #kami.mma_atom<cooperative_matrix 8x8x8, f16, f16, f32, ["", "", ""], lanes = 8>
!a = !kami.fragment<8x8xf16, a, #atom>
!b = !kami.fragment<8x8xf16, b, #atom>
!c = !kami.fragment<8x8xf32, c, #atom>
module attributes {kami.target = #kami.target<"lavapipe">} {
gpu.module @kernels {
gpu.func @elements(%m: memref<33x33xf16>, %o: memref<33x33xf32>, %alpha: f32, %beta: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<33x33xf16> -> !a
  %b = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<33x33xf16> -> !b
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %a, %b, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] alpha(%alpha : f32) beta(%beta : f32) row_in_bounds column_in_bounds : !c, memref<33x33xf32>
  gpu.return
}
}
}

// -----

// Integers say whether they have a sign; sums of products without have none.
// Either of two is a matter of the kernel's last conversion, since nothing in SPIR-V
// selects matrices.

// CHECK-LABEL: gpu.func @integers
// CHECK:         spirv.KHR.CooperativeMatrixMulAdd %{{.+}}, %{{.+}}, %{{.+}}, <ASigned|BSigned|CSigned|ResultSigned> :
// CHECK:         arith.select %{{.+}}, %{{.+}}, %{{.+}} : !spirv.coopmatrix<8x16xi32, Subgroup, MatrixAcc>
// CHECK:         spirv.KHR.CooperativeMatrixMulAdd %{{.+}}, %{{.+}}, %{{[^,]+}} : !spirv.coopmatrix<8x32xi8
#signed = #kami.mma_atom<cooperative_matrix 8x16x32, i8, i8, i32, ["", "", ""], lanes = 16>
#unsigned = #kami.mma_atom<cooperative_matrix 8x16x32, ui8, ui8, i32, ["", "", ""], lanes = 16>
module attributes {kami.target = #kami.target<"xe-hpc">} {
gpu.module @kernels {
gpu.func @integers(%m: memref<64x64xi8>, %o: memref<64x64xi32>, %which: i1) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %a = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8> -> !kami.fragment<8x32xi8, a, #signed>
  %b = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8> -> !kami.fragment<32x16xi8, b, #signed>
  %c = kami.fill %zero : i32 -> !kami.fragment<8x16xi32, c, #signed>
  %d = kami.mma %a, %b, %c : !kami.fragment<8x32xi8, a, #signed>, !kami.fragment<32x16xi8, b, #signed>, !kami.fragment<8x16xi32, c, #signed>
  %e = arith.select %which, %c, %d : !kami.fragment<8x16xi32, c, #signed>
  kami.store %e, %o[%c0, %c0] row_in_bounds column_in_bounds : !kami.fragment<8x16xi32, c, #signed>, memref<64x64xi32>
  %u = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8> -> !kami.fragment<8x32xui8, a, #unsigned>
  %v = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8> -> !kami.fragment<32x16xui8, b, #unsigned>
  %w = kami.fill %zero : i32 -> !kami.fragment<8x16xi32, c, #unsigned>
  %x = kami.mma %u, %v, %w : !kami.fragment<8x32xui8, a, #unsigned>, !kami.fragment<32x16xui8, b, #unsigned>, !kami.fragment<8x16xi32, c, #unsigned>
  kami.store %x, %o[%c0, %c0] row_in_bounds column_in_bounds : !kami.fragment<8x16xi32, c, #unsigned>, memref<64x64xi32>
  gpu.return
}
}
}
