// RUN: kami-opt %s --split-input-file --verify-diagnostics

!i32s = memref<?xi32>
!i64s = memref<?xi64>

// (C1)
func.func @types(%a: memref<?xf16>, %b: memref<?xf32>, %at: !i64s, %m: !i32s) {
  // expected-error@+1 {{expected A and B of one element type, but got 'f16' and 'f32'}}
  kami.grouped_gemm ins(%a, %b : memref<?xf16>, memref<?xf32>) outs(%b : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32)
  return
}

// -----

!i32s = memref<?xi32>
!i64s = memref<?xi64>

// (C1)
func.func @scale(%a: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: !i32s, %beta: memref<?xf16>) {
  // expected-error@+1 {{expected beta of the accumulator's type 'f32', but got 'memref<?xf16>'}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) beta(%beta : memref<?xf16>) accumulator(f32)
  return
}

// -----

!i32s = memref<?xi32>
!i64s = memref<?xi64>

// (C2)
func.func @strided(%a: memref<?xf16, strided<[2]>>, %c: memref<?xf32>, %at: !i64s, %m: !i32s) {
  // expected-error@+1 {{expected contiguous memrefs, but got}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16, strided<[2]>>, memref<?xf16, strided<[2]>>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32)
  return
}

// -----

!i64s = memref<?xi64>

// (C3)
func.func @counts(%a: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: memref<4xi32>, %n: memref<5xi32>) {
  // expected-error@+1 {{expected one number of products, but got 4 and 5}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %n, %m : memref<4xi32>, memref<5xi32>, memref<4xi32>) accumulator(f32)
  return
}

// -----

!i32s = memref<?xi32>
!i64s = memref<?xi64>

// (C4)
func.func @leading(%a: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: !i32s) {
  // expected-error@+1 {{expected three leading dimensions, A's, B's and C's, or none, but got 2}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) leading(%m, %m : !i32s, !i32s) accumulator(f32)
  return
}

// -----

!i32s = memref<?xi32>
!i64s = memref<?xi64>

