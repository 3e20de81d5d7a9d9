// RUN: kami-opt %s --split-input-file --verify-diagnostics

// (C1)
func.func @types(%a: memref<8x8xf32>, %t: memref<8x8xf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected matrices of one element type, but got 'f32' and 'f16'}}
  kami.copy_async %a to %t by 32 : memref<8x8xf32> to memref<8x8xf16, #gpu.address_space<workgroup>>
  return
}

// -----

// (C2)
func.func @global(%a: memref<8x8xf16>, %t: memref<8x8xf16>) {
  // expected-error@+1 {{expected a destination in workgroup memory, but got 'memref<8x8xf16>'}}
  kami.copy_async %a to %t by 32 : memref<8x8xf16> to memref<8x8xf16>
  return
}

// -----

// (C2)
func.func @dynamic(%a: memref<8x8xf16>, %t: memref<?x8xf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected a source with known extents and strides, but got}}
  kami.copy_out %t to %a by 32 : memref<?x8xf16, #gpu.address_space<workgroup>> to memref<8x8xf16>
  return
}

// -----

// (C2)
func.func @small(%a: memref<9x8xf16>, %t: memref<8x8xf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected a destination of at least 9 rows, but got 8}}
  kami.copy_async %a to %t by 32 : memref<9x8xf16> to memref<8x8xf16, #gpu.address_space<workgroup>>
  return
}

// -----

// (C3)
func.func @threads(%a: memref<8x8xf16>, %t: memref<8x8xf16, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected at least one thread, but got 0}}
  kami.copy_async %a to %t by 0 : memref<8x8xf16> to memref<8x8xf16, #gpu.address_space<workgroup>>
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected copied operands only of warps or lanes in one layer, without slices in shared memory or, but in packs of warps, interleaved tiles}}
#layers = #kami.plan<three_d, grid = [1, 1, 2], unit = warp, atom = #hmma, tile = 64x64x32, transport = copied, slices = {k = 16, shared = [0, 0]}>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected several stages only of copied operands, but got 2}}
#stages = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = staged, slices = {k = 16, shared = [0, 0]}, stages = 2>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected a relayed C only of copied operands}}
#relayed = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = staged, slices = {k = 16, shared = [0, 0]}, output = relayed>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected at most 2147483647 blocks, but got -1}}
#blocks = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = -1>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected what comes next to be prefetched only by blocks in turn, in two stages or more, but got 0 blocks and stages = 2}}
#ahead = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 2, next = prefetched>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected what comes next to be prefetched only by blocks in turn, in two stages or more, but got 4 blocks and stages = 1}}
#ahead = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, blocks = 4, next = prefetched>

// -----

func.func @promised(%a: memref<16x16xf16>, %c: memref<16x16xf16>, %aligned: i1) {
  // expected-error@+1 {{expected either rows that are aligned, or a condition for it}}
  kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>) accumulator(f32) aligned_rows aligned_rows_if %aligned
  return
}

// -----

func.func @not_copied(%a: memref<16x16xf16>, %c: memref<16x16xf16>, %aligned: i1) {
  // expected-error@+1 {{expected a plan of copied operands where it depends on a condition whether rows are aligned}}
  kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>) accumulator(f32) aligned_rows_if %aligned
  return
}

// -----

func.func @no_plan(%a: memref<16x16xf16>, %c: memref<16x16xf16>, %more: i1, %turn: index) {
  // expected-error@+1 {{expected a plan that prefetches what comes next}}
  kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>) accumulator(f32) next(%a, %a : memref<16x16xf16>, memref<16x16xf16>) if %more turn %turn
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#ahead = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 4, next = prefetched>
func.func @other_type(%a: memref<16x16xf16>, %other: memref<16x8xf16>, %c: memref<16x16xf16>, %more: i1, %turn: index) {
  // expected-error@+1 {{expected the next B of type 'memref<16x16xf16>', but got 'memref<16x8xf16>'}}
  kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>) accumulator(f32) next(%a, %other : memref<16x16xf16>, memref<16x8xf16>) if %more turn %turn plan(#ahead)
  return
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups with copied operands of 16 bits and 16 rows a warp, or of tf32, and 256 columns at most, but got 128x64 of 'f16' and 'f16'}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 128x64x64, transport = copied, slices = {k = 16, shared = [0, 0]}>

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups with copied operands of 16 bits and 16 rows a warp, or of tf32, and 256 columns at most, but got 64x264 of 'f16' and 'f16'}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x264x64, transport = copied, slices = {k = 16, shared = [0, 0]}>

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups with copied operands of 16 bits and 16 rows a warp, or of tf32, and 256 columns at most, but got 64x64 of 'i8' and 'i8'}}
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x64, transport = copied, slices = {k = 32, shared = [0, 0]}>

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups in a row only for tf32}}
#plan = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x64, transport = copied, slices = {k = 16, shared = [0, 0]}>

