// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Elements of a lane that are adjacent in memory are accessed at once, where that is
// known to be right, or found so at run time.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#imma = #kami.mma_atom<mma_sync 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#fma = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!a8 = !kami.fragment<16x32xi8, a, #imma>
!rows = !kami.fragment<16x8xf32, a, #fma>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {

// A has pairs along k. What the argument promises, the views keep: rows of 24 and
// columns from a multiple of 16 on.

// CHECK-LABEL: gpu.func @promised
// CHECK-NOT:     scf.if
// CHECK-NOT:     memref.load
// CHECK-COUNT-4: vector.load %{{.+}} {alignment = 4 : i64} : memref<16x16xf16, strided<[24, 1], offset: ?>>, vector<2xf16>
// CHECK-NOT:     vector.load
// CHECK:         gpu.return
gpu.func @promised(%m: memref<64x24xf16> {llvm.align = 16 : i64}, %i: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %row = arith.muli %i, %c16 : index
  %view = memref.subview %m[%row, 8] [16, 16] [1, 1] : memref<64x24xf16> to memref<16x16xf16, strided<[24, 1], offset: ?>>
  %f = kami.load %view[%c0, %c0] row_in_bounds column_in_bounds : memref<16x16xf16, strided<[24, 1], offset: ?>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  gpu.return
}

// Without a promise, the address is looked at; with a column that may be odd, that,
// too; and a stride that is not known. Together they have no bit below 4.

// CHECK-LABEL: gpu.func @asked
// CHECK-SAME:    %[[M:.+]]: memref<64x?xf16>, %[[J:.+]]: index
// CHECK:         %[[BASE:.+]], %{{.+}}, %{{.+}}, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata %[[M]]
// CHECK:         %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index %[[BASE]]
// CHECK:         %[[COLUMN:.+]] = arith.muli %[[J]], %c2
// CHECK:         %[[STRIDE:.+]] = arith.muli %[[STRIDES]]#0, %c2
// CHECK:         %[[SOME:.+]] = arith.ori %[[ADDRESS]], %[[COLUMN]]
// CHECK:         %[[ALL:.+]] = arith.ori %[[SOME]], %[[STRIDE]]
// CHECK:         %[[LOW:.+]] = arith.andi %[[ALL]], %c3
// CHECK:         %[[RIGHT:.+]] = arith.cmpi eq, %[[LOW]], %c0
// CHECK:         scf.if %[[RIGHT]] -> (vector<8xf16>) {
// CHECK-COUNT-4:   vector.load
// CHECK:         } else {
// CHECK-COUNT-8:   memref.load
gpu.func @asked(%m: memref<64x?xf16>, %j: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %j] row_in_bounds column_in_bounds : memref<64x?xf16> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  gpu.return
}

// Rows of 9 elements of 2 bytes are not multiples of 4 apart; B's pairs are not
// adjacent unless it is transposed.

// CHECK-LABEL: gpu.func @narrow
// CHECK-NOT:     vector.load
// CHECK-COUNT-12: memref.load
// CHECK-NOT:     memref.load
// CHECK:         gpu.return
gpu.func @narrow(%m: memref<16x9xf16, strided<[9, 1]>> {llvm.align = 16 : i64}, %n: memref<16x8xf16> {llvm.align = 16 : i64}, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<16x9xf16, strided<[9, 1]>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  %g = kami.load %n[%c0, %c0] row_in_bounds column_in_bounds : memref<16x8xf16> -> !b
  kami.share %g, %s[%c1] : !b, !shared
  gpu.return
}

// CHECK-LABEL: gpu.func @transposed
// CHECK-SAME:    %[[M:.+]]: memref<16x8xf16, strided<[1, 16]>>
// CHECK:         %[[T:.+]] = memref.transpose %[[M]]
// CHECK-COUNT-2: vector.load %[[T]]{{.*}} vector<2xf16>
gpu.func @transposed(%m: memref<16x8xf16, strided<[1, 16]>> {llvm.align = 16 : i64}, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<16x8xf16, strided<[1, 16]>> -> !b
  kami.share %f, %s[%c0] : !b, !shared
  gpu.return
}

