// RUN: kami-opt %s --split-input-file --verify-diagnostics

// Each constraint that ODS numbers, at least once. An atom's C4, one number of
// lanes, waits for a second width of warps among the layouts.

//===----------------------------------------------------------------------===//
// #kami.mma_atom
//===----------------------------------------------------------------------===//

// C1: each layout is known

// expected-error@+1 {{unknown layout 'nv.a.typo' for A}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.typo", "nv.b.16x8.b16", "nv.c.16x8.b32"]>

// -----

// C2: A's layout covers m x k, B's k x n, C's m x n

// expected-error@+1 {{expected a layout of 16x16 for A, but 'nv.a.16x8.b64' is 16x8}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x8.b64", "nv.b.16x8.b16", "nv.c.16x8.b32"]>

// -----

// expected-error@+1 {{expected a layout of 16x8 for B, but 'nv.b.8x8.b32' is 8x8}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.8x8.b32", "nv.c.16x8.b32"]>

// -----

// expected-error@+1 {{expected a layout of 16x8 for C, but 'nv.c.8x8.b64' is 8x8}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.8x8.b64"]>

// -----

// C3: each layout is for elements as wide as the type's

// expected-error@+1 {{expected a layout of 16-bit elements for A, but 'nv.a.16x16.b64' is for 64 bits}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b64", "nv.b.16x8.b16", "nv.c.16x8.b32"]>

// -----

// expected-error@+1 {{expected an integer or float type for C, but got 'index'}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, index, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>

// -----

// C4: C has no replicas

// expected-error@+1 {{expected a layout without replicas for C, but got 'nv.b.1x8.b32'}}
#atom = #kami.mma_atom<fma 1x8x8, f32, f32, f32, ["nv.b.1x8.b32", "nv.b.8x8.b32", "nv.b.1x8.b32"]>

// -----

// C5: 1 or 3 products, and 3 only with mma_sync on f32

// expected-error@+1 {{expected 1 or 3 products, but got 2}}
#atom = #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"], products = 2>

// -----

// expected-error@+1 {{expected mma_sync on f32 for 3 products, but got mma_sync on 'f16', 'f16' and 'f32'}}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"], products = 3>

// -----

// C6: a lane of fma holds the factors of its sums

// expected-error@+1 {{expected layouts for fma in which each lane holds the rows of A and the columns of B that its elements of C need}}
#atom = #kami.mma_atom<fma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>

// -----

// Assembly: three extents

// expected-error@+1 {{expected three extents, m x n x k, but got 2}}
#atom = #kami.mma_atom<mma_sync 16x8, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>

// -----

//===----------------------------------------------------------------------===//
// #kami.plan
//===----------------------------------------------------------------------===//

// C1: the grid's and the tile's extents are positive

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected the grid's extents to be 1 to 1024, but got 0}}
#plan = #kami.plan<one_d, grid = [4, 0, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected the grid's extents to be 1 to 1024, but got -1}}
#plan = #kami.plan<one_d, grid = [4, 1, -1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected the tile's extents to be 1 to 1048576, but got 0}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x0, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

// C2: the algorithm is the grid's

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected algorithm two_d for this grid, but got one_d}}
#plan = #kami.plan<one_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected algorithm three_d for this grid, but got two_d}}
#plan = #kami.plan<two_d, grid = [2, 2, 2], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected algorithm one_d for this grid, but got three_d}}
#plan = #kami.plan<three_d, grid = [1, 4, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

// C3: the slice's k is a positive multiple of the atom's

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected the slice's k to be a multiple of the atom's 16, but got 24}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 24, shared = [0, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected the slice's k to be a multiple of the atom's 16, but got 0}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 0, shared = [0, 0]}>

// -----

// C4: no more slices are shared than a warp holds. A is dealt to one column, B's
// k to four rows

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected 0 to 4 shared slices of A, as many as a warp holds, but got 5}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [5, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected 0 to 1 shared slices of B, as many as a warp holds, but got 2}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 2]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected 0 to 4 shared slices of A, as many as a warp holds, but got -1}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [-1, 0]}>

// -----

