// RUN: kami-opt %s --split-input-file --verify-diagnostics

// mbarrier_init (C1)
func.func @words(%barriers: memref<3xi64>) {
  // expected-error@+1 {{expected at least 1 mbarriers in workgroup memory, but got 'memref<3xi64>'}}
  kami.mbarrier_init %barriers arrivals 2 : memref<3xi64>
  return
}

// -----

// (C2)
func.func @arrivals(%barriers: memref<3xi64, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected at least one arrival, but got 0}}
  kami.mbarrier_init %barriers arrivals 0 : memref<3xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// mbarrier_arrive (C2)
func.func @arrive(%barriers: memref<3xi64, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected one arrival of every warp, but got 2}}
  kami.mbarrier_arrive %barriers[%i] arrivals 2 every_warp : memref<3xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// mbarrier_inval (C1)
func.func @many(%barriers: memref<?xi64, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected at least 1 mbarriers in workgroup memory, but got}}
  kami.mbarrier_inval %barriers : memref<?xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// tensor_map (C1)
func.func @type(%b: memref<?x?xf32>, %maps: memref<256xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected a source of 'f16', but got 'f32'}}
  kami.tensor_map %b as #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> in %maps[%i] : memref<?x?xf32>, memref<256xi8, #gpu.address_space<workgroup>>
  return
}

// -----

// (C1)
func.func @order(%b: memref<?x?xf16>, %maps: memref<256xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected adjacent elements along dimension 0, but got 'memref<?x?xf16>'}}
  kami.tensor_map %b as #kami.shared_matrix<64x128xf16, b, k_major, swizzle = 128> in %maps[%i] : memref<?x?xf16>, memref<256xi8, #gpu.address_space<workgroup>>
  return
}

// -----

// (C2)
func.func @swizzle(%b: memref<?x?xf16>, %maps: memref<256xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected a matrix with swizzle rows of 32 bytes or more and at most 256 lines, but got}}
  kami.tensor_map %b as #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 16> in %maps[%i] : memref<?x?xf16>, memref<256xi8, #gpu.address_space<workgroup>>
  return
}

// -----

// (C3)
func.func @room(%b: memref<?x?xf16>, %maps: memref<64xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected at least 128 bytes in workgroup memory, but got}}
  kami.tensor_map %b as #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> in %maps[%i] : memref<?x?xf16>, memref<64xi8, #gpu.address_space<workgroup>>
  return
}

// -----

// (C4)
func.func @rounded(%b: memref<?x?xf16>, %maps: memref<256xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected elements of type f32 that are rounded, but got 'f16'}}
  kami.tensor_map %b as #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> in %maps[%i] rounded : memref<?x?xf16>, memref<256xi8, #gpu.address_space<workgroup>>
  return
}

// -----

// place_bulk (C1)
func.func @buffer(%maps: memref<256xi8, #gpu.address_space<workgroup>>, %buffer: memref<128xi8, #gpu.address_space<workgroup>>,
                  %barriers: memref<3xi64, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{128}}
  kami.place_bulk %maps[%i] at[%i, %i] to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> arrive %barriers[%i]
      : memref<256xi8, #gpu.address_space<workgroup>>, memref<128xi8, #gpu.address_space<workgroup>>, memref<3xi64, #gpu.address_space<workgroup>>
  return
}

// -----

// A plan (C15)
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected bulk copies only of operands that are copied for warp groups}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, copies = bulk>
