// RUN: kami-opt %s --split-input-file --verify-diagnostics

// Constraints of regions on elements, and of fragments that hold other elements
// than the atom's.

// C6, C14: scales of the accumulator's type, in C's kind

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<f64>) {
  // expected-error@+1 {{'kami.gemm' op expected alpha of the accumulator's type 'f32', but got 'memref<f64>'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) alpha(%s : memref<f64>) accumulator(f32)
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'kami.gemm' op expected a scale that is a memref as C is, or a scalar, but got 'tensor<f32>'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) beta(%s : tensor<f32>) accumulator(f32)
  return
}

// -----

// C7, C8: with β, C's elements are converted, epilogue or not

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xi8>, %s: f32) {
  // expected-error@+1 {{'kami.gemm' op expected elements and accumulator that are all floats or all integers, but got 'f16', 'i8' and 'f32'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xi8>) beta(%s : f32) accumulator(f32)
      epilogue(%x: f32) {
        %y = arith.fptosi %x : f32 to i8
        kami.yield %y : i8
      }
  return
}

// -----

// C3: A and B are multiplied in one type

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected A and B of one element type, but got 'f32' and 'f16'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      prologue_a(%x: f16) {
        %y = arith.extf %x : f16 to f32
        kami.yield %y : f32
      }
  return
}

// -----

// C9, C10: how elements are read says nothing of what a prologue makes

func.func @gemm(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected no prologue of B with precision tf32}}
  kami.gemm ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) accumulator(f32) precision<tf32>
      prologue_b(%x: f32) {
        %y = arith.negf %x : f32
        kami.yield %y : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi32>) {
  // expected-error@+1 {{'kami.gemm' op expected no prologue of A with unsigned_a}}
  kami.gemm ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi32>) accumulator(i32) unsigned_a
      prologue_a(%x: i8) {
        %y = arith.addi %x, %x : i8
        kami.yield %y : i8
      }
  return
}

// -----

// C11: what is distributed is as it is multiplied

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @gemm(%a: !a, %b: memref<32x24xf16>, %c: memref<64x24xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected no prologue of A where the matrix is distributed}}
  kami.gemm ins(%a, %b : !a, memref<32x24xf16>) outs(%c : memref<64x24xf32>) accumulator(f32)
      prologue_a(%x: f16) {
        %y = arith.negf %x : f16
        kami.yield %y : f16
      }
  return
}

// -----

// C12: a region's arguments and what it yields

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected arguments of the epilogue of types ('f32'), but got ('f16')}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f16) {
        %y = arith.extf %x : f16 to f32
        kami.yield %y : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xi8>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected arguments of the prologue of A of types ('i8'), but got ('f16')}}
  kami.gemm ins(%a, %b : memref<8x8xi8>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      prologue_a(%x: f16) {
        kami.yield %x : f16
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected the epilogue to yield 'f32', but got 'f16'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32) {
        %y = arith.truncf %x : f32 to f16
        kami.yield %y : f16
      }
  return
}

// -----

// C13: pure operations of arith and math on integers and floats

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected the epilogue to consist of pure arith and math operations on integers and floats, but got 'arith.divsi'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32) {
        %i = arith.fptosi %x : f32 to i32
        // expected-note@+1 {{here}}
        %j = arith.divsi %i, %i : i32
        %y = arith.sitofp %j : i32 to f32
        kami.yield %y : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected the epilogue to consist of pure arith and math operations on integers and floats, but got 'gpu.thread_id'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32) {
        // expected-note@+1 {{here}}
        %i = gpu.thread_id x
        kami.yield %x : f32
      }
  return
}

// -----

// C14: operands are of C's kind, or scalars

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected an operand that is a memref as C is, or a scalar, but got 'tensor<8xf32>'}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : tensor<8xf32> at affine_map<(m, n) -> (n)>) {
        kami.yield %x : f32
      }
  return
}

// -----

