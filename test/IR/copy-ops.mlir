// Copies between device memory and tiles in shared memory, and plans with them.

// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
!tile = memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>

// CHECK: #kami.plan<{{.+}} transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 3, output = relayed, blocks = 264, rows = skewed>

// CHECK-LABEL: func.func @copies
func.func @copies(%a: memref<?x32xf16, strided<[512, 1], offset: ?>>, %tile: !tile) {
  // CHECK: kami.copy_async %{{.+}} to %{{.+}} by 128 : memref<?x32xf16, strided<[512, 1], offset: ?>> to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  kami.copy_async %a to %tile by 128 : memref<?x32xf16, strided<[512, 1], offset: ?>> to !tile
  // CHECK: kami.copy_commit
  kami.copy_commit
  // CHECK: kami.copy_wait 2
  kami.copy_wait 2
  // CHECK: kami.copy_out %{{.+}} to %{{.+}} by 128
  kami.copy_out %tile to %a by 128 : !tile to memref<?x32xf16, strided<[512, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @places
func.func @places(%b: memref<?x96xf16, strided<[512, 1], offset: ?>>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // CHECK: kami.place_async %{{.+}} to %{{.+}} in #{{.+}} by 256 : memref<?x96xf16, strided<[512, 1], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
  kami.place_async %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 256 : memref<?x96xf16, strided<[512, 1], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
  // CHECK: kami.copy_wait 1 for_matrix_unit
  kami.copy_wait 1 for_matrix_unit
  return
}

// CHECK-LABEL: func.func @rounds
func.func @rounds(%b: memref<32x?xf32, strided<[1, 512], offset: ?>>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // CHECK: kami.round_placed %{{.+}} to %{{.+}} in #{{.+}} by 256 : memref<32x?xf32, strided<[1, 512], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
  kami.round_placed %b to %buffer in #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128> by 256 : memref<32x?xf32, strided<[1, 512], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
  // CHECK: kami.round_placed %{{.+}} to %{{.+}} in #{{.+}} by 256 aligned_rows
  kami.round_placed %b to %buffer in #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128> by 256 aligned_rows : memref<32x?xf32, strided<[1, 512], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

!rows = memref<?x32xf16, strided<[?, 1], offset: ?>>
!tails = memref<1024xi8, #gpu.address_space<workgroup>>
!matrix = memref<16384xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @skewed
func.func @skewed(%a: !rows, %b: memref<?x96xf16, strided<[?, 1], offset: ?>>, %tile: !tile, %matrix: !matrix, %tails: !tails) {
  // CHECK: kami.copy_async %{{.+}} to %{{.+}} by 128 skewed %{{.+}} : memref<?x32xf16, strided<[?, 1], offset: ?>> to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>, memref<1024xi8, #gpu.address_space<workgroup>>
  kami.copy_async %a to %tile by 128 skewed %tails : !rows to !tile, !tails
  // CHECK: kami.place_async %{{.+}} to %{{.+}} in #{{.+}} by 128 skewed %{{.+}} : memref<?x96xf16, strided<[?, 1], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>, memref<1024xi8, #gpu.address_space<workgroup>>
  kami.place_async %b to %matrix in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 128 skewed %tails : memref<?x96xf16, strided<[?, 1], offset: ?>>, !matrix, !tails
  kami.copy_commit
  kami.copy_wait 0
  // CHECK: kami.deskew %{{.+}} to %{{.+}} by 128 tails %{{.+}} : memref<?x32xf16, strided<[?, 1], offset: ?>> to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>, memref<1024xi8, #gpu.address_space<workgroup>>
  kami.deskew %a to %tile by 128 tails %tails : !rows to !tile, !tails
  // CHECK: kami.deskew %{{.+}} to %{{.+}} in #{{.+}} by 128 tails %{{.+}} for_matrix_unit : memref<?x96xf16, strided<[?, 1], offset: ?>> to memref<16384xi8, #gpu.address_space<workgroup>>, memref<1024xi8, #gpu.address_space<workgroup>>
  kami.deskew %b to %matrix in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 128 tails %tails for_matrix_unit : memref<?x96xf16, strided<[?, 1], offset: ?>> to !matrix, !tails
  return
}

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!wide = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
!apart = memref<?x16xf64, strided<[?, 1], offset: ?>>

// CHECK-LABEL: func.func @keeps_skew
func.func @keeps_skew(%a: !apart, %tile: !wide, %row: index) {
  %c0 = arith.constant 0 : index
  // CHECK: kami.copy_async %[[A:.+]] to %[[TILE:.+]] by 128 keeps_skew : memref<?x16xf64, strided<[?, 1], offset: ?>> to memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
  kami.copy_async %a to %tile by 128 keeps_skew : !apart to !wide
  kami.copy_commit
  kami.copy_wait 0
  gpu.barrier
  // CHECK: kami.load %[[TILE]][%{{.+}}, %{{.+}}] row_in_bounds column_in_bounds skewed_as %[[A]] : memref<?x16xf64, strided<[?, 1], offset: ?>> : memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>> -> !a32x8
  %f = kami.load %tile[%row, %c0] row_in_bounds column_in_bounds skewed_as %a : !apart : !wide -> !kami.fragment<32x8xf64, a, #dmma>
  return
}

func.func @plans(%c: index) attributes {
  a = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = copied,
                 slices = {k = 16, shared = [0, 0]}, stages = 3, output = relayed, blocks = 264, rows = skewed>,
  row = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 192x64x32, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 3>} {
  return
}
