// RUN: kami-opt %s --split-input-file --verify-diagnostics

// !kami.fragment, C3: groups are whole

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a count of interleaved tiles that divides 3, but got 2}}
func.func private @fragment(!kami.fragment<16x48xf16, a, #hmma, interleave = [0, 2]>)

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected two counts of interleaved tiles, but got 1}}
func.func private @fragment(!kami.fragment<16x48xf16, a, #hmma, interleave = [1]>)

// -----

// kami.mma: A, B and C agree

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x32xf16, a, #hmma, interleave = [0, 2]>
!b = !kami.fragment<32x64xf16, b, #hmma>
!c = !kami.fragment<16x64xf32, c, #hmma>
func.func @multiply(%a: !a, %b: !b, %c: !c) -> !c {
  // expected-error@+1 {{'kami.mma' op expected fragments whose tiles are interleaved alike, but got '!kami.fragment<16x32xf16}}
  %d = kami.mma %a, %b, %c : !a, !b, !c
  return %d : !c
}

// -----

// kami.recast: what an operand's lanes want is where the sums are

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!c = !kami.fragment<16x64xf32, c, #hmma, interleave = [0, 8]>
func.func @recast(%c: !c) -> !a {
  // expected-error@+1 {{'kami.recast' op expected tiles that are not interleaved, but got}}
  %a = kami.recast %c column 0 : !c -> !a
  return %a : !a
}

// -----

// #kami.plan, C8: groups divide a warp's tiles

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a count of interleaved tiles that divides 6, but got 4}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 48x48x48, transport = staged, slices = {k = 16, shared = [0, 0]}, interleave = [0, 4, 1]>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected interleaved tiles of warps, counted along m, n and k, but got 2 counts}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 48x48x48, transport = staged, slices = {k = 16, shared = [0, 0]}, interleave = [0, 2]>

// -----

// #kami.plan, C9: teams are single warps

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected several teams only of single warps that keep nothing in shared memory, but got 2 of 4 warps}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}, teams = 2>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected several teams only of single warps that keep nothing in shared memory, but got 2 of 1 warps}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [1, 0]}, teams = 2>

// -----

// !kami.distributed, C3: one team

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}, teams = 2>
// expected-error@+1 {{expected a plan of one team, but got 2}}
func.func private @distributed(!kami.distributed<64x64xf16, a, #plan>)

// -----

// A fragment's order has numbers, and each kind once

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected integer value}}
func.func private @fragment(!kami.fragment<16x48xf16, a, #hmma, interleave = []>)

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected `interleave` once}}
func.func private @fragment(!kami.fragment<16x48xf16, a, #hmma, interleave = [0, 1], interleave = [0, 1]>)
