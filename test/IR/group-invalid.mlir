// RUN: kami-opt %s --split-input-file --verify-diagnostics

// Each constraint that ODS numbers, at least once.

//===----------------------------------------------------------------------===//
// #kami.shared_matrix
//===----------------------------------------------------------------------===//

// C1: the role is a or b

// expected-error@+1 {{expected a matrix of role a or b, but got c}}
#m = #kami.shared_matrix<64x64xf16, c, k_major, swizzle = 128>

// -----

// C2: a swizzle row has 128, 64, 32 or 16 bytes

// expected-error@+1 {{expected a swizzle of 16, 32, 64 or 128 bytes, but got 48}}
#m = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 48>

// -----

// C3: elements have 8, 16 or 32 bits; in mn_major, 16 or 32

// expected-error@+1 {{expected elements of 8, 16 or 32 bits in k_major, but got 'f64'}}
#m = #kami.shared_matrix<64x64xf64, b, k_major, swizzle = 128>

// -----

// expected-error@+1 {{expected elements of 16 or 32 bits in mn_major, but got 'f8E5M2'}}
#m = #kami.shared_matrix<64x64xf8E5M2, b, mn_major, swizzle = 64>

// -----

// C4: k is a positive multiple of 32 bytes, the other extent of 8, the major one
// of a swizzle row

// expected-error@+1 {{expected k to be a positive multiple of 16, but got 24}}
#m = #kami.shared_matrix<24x64xf16, b, mn_major, swizzle = 128>

// -----

// expected-error@+1 {{expected k to be a positive multiple of 64, but got 32}}
#m = #kami.shared_matrix<64x32xf16, a, k_major, swizzle = 128>

// -----

// expected-error@+1 {{expected n to be a positive multiple of 8, but got 12}}
#m = #kami.shared_matrix<64x12xf16, b, k_major, swizzle = 128>

// -----

// expected-error@+1 {{expected m to be a positive multiple of 32, but got 16}}
#m = #kami.shared_matrix<16x64xf16, a, mn_major, swizzle = 64>

//===----------------------------------------------------------------------===//
// kami.load_placed
//===----------------------------------------------------------------------===//

// -----

// C1: the fragment has the matrix's role and element type, and is not larger

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @load(%s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a matrix of at least 16x128, but got 64x64}}
  %f = kami.load_placed %s[%i, %i] in #a : !workgroup -> !kami.fragment<16x128xf16, a, #wgmma>
  return
}

// -----

// C2: the buffer holds the matrix

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>
!workgroup = memref<8000xi8, #gpu.address_space<workgroup>>
func.func @load(%s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a buffer of at least 8192 bytes, but got 8000}}
  %f = kami.load_placed %s[%i, %i] in #a : !workgroup -> !kami.fragment<16x64xf16, a, #wgmma>
  return
}

// -----

// C3: no interleaved tiles

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @load(%s: !workgroup, %i: index) {
  // expected-error@+1 {{expected tiles that are not interleaved, but got}}
  %f = kami.load_placed %s[%i, %i] in #a : !workgroup -> !kami.fragment<16x64xf16, a, #hmma, interleave = [0, 2]>
  return
}

//===----------------------------------------------------------------------===//
// kami.place
//===----------------------------------------------------------------------===//

// -----