// Four elements of a byte; and of a lane's row over all columns, four of 4 bytes.

// CHECK-LABEL: gpu.func @wide
// CHECK-COUNT-4: vector.load %{{.+}} {alignment = 4 : i64} : memref<16x32xi8>, vector<4xi8>
// CHECK-COUNT-4: vector.load %{{.+}} {alignment = 16 : i64} : memref<16x8xf32>, vector<4xf32>
// CHECK-NOT:     vector.load
gpu.func @wide(%m: memref<16x32xi8>, %n: memref<16x8xf32>, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m16 = memref.assume_alignment %m, 16 : memref<16x32xi8>
  %n16 = memref.assume_alignment %n, 16 : memref<16x8xf32>
  %f = kami.load %m16[%c0, %c0] row_in_bounds column_in_bounds : memref<16x32xi8> -> !a8
  kami.share %f, %s[%c0] : !a8, !shared
  %g = kami.load %n16[%c0, %c0] row_in_bounds column_in_bounds : memref<16x8xf32> -> !rows
  kami.share %g, %s[%c1] : !rows, !shared
  gpu.return
}

// A loop's steps of 16 keep alignment, and rows of 40 have no word in part: words
// are asked for one by one. What is loaded in one way or another would be waited
// for where both ways meet.

// CHECK-LABEL: gpu.func @loop
// CHECK:         scf.for
// CHECK-NOT:       memref.load
// CHECK:           arith.cmpi ult, %{{.+}}, %c40
// CHECK:           scf.if %{{.+}} -> (vector<2xf16>, vector<2xf16>) {
// CHECK-COUNT-2:     vector.load
// CHECK:           } else {
// CHECK:           arith.cmpi ult, %{{.+}}, %c40
// CHECK:           scf.if %{{.+}} -> (vector<2xf16>, vector<2xf16>) {
// CHECK-COUNT-2:     vector.load
// CHECK-NOT:       memref.load
// CHECK:         gpu.return
gpu.func @loop(%m: memref<16x40xf16> {llvm.align = 16 : i64}, %end: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %k = %c0 to %end step %c16 {
    %f = kami.load %m[%c0, %k] row_in_bounds : memref<16x40xf16> -> !a
    kami.share %f, %s[%c0] : !a, !shared
  }
  gpu.return
}

// Of rows of 39, the last word is not: beyond the matrix, elements are asked for.

// CHECK-LABEL: gpu.func @cut
// CHECK-SAME:    %{{.+}}: memref<16x39xf16, strided<[40, 1]>> {{.*}}, %[[END:.+]]: index
// CHECK:         scf.for %[[K:.+]] =
// CHECK:           %[[LAST:.+]] = arith.addi %[[K]], %c16
// CHECK:           %[[INSIDE:.+]] = arith.cmpi sle, %[[LAST]], %c39
// CHECK:           scf.if %[[INSIDE]] -> (vector<8xf16>) {
// CHECK-COUNT-4:     vector.load
// CHECK:           } else {
// CHECK:             arith.cmpi ult
// CHECK:             memref.load
gpu.func @cut(%m: memref<16x39xf16, strided<[40, 1]>> {llvm.align = 16 : i64}, %end: index, %s: !shared) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %k = %c0 to %end step %c16 {
    %f = kami.load %m[%c0, %k] row_in_bounds : memref<16x39xf16, strided<[40, 1]>> -> !a
    kami.share %f, %s[%c0] : !a, !shared
  }
  gpu.return
}

// A store of pairs, scaled as a vector.

// CHECK-LABEL: gpu.func @store
// CHECK-SAME:    %[[M:.+]]: memref<16x8xf16>
// CHECK-NOT:     memref.store
// CHECK-COUNT-2: vector.store %{{.+}}, %[[M]]{{.*}} {alignment = 4 : i64} : memref<16x8xf16>, vector<2xf16>
// CHECK-NOT:     memref.store
gpu.func @store(%m: memref<16x8xf16> {llvm.align = 4 : i64}, %x: f32, %alpha: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%c0, %c0] alpha(%alpha : f32) row_in_bounds column_in_bounds : !c, memref<16x8xf16>
  gpu.return
}

}
