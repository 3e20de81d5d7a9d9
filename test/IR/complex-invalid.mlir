// RUN: kami-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// kami.gemm
//===----------------------------------------------------------------------===//

// C16

func.func @one_type(%a: memref<8x8xcomplex<f32>>, %b: memref<8x8xf32>, %c: memref<8x8xcomplex<f32>>) {
  // expected-error@+1 {{'kami.gemm' op expected elements of the accumulator's type 'complex<f32>' where any is complex, but got 'f32' of B}}
  kami.gemm ins(%a, %b : memref<8x8xcomplex<f32>>, memref<8x8xf32>) outs(%c : memref<8x8xcomplex<f32>>) accumulator(complex<f32>)
  return
}

// -----

func.func @real_accumulator(%a: memref<8x8xcomplex<f32>>, %c: memref<8x8xcomplex<f32>>) {
  // expected-error@+1 {{'kami.gemm' op expected elements of the accumulator's type 'f32' where any is complex, but got 'complex<f32>' of A}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f32>>, memref<8x8xcomplex<f32>>) outs(%c : memref<8x8xcomplex<f32>>) accumulator(f32)
  return
}

// -----

func.func @parts(%a: memref<8x8xcomplex<f16>>, %c: memref<8x8xcomplex<f16>>) {
  // expected-error@+1 {{'kami.gemm' op expected complex numbers of f32 or f64, but got 'complex<f16>'}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f16>>, memref<8x8xcomplex<f16>>) outs(%c : memref<8x8xcomplex<f16>>) accumulator(complex<f16>)
  return
}

// -----

func.func @regions(%a: memref<8x8xcomplex<f32>>, %c: memref<8x8xcomplex<f32>>) {
  // expected-error@+1 {{'kami.gemm' op expected no regions for complex elements}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f32>>, memref<8x8xcomplex<f32>>) outs(%c : memref<8x8xcomplex<f32>>) accumulator(complex<f32>)
      epilogue(%x: complex<f32>) {
        kami.yield %x : complex<f32>
      }
  return
}

// -----

// C6

func.func @scale(%a: memref<8x8xcomplex<f32>>, %c: memref<8x8xcomplex<f32>>, %s: f32) {
  // expected-error@+1 {{'kami.gemm' op expected alpha of the accumulator's type 'complex<f32>', but got 'f32'}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f32>>, memref<8x8xcomplex<f32>>) outs(%c : memref<8x8xcomplex<f32>>) alpha(%s : f32) accumulator(complex<f32>)
  return
}

// -----

// C9

func.func @precision(%a: memref<8x8xcomplex<f64>>, %c: memref<8x8xcomplex<f64>>) {
  // expected-error@+1 {{'kami.gemm' op expected parts of f32 for precision tf32, but got 'f64'}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f64>>, memref<8x8xcomplex<f64>>) outs(%c : memref<8x8xcomplex<f64>>) accumulator(complex<f64>) precision<tf32>
  return
}

// -----

// C10

func.func @unsigned(%a: memref<8x8xcomplex<f64>>, %c: memref<8x8xcomplex<f64>>) {
  // expected-error@+1 {{'kami.gemm' op expected integer elements for unsigned_b, but got 'complex<f64>'}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f64>>, memref<8x8xcomplex<f64>>) outs(%c : memref<8x8xcomplex<f64>>) accumulator(complex<f64>) unsigned_b
  return
}

// -----

// C17

func.func @conjugate(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.gemm' op expected complex elements for conjugate_b, but got 'f32'}}
  kami.gemm ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) conjugate_b accumulator(f32)
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.complex_part
//===----------------------------------------------------------------------===//

// C1

func.func @no_parts(%a: memref<8x8xf32>) {
  // expected-error@+1 {{'kami.complex_part' op expected a matrix of complex floats, but got 'memref<8x8xf32>'}}
  %0 = kami.complex_part %a real : memref<8x8xf32> -> memref<8x8xf32>
  return
}

// -----

// C2

