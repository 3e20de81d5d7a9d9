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

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a stationary operand only of tf32 that is copied in bulk, where what comes next is prefetched and C is not relayed}}
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, stationary = operand>

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a stationary operand only of tf32 that is copied in bulk, where what comes next is prefetched and C is not relayed}}
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, output = relayed, blocks = 2, next = prefetched, copies = bulk, stationary = operand>

// -----

#half = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a stationary operand only of tf32}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #half, tile = 64x64x32, transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
func.func @join_rows(%a: !kami.fragment<16x8xf32, a, #tf32>, %b: !kami.fragment<32x8xf32, a, #tf32>) {
  // expected-error@+1 {{'kami.join' op expected fragments of the result's role, rows and atom, but got}}
  %0 = kami.join %a, %b : !kami.fragment<16x8xf32, a, #tf32>, !kami.fragment<32x8xf32, a, #tf32> -> !kami.fragment<16x16xf32, a, #tf32>
  return
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
func.func @join_columns(%a: !kami.fragment<16x8xf32, a, #tf32>) {
  // expected-error@+1 {{'kami.join' op expected fragments of 32 columns together, but got 16}}
  %0 = kami.join %a, %a : !kami.fragment<16x8xf32, a, #tf32>, !kami.fragment<16x8xf32, a, #tf32> -> !kami.fragment<16x32xf32, a, #tf32>
  return
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
func.func @join_interleaved(%a: !kami.fragment<16x16xf32, a, #tf32, interleave = [0, 2]>) {
  // expected-error@+1 {{'kami.join' op expected tiles that are not interleaved, but got}}
  %0 = kami.join %a, %a : !kami.fragment<16x16xf32, a, #tf32, interleave = [0, 2]>, !kami.fragment<16x16xf32, a, #tf32, interleave = [0, 2]> -> !kami.fragment<16x32xf32, a, #tf32>
  return
}
