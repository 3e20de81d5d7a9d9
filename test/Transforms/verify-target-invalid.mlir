// RUN: kami-opt %s --split-input-file --verify-diagnostics --kami-verify-target

// Plans by hand are obeyed, or refused with the reason.

// 40 warps of 32 threads.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @threads(%a: memref<640x16xf16>, %b: memref<16x8xf16>, %c: memref<640x8xf32>) {
  // expected-error @+1 {{'kami.gemm' op cannot execute this plan on sm_90: needs 1280 threads, a block may have 1024}}
  kami.gemm ins(%a, %b : memref<640x16xf16>, memref<16x8xf16>) outs(%c : memref<640x8xf32>) accumulator(f32)
      plan(<one_d, grid = [40, 1, 1], unit = warp, atom = #hmma, tile = 640x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
}

// -----

// The 128 × 128 partial sums of one warp alone are 512 registers a thread.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @registers(%a: memref<128x16xf16>, %b: memref<16x128xf16>, %c: memref<128x128xf32>) {
  // expected-error-re @+1 {{'kami.gemm' op cannot execute this plan on sm_90: needs {{[5-9][0-9][0-9]}} registers a thread, the chip has 255}}
  kami.gemm ins(%a, %b : memref<128x16xf16>, memref<16x128xf16>) outs(%c : memref<128x128xf32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 128x128x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
}

// -----

// With 32 warps a thread has 65536 / 1024 registers, whatever it may name.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @registers_of_many(%a: memref<512x16xf16>, %b: memref<16x64xf16>, %c: memref<512x64xf32>) {
  // expected-error-re @+1 {{'kami.gemm' op cannot execute this plan on sm_90: needs {{[0-9]+}} registers a thread, the chip has 64}}
  kami.gemm ins(%a, %b : memref<512x16xf16>, memref<16x64xf16>) outs(%c : memref<512x64xf32>) accumulator(f32)
      plan(<one_d, grid = [32, 1, 1], unit = warp, atom = #hmma, tile = 512x64x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
}

// -----

// All of B is shared: 512 × 32 elements of 8 bytes are 131072 bytes, of which a
// block of sm_89 may use 99 KiB.

#dmma = #kami.mma_atom<mma_sync 8x8x4, f64, f64, f64, ["nv.a.8x4.b64", "nv.b.4x8.b64", "nv.c.8x8.b64"]>
module attributes {kami.target = #kami.target<"sm_89">} {
func.func @shared_bytes(%a: memref<16x512xf64>, %b: memref<512x32xf64>, %c: memref<16x32xf64>) {
  // expected-error-re @+1 {{'kami.gemm' op cannot execute this plan on sm_89: needs {{[0-9]+}} bytes of shared memory, a block may use 101376}}
  kami.gemm ins(%a, %b : memref<16x512xf64>, memref<512x32xf64>) outs(%c : memref<16x32xf64>) accumulator(f64)
      plan(<one_d, grid = [2, 1, 1], unit = warp, atom = #dmma, tile = 16x32x512, transport = gathered, slices = {k = 4, shared = [128, 64]}>)
  return
}
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @operand_type(%a: memref<16x16xbf16>, %b: memref<16x16xbf16>, %c: memref<16x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op cannot execute this plan on sm_90: atom 'mma_sync.m16n8k16.f32.f16' multiplies f16, expected bf16}}
  kami.gemm ins(%a, %b : memref<16x16xbf16>, memref<16x16xbf16>) outs(%c : memref<16x16xf32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
}

// -----

#half = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f16, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @accumulator_type(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op cannot execute this plan on sm_90: atom 'mma_sync.m16n8k16.f16.f16' accumulates in f16, expected f32}}
  kami.gemm ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #half, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
}

// -----

