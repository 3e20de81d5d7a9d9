// RUN: kami-opt %s --split-input-file --verify-diagnostics

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected unit lane for this atom, but got warp}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected unit warp for this atom, but got lane}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = lane, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, teams = 8>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected lanes only of copied operands, in one column, with rows of the tile's 4 each and no more than 256 sums, but got 4 times 1}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = staged, slices = {k = 1, shared = [0, 0]}, teams = 8>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected lanes only of copied operands, in one column, with rows of the tile's 4 each and no more than 256 sums, but got 2 times 2}}
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected lanes only of copied operands, in one column, with rows of the tile's 4 each and no more than 256 sums, but got 5 times 1}}
#plan = #kami.plan<one_d, grid = [5, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected packed products in one stage, but got 2}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, stages = 2>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected lanes only of copied operands, in one column, with rows of the tile's 64 each and no more than 256 sums, but got 1 times 1}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = lane, atom = #lane, tile = 64x64x4, transport = copied, slices = {k = 1, shared = [0, 0]}>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected packed products in one stage, but got 2}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, stages = 2, blocks = 2, next = prefetched>

// -----

// expected-error@+1 {{expected layouts of a warp's lanes for mma_sync}}
#mma = #kami.mma_atom<mma_sync 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected an atom of a warp, but got #kami.mma_atom<fma 1x1x1}}
func.func private @fragment(!kami.fragment<4x4xf32, c, #lane>)

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected several rounds only of lanes, of 256 at most, but got 0}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, rounds = 0>

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
// expected-error@+1 {{expected lanes only of copied operands, in one column, with rows of the tile's 4 each and no more than 256 sums, but got 4 times 1}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, rounds = 65>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected several rounds only of lanes, of 256 at most, but got 2}}
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, teams = 8, rounds = 2>
