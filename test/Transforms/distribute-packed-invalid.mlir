// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)))'

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  gpu.func @gaps(%a: memref<?x4x4xf32, strided<[40, 8, 1]>>, %b: memref<?x4x4xf32>, %c: memref<?x4x4xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{expected a batch of matrices without gaps in device memory where the plan packs products}}
    kami.gemm ins(%a, %b : memref<?x4x4xf32, strided<[40, 8, 1]>>, memref<?x4x4xf32>) outs(%c : memref<?x4x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  gpu.func @size(%a: memref<?x5x4xf32>, %b: memref<?x4x4xf32>, %c: memref<?x5x4xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{expected products of the plan's tile where it packs them, but got 5x4x4}}
    kami.gemm ins(%a, %b : memref<?x5x4xf32>, memref<?x4x4xf32>) outs(%c : memref<?x5x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  gpu.func @many(%a: memref<9x4x4xf32>, %b: memref<9x4x4xf32>, %c: memref<9x4x4xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{expected no more than the plan's 8 products, but got 9}}
    kami.gemm ins(%a, %b : memref<9x4x4xf32>, memref<9x4x4xf32>) outs(%c : memref<9x4x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, rounds = 2, output = relayed>
gpu.module @kernels {
  gpu.func @many_in_rounds(%a: memref<17x4x4xf32>, %b: memref<17x4x4xf32>, %c: memref<17x4x4xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{expected no more than the plan's 16 products, but got 17}}
    kami.gemm ins(%a, %b : memref<17x4x4xf32>, memref<17x4x4xf32>) outs(%c : memref<17x4x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  gpu.func @plane(%a: memref<?x4x4xf32>, %b: memref<?x4x4xf32>, %c: memref<?x4x4xf32>) kernel
      attributes {known_block_size = array<i32: 16, 2, 1>} {
    // expected-error@+1 {{expected a known_block_size along x alone where the plan packs products}}
    kami.gemm ins(%a, %b : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%c : memref<?x4x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  gpu.func @none(%a: memref<?x4x4xf32>, %b: memref<?x4x4xf32>, %c: memref<?x4x4xf32>) kernel {
    // expected-error@+1 {{expected a known_block_size along x alone where the plan packs products}}
    kami.gemm ins(%a, %b : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%c : memref<?x4x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#lanes = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  gpu.func @threads(%a: memref<?x4x4xf32>, %b: memref<?x4x4xf32>, %c: memref<?x4x4xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error@+1 {{expected blocks of 32 threads, the plan's 32 lanes, but the kernel's known_block_size has 64}}
    kami.gemm ins(%a, %b : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%c : memref<?x4x4xf32>) accumulator(f32) plan(#lanes)
    gpu.return
  }
}