// C5: gathered transport shares all slices of what is broadcast

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected gathered transport to share all 1 slices of B, but got 0}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = gathered, slices = {k = 16, shared = [0, 0]}>

// -----

//===----------------------------------------------------------------------===//
// !kami.fragment
//===----------------------------------------------------------------------===//

// C1: the element type is an integer or a float of at most 64 bits

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected an integer or float of at most 64 bits as element type, but got 'index'}}
func.func private @f(!kami.fragment<16x64xindex, b, #hmma>)

// -----

// C2: the extents are positive multiples of the atom's for the role

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a positive multiple of 16x16, but got 24x16}}
func.func private @f(!kami.fragment<24x16xf16, a, #hmma>)

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a positive multiple of 16x8, but got 16x12}}
func.func private @f(!kami.fragment<16x12xf16, b, #hmma>)

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a positive multiple of 16x8, but got 0x8}}
func.func private @f(!kami.fragment<0x8xf32, c, #hmma>)

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected at most 131072 elements, but got 16384x16}}
func.func private @f(!kami.fragment<16384x16xf32, c, #hmma>)

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected at most 262144 elements, but got 4294967296x4294967296}}
func.func private @f(!kami.fragment<4294967296x4294967296xf16, a, #hmma>)

// -----

// Nor does a plan have warps hold so much.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warps that hold at most 131072 elements of c at a time, but got 512x512}}
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 1024x512x16, transport = staged, slices = {k = 16, shared = [0, 0]}>

// -----

// Assembly: rows and columns

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected rows x columns, but got 3 extents}}
func.func private @f(!kami.fragment<2x16x16xf16, a, #hmma>)

// -----

//===----------------------------------------------------------------------===//
// kami.gemm
//===----------------------------------------------------------------------===//

// C1: all tensors, with a result of C's type, or all memrefs, without a result

func.func @gemm(%a: tensor<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected operands that are all tensors or all memrefs}}
  kami.gemm ins(%a, %b : tensor<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: tensor<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected operands that are all tensors or all memrefs}}
  %d = kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32) -> tensor<8x8xf32>
  return
}

// -----

func.func @gemm(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a result, since C is no memref}}
  kami.gemm ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected no result, since C is a memref}}
  %d = kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32) -> tensor<8x8xf32>
  return
}

// -----

func.func @gemm(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a result of type 'tensor<8x8xf32>', C's, but got 'tensor<?x8xf32>'}}
  %d = kami.gemm ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32) -> tensor<?x8xf32>
  return
}

// -----

// C2: at least two dimensions, C no fewer than A or B

func.func @gemm(%a: memref<8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected at least two dimensions of A, but got 1}}
  kami.gemm ins(%a, %b : memref<8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected at least two dimensions of C, but got 1}}
  %d = kami.gemm ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8xf32>) accumulator(f32) -> tensor<8xf32>
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<1x8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected no more dimensions of B than C's 2, but got 3}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<1x8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

// C3: A's and B's element types are equal, or both floats of 8 bits

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xbf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected A and B of one element type, but got 'f16' and 'bf16'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xbf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

// C4: the extents of m, n and k agree, and are not 0

func.func @gemm(%a: memref<9x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected A's m extent 8, as C's, but got 9}}
  kami.gemm ins(%a, %b : memref<9x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x9xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected B's n extent 8, as C's, but got 9}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x9xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x16xf16>, %b: memref<17x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected B's k extent 16, as A's, but got 17}}
  kami.gemm ins(%a, %b : memref<8x16xf16>, memref<17x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

// ... as transposed

func.func @gemm(%a: memref<16x8xf16>, %b: memref<8x12xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected B's k extent 16, as A's, but got 12}}
  kami.gemm ins(%a, %b : memref<16x8xf16>, memref<8x12xf16>) outs(%c : memref<8x8xf32>) transpose_a transpose_b accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x0xf16>, %b: memref<3x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected B's k extent 0, as A's, but got 3}}
  kami.gemm ins(%a, %b : memref<8x0xf16>, memref<3x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

// C18: C is neither A nor B, and no two of its elements have one address

func.func @gemm(%a: memref<8x8xf64>, %b: memref<8x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected C to be another memref than B}}
  kami.gemm ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%b : memref<8x8xf64>) accumulator(f64)
  return
}

