// RUN: kami-opt %s --split-input-file --verify-diagnostics

// kami.chain, C1: tensors or memrefs, and a result where D is a tensor

func.func @mixed(%a: tensor<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected operands that are all tensors or all memrefs}}
  kami.chain ins(%a, %b, %c : tensor<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32)
  return
}

// -----

func.func @no_result(%a: tensor<8x4xf16>, %b: tensor<4x5xf16>, %c: tensor<5x6xf16>, %d: tensor<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected a result, since D is a tensor}}
  kami.chain ins(%a, %b, %c : tensor<8x4xf16>, tensor<4x5xf16>, tensor<5x6xf16>) outs(%d : tensor<8x6xf32>) accumulator(f32)
  return
}

// -----

func.func @other_result(%a: tensor<8x4xf16>, %b: tensor<4x5xf16>, %c: tensor<5x6xf16>, %d: tensor<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected a result of type 'tensor<8x6xf32>', D's, but got 'tensor<8x7xf32>'}}
  %0 = kami.chain ins(%a, %b, %c : tensor<8x4xf16>, tensor<4x5xf16>, tensor<5x6xf16>) outs(%d : tensor<8x6xf32>) accumulator(f32) -> tensor<8x7xf32>
  return
}

// -----

// C2: two dimensions, D no fewer than the others

func.func @vector(%a: memref<8x4xf16>, %b: memref<4xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected at least two dimensions of B, but got 1}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32)
  return
}

// -----

func.func @rank(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<2x5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected no more dimensions of C than D's 2, but got 3}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<2x5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32)
  return
}

// -----

// C3: floats of one type

func.func @types(%a: memref<8x4xf16>, %b: memref<4x5xbf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected A, B and C of one type of floats, but got 'f16', 'bf16' and 'f16'}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xbf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32)
  return
}

// -----

func.func @integers(%a: memref<8x4xi8>, %b: memref<4x5xi8>, %c: memref<5x6xi8>, %d: memref<8x6xi32>) {
  // expected-error@+1 {{'kami.chain' op expected A, B and C of one type of floats, but got 'i8', 'i8' and 'i8'}}
  kami.chain ins(%a, %b, %c : memref<8x4xi8>, memref<4x5xi8>, memref<5x6xi8>) outs(%d : memref<8x6xi32>) accumulator(i32)
  return
}

// -----

// C4: extents agree, and are not 0

func.func @extent_n(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<6x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected C's n extent 5, as B's, but got 6}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<6x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32)
  return
}

// -----

func.func @extent_q(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x7xf32>) {
  // expected-error@+1 {{'kami.chain' op expected C's q extent 7, as D's, but got 6}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x7xf32>) accumulator(f32)
  return
}

// -----

func.func @empty(%a: memref<8x0xf16>, %b: memref<0x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected an extent of at least 1 for k, but got 0}}
  kami.chain ins(%a, %b, %c : memref<8x0xf16>, memref<0x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32)
  return
}

// -----

// C5: batch extents

func.func @batch(%a: memref<3x8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<2x8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected batch extent 2 or 1 of A, but got 3}}
  kami.chain ins(%a, %b, %c : memref<3x8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<2x8x6xf32>) accumulator(f32)
  return
}

// -----

// C6: scales

func.func @scale(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>, %s: f16) {
  // expected-error@+1 {{'kami.chain' op expected alpha of the accumulator's type 'f32', but got 'f16'}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) alpha(%s : f16) accumulator(f32)
  return
}

// -----

func.func @scale_kind(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'kami.chain' op expected a scale that is a memref as D is, or a scalar, but got 'tensor<f32>'}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) beta(%s : tensor<f32>) accumulator(f32)
  return
}

// -----

// C7: accumulator and D

func.func @accumulator(%a: memref<8x4xf32>, %b: memref<4x5xf32>, %c: memref<5x6xf32>, %d: memref<8x6xf16>) {
  // expected-error@+1 {{'kami.chain' op expected a float accumulator at least as wide as A's 'f32', but got 'f16'}}
  kami.chain ins(%a, %b, %c : memref<8x4xf32>, memref<4x5xf32>, memref<5x6xf32>) outs(%d : memref<8x6xf16>) accumulator(f16)
  return
}

// -----

func.func @stored(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf64>) {
  // expected-error@+1 {{'kami.chain' op expected D's elements of the accumulator's type 'f32' or of a narrower one, but got 'f64'}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf64>) accumulator(f32)
  return
}

// -----

// C8: precision

func.func @precision(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected f32 elements and accumulator for precision tf32, but got 'f16' and 'f32'}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32) precision<tf32>
  return
}

