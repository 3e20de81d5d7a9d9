// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// What lies in workgroup memory is loaded by ldmatrix, where rows (or columns, if
// their elements are adjacent) begin at multiples of 16 bytes, and a register holds
// neighbours along them, or is one of a transposed 8 × 8 matrix.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#bmma = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#imma = #kami.mma_atom<mma_sync 16x8x32, i8, ui8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#qmma = #kami.mma_atom<mma_sync 16x8x32, f8E4M3FN, f8E4M3FN, f32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#tf32 = #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!b24 = !kami.fragment<16x24xf16, b, #hmma>
!bbf = !kami.fragment<32x8xbf16, b, #bmma>
!a8 = !kami.fragment<16x32xi8, a, #imma>
!b8 = !kami.fragment<32x8xui8, b, #imma>
!af8 = !kami.fragment<16x32xf8E4M3FN, a, #qmma>
!a32 = !kami.fragment<16x8xf32, a, #tf32>
!b32 = !kami.fragment<8x8xf32, b, #tf32>
!a64 = !kami.fragment<16x8xf64, a, #dmma>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {

// Lane l addresses row l mod 16, and the right half from lane 16 on: the matrices are
// those of A's registers, which go down first.

// CHECK-LABEL: gpu.func @row_major_a
// CHECK-SAME:    workgroup(%[[M:.+]] : memref<64x64xf16,
// CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %c32
// CHECK:         %[[ROW:.+]] = arith.andi %[[LANE]], %c15
// CHECK:         %[[BIT:.+]] = arith.shrui %[[LANE]], %c4
// CHECK:         %[[HALF:.+]] = arith.andi %[[BIT]], %c1
// CHECK:         %[[COLUMN:.+]] = arith.muli %[[HALF]], %c8
// CHECK-NOT:     memref.load
// CHECK-NOT:     vector.load
// CHECK:         %[[R:.+]] = nvgpu.ldmatrix %[[M]][%[[ROW]], %[[COLUMN]]] {numTiles = 4 : i32, transpose = false} : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
// CHECK-NOT:     nvgpu.ldmatrix
// CHECK:         vector.shape_cast %[[R]] : vector<4x2xf16> to vector<8xf16>
gpu.func @row_major_a(%s: !shared) workgroup(%m: memref<64x64xf16, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16, #gpu.address_space<workgroup>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  gpu.return
}

// Columns of A are lines of the transposed matrix: lanes 8 to 15 address the same 8
// columns as lanes 0 to 7, 8 rows further.

// CHECK-LABEL: gpu.func @column_major_a
// CHECK-SAME:    , %[[M:.+]]: memref<64x64xf16, strided
// CHECK-DAG:     %[[T:.+]] = memref.transpose %[[M]]
// CHECK-DAG:     %[[LANE:.+]] = arith.remui %{{.+}}, %c32
// CHECK-DAG:     %[[BIT3:.+]] = arith.shrui %[[LANE]], %c3
// CHECK-DAG:     %[[DOWN:.+]] = arith.andi %[[BIT3]], %c1
// CHECK-DAG:     %[[ROW:.+]] = arith.muli %[[DOWN]], %c8
// CHECK:         nvgpu.ldmatrix %[[T]][%{{.+}}, %[[ROW]]] {numTiles = 4 : i32, transpose = true}
// CHECK-NOT:     nvgpu.ldmatrix
// CHECK:         gpu.return
gpu.func @column_major_a(%s: !shared, %m: memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  gpu.return
}

// B has two registers a tile: two tiles at once, and the rest by itself.

// CHECK-LABEL: gpu.func @row_major_b
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 4 : i32, transpose = true} : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
// CHECK:         %[[REST:.+]] = arith.addi %{{.+}}, %c16
// CHECK:         nvgpu.ldmatrix %{{.+}}[%{{.+}}, %[[REST]]] {numTiles = 2 : i32, transpose = true} : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
// CHECK-NOT:     ldmatrix
// CHECK:         gpu.return
gpu.func @row_major_b(%s: !shared, %j: index, %m: memref<64x64xf16, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c24 = arith.constant 24 : index
  %column = arith.muli %j, %c24 : index
  %f = kami.load %m[%c0, %column] row_in_bounds column_in_bounds : memref<64x64xf16, #gpu.address_space<workgroup>> -> !b24
  kami.share %f, %s[%c0] : !b24, !shared
  gpu.return
}

// CHECK-LABEL: gpu.func @column_major_b
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
// CHECK-NOT:     ldmatrix
// CHECK:         gpu.return
gpu.func @column_major_b(%s: !shared, %m: memref<64x64xbf16, strided<[1, 64]>, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xbf16, strided<[1, 64]>, #gpu.address_space<workgroup>> -> !bbf
  kami.share %f, %s[%c0] : !bbf, !shared
  gpu.return
}

// Elements of other widths, of which a register has four or one. tf32 is rounded.