// -----

!c = memref<4x8x8xf32, strided<[0, 8, 1]>>
func.func @broadcast(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected no two elements of C at one address, but got 'memref<4x8x8xf32, strided<[0, 8, 1]>>'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : !c) accumulator(f32)
  return
}

// -----

// Products begin before the last one ends, in its rows or between them.

!c = memref<4x8x8xf32, strided<[50, 8, 1]>>
func.func @early(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected no two elements of C at one address}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : !c) accumulator(f32)
  return
}

// -----

!c = memref<3x8x8xf32, strided<[12, 16, 1], offset: 7>>
func.func @interleaved(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected no two elements of C at one address}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : !c) accumulator(f32)
  return
}

// -----

!c = memref<?x8x8xf32, strided<[?, 7, 1]>>
func.func @rows(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected no two elements of C at one address}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : !c) accumulator(f32)
  return
}

// -----

// C5: batch extents equal C's, or are 1

func.func @gemm(%a: memref<2x8x8xf16>, %b: memref<8x8xf16>, %c: memref<4x8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected batch extent 4 or 1 of A, but got 2}}
  kami.gemm ins(%a, %b : memref<2x8x8xf16>, memref<8x8xf16>) outs(%c : memref<4x8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<3x1x8x8xf16>, %c: memref<4x5x8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected batch extent 4 or 1 of B, but got 3}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<3x1x8x8xf16>) outs(%c : memref<4x5x8x8xf32>) accumulator(f32)
  return
}

// -----

// C6: alpha and beta have the accumulator's type

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: f16) {
  // expected-error@+1 {{'kami.gemm' op expected alpha of the accumulator's type 'f32', but got 'f16'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) alpha(%s : f16) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: f64) {
  // expected-error@+1 {{'kami.gemm' op expected beta of the accumulator's type 'f32', but got 'f64'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) beta(%s : f64) accumulator(f32)
  return
}

// -----

// C7: the accumulator is at least as wide as A's elements; C's elements have its
// type or are narrower floats

func.func @gemm(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected an accumulator at least as wide as A's 'f64', but got 'f32'}}
  kami.gemm ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

func.func @accumulator_of_b(%a: memref<64x32xf8E5M2>, %b: memref<32x48xf16>, %c: memref<64x48xf8E5M2>) {
  // expected-error@+1 {{'kami.gemm' op expected an accumulator at least as wide as B's 'f16', but got 'f8E5M2'}}
  kami.gemm ins(%a, %b : memref<64x32xf8E5M2>, memref<32x48xf16>) outs(%c : memref<64x48xf8E5M2>) accumulator(f8E5M2)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected C's elements of the accumulator's type 'f32' or of a narrower one, but got 'f64'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf64>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xbf16>) {
  // expected-error@+1 {{'kami.gemm' op expected C's elements of the accumulator's type 'f16' or of a narrower one, but got 'bf16'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xbf16>) accumulator(f16)
  return
}

// -----

func.func @gemm(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi8>) {
  // expected-error@+1 {{'kami.gemm' op expected C's elements of the accumulator's type 'i32', but got 'i8'}}
  kami.gemm ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi8>) accumulator(i32)
  return
}

// -----

// C8: elements and accumulator are all floats or all integers

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected elements and accumulator that are all floats or all integers, but got 'f16', 'f32' and 'i32'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(i32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected elements and accumulator that are all floats or all integers, but got 'i8', 'f32' and 'i32'}}
  kami.gemm ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xf32>) accumulator(i32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xindex>, %b: memref<8x8xindex>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected integer or float elements, but got 'index'}}
  kami.gemm ins(%a, %b : memref<8x8xindex>, memref<8x8xindex>) outs(%c : memref<8x8xf32>) accumulator(f32)
  return
}

// -----

// C9: a precision is one of f32

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected f32 elements and accumulator for precision tf32, but got 'f16' and 'f32'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32) precision<tf32>
  return
}

// -----

func.func @gemm(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected f32 elements and accumulator for precision tf32x3, but got 'f32' and 'f64'}}
  kami.gemm ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf64>) accumulator(f64) precision<tf32x3>
  return
}

