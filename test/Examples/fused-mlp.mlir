// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=3 | FileCheck %s
// RUN: kami-opt %s --kami-to-warps=chip=sm_90 | FileCheck %s --check-prefix=WARPS
// CHECK: verdict   right

// relu(X·W1 + bias)·W2, 64 rows of X a block: a kernel of one's own, with kami
// for its two products. What the first one makes stays in registers, where the
// second one multiplies it.

// WARPS-LABEL: gpu.func @mlp
// WARPS:         kami.mma
// WARPS:         kami.map
// WARPS-NOT:     memref.store
// WARPS:         kami.recast
// WARPS:         kami.mma
// WARPS:         kami.store

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x90x48, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x40x90, transport = staged, slices = {k = 16, shared = [0, 0]}>
!hidden = !kami.distributed<64x90xf32, c, #first>
!left = !kami.distributed<64x90xf16, a, #second>
!out = !kami.distributed<64x40xf32, c, #second>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @mlp(%x: memref<512x48xf16>, %w1: memref<48x90xf16>, %bias: memref<90xf32>, %w2: memref<90x40xf16>, %y: memref<512x40xf16>)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %zero = arith.constant 0.0 : f32
      %c64 = arith.constant 64 : index
      %block = gpu.block_id x
      %row = arith.muli %block, %c64 : index
      %rows = memref.subview %x[%row, 0] [64, 48] [1, 1] : memref<512x48xf16> to memref<64x48xf16, strided<[48, 1], offset: ?>>
      %result = memref.subview %y[%row, 0] [64, 40] [1, 1] : memref<512x40xf16> to memref<64x40xf16, strided<[40, 1], offset: ?>>
      %c0 = kami.splat %zero : f32 -> !hidden
      %hidden = kami.gemm ins(%rows, %w1 : memref<64x48xf16, strided<[48, 1], offset: ?>>, memref<48x90xf16>) outs(%c0 : !hidden) accumulator(f32)
          epilogue(%s: f32, %b = %bias : memref<90xf32> at affine_map<(m, n) -> (n)>) {
            %none = arith.constant 0.0 : f32
            %sum = arith.addf %s, %b : f32
            %relu = arith.maximumf %sum, %none : f32
            kami.yield %relu : f32
          }
          plan(#first) -> !hidden
      %left = kami.redistribute %hidden : !hidden -> !left
      %c1 = kami.splat %zero : f32 -> !out
      %sums = kami.gemm ins(%left, %w2 : !left, memref<90x40xf16>) outs(%c1 : !out) accumulator(f32) plan(#second) -> !out
      kami.collect %sums, %result : !out, memref<64x40xf16, strided<[40, 1], offset: ?>>
      gpu.return
    }
  }

  func.func private @reference(%x: memref<512x48xf16>, %w1: memref<48x90xf16>, %bias: memref<90xf32>, %w2: memref<90x40xf16>, %y: memref<512x40xf16>) {
    %hidden = memref.alloc() : memref<512x90xf16>
    kami.gemm ins(%x, %w1 : memref<512x48xf16>, memref<48x90xf16>) outs(%hidden : memref<512x90xf16>) accumulator(f32)
        epilogue(%s: f32, %b = %bias : memref<90xf32> at affine_map<(m, n) -> (n)>) {
          %none = arith.constant 0.0 : f32
          %sum = arith.addf %s, %b : f32
          %relu = arith.maximumf %sum, %none : f32
          %short = arith.truncf %relu : f32 to f16
          kami.yield %short : f16
        }
    kami.gemm ins(%hidden, %w2 : memref<512x90xf16>, memref<90x40xf16>) outs(%y : memref<512x40xf16>) accumulator(f32)
    return
  }

  func.func @main(%x: memref<512x48xf16>, %w1: memref<48x90xf16>, %bias: memref<90xf32>, %w2: memref<90x40xf16>, %y: memref<512x40xf16>)
      attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@mlp blocks in (%c8, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%x : memref<512x48xf16>, %w1 : memref<48x90xf16>, %bias : memref<90xf32>, %w2 : memref<90x40xf16>, %y : memref<512x40xf16>)
    return
  }
}