func.func @other_view(%a: memref<8x8xcomplex<f32>>) {
  // expected-error@+1 {{'kami.complex_part' op expected a result of type 'memref<8x8xf32, strided<[16, 2], offset: 1>>', but got 'memref<8x8xf32, strided<[16, 2]>>'}}
  %0 = kami.complex_part %a imaginary : memref<8x8xcomplex<f32>> -> memref<8x8xf32, strided<[16, 2]>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// kami.combine
//===----------------------------------------------------------------------===//

// C1

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @nothing() {
  // expected-error@+1 {{'kami.combine' op expected at least one matrix}}
  %0 = kami.combine () -> !c {
    %z = arith.constant 0.0 : f32
    kami.yield %z : f32
  }
  return
}

// -----

// C2

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<64x32xf16, a, #plan>
func.func @role(%a: !a) {
  // expected-error@+1 {{'kami.combine' op expected a result of role c, but got a}}
  %0 = kami.combine (%x = %a : !a) -> !a {
    kami.yield %x : f16
  }
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!c = !kami.distributed<64x24xf32, c, #plan>
!d = !kami.distributed<64x24xf32, c, #other>
func.func @plans(%a: !d) {
  // expected-error@+1 {{'kami.combine' op expected matrices of the result's type}}
  %0 = kami.combine (%x = %a : !d) -> !c {
    kami.yield %x : f32
  }
  return
}

// -----

// C3

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func @yielded(%a: !c) {
  // expected-error@+1 {{'kami.combine' op expected the region to yield 'f32', but got 'f16'}}
  %0 = kami.combine (%x = %a : !c) -> !c {
    %y = arith.truncf %x : f32 to f16
    kami.yield %y : f16
  }
  return
}

// -----

// C4

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!c = !kami.distributed<64x24xf32, c, #plan>
func.func private @f(f32) -> f32
func.func @impure(%a: !c) {
  // expected-error@+1 {{'kami.combine' op expected the region to consist of pure arith and math operations on integers and floats, but got 'func.call'}}
  %0 = kami.combine (%x = %a : !c) -> !c {
    // expected-note@+1 {{here}}
    %y = func.call @f(%x) : (f32) -> f32
    kami.yield %y : f32
  }
  return
}

// -----

func.func @gaps_in_rows(%a: memref<8x8xcomplex<f32>, strided<[16, 2]>>) {
  // expected-error@+1 {{'kami.as_real' op expected complex floats that are adjacent along the last dimension, but got 'memref<8x8xcomplex<f32>, strided<[16, 2]>>'}}
  %0 = kami.as_real %a : memref<8x8xcomplex<f32>, strided<[16, 2]>> -> memref<8x16xf32, strided<[32, 1]>>
  return
}

// -----

func.func @half_a_row(%a: memref<8x8xcomplex<f32>>) {
  // expected-error@+1 {{'kami.as_real' op expected a result of type 'memref<8x16xf32, strided<[16, 1]>>', but got 'memref<8x8xf32, strided<[16, 1]>>'}}
  %0 = kami.as_real %a : memref<8x8xcomplex<f32>> -> memref<8x8xf32, strided<[16, 1]>>
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, complex = interleaved>
func.func @whole_b(%a: memref<16x16xf64>, %b: memref<16x8xf64>, %c: memref<16x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected B's k extent 16, as A's, but got 32}}
  kami.gemm ins(%a, %b : memref<16x16xf64>, memref<16x8xf64>) outs(%c : memref<16x8xf64>) interleaved_parts accumulator(f64) plan(#reals)
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, complex = interleaved>
func.func @odd(%a: memref<16x16xf64>, %b: memref<8x7xf64>, %c: memref<16x7xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected an even n with interleaved parts, but got 7}}
  kami.gemm ins(%a, %b : memref<16x16xf64>, memref<8x7xf64>) outs(%c : memref<16x7xf64>) interleaved_parts accumulator(f64) plan(#reals)
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, complex = interleaved>
func.func @columns_of_a(%a: memref<16x16xf64, strided<[1, 16]>>, %b: memref<8x8xf64>, %c: memref<16x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected interleaved parts of A to be adjacent along its last dimension, but got}}
  kami.gemm ins(%a, %b : memref<16x16xf64, strided<[1, 16]>>, memref<8x8xf64>) outs(%c : memref<16x8xf64>) interleaved_parts accumulator(f64) plan(#reals)
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, complex = interleaved>
func.func @columns(%a: memref<16x16xf64>, %b: memref<8x8xf64, strided<[1, 8]>>, %c: memref<16x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected interleaved parts of B to be adjacent along its last dimension, but got}}
  kami.gemm ins(%a, %b : memref<16x16xf64>, memref<8x8xf64, strided<[1, 8]>>) outs(%c : memref<16x8xf64>) interleaved_parts accumulator(f64) plan(#reals)
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, complex = interleaved>
func.func @real(%a: memref<16x16xf64>, %b: memref<16x8xf64>, %c: memref<16x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected a plan for reals, but got}}
  kami.gemm ins(%a, %b : memref<16x16xf64>, memref<16x8xf64>) outs(%c : memref<16x8xf64>)  accumulator(f64) plan(#reals)
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}>
func.func @unplanned(%a: memref<16x16xf64>, %b: memref<8x8xf64>, %c: memref<16x8xf64>) {
  // expected-error@+1 {{'kami.gemm' op expected a plan for interleaved parts, but got}}
  kami.gemm ins(%a, %b : memref<16x16xf64>, memref<8x8xf64>) outs(%c : memref<16x8xf64>) interleaved_parts accumulator(f64) plan(#reals)
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
// expected-error@+1 {{expected interleaved parts of complex numbers only for warps or lanes whose tiles, and those of a warp}}
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x7x16, transport = copied, slices = {k = 8, shared = [0, 0]}, complex = interleaved>

// -----

// C3 of kami.load

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
func.func @role(%a: memref<8x8xf64>, %i: index) {
  // expected-error@+1 {{'kami.load' op expected parts that are adjacent along columns, but got}}
  %f = kami.load %a[%i, %i] interleaved_parts : memref<8x8xf64> -> !kami.fragment<16x8xf64, a, #doubles>
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
func.func @apart(%a: memref<8x8xf64, strided<[32, 2]>>, %i: index) {
  // expected-error@+1 {{'kami.load' op expected parts that are adjacent, but got}}
  %f = kami.load %a[%i, %i] interleaved_parts : memref<8x8xf64, strided<[32, 2]>> -> !kami.fragment<8x8xf64, b, #doubles>
  return
}

// -----

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
func.func @no_parts(%a: memref<8x8xf64>, %i: index) {
  // expected-error@+1 {{'kami.load' op expected interleaved parts of what is conjugated}}
  %f = kami.load %a[%i, %i] conjugate_a : memref<8x8xf64> -> !kami.fragment<8x8xf64, b, #doubles>
  return
}