// -----

// C10: only integers can be without a sign

func.func @gemm(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected integer elements for unsigned_b, but got 'f32'}}
  kami.gemm ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) accumulator(f32) unsigned_b
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.warp_coordinates
//===----------------------------------------------------------------------===//

// C1: the grid's extents are positive

func.func @coordinates() {
  // expected-error@+1 {{'kami.warp_coordinates' op expected the grid's extents to be positive, but got 0}}
  %row, %column, %layer = kami.warp_coordinates [2, 0, 1]
  return
}

// -----

func.func @coordinates() {
  // expected-error@+1 {{'kami.warp_coordinates' op expected a grid of three extents, but got 2}}
  %row, %column, %layer = kami.warp_coordinates [2, 2]
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.load
//===----------------------------------------------------------------------===//

// C1: the matrix's element type is the fragment's, or has no other numbers

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>

func.func @load(%m: memref<64x64xf32>, %i: index) {
  // expected-error@+1 {{'kami.load' op expected a matrix of 'f16' or of floats that it has, but got 'f32'}}
  %0 = kami.load %m[%i, %i] : memref<64x64xf32> -> !a
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>

func.func @load_other_float(%m: memref<64x64xbf16>, %i: index) {
  // expected-error@+1 {{'kami.load' op expected a matrix of 'f16' or of floats that it has, but got 'bf16'}}
  %0 = kami.load %m[%i, %i] : memref<64x64xbf16> -> !a
  return
}

// -----

#imma = #kami.mma_atom<mma_sync 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x32xi8, a, #imma>

func.func @load_integer(%m: memref<64x64xf8E5M2>, %i: index) {
  // expected-error@+1 {{'kami.load' op expected a matrix of 'i8', but got 'f8E5M2'}}
  %0 = kami.load %m[%i, %i] : memref<64x64xf8E5M2> -> !a
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.store
//===----------------------------------------------------------------------===//

// C1: the fragment's role is c

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>

func.func @store(%f: !a, %m: memref<64x64xf16>, %i: index) {
  // expected-error@+1 {{'kami.store' op expected a fragment of role c, but got a}}
  kami.store %f, %m[%i, %i] : !a, memref<64x64xf16>
  return
}

// -----

// C2: alpha and beta have the fragment's element type

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>

func.func @store(%f: !c, %m: memref<64x64xf32>, %i: index, %s: f64) {
  // expected-error@+1 {{'kami.store' op expected a scale of type 'f32', but got 'f64'}}
  kami.store %f, %m[%i, %i] alpha(%s : f64) : !c, memref<64x64xf32>
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>

func.func @store(%f: !c, %m: memref<64x64xf32>, %i: index, %s: f64) {
  // expected-error@+1 {{'kami.store' op expected a scale of type 'f32', but got 'f64'}}
  kami.store %f, %m[%i, %i] beta(%s : f64) : !c, memref<64x64xf32>
  return
}

// -----

// C3: the matrix's elements have the fragment's type or are narrower floats

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>

func.func @store(%f: !c, %m: memref<64x64xf64>, %i: index) {
  // expected-error@+1 {{'kami.store' op expected a matrix of 'f32' or of narrower floats, but got 'f64'}}
  kami.store %f, %m[%i, %i] : !c, memref<64x64xf64>
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>

func.func @store(%f: !c, %m: memref<64x64xi32>, %i: index) {
  // expected-error@+1 {{'kami.store' op expected a matrix of 'f32' or of narrower floats, but got 'i32'}}
  kami.store %f, %m[%i, %i] : !c, memref<64x64xi32>
  return
}

// -----

// C4: the buffer is in workgroup memory and holds a tile's rows

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>

func.func @store(%f: !c, %m: memref<64x64xf16>, %i: index, %b: memref<4096xi8>) {
  // expected-error@+1 {{'kami.store' op expected a buffer in workgroup memory, but got 'memref<4096xi8>'}}
  kami.store %f, %m[%i, %i] via %b : memref<4096xi8> : !c, memref<64x64xf16>
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>
!buffer = memref<2303xi8, #gpu.address_space<workgroup>>

func.func @store(%f: !c, %m: memref<64x64xf16>, %i: index, %b: !buffer) {
  // expected-error@+1 {{'kami.store' op expected a buffer of at least 2304 bytes, but got 2303}}
  kami.store %f, %m[%i, %i] via %b : !buffer : !c, memref<64x64xf16>
  return
}

// -----

// C5: with a buffer, no beta and a fragment that is not interleaved

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>
!buffer = memref<2304xi8, #gpu.address_space<workgroup>>

func.func @store(%f: !c, %m: memref<64x64xf16>, %i: index, %s: f32, %b: !buffer) {
  // expected-error@+1 {{'kami.store' op expected neither beta nor an interleaved fragment with a buffer}}
  kami.store %f, %m[%i, %i] beta(%s : f32) via %b : !buffer : !c, memref<64x64xf16>
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.fill
//===----------------------------------------------------------------------===//

// C1: the value's type is the fragment's element type

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>

func.func @fill(%x: f16) {
  // expected-error@+1 {{'kami.fill' op expected a value of type 'f32', but got 'f16'}}
  %0 = kami.fill %x : f16 -> !c
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.barrier
//===----------------------------------------------------------------------===//

// C1: the grid's extents are positive

func.func @barrier() {
  // expected-error@+1 {{'kami.barrier' op expected the grid's extents to be positive, but got 0}}
  kami.barrier in [2, 0, 1] within row
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.broadcast
//===----------------------------------------------------------------------===//

// C6: all fragments travel within the barriers' scope

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected barriers that hold up a row, along which fragment 0 travels, but got barriers within a column}}
  %0 = kami.broadcast in [2, 2, 1] within column %a : !a along row from 0 via %buffer : !buffer
  return
}

// -----

// C1: at least one fragment, and one group, owner and buffer for each

func.func @broadcast() {
  // expected-error@+1 {{'kami.broadcast' op expected one group, owner, buffer and result for each of its 0 fragments, and at least one}}
  "kami.broadcast"() <{grid = array<i64: 2, 2, 1>, groups = [], owners = array<i64>}> : () -> ()
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected one group, owner, buffer and result for each of its 1 fragments, and at least one}}
  %0 = "kami.broadcast"(%a, %buffer) <{grid = array<i64: 2, 2, 1>, groups = [#kami.group<row>], owners = array<i64: 0, 1>}> : (!a, !buffer) -> !a
  return
}

// -----

// C2: the grid's extents are positive, an owner lies in its group

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected the grid's extents to be positive, but got -2}}
  %0 = kami.broadcast in [2, -2, 1] %a : !a along row from 0 via %buffer : !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<4096xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected an owner below 4, the size of a row, but got 4}}
  %0 = kami.broadcast in [2, 4, 1] %a : !a along row from 4 via %buffer : !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<4096xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected an owner below 2, the size of a column, but got 2}}
  %0 = kami.broadcast in [2, 4, 1] %a : !a along column from 2 via %buffer : !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected an owner below 2, the size of a row, but got -1}}
  %0 = kami.broadcast in [2, 2, 1] %a : !a along row from -1 via %buffer : !buffer
  return
}