// C1: the fragment has the matrix's role and element type, and is not larger

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @place(%f: !kami.fragment<16x64xf16, a, #wgmma>, %s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a matrix of role a with elements of type 'f16', but got #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>}}
  kami.place %f, %s[%i, %i] in #b : !kami.fragment<16x64xf16, a, #wgmma>, !workgroup
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @place(%f: !kami.fragment<128x8xf16, b, #wgmma>, %s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a matrix of at least 128x8, but got 64x64}}
  kami.place %f, %s[%i, %i] in #b : !kami.fragment<128x8xf16, b, #wgmma>, !workgroup
  return
}

// -----

// C2: the buffer is in workgroup memory, starts at no offset, and holds the matrix

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8>
func.func @place(%f: !kami.fragment<16x8xf16, b, #wgmma>, %s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a buffer in workgroup memory without offset, but got 'memref<8192xi8>'}}
  kami.place %f, %s[%i, %i] in #b : !kami.fragment<16x8xf16, b, #wgmma>, !workgroup
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
func.func @place(%f: !kami.fragment<16x8xf16, b, #wgmma>, %s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a buffer in workgroup memory without offset, but got 'memref<8192xi8, strided<[1], offset: ?>, #gpu.address_space<workgroup>>'}}
  kami.place %f, %s[%i, %i] in #b : !kami.fragment<16x8xf16, b, #wgmma>, !workgroup
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8191xi8, #gpu.address_space<workgroup>>
func.func @place(%f: !kami.fragment<16x8xf16, b, #wgmma>, %s: !workgroup, %i: index) {
  // expected-error@+1 {{expected a buffer of at least 8192 bytes, but got 8191}}
  kami.place %f, %s[%i, %i] in #b : !kami.fragment<16x8xf16, b, #wgmma>, !workgroup
  return
}

//===----------------------------------------------------------------------===//
// kami.group_mma
//===----------------------------------------------------------------------===//

// -----

// C1: C's role is c, and its atom's instruction is wgmma

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf16, a, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a C of role c, but got a}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xf16, a, #wgmma>, !workgroup, !kami.fragment<16x64xf16, a, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#mma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, a, #mma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #mma>, %i: index) {
  // expected-error@+1 {{expected an atom of instruction wgmma, but got mma_sync}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xf16, a, #mma>, !workgroup, !kami.fragment<16x64xf32, c, #mma>
  return
}

// -----

// C5: fragments have the atom's elements

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xi8, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected elements of type 'f16', the atom's for role a, but got 'i8'}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xi8, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

// C6: a kami.group_wait is the only user of what is pending

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
!c = !kami.fragment<16x64xf32, c, #wgmma>
func.func @pending(%a: !kami.fragment<16x64xf16, a, #wgmma>, %s: !workgroup, %c: !c, %i: index) -> !c {
  // expected-error@+1 {{expected kami.group_wait as the only user of what is pending}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c pending : !kami.fragment<16x64xf16, a, #wgmma>, !workgroup, !c
  return %d : !c
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<16x64xf32, c, #wgmma>
func.func @waits(%c: !c) -> !c {
  // expected-error@+1 {{expected the result of a pending kami.group_mma}}
  %d = kami.group_wait %c : !c
  return %d : !c
}

// -----

// C2: A is a fragment of role a with C's atom and rows, or a buffer with a row, a
// column, a matrix and a depth

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, b, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected an A of role a, but got b}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xf16, b, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#mma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, a, #mma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected fragments of one atom}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xf16, a, #mma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<32x64xf16, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected C's m extent 32, as A's, but got 16}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<32x64xf16, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected no indices, matrix and depth for an A in registers}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c depth 64 : !kami.fragment<16x64xf16, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !workgroup, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a row, a column, a matrix and a depth for an A in shared memory}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c depth 64 : !workgroup, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !workgroup, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a depth that is a positive multiple of 16, but got 24}}
  %d = kami.group_mma %a[%i, %i] in #a, %s[%i, %i] in #b, %c depth 24 : !workgroup, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

// C3: a matrix has its operand's role and the atom's type, and is not smaller than
// the window

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !workgroup, %s: !workgroup, %c: !kami.fragment<32x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a matrix of at least 128x64, but got 64x64}}
  %d = kami.group_mma %a[%i, %i] in #a, %s[%i, %i] in #b, %c depth 64 : !workgroup, !workgroup, !kami.fragment<32x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xbf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a matrix of role b with elements of type 'f16', but got #kami.shared_matrix<64x64xbf16, b, k_major, swizzle = 128>}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xf16, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x128xf16, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a matrix of at least 128x64, but got 64x64}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x128xf16, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

// C4: the buffers are in workgroup memory, start at no offset, and hold the
// matrices

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!workgroup = memref<64xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !kami.fragment<16x64xf16, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected a buffer of at least 8192 bytes, but got 64}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x64xf16, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

//===----------------------------------------------------------------------===//
// kami.matrix_descriptor
//===----------------------------------------------------------------------===//

// -----

// C1: the buffer holds the matrix

#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @descriptor(%s: memref<64xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected a buffer of at least 8192 bytes, but got 64}}
  %d = kami.matrix_descriptor %s[%i, %i] : memref<64xi8, #gpu.address_space<workgroup>> -> !kami.matrix_descriptor<#b>
  return
}

//===----------------------------------------------------------------------===//
// kami.wgmma
//===----------------------------------------------------------------------===//

// -----

// C1: the atom's instruction is wgmma

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#mma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: vector<8xf16>, %b: !kami.matrix_descriptor<#b>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected an atom of instruction wgmma, but got mma_sync}}
  %d = kami.wgmma %a, %b, [%c] atom #mma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  return
}

// -----