// The larger f64 shapes came with sm_90.

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
module attributes {kami.target = #kami.target<"sm_80">} {
func.func @atom_of_another_chip(%a: memref<16x16xf64>, %b: memref<16x16xf64>, %c: memref<16x16xf64>) {
  // expected-error @+1 {{'kami.gemm' op cannot execute this plan on sm_80: target 'sm_80' has no atom 'mma_sync.m16n8k8.f64.f64'}}
  kami.gemm ins(%a, %b : memref<16x16xf64>, memref<16x16xf64>) outs(%c : memref<16x16xf64>) accumulator(f64)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #dmma, tile = 16x16x16, transport = staged, slices = {k = 8, shared = [0, 0]}>)
  return
}
}

// -----

// An atom whose layouts agree with its shape, but that no device has.

#odd = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f64, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b64"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @no_such_atom(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf64>) {
  // expected-error @+1 {{'kami.gemm' op expected a plan with an atom that a target has, but got}}
  kami.gemm ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf64>) accumulator(f64)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #odd, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
}

// -----

module attributes {kami.target = #kami.target<"sm_90">} {
func.func @no_plan(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected a plan; kami-assign-plan chooses one}}
  kami.gemm ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32)
  return
}
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
func.func @no_target(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected a module with a 'kami.target'; kami-attach-target sets it}}
  kami.gemm ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}

// -----

// Eleven stages of 48 × 32 and 32 × 64 elements are 98560 bytes, which a block of
// sm_89 has; but grouped products have a list of tiles beside them.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [3, 1, 1], unit = warp, atom = #hmma, tile = 48x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 11, blocks = 128>
!i32s = memref<?xi32>
!i64s = memref<?xi64>
module attributes {kami.target = #kami.target<"sm_89">} {
func.func @list_of_tiles(%a: memref<?xf16>, %c: memref<?xf32>, %one: memref<48x32xf16>, %other: memref<32x64xf16>, %sum: memref<48x64xf32>,
                         %at: !i64s, %m: !i32s) {
  kami.gemm ins(%one, %other : memref<48x32xf16>, memref<32x64xf16>) outs(%sum : memref<48x64xf32>) accumulator(f32) plan(#plan)
  // expected-error @+1 {{'kami.grouped_gemm' op cannot execute this plan on sm_89: needs 98560 bytes of shared memory, a block may use 96000}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s)
      leading(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32) plan(#plan)
  return
}
}

// -----

// Of one product there is none to deal.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @dealt(%a: memref<64x16xf16>, %b: memref<16x64xf16>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected products to be dealt only of products of sizes of their own (kami.grouped_gemm)}}
  kami.gemm ins(%a, %b : memref<64x16xf16>, memref<16x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4, deal = products>)
  return
}
}

// -----

// Of one product, tiles are taken only where the next one is prefetched.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @taken(%a: memref<64x16xf16>, %b: memref<16x64xf16>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected tiles to be taken only of products of sizes of their own (kami.grouped_gemm)}}
  kami.gemm ins(%a, %b : memref<64x16xf16>, memref<16x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4, taken = 2>)
  return
}
}

// -----

// Without any that are taken, there is room.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @taken_room(%a: memref<?xf16>, %c: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
  // expected-error-re @+1 {{'kami.grouped_gemm' op cannot execute this plan on sm_90: {{.*}}shared memory}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>) sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 147, blocks = 4, taken = 1>)
  return
}
}

// -----

// A buffer of Vulkan or OpenCL says nothing of where in it a matrix is.

#tensor = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
module attributes {kami.target = #kami.target<"vulkan">} {
func.func @grouped_spirv(%a: memref<?xf16>, %c: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
  // expected-error @+1 {{'kami.grouped_gemm' op expected a target whose kernels read matrices at positions that memory holds, but got vulkan, which takes SPIR-V}}
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>) sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32)
      plan(<one_d, grid = [1, 1, 1], unit = warp, atom = #tensor, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4>)
  return
}
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @stationary(%a: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
  // expected-error @+1 {{'kami.grouped_gemm' op expected a plan without a stationary operand}}
  kami.grouped_gemm ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>)
      sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32) precision<tf32>
      plan(<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>)
  return
}
}
