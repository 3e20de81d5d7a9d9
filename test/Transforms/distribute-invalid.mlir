// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)))'

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @rows(%a: memref<33x16xf16>, %b: memref<16x8xf16>, %c: memref<33x8xf32>) kernel {
  // expected-error @+1 {{'kami.gemm' op expected an extent of m no larger than the plan's tile of 32, but got 33}}
  kami.gemm ins(%a, %b : memref<33x16xf16>, memref<16x8xf16>) outs(%c : memref<33x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @columns(%a: memref<32x16xf16>, %b: memref<16x9xf16>, %c: memref<32x9xf32>) kernel {
  // expected-error @+1 {{'kami.gemm' op expected an extent of n no larger than the plan's tile of 8, but got 9}}
  kami.gemm ins(%a, %b : memref<32x16xf16>, memref<16x9xf16>) outs(%c : memref<32x9xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @no_plan(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) kernel {
  // expected-error @+1 {{'kami.gemm' op expected a plan; kami-assign-plan chooses one}}
  kami.gemm ins(%a, %b : memref<16x16xf16>, memref<16x8xf16>) outs(%c : memref<16x8xf32>) accumulator(f32)
  gpu.return
}
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @batch(%a: memref<2x32x16xf16>, %b: memref<16x8xf16>, %c: memref<2x32x8xf32>) kernel {
  // expected-error @+1 {{'kami.gemm' op expected one product inside a kernel, but got a batch}}
  kami.gemm ins(%a, %b : memref<2x32x16xf16>, memref<16x8xf16>) outs(%c : memref<2x32x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @block_size(%a: memref<32x16xf16>, %b: memref<16x8xf16>, %c: memref<32x8xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @+1 {{'kami.gemm' op expected blocks of 64 threads, the plan's 2 warps, but the kernel's known_block_size has 128}}
  kami.gemm ins(%a, %b : memref<32x16xf16>, memref<16x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}