// CHECK-LABEL: gpu.func @widths
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x4xi8>
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 2 : i32, transpose = false} : {{.*}} -> vector<2x4xi8>
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x4xf8E4M3FN>
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x1xf32>
// CHECK-COUNT-4: math.fma
// CHECK:         nvgpu.ldmatrix %{{.+}} {numTiles = 2 : i32, transpose = false} : {{.*}} -> vector<2x1xf32>
// CHECK-COUNT-2: math.fma
gpu.func @widths(%s: !shared, %m: memref<64x64xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                 %n: memref<64x64xi8, strided<[1, 64]>, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                 %o: memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                 %p: memref<64x64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                 %q: memref<64x64xf32, strided<[1, 64]>, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
    kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8, #gpu.address_space<workgroup>> -> !a8
  kami.share %f, %s[%c0] : !a8, !shared
  %g = kami.load %n[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8, strided<[1, 64]>, #gpu.address_space<workgroup>> -> !b8
  kami.share %g, %s[%c0] : !b8, !shared
  %h = kami.load %o[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>> -> !af8
  kami.share %h, %s[%c0] : !af8, !shared
  %i = kami.load %p[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf32, #gpu.address_space<workgroup>> -> !a32
  kami.share %i, %s[%c0] : !a32, !shared
  %j = kami.load %q[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf32, strided<[1, 64]>, #gpu.address_space<workgroup>> -> !b32
  kami.share %j, %s[%c0] : !b32, !shared
  gpu.return
}

// Neither promised nor certain to be in the matrix: one test for everything, and the
// lanes' own way where it fails.

// CHECK-LABEL: gpu.func @asked
// CHECK-SAME:    %{{.+}}, %[[I:.+]]: index, %[[J:.+]]: index, %[[M:.+]]: memref<50x?xf16
// CHECK:         %[[ADDRESS:.+]] = memref.extract_aligned_pointer_as_index
// CHECK:         %[[COLUMN:.+]] = arith.muli %[[J]], %c2
// CHECK:         %[[SOME:.+]] = arith.ori %[[ADDRESS]], %[[COLUMN]]
// CHECK:         %[[ALL:.+]] = arith.ori %[[SOME]], %{{.+}}
// CHECK:         %[[LOW:.+]] = arith.andi %[[ALL]], %c15
// CHECK:         %[[ALIGNED:.+]] = arith.cmpi eq, %[[LOW]], %c0
// CHECK:         %[[LAST:.+]] = arith.addi %[[I]], %c16
// CHECK:         %[[INSIDE:.+]] = arith.cmpi sle, %[[LAST]], %c50
// CHECK:         %[[RIGHT:.+]] = arith.andi %[[ALIGNED]], %[[INSIDE]]
// CHECK:         scf.if %[[RIGHT]] -> (vector<8xf16>) {
// CHECK:           nvgpu.ldmatrix
// CHECK:         } else {
// CHECK:           %[[LOW4:.+]] = arith.andi %{{.+}}, %c3
// CHECK:           scf.if
// CHECK-COUNT-4:     vector.load
// CHECK:           } else {
// CHECK:             memref.load
gpu.func @asked(%s: !shared, %i: index, %j: index, %m: memref<50x?xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%i, %j] column_in_bounds : memref<50x?xf16, #gpu.address_space<workgroup>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  gpu.return
}

// Aligned, but ragged: who is beyond the matrix would be so with words, too.

// CHECK-LABEL: gpu.func @ragged
// CHECK:         scf.if
// CHECK:           nvgpu.ldmatrix
// CHECK:         } else {
// CHECK-NOT:       vector.load
// CHECK:           memref.load
// CHECK:         gpu.return
gpu.func @ragged(%s: !shared, %i: index, %m: memref<50x64xf16, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%i, %c0] column_in_bounds : memref<50x64xf16, #gpu.address_space<workgroup>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  gpu.return
}

// What ldmatrix does not do: rows of 68 elements, 8-bit elements across lines, f64,
// elements that are extended, a stride of 0, device memory.

// CHECK-LABEL: gpu.func @otherwise
// CHECK-NOT:     ldmatrix
// CHECK:         gpu.return
gpu.func @otherwise(%s: !shared, %m: memref<64x68xf16, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                    %n: memref<64x64xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                    %o: memref<64x64xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                    %p: memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                    %q: memref<64x64xf16, strided<[0, 1]>, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
                    %r: memref<64x64xf16> {llvm.align = 16 : i64})
    kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x68xf16, #gpu.address_space<workgroup>> -> !a
  kami.share %f, %s[%c0] : !a, !shared
  %g = kami.load %n[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xi8, #gpu.address_space<workgroup>> -> !b8
  kami.share %g, %s[%c0] : !b8, !shared
  %h = kami.load %o[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf64, #gpu.address_space<workgroup>> -> !a64
  kami.share %h, %s[%c0] : !a64, !shared
  %i = kami.load %p[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>> -> !a
  kami.share %i, %s[%c0] : !a, !shared
  %j = kami.load %q[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16, strided<[0, 1]>, #gpu.address_space<workgroup>> -> !a
  kami.share %j, %s[%c0] : !a, !shared
  %k = kami.load %r[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  kami.share %k, %s[%c0] : !a, !shared
  gpu.return
}

}