// -----

// C3: results have the operands' types

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!b = !kami.fragment<16x64xf16, b, #hmma>
!buffer = memref<2048xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected a result of type '!kami.fragment<32x16xf16, a, }}
  %0 = "kami.broadcast"(%a, %buffer) <{grid = array<i64: 2, 2, 1>, groups = [#kami.group<row>], owners = array<i64: 0>}> : (!a, !buffer) -> !b
  return
}

// -----

// C4: the buffers are in workgroup memory and large enough, here for a fragment of
// 1024 bytes in each of two rows

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected a buffer in workgroup memory, but got 'memref<2048xi8>'}}
  %0 = kami.broadcast in [2, 2, 1] %a : !a along row from 0 via %buffer : !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2047xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected a buffer of at least 2048 bytes, but got 2047}}
  %0 = kami.broadcast in [2, 2, 1] %a : !a along row from 0 via %buffer : !buffer
  return
}

// -----

// ... and in each of four columns of two layers

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<4096xi8, #gpu.address_space<workgroup>>

func.func @broadcast(%a: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.broadcast' op expected a buffer of at least 8192 bytes, but got 4096}}
  %0 = kami.broadcast in [2, 4, 2] %a : !a along column from 0 via %buffer : !buffer
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.share, kami.fetch
//===----------------------------------------------------------------------===//

// C1: the buffer is in workgroup memory and holds at least one fragment

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8, 1>

func.func @share(%a: !a, %buffer: !buffer, %i: index) {
  // expected-error@+1 {{'kami.share' op expected a buffer in workgroup memory, but got 'memref<2048xi8, 1>'}}
  kami.share %a, %buffer[%i] : !a, !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<2048xi8, 1>

func.func @fetch(%buffer: !buffer, %i: index) {
  // expected-error@+1 {{'kami.fetch' op expected a buffer in workgroup memory, but got 'memref<2048xi8, 1>'}}
  %0 = kami.fetch %buffer[%i] : !buffer -> !a
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<1023xi8, #gpu.address_space<workgroup>>

func.func @share(%a: !a, %buffer: !buffer, %i: index) {
  // expected-error@+1 {{'kami.share' op expected a buffer of at least 1024 bytes, but got 1023}}
  kami.share %a, %buffer[%i] : !a, !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<1023xi8, #gpu.address_space<workgroup>>

func.func @fetch(%buffer: !buffer, %i: index) {
  // expected-error@+1 {{'kami.fetch' op expected a buffer of at least 1024 bytes, but got 1023}}
  %0 = kami.fetch %buffer[%i] : !buffer -> !a
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.mma
//===----------------------------------------------------------------------===//

// C1: the roles are a, b and c, and the atom is one

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!x = !kami.fragment<16x8xf16, b, #hmma>
!y = !kami.fragment<16x16xf16, a, #hmma>
!z = !kami.fragment<16x8xf32, c, #hmma>

func.func @mma(%x: !x, %y: !y, %z: !z) {
  // expected-error@+1 {{'kami.mma' op expected fragments of roles a, b and c, but got b, a and c}}
  %0 = kami.mma %x, %y, %z : !x, !y, !z
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!x = !kami.fragment<16x16xf16, a, #hmma>
!y = !kami.fragment<16x8xf16, b, #hmma>
!z = !kami.fragment<16x8xf64, c, #dmma>

func.func @mma(%x: !x, %y: !y, %z: !z) {
  // expected-error@+1 {{'kami.mma' op expected fragments of one atom}}
  %0 = kami.mma %x, %y, %z : !x, !y, !z
  return
}

// -----

// C2: the extents agree

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!x = !kami.fragment<16x32xf16, a, #hmma>
!y = !kami.fragment<16x8xf16, b, #hmma>
!z = !kami.fragment<16x8xf32, c, #hmma>

func.func @mma(%x: !x, %y: !y, %z: !z) {
  // expected-error@+1 {{'kami.mma' op expected B's k extent 32, as A's, but got 16}}
  %0 = kami.mma %x, %y, %z : !x, !y, !z
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!x = !kami.fragment<32x16xf16, a, #hmma>
!y = !kami.fragment<16x8xf16, b, #hmma>
!z = !kami.fragment<16x8xf32, c, #hmma>

func.func @mma(%x: !x, %y: !y, %z: !z) {
  // expected-error@+1 {{'kami.mma' op expected C's m extent 32, as A's, but got 16}}
  %0 = kami.mma %x, %y, %z : !x, !y, !z
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!x = !kami.fragment<16x16xf16, a, #hmma>
!y = !kami.fragment<16x16xf16, b, #hmma>
!z = !kami.fragment<16x8xf32, c, #hmma>

func.func @mma(%x: !x, %y: !y, %z: !z) {
  // expected-error@+1 {{'kami.mma' op expected C's n extent 16, as B's, but got 8}}
  %0 = kami.mma %x, %y, %z : !x, !y, !z
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.reduce
//===----------------------------------------------------------------------===//

// C1: the grid's extents are positive

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>
!buffer = memref<32768xi8, #gpu.address_space<workgroup>>

func.func @reduce(%f: !c, %buffer: !buffer) {
  // expected-error@+1 {{'kami.reduce' op expected the grid's extents to be positive, but got 0}}
  %0 = kami.reduce in [2, 2, 0] %f via %buffer : !c, !buffer
  return
}

// -----

// C2: the fragment's role is c

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!buffer = memref<32768xi8, #gpu.address_space<workgroup>>

func.func @reduce(%f: !a, %buffer: !buffer) {
  // expected-error@+1 {{'kami.reduce' op expected a fragment of role c, but got a}}
  %0 = kami.reduce in [2, 2, 2] %f via %buffer : !a, !buffer
  return
}

// -----

// C3: the buffer is in workgroup memory and large enough, here for 8192 bytes in
// each of four places

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>
!buffer = memref<32768xi8, 3>

func.func @reduce(%f: !c, %buffer: !buffer) {
  // expected-error@+1 {{'kami.reduce' op expected a buffer in workgroup memory, but got 'memref<32768xi8, 3>'}}
  %0 = kami.reduce in [2, 2, 2] %f via %buffer : !c, !buffer
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x64xf32, c, #hmma>
!buffer = memref<32767xi8, #gpu.address_space<workgroup>>

func.func @reduce(%f: !c, %buffer: !buffer) {
  // expected-error@+1 {{'kami.reduce' op expected a buffer of at least 32768 bytes, but got 32767}}
  %0 = kami.reduce in [2, 2, 2] %f via %buffer : !c, !buffer
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.mma_sync
//===----------------------------------------------------------------------===//

// C1: the atom's instruction is mma_sync

#atom = #kami.mma_atom<mfma 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>

func.func @mma_sync(%a: vector<4xf64>, %b: vector<2xf64>, %c: vector<4xf64>) {
  // expected-error@+1 {{'kami.mma_sync' op expected an atom of instruction mma_sync, but got mfma}}
  %0 = kami.mma_sync %a, %b, %c atom #atom : vector<4xf64>, vector<2xf64>, vector<4xf64>
  return
}

// -----

// C2: each vector has as many elements of the atom's type as a lane holds

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>

func.func @mma_sync(%a: vector<2xf64>, %b: vector<2xf64>, %c: vector<4xf64>) {
  // expected-error@+1 {{'kami.mma_sync' op expected operand a of type 'vector<4xf64>', but got 'vector<2xf64>'}}
  %0 = kami.mma_sync %a, %b, %c atom #dmma : vector<2xf64>, vector<2xf64>, vector<4xf64>
  return
}

// -----

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>

func.func @mma_sync(%a: vector<4xf64>, %b: vector<2xf32>, %c: vector<4xf64>) {
  // expected-error@+1 {{'kami.mma_sync' op expected operand b of type 'vector<2xf64>', but got 'vector<2xf32>'}}
  %0 = kami.mma_sync %a, %b, %c atom #dmma : vector<4xf64>, vector<2xf32>, vector<4xf64>
  return
}

// -----

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>

func.func @mma_sync(%a: vector<4xf64>, %b: vector<2xf64>, %c: vector<2x2xf64>) {
  // expected-error@+1 {{'kami.mma_sync' op expected operand c of type 'vector<4xf64>', but got 'vector<2x2xf64>'}}
  %0 = kami.mma_sync %a, %b, %c atom #dmma : vector<4xf64>, vector<2xf64>, vector<2x2xf64>
  return
}

// -----

// C3: one product

#tf32x3 = #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"], products = 3>

func.func @mma_sync(%a: vector<4xf32>, %b: vector<2xf32>, %c: vector<4xf32>) {
  // expected-error@+1 {{'kami.mma_sync' op expected an atom of one product, but got 3}}
  %0 = kami.mma_sync %a, %b, %c atom #tf32x3 : vector<4xf32>, vector<2xf32>, vector<4xf32>
  return
}

// -----

// C2: registers have no sign

#imma = #kami.mma_atom<mma_sync 16x8x16, ui8, i8, i32, ["nv.a.16x16.b8", "nv.b.16x8.b8", "nv.c.16x8.b32"]>

func.func @mma_sync(%a: vector<8xui8>, %b: vector<4xi8>, %c: vector<4xi32>) {
  // expected-error@+1 {{'kami.mma_sync' op expected operand a of type 'vector<8xi8>', but got 'vector<8xui8>'}}
  %0 = kami.mma_sync %a, %b, %c atom #imma : vector<8xui8>, vector<4xi8>, vector<4xi32>
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
// expected-error@+1 {{expected element type 'f16', the atom's for role a, but got 'f32'}}
func.func private @distributed_element(!kami.distributed<64x32xf32, a, #plan>)

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
// expected-error@+1 {{expected extents 64x32, the plan's tile's for role a, but got 32x32}}
func.func private @distributed_extents(!kami.distributed<32x32xf16, a, #plan>)

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected resident transport to share all 1 slices of B, but got 0}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = resident, slices = {k = 16, shared = [0, 0]}>
func.func private @resident(!kami.distributed<64x32xf16, a, #plan>)

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @distribute_element(%m: memref<64x32xf32>) {
  // expected-error@+1 {{'kami.distribute' op expected a matrix of 'f16' or of floats that it has, but got 'f32'}}
  %0 = kami.distribute %m : memref<64x32xf32> -> !a
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @distribute_extents(%m: memref<64x16xf16>) {
  // expected-error@+1 {{'kami.distribute' op expected a matrix of 32 columns, but got 16}}
  %0 = kami.distribute %m : memref<64x16xf16> -> !a
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @splat_type(%x: f16) {
  // expected-error@+1 {{'kami.splat' op expected a value of type 'f32', but got 'f16'}}
  %0 = kami.splat %x : f16 -> !c
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @splat_role(%x: f16) {
  // expected-error@+1 {{'kami.splat' op expected a result of role c, but got a}}
  %0 = kami.splat %x : f16 -> !a
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @collect_role(%a: !a, %m: memref<64x32xf16>) {
  // expected-error@+1 {{'kami.collect' op expected a value of role c, but got a}}
  kami.collect %a, %m : !a, memref<64x32xf16>
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @collect_scale(%c: !c, %m: memref<64x24xf32>, %x: f64) {
  // expected-error@+1 {{'kami.collect' op expected a scale of type 'f32', but got 'f64'}}
  kami.collect %c, %m alpha(%x : f64) : !c, memref<64x24xf32>
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @collect_extents(%c: !c, %m: memref<32x24xf32>) {
  // expected-error@+1 {{'kami.collect' op expected a matrix of 64 rows, but got 32}}
  kami.collect %c, %m : !c, memref<32x24xf32>
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @gemm_distributed_role(%a: !a, %m: memref<64x32xf16>, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected a distributed matrix of role b, but got a}}
  %0 = kami.gemm ins(%m, %a : memref<64x32xf16>, !a) outs(%c : !c) accumulator(f32) -> !c
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @gemm_distributed_transpose(%a: !a, %b: !b, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op cannot transpose a distributed matrix}}
  %0 = kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) transpose_a accumulator(f32) -> !c
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @gemm_distributed_plan(%a: !a, %b: !b, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected distributed matrices of one plan, the product's}}
  %0 = kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) accumulator(f32) plan(#other) -> !c
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!b = !kami.distributed<32x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @gemm_distributed_result(%a: !a, %b: !b, %c: !c) {
  // expected-error@+1 {{'kami.gemm' op expected a result, since C is no memref}}
  kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) accumulator(f32)
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected unit warpgroup for this atom, but got warp}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #wgmma, tile = 64x64x64, transport = resident, slices = {k = 16, shared = [0, 1]}>
func.func private @unit(!kami.distributed<64x64xf16, a, #plan>)

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups in a grid of one column and one layer, with B resident, and all or nothing of A in shared memory}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x64, transport = resident, slices = {k = 16, shared = [1, 1]}>
func.func private @half_of_a(!kami.distributed<64x64xf16, a, #plan>)

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups in a grid of one column and one layer}}
#plan = #kami.plan<one_d, grid = [6, 1, 1], unit = warpgroup, atom = #wgmma, tile = 96x64x64, transport = resident, slices = {k = 16, shared = [0, 1]}>
func.func private @half_a_group(!kami.distributed<96x64xf16, a, #plan>)