// (C5)
func.func @typical(%a: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: !i32s) {
  // expected-error@+1 {{expected typical extents from 1 to 2147483648, but got 0}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32) typical [16, 0, 16]
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @extents(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected three extents of a tile, but got 2}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32] to %d through %s by 128 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @tile(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected a tile's extents to be positive, but got 0}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 0, 32] to %d through %s by 128 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @blocks(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected the number of blocks to be positive, but got 0}}
  %count, %left = kami.deal_tiles %i of 0 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 128 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @dealing_threads(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected whole warps of 32 threads, 1024 at most, but got 100}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 100 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x3xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @dealt_columns(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected rows of a product and a tile in workgroup memory, but got 'memref<32x3xi32, #gpu.address_space<workgroup>>'}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 128 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<?x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @dealt_rows(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected rows of a product and a tile in workgroup memory, but got 'memref<?x2xi32, #gpu.address_space<workgroup>>'}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 128 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
func.func @dealt_memory(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected rows of a product and a tile in workgroup memory, but got 'memref<32x2xi32>'}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 128 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<9991xi8, #gpu.address_space<workgroup>>
func.func @scratch(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch) {
  // expected-error@+1 {{expected at least 9992 bytes of workgroup memory, but got 'memref<9991xi8, #gpu.address_space<workgroup>>'}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 64 : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
!rest = memref<5xi32>
func.func @rest(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch, %r: !rest) {
  // expected-error@+1 {{expected the rest in workgroup memory, dense, but got 'memref<5xi32>'}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 128 holding 2 to %r : !rest : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

!dealt = memref<32x2xi32, #gpu.address_space<workgroup>>
!scratch = memref<29200xi8, #gpu.address_space<workgroup>>
!rest = memref<6xi32, #gpu.address_space<workgroup>>
func.func @held(%i: index, %m: memref<?xi32>, %d: !dealt, %s: !scratch, %r: !rest) {
  // expected-error@+1 {{expected a place for the rest where turns are held, but got 0 turns}}
  %count, %left = kami.deal_tiles %i of 2 from %i in %m, %m, %m by [64, 32, 8] to %d through %s by 128 holding 0 to %r : !rest : memref<?xi32>, memref<?xi32>, memref<?xi32>, !dealt, !scratch
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected blocks in turn, and at most 1024 turns whose tiles are taken, but got 0 blocks and taken = 2}}
#taken = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, taken = 2>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected blocks in turn, and at most 1024 turns whose tiles are taken, but got 4 blocks and taken = 1025}}
#taken = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4, taken = 1025>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected up to 2147483648 tiles to be taken, with one more of each block, but got 1024 turns of 2097152 blocks}}
#taken = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 2097152, taken = 1024>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected products to be dealt only to blocks in turn, without turns that are taken, but got 0 blocks and taken = 0}}
#dealt = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, deal = products>

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// expected-error@+1 {{expected products to be dealt only to blocks in turn, without turns that are taken, but got 4 blocks and taken = 2}}
#dealt = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4, taken = 2, deal = products>

// -----

func.func @ticket_words(%w: memref<3xi32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected two words in workgroup memory, but got 'memref<3xi32, #gpu.address_space<workgroup>>'}}
  kami.open_tickets %w by 32 : memref<3xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @ticket_memory(%w: memref<2xi32>, %i: index) {
  // expected-error@+1 {{expected two words in workgroup memory, but got 'memref<2xi32>'}}
  %t = kami.take_ticket %w of 2 by 32 : memref<2xi32>
  return
}

// -----

func.func @ticket_threads(%w: memref<2xi32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{expected whole warps of 32 threads, 1024 at most, but got 33}}
  kami.open_tickets %w by 33 : memref<2xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @ticket_blocks(%w: memref<2xi32, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected the number of blocks to be positive, but got 0}}
  %t = kami.take_ticket %w of 0 by 32 : memref<2xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @epilogue_map(%a: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>, %bias: memref<?xf32>) {
  // expected-error@+1 {{expected a map for 'memref<?xf32>' in the epilogue from 3 dimensions to 1, but got affine_map<(d0, d1) -> (d1)>}}
  kami.grouped_gemm ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>) sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32)
      epilogue(%x: f32, %t = %bias : memref<?xf32> at affine_map<(i, j) -> (j)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @epilogue_products(%a: memref<?xf32>, %at: memref<4xi64>, %m: memref<4xi32>, %scale: memref<5xf32>) {
  // expected-error@+1 {{expected extent 4 of dimension 0 of 'memref<5xf32>' in the epilogue, but got 5}}
  kami.grouped_gemm ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      at(%at, %at, %at : memref<4xi64>, memref<4xi64>, memref<4xi64>) sizes(%m, %m, %m : memref<4xi32>, memref<4xi32>, memref<4xi32>) accumulator(f32)
      epilogue(%x: f32, %t = %scale : memref<5xf32> at affine_map<(p, i, j) -> (p)>) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @epilogue_type(%a: memref<?xf16>, %at: memref<?xi64>, %m: memref<?xi32>) {
  // expected-error@+1 {{expected the epilogue to yield 'f16', but got 'f32'}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%a : memref<?xf16>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>) sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32)
      epilogue(%x: f32) {
        kami.yield %x : f32
      }
  return
}

// -----

func.func @publish_memory(%w: memref<2xi32>, %t: i32, %i: index) {
  // expected-error@+1 {{expected two words in workgroup memory, but got 'memref<2xi32>'}}
  kami.publish_ticket %t in %w up_to %i of 2 by 32 : memref<2xi32>
  return
}

// -----

func.func @publish_blocks(%w: memref<2xi32, #gpu.address_space<workgroup>>, %t: i32, %i: index) {
  // expected-error@+1 {{but got 0}}
  kami.publish_ticket %t in %w up_to %i of 0 by 32 : memref<2xi32, #gpu.address_space<workgroup>>
  return
}
