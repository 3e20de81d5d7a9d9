// What the copy engine brings, and what it is told.

// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#matrix = #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128>
#tf32 = #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128>
!bytes = memref<16384xi8, #gpu.address_space<workgroup>>
!maps = memref<256xi8, #gpu.address_space<workgroup>>
!barriers = memref<3xi64, #gpu.address_space<workgroup>>

// CHECK: #kami.plan<{{.+}} stages = 2, blocks = 264, rows = skewed, copies = bulk>
// CHECK: #kami.plan<{{.+}} next = prefetched, copies = bulk, taken = 1, stationary = operand>
func.func private @plan() attributes {plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x32, transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 264, rows = skewed, copies = bulk>}

// CHECK-LABEL: func.func @bulk
func.func @bulk(%batch: memref<7x64x256xf16>, %b: memref<?x?xf16, strided<[?, 1], offset: ?>>, %t: memref<?x?xf32, strided<[1, ?], offset: ?>>,
                %buffer: !bytes, %maps: !maps, %barriers: !barriers, %i: index, %parity: i32) {
  // CHECK: kami.mbarrier_init %{{.+}} arrivals 2 : memref<3xi64, #gpu.address_space<workgroup>>
  kami.mbarrier_init %barriers arrivals 2 : !barriers
  // CHECK: kami.tensor_map %{{.+}} as #{{.+}} in %{{.+}}[%{{.+}}] : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  kami.tensor_map %b as #matrix in %maps[%i] : memref<?x?xf16, strided<[?, 1], offset: ?>>, !maps
  // CHECK: kami.tensor_map %{{.+}} as #{{.+}} in %{{.+}}[%{{.+}}] rounded : memref<?x?xf32
  kami.tensor_map %t as #tf32 in %maps[%i] rounded : memref<?x?xf32, strided<[1, ?], offset: ?>>, !maps
  // CHECK: kami.acquire_map %{{.+}}[%{{.+}}] : memref<256xi8, #gpu.address_space<workgroup>>
  kami.acquire_map %maps[%i] : !maps
  // CHECK: kami.place_bulk %{{.+}}[%{{.+}}] at[%{{.+}}, %{{.+}}] to %{{.+}} in #{{.+}} arrive %{{.+}}[%{{.+}}]
  kami.place_bulk %maps[%i] at[%i, %i] to %buffer in #matrix arrive %barriers[%i] : !maps, !bytes, !barriers
  // CHECK: kami.tensor_map %{{.+}} as #{{.+}} in %{{.+}}[%{{.+}}] : memref<7x64x256xf16>, memref<256xi8, #gpu.address_space<workgroup>>
  kami.tensor_map %batch as #matrix in %maps[%i] : memref<7x64x256xf16>, !maps
  // CHECK: kami.place_bulk %{{.+}}[%{{.+}}] at[%{{.+}}, %{{.+}}] of[%{{.+}}] to
  kami.place_bulk %maps[%i] at[%i, %i] of[%i] to %buffer in #matrix arrive %barriers[%i] : !maps, !bytes, !barriers
  // CHECK: kami.mbarrier_arrive %{{.+}}[%{{.+}}] arrivals 2 : memref<3xi64, #gpu.address_space<workgroup>>
  kami.mbarrier_arrive %barriers[%i] arrivals 2 : !barriers
  // CHECK: kami.mbarrier_wait %{{.+}}[%{{.+}}] parity %{{.+}} : memref<3xi64, #gpu.address_space<workgroup>>
  kami.mbarrier_wait %barriers[%i] parity %parity : !barriers
  // CHECK: kami.mbarrier_arrive %{{.+}}[%{{.+}}] arrivals 1 every_warp : memref
  kami.mbarrier_arrive %barriers[%i] arrivals 1 every_warp : !barriers
  // CHECK: kami.mbarrier_wait %{{.+}}[%{{.+}}] parity %{{.+}} every_warp : memref
  kami.mbarrier_wait %barriers[%i] parity %parity every_warp : !barriers
  // CHECK: kami.mbarrier_inval %{{.+}} : memref<3xi64, #gpu.address_space<workgroup>>
  kami.mbarrier_inval %barriers : !barriers
  return
}

#rounded = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
func.func private @stationary() attributes {plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #rounded, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, taken = 1, stationary = operand>}

// CHECK-LABEL: func.func @join
// CHECK:         kami.join %{{.+}}, %{{.+}} : !a16x24, !a16x8 -> !a16x32
func.func @join(%a: !kami.fragment<16x24xf32, a, #rounded>, %b: !kami.fragment<16x8xf32, a, #rounded>) -> !kami.fragment<16x32xf32, a, #rounded> {
  %0 = kami.join %a, %b : !kami.fragment<16x24xf32, a, #rounded>, !kami.fragment<16x8xf32, a, #rounded> -> !kami.fragment<16x32xf32, a, #rounded>
  return %0 : !kami.fragment<16x32xf32, a, #rounded>
}