// C15: maps

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a map for 'memref<8xf32>' in the epilogue from 2 dimensions to 1, but got affine_map<(d0) -> (d0)>}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<8xf32> at affine_map<(n) -> (n)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a map for 'memref<8xf32>' in the epilogue from 2 dimensions to 1, but got affine_map<(d0, d1) -> (d0, d1)>}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<8xf32> at affine_map<(m, n) -> (m, n)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a map for 'memref<8x8xf32>' in the epilogue that takes each dimension once, but got affine_map<(d0, d1) -> (d0, d0)>}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<8x8xf32> at affine_map<(m, n) -> (m, m)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a map for 'memref<8xf32>' in the epilogue whose results are dimensions or 0, but got affine_map<(d0, d1) -> (d0 + d1)>}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<8xf32> at affine_map<(m, n) -> (m + n)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected a map for 'memref<8xf32>' in the epilogue whose results are dimensions or 0, but got affine_map<(d0, d1) -> (1)>}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<8xf32> at affine_map<(m, n) -> (1)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected extent 1 of dimension 0 of 'memref<8xf32>' in the epilogue, but got 8}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<8xf32> at affine_map<(m, n) -> (0)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: memref<9xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected extent 8 of dimension 0 of 'memref<9xf32>' in the epilogue, but got 9}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : memref<9xf32> at affine_map<(m, n) -> (n)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: f32) {
  // expected-error@+1 {{'kami.gemm' op expected no map for the scalar 'f32' in the epilogue, but got affine_map<(d0, d1) -> (d0)>}}
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %s : f32 at affine_map<(m, n) -> (m)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @gemm(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>, %s: f32) {
  // expected-error@+1 {{'kami.gemm' op expected no operands without a region for the epilogue}}
  "kami.gemm"(%a, %b, %c, %s) <{accumulator = f32, epilogueMaps = [affine_map<() -> ()>], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0>}> ({}, {}, {})
      : (memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>, f32) -> ()
  return
}

// -----

// kami.map C1: at least one fragment

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%f: f32) {
  // expected-error@+1 {{'kami.map' op expected at least one fragment}}
  %r = "kami.map"() ({
    %x = arith.constant 0.0 : f32
    kami.yield %x : f32
  }) : () -> !c
  return
}

// -----

// kami.map C2: one shape, role and atom

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%f: !d) {
  // expected-error-re@+1 {{'kami.map' op expected fragments of the result's shape, role and atom, '!kami.fragment<16x8xf32, c, {{.*}}>', but got '!kami.fragment<32x8xf32, c, {{.*}}>'}}
  %r = kami.map (%x = %f : !d) -> !c {
    kami.yield %x : f32
  }
  return
}

// -----

// kami.map C3: the region's types

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%f: !c) {
  // expected-error@+1 {{'kami.map' op expected the region to yield 'f16', but got 'f32'}}
  %r = kami.map (%x = %f : !c) -> !h {
    kami.yield %x : f32
  }
  return
}

// -----

// kami.map C4: pure operations of arith and math

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%f: !c) {
  // expected-error@+1 {{'kami.map' op expected the region to consist of pure arith and math operations on integers and floats, but got 'gpu.barrier'}}
  %r = kami.map (%x = %f : !c) -> !c {
    // expected-note@+1 {{here}}
    gpu.barrier
    kami.yield %x : f32
  }
  return
}

// -----

// kami.mma C3

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%a: !q, %b: !b, %c: !c) {
  // expected-error@+1 {{'kami.mma' op expected elements of type 'f16', the atom's for role a, but got 'i8'}}
  %r = kami.mma %a, %b, %c : !q, !b, !c
  return
}

// -----

// kami.broadcast C5

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%a: !q, %m: memref<4096xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{'kami.broadcast' op expected elements of type 'f16', the atom's for role a, but got 'i8'}}
  %r = kami.broadcast in [1, 2, 1] %a : !q along row from 0 via %m : memref<4096xi8, #gpu.address_space<workgroup>>
  return
}

// -----

// kami.share C2, kami.fetch C2

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%a: !q, %m: memref<4096xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{'kami.share' op expected elements of type 'f16', the atom's for role a, but got 'i8'}}
  kami.share %a, %m[%i] : !q, memref<4096xi8, #gpu.address_space<workgroup>>
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%m: memref<4096xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{'kami.fetch' op expected elements of type 'f16', the atom's for role a, but got 'i8'}}
  %r = kami.fetch %m[%i] : memref<4096xi8, #gpu.address_space<workgroup>> -> !q
  return
}

// -----

// kami.reduce C4

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>
!b = !kami.fragment<16x8xf16, b, #hmma>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!d = !kami.fragment<32x8xf32, c, #hmma>

func.func @op(%a: !h, %m: memref<4096xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{'kami.reduce' op expected elements of type 'f32', the atom's for role c, but got 'f16'}}
  %r = kami.reduce in [1, 1, 2] %a via %m : !h, memref<4096xi8, #gpu.address_space<workgroup>>
  return
}