// C2: A is a vector of what a lane holds, or a descriptor

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: vector<4xf16>, %b: !kami.matrix_descriptor<#b>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected operand a of type 'vector<8xf16>', but got 'vector<4xf16>'}}
  %d = kami.wgmma %a, %b, [%c] atom #wgmma : vector<4xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: !kami.matrix_descriptor<#b>, %b: !kami.matrix_descriptor<#b>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected operand a to describe a matrix of that role with elements of type 'f16', but got #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>}}
  %d = kami.wgmma %a, %b, [%c] atom #wgmma : !kami.matrix_descriptor<#b>, !kami.matrix_descriptor<#b>, vector<4xf32>
  return
}

// -----

// C3: B is a descriptor of a matrix with that role and type

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: vector<8xf16>, %b: !kami.matrix_descriptor<#a>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected operand b to describe a matrix of that role with elements of type 'f16', but got #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128>}}
  %d = kami.wgmma %a, %b, [%c] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#a>, vector<4xf32>
  return
}

// -----

// C4: C is 1 to 32 vectors of what a lane holds; of integers, up to 4 or an even
// number

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: vector<8xf16>, %b: !kami.matrix_descriptor<#b>, %c: vector<8xf32>) {
  // expected-error@+1 {{expected tiles of C of type 'vector<4xf32>', but got 'vector<8xf32>'}}
  %d = kami.wgmma %a, %b, [%c] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<8xf32>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: vector<8xf16>, %b: !kami.matrix_descriptor<#b>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected 1 to 32 tiles of C, but got 33}}
  %d:33 = kami.wgmma %a, %b, [%c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c, %c] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#i8 = #kami.mma_atom<wgmma 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#bi8 = #kami.shared_matrix<128x64xi8, b, k_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
func.func @wgmma(%a: vector<16xi8>, %b: !kami.matrix_descriptor<#bi8>, %c: vector<4xi32>) {
  // expected-error@+1 {{expected up to 4 or an even number of tiles of C for integers, but got 5}}
  %d:5 = kami.wgmma %a, %b, [%c, %c, %c, %c, %c] atom #i8 : vector<16xi8>, !kami.matrix_descriptor<#bi8>, vector<4xi32>
  return
}

//===----------------------------------------------------------------------===//
// kami.wgmma_wait
//===----------------------------------------------------------------------===//

// -----

// C1: at least one value, and all of one type

func.func @wait() {
  // expected-error@+1 {{expected at least one value}}
  "kami.wgmma_wait"() : () -> ()
  return
}

// -----

func.func @wait(%a: vector<4xf32>, %b: vector<4xf16>) {
  // expected-error@+1 {{expected values of one type, but got 'vector<4xf32>' and 'vector<4xf16>'}}
  %0:2 = "kami.wgmma_wait"(%a, %b) : (vector<4xf32>, vector<4xf16>) -> (vector<4xf32>, vector<4xf16>)
  return
}

//===----------------------------------------------------------------------===//
// What the matrix unit reads of 32 bits
//===----------------------------------------------------------------------===//

// -----

// kami.group_mma, C7: elements of 32 bits are adjacent along k

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<32x64xf32, b, mn_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @group_mma(%a: !kami.fragment<16x32xf32, a, #wgmma>, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected elements that are adjacent along k, but got #kami.shared_matrix<32x64xf32, b, mn_major, swizzle = 128>}}
  %d = kami.group_mma %a, %s[%i, %i] in #b, %c : !kami.fragment<16x32xf32, a, #wgmma>, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<32x64xf32, b, mn_major, swizzle = 128>
func.func @wgmma(%a: vector<4xf32>, %b: !kami.matrix_descriptor<#b>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected elements that are adjacent along k, but got}}
  %d = kami.wgmma %a, %b, [%c] atom #wgmma : vector<4xf32>, !kami.matrix_descriptor<#b>, vector<4xf32>
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["adjacent.a.16x8.b32", "nv.b.8x8.b32", "adjacent.c.16x8.b32"]>
#a = #kami.shared_matrix<64x32xf32, a, k_major, swizzle = 128>
#b = #kami.shared_matrix<32x64xf32, b, k_major, swizzle = 128>
!workgroup = memref<8192xi8, #gpu.address_space<workgroup>>
func.func @mma(%a: !workgroup, %s: !workgroup, %c: !kami.fragment<16x64xf32, c, #wgmma>, %i: index) {
  // expected-error@+1 {{expected the instruction's own rows of C for an A in shared memory, but got layout 'adjacent.c.16x8.b32'}}
  %d = kami.group_mma %a[%i, %i] in #a, %s[%i, %i] in #b, %c depth 32 : !workgroup, !workgroup, !kami.fragment<16x64xf32, c, #wgmma>
  return
}