// -----

// In a row, tiles have 256 rows of C at most.
#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups with copied operands of 16 bits and 16 rows a warp, or of tf32, and 256 columns at most, but got 64x264 of 'f32' and 'f32'}}
#plan = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 264x64x64, transport = copied, slices = {k = 8, shared = [0, 0]}>

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups in a grid of one column and one layer, with B resident, and all or nothing of A in shared memory, or with copied operands, or of one row with these}}
#plan = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x64, transport = resident, slices = {k = 8, shared = [0, 2]}>

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected warp groups in a grid of one column and one layer, with B resident, and all or nothing of A in shared memory, or with copied operands, or of one row with these}}
#plan = #kami.plan<one_d, grid = [6, 1, 1], unit = warpgroup, atom = #wgmma, tile = 96x64x64, transport = copied, slices = {k = 16, shared = [0, 0]}>

// -----

func.func @place_large(%b: memref<65x128xf16>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected a matrix of at least 65x128, but got 64x128}}
  kami.place_async %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 128 : memref<65x128xf16>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @place_type(%b: memref<64x128xbf16>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected a matrix of role b with elements of type 'bf16', but got}}
  kami.place_async %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 128 : memref<64x128xbf16>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @place_small(%b: memref<64x128xf16>, %buffer: memref<16000xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected a buffer of at least 16384 bytes, but got 16000}}
  kami.place_async %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 128 : memref<64x128xf16>, memref<16000xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @place_nobody(%b: memref<64x128xf16>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected at least one thread, but got 0}}
  kami.place_async %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 0 : memref<64x128xf16>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @round_f16(%b: memref<64x128xf16>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected elements of type f32, but got 'f16'}}
  kami.round_placed %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 128 : memref<64x128xf16>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @round_large(%b: memref<32x129xf32>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected a matrix of at least 32x129, but got 32x128}}
  kami.round_placed %b to %buffer in #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128> by 128 : memref<32x129xf32>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @round_nobody(%b: memref<32x128xf32>, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected at least one thread, but got 0}}
  kami.round_placed %b to %buffer in #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128> by 0 : memref<32x128xf32>, memref<16384xi8, #gpu.address_space<workgroup>>
  return
}

// -----

!tile = memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
!tails = memref<1024xi8, #gpu.address_space<workgroup>>
func.func @skewed_aligned(%a: memref<?x32xf16, strided<[?, 1]>>, %t: !tile, %tails: !tails) {
  // expected-error@+1 {{expected rows that are aligned or skewed, but got both}}
  kami.copy_async %a to %t by 128 aligned_rows skewed %tails : memref<?x32xf16, strided<[?, 1]>> to !tile, !tails
  return
}

// -----

!tile = memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
!tails = memref<1024xi8, #gpu.address_space<workgroup>>
func.func @skewed_apart(%a: memref<?x32xf16, strided<[?, 2]>>, %t: !tile, %tails: !tails) {
  // expected-error@+1 {{expected adjacent elements along dimension 1 of skewed rows, but got 'memref<?x32xf16, strided<[?, 2]>>'}}
  kami.copy_async %a to %t by 128 skewed %tails : memref<?x32xf16, strided<[?, 2]>> to !tile, !tails
  return
}

// -----

!tile = memref<64x12xf16, #gpu.address_space<workgroup>>
!tails = memref<1024xi8, #gpu.address_space<workgroup>>
func.func @skewed_pieces(%a: memref<?x12xf16, strided<[?, 1]>>, %t: !tile, %tails: !tails) {
  // expected-error@+1 {{expected skewed lines of whole 16 bytes, but got 12 elements of 'f16'}}
  kami.copy_async %a to %t by 128 skewed %tails : memref<?x12xf16, strided<[?, 1]>> to !tile, !tails
  return
}

// -----

!tile = memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
!tails = memref<1008xi8, #gpu.address_space<workgroup>>
func.func @skewed_tails(%a: memref<?x32xf16, strided<[?, 1]>>, %t: !tile, %tails: !tails) {
  // expected-error@+1 {{expected at least 1024 bytes of workgroup memory for tails, but got}}
  kami.copy_async %a to %t by 128 skewed %tails : memref<?x32xf16, strided<[?, 1]>> to !tile, !tails
  return
}

// -----