// -----

// C9: plans

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 8x5x4, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 8x6x5, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @no_association(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected an association with plans}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32) plans(#first, #second)
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 8x5x4, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 8x6x7, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @tiles(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected the first tile's m and n as the second's m and k, but got 8x5 and 8x7}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32) association<left> plans(#first, #second)
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 8x5x4, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 8x6x5, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @warps(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected plans of one number of warps, but got 2 and 4}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32) association<left> plans(#first, #second)
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #atom, tile = 8x5x4, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 8x6x5, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @columns(%a: memref<8x4xf16>, %b: memref<4x5xf16>, %c: memref<5x6xf16>, %d: memref<8x6xf32>) {
  // expected-error@+1 {{'kami.chain' op expected plans of warps in rows, but got #kami.plan<two_d}}
  kami.chain ins(%a, %b, %c : memref<8x4xf16>, memref<4x5xf16>, memref<5x6xf16>) outs(%d : memref<8x6xf32>) accumulator(f32) association<left> plans(#first, #second)
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.redistribute
//===----------------------------------------------------------------------===//

// C1: from c to a or b

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x32x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @role(%c: !kami.distributed<64x32xf32, c, #plan>) {
  // expected-error@+1 {{'kami.redistribute' op expected a value of role c and a result of role a or b, but got c and c}}
  %0 = kami.redistribute %c : !kami.distributed<64x32xf32, c, #plan> -> !kami.distributed<64x32xf32, c, #plan>
  return
}

// -----

// C2: the extents are equal

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x32x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @extents(%c: !kami.distributed<64x32xf32, c, #plan>) {
  // expected-error@+1 {{'kami.redistribute' op expected a result of 64x32 elements, but got 64x16}}
  %0 = kami.redistribute %c : !kami.distributed<64x32xf32, c, #plan> -> !kami.distributed<64x16xf16, a, #plan>
  return
}

// -----

// C3: the result's elements are the value's, or narrower

#half = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f16, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16"]>
#double = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #half, tile = 64x32x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#next = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #double, tile = 64x32x32, transport = staged, slices = {k = 8, shared = [0, 0]}>
func.func @element(%c: !kami.distributed<64x32xf16, c, #plan>) {
  // expected-error@+1 {{'kami.redistribute' op expected a result of 'f16' or narrower floats, but got 'f64'}}
  %0 = kami.redistribute %c : !kami.distributed<64x32xf16, c, #plan> -> !kami.distributed<64x32xf64, a, #next>
  return
}

// -----

// C4: one number of threads

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x32x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#next = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x32x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @threads(%c: !kami.distributed<64x32xf32, c, #plan>) {
  // expected-error@+1 {{'kami.redistribute' op expected plans of one number of threads, but got 128 and 64}}
  %0 = kami.redistribute %c : !kami.distributed<64x32xf32, c, #plan> -> !kami.distributed<64x32xf16, a, #next>
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.recast
//===----------------------------------------------------------------------===//

// C1: from c, with as many rows

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
func.func @rows(%c: !kami.fragment<32x32xf32, c, #atom>) {
  // expected-error@+1 {{'kami.recast' op expected a fragment of role c and a result of role a or b with as many rows, but got}}
  %0 = kami.recast %c column 0 : !kami.fragment<32x32xf32, c, #atom> -> !kami.fragment<16x16xf16, a, #atom>
  return
}

// -----

// C2: the result's elements are the value's, or narrower

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
func.func @wider(%c: !kami.fragment<16x32xbf16, c, #atom>) {
  // expected-error@+1 {{'kami.recast' op expected a result of 'bf16' or narrower floats, but got 'f16'}}
  %0 = kami.recast %c column 0 : !kami.fragment<16x32xbf16, c, #atom> -> !kami.fragment<16x16xf16, a, #atom>
  return
}

// -----

// C3: lanes keep their elements, and whole tiles

#double = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
func.func @lanes(%c: !kami.fragment<16x32xf64, c, #double>) {
  // expected-error@+1 {{'kami.recast' op expected lanes to keep their elements, but nv.a.16x8.b64 wants others' than nv.c.16x8.b64 has}}
  %0 = kami.recast %c column 0 : !kami.fragment<16x32xf64, c, #double> -> !kami.fragment<16x8xf64, a, #double>
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
func.func @column(%c: !kami.fragment<16x32xf32, c, #atom>) {
  // expected-error@+1 {{'kami.recast' op expected a column that is a multiple of 16, but got 8}}
  %0 = kami.recast %c column 8 : !kami.fragment<16x32xf32, c, #atom> -> !kami.fragment<16x16xf16, a, #atom>
  return
}
