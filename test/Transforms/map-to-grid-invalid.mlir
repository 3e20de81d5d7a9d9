// RUN: kami-opt %s --split-input-file --verify-diagnostics --kami-map-to-grid

func.func @no_plan(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected a plan; kami-assign-plan chooses one}}
  kami.gemm ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32)
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @tensors(%a: tensor<32x32xf16>, %b: tensor<32x16xf16>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{'kami.gemm' op expected memrefs; bufferize first}}
  %d = kami.gemm ins(%a, %b : tensor<32x32xf16>, tensor<32x16xf16>) outs(%c : tensor<32x16xf32>) accumulator(f32) plan(#plan) -> tensor<32x16xf32>
  return %d : tensor<32x16xf32>
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4, taken = 2>
func.func @taken(%a: memref<32x32xf16>, %b: memref<32x16xf16>, %c: memref<32x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected tiles to be taken only where the next one is prefetched}}
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}, blocks = 4, deal = products>
func.func @dealt(%a: memref<32x32xf16>, %b: memref<32x16xf16>, %c: memref<32x16xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected products to be dealt only of products of sizes of their own}}
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  return
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>
func.func @stationary(%a: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
  // expected-error @+1 {{'kami.grouped_gemm' op expected a plan without a stationary operand}}
  kami.grouped_gemm ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>)
      sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32) precision<tf32> plan(#plan)
  return
}
