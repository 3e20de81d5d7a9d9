// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)))'

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#copied = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
  gpu.func @shared(%b: memref<16x16xf16>, %c: memref<16x16xf32>) workgroup(%a: memref<16x16xf16, #gpu.address_space<workgroup>>) kernel {
    // expected-error@+1 {{expected operands in device memory where the plan copies them, but got}}
    kami.gemm ins(%a, %b : memref<16x16xf16, #gpu.address_space<workgroup>>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32) plan(#copied)
    gpu.return
  }
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#copied = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
  gpu.func @prologue(%a: memref<16x16xi8>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) kernel {
    // expected-error@+1 {{expected no prologue of A where the plan copies operands}}
    kami.gemm ins(%a, %b : memref<16x16xi8>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32)
        prologue_a(%x: i8) {
          %y = arith.sitofp %x : i8 to f16
          kami.yield %y : f16
        } plan(#copied)
    gpu.return
  }
}

// -----

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#relayed = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied, slices = {k = 16, shared = [0, 0]}, output = relayed>
gpu.module @kernels {
  gpu.func @wide(%a: memref<16x16xf16>, %c: memref<16x16xf32>) kernel {
    // expected-error@+1 {{expected C in memory, of elements of 16 bits at most, where the plan relays it, but got 'memref<16x16xf32>'}}
    kami.gemm ins(%a, %a : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>) accumulator(f32) plan(#relayed)
    gpu.return
  }
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#group = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x64, transport = copied, slices = {k = 16, shared = [0, 0]}, stages = 2>
gpu.module @kernels {
  gpu.func @widened(%a: memref<64x64xf8E4M3FN, strided<[1, 64]>>, %b: memref<64x64xf16>, %c: memref<64x64xf16>) kernel {
    // expected-error@+1 {{expected operands of the atom's type where the matrix unit reads them as they are copied, but got 'memref<64x64xf8E4M3FN, strided<[1, 64]>>'}}
    kami.gemm ins(%a, %b : memref<64x64xf8E4M3FN, strided<[1, 64]>>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) accumulator(f32) plan(#group)
    gpu.return
  }
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>
gpu.module @m {
  gpu.func @stationary(%a: memref<40x64xf32>, %b: memref<64x144xf32>, %c: memref<40x144xf32>) kernel {
    // expected-error@+1 {{'kami.gemm' op expected an extent of n no larger than the plan's tile of 128, but got 144}}
    kami.gemm ins(%a, %b : memref<40x64xf32>, memref<64x144xf32>) outs(%c : memref<40x144xf32>) accumulator(f32) precision<tf32> aligned_rows plan(#plan)
    gpu.return
  }
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>
gpu.module @m {
  gpu.func @stationary(%a: memref<40x72xf32>, %b: memref<72x128xf32>, %c: memref<40x128xf32>) kernel {
    // expected-error@+1 {{'kami.gemm' op expected one tile of k, and lines that the copy engine brings, where an operand is stationary}}
    kami.gemm ins(%a, %b : memref<40x72xf32>, memref<72x128xf32>) outs(%c : memref<40x128xf32>) accumulator(f32) precision<tf32> aligned_rows plan(#plan)
    gpu.return
  }
}

// -----

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 16x128x64, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk, stationary = operand>
gpu.module @m {
  gpu.func @stationary(%a: memref<40x64xf32>, %b: memref<64x128xf32>, %c: memref<40x128xf32>) kernel {
    // expected-error@+1 {{'kami.gemm' op expected one tile of k, and lines that the copy engine brings, where an operand is stationary}}
    kami.gemm ins(%a, %b : memref<40x64xf32>, memref<64x128xf32>) outs(%c : memref<40x128xf32>) accumulator(f32) precision<tf32> plan(#plan)
    gpu.return
  }
}
