// RUN: kami-opt %s --split-input-file --verify-diagnostics

// !kami.fragment, C4: two halves, one behind the other

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
// expected-error@+1 {{expected two distances of halves, but got 1}}
func.func private @fragment(!kami.fragment<32x16xf64, c, #dmma, apart = [32]>)

// -----

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
// expected-error@+1 {{expected two halves of whole groups of tiles, one behind the other, but got 48 elements and a distance of 64}}
func.func private @fragment(!kami.fragment<48x16xf64, c, #dmma, apart = [64, 0]>)

// -----

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
// expected-error@+1 {{expected two halves of whole groups of tiles, one behind the other, but got 32 elements and a distance of 8}}
func.func private @fragment(!kami.fragment<32x16xf64, c, #dmma, apart = [8, 0]>)

// -----

#opaque = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
// expected-error@+1 {{expected no halves of an opaque atom's tiles, but got #kami.mma_atom<cooperative_matrix}}
func.func private @fragment(!kami.fragment<16x16xf32, c, #opaque, apart = [16, 0]>)

// -----

// kami.mma, C4: A, B and C agree

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!a = !kami.fragment<32x8xf64, a, #dmma, apart = [32, 0]>
!b = !kami.fragment<8x16xf64, b, #dmma>
!c = !kami.fragment<32x16xf64, c, #dmma>
func.func @multiply(%a: !a, %b: !b, %c: !c) -> !c {
  // expected-error@+1 {{'kami.mma' op expected fragments whose halves are as far apart, and not along k, but got '!kami.fragment<32x8xf64}}
  %d = kami.mma %a, %b, %c : !a, !b, !c
  return %d : !c
}

// -----

// C5: the first tiles are some of them

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!a = !kami.fragment<32x8xf64, a, #dmma>
!b = !kami.fragment<8x16xf64, b, #dmma>
!c = !kami.fragment<32x16xf64, c, #dmma>
func.func @multiply(%a: !a, %b: !b, %c: !c) -> !c {
  // expected-error@+1 {{'kami.mma' op expected 1 to 2 rows and 1 to 2 columns of tiles first, but got [0, 2]}}
  %d = kami.mma %a, %b, %c first = [0, 2] : !a, !b, !c
  return %d : !c
}

// -----

#fma = #kami.mma_atom<fma 16x16x4, f32, f32, f32, ["paired.a.16x4.b32", "paired.b.4x16.b32", "paired.c.16x16.b32"]>
!a = !kami.fragment<32x4xf32, a, #fma>
!b = !kami.fragment<4x16xf32, b, #fma>
!c = !kami.fragment<32x16xf32, c, #fma>
func.func @multiply(%a: !a, %b: !b, %c: !c) -> !c {
  // expected-error@+1 {{'kami.mma' op expected a matrix instruction whose lanes are known for the first tiles alone, but got #kami.mma_atom<fma}}
  %d = kami.mma %a, %b, %c first = [1, 1] : !a, !b, !c
  return %d : !c
}