!tile = memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
!tails = memref<1024xi8, #gpu.address_space<workgroup>>
func.func @skewed_threads(%a: memref<?x32xf16, strided<[?, 1]>>, %t: !tile, %tails: !tails) {
  // expected-error@+1 {{expected whole warps of 32 threads with skewed rows, but got 48}}
  kami.copy_async %a to %t by 48 skewed %tails : memref<?x32xf16, strided<[?, 1]>> to !tile, !tails
  return
}

// -----

!tile = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
func.func @kept_aligned(%a: memref<?x16xf64, strided<[?, 1]>>, %t: !tile) {
  // expected-error@+1 {{expected rows that are aligned or skewed, but got both}}
  kami.copy_async %a to %t by 128 aligned_rows keeps_skew : memref<?x16xf64, strided<[?, 1]>> to !tile
  return
}

// -----

!tile = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
func.func @kept_tails(%a: memref<?x16xf64, strided<[?, 1]>>, %t: !tile, %tails: memref<1024xi8, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected rows that keep their skew or have tails, but got both}}
  kami.copy_async %a to %t by 128 skewed %tails keeps_skew : memref<?x16xf64, strided<[?, 1]>> to !tile, memref<1024xi8, #gpu.address_space<workgroup>>
  return
}

// -----

!tile = memref<64x17xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
func.func @kept_pieces(%a: memref<?x15xf64, strided<[?, 1]>>, %t: !tile) {
  // expected-error@+1 {{expected skewed lines of whole 16 bytes, but got 17 elements of 'f64'}}
  kami.copy_async %a to %t by 128 keeps_skew : memref<?x15xf64, strided<[?, 1]>> to !tile
  return
}

// -----

!tile = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
func.func @kept_no_room(%a: memref<?x18xf64, strided<[?, 1]>>, %t: !tile) {
  // expected-error@+1 {{expected at most 16 elements in dimension 1 of rows that keep their skew, but got}}
  kami.copy_async %a to %t by 128 keeps_skew : memref<?x18xf64, strided<[?, 1]>> to !tile
  return
}

// -----

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!tile = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
func.func @skewed_as_other(%a: memref<?x16xf32, strided<[?, 1]>>, %t: !tile, %row: index) {
  // expected-error@+1 {{expected a matrix of 'f64' that the source is skewed as, but got 'memref<?x16xf32, strided<[?, 1]>>'}}
  %f = kami.load %t[%row, %row] skewed_as %a : memref<?x16xf32, strided<[?, 1]>> : !tile -> !kami.fragment<32x8xf64, a, #dmma>
  return
}

// -----

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!tile = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
func.func @skewed_as_transposed(%a: memref<?x16xf64, strided<[1, ?]>>, %t: !tile, %row: index) {
  // expected-error@+1 {{expected adjacent elements in the same dimension of a matrix and of what it is skewed as, but got}}
  %f = kami.load %t[%row, %row] skewed_as %a : memref<?x16xf64, strided<[1, ?]>> : !tile -> !kami.fragment<32x8xf64, a, #dmma>
  return
}

// -----

!tails = memref<1024xi8, #gpu.address_space<workgroup>>
func.func @deskew_nothing(%a: memref<?x32xf16, strided<[?, 1]>>, %buffer: memref<4096xi8, #gpu.address_space<workgroup>>, %tails: !tails) {
  // expected-error@+1 {{expected a tile, or a buffer in a matrix, but got}}
  kami.deskew %a to %buffer by 128 tails %tails : memref<?x32xf16, strided<[?, 1]>> to memref<4096xi8, #gpu.address_space<workgroup>>, !tails
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected skewed rows only of copied operands that are not packed}}
#skewed = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = staged, slices = {k = 16, shared = [0, 0]}, rows = skewed>

// -----

func.func @layers_of_tensors(%a: tensor<16x16xf16>, %c: tensor<16x16xf16>, %n: index) -> tensor<16x16xf16> {
  // expected-error@+1 {{expected memrefs where it has layers, but got 'tensor<16x16xf16>'}}
  %d = kami.gemm ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf16>) accumulator(f32) layers(%n, %n) -> tensor<16x16xf16>
  return %d : tensor<16x16xf16>
}

// -----

func.func @aligned_layers(%a: memref<16x16xf16>, %c: memref<16x16xf16>, %n: index) {
  // expected-error@+1 {{expected neither prologues, aligned rows nor a next product where it has layers}}
  kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>) accumulator(f32) aligned_rows layers(%n, %n)
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#layered = #kami.plan<three_d, grid = [1, 1, 2], unit = warp, atom = #hmma, tile = 16x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @layers_of_a_plan(%a: memref<16x16xf16>, %c: memref<16x16xf16>, %n: index) {
  // expected-error@+1 {{expected a plan for one layer, which neither packs, prefetches nor copies in bulk}}
  kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf16>) accumulator(f32) layers(%n, %n) plan(#layered)
  return
}
