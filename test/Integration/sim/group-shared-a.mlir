// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=7 | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)))' | FileCheck %s --check-prefix=WARPS
// CHECK: verdict   right

// Warp groups that read A and B in shared memory, both distributed before the
// product. 80 terms are 5 instructions, but 2 swizzle rows of 64: the matrices
// are as large as for 128, and B lies behind all of A.

// WARPS: kami.shared_bytes = 22528
// WARPS: memref.view %{{.+}}[%c0{{.*}}][] : {{.+}} to memref<16384xi8
// WARPS: memref.view %{{.+}}[%c16384{{.*}}][] : {{.+}} to memref<6144xi8

#atom = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #atom, tile = 64x24x80, transport = resident, slices = {k = 16, shared = [6, 2]}>
!a = !kami.distributed<64x80xf16, a, #plan>
!b = !kami.distributed<80x24xf16, b, #plan>
!c = !kami.distributed<64x24xf32, c, #plan>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<64x80xf16>, %b: memref<80x24xf16>, %c: memref<64x24xf32>)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %zero = arith.constant 0.0 : f32
      %left = kami.distribute %a : memref<64x80xf16> -> !a
      %right = kami.distribute %b : memref<80x24xf16> -> !b
      %start = kami.splat %zero : f32 -> !c
      %sum = kami.gemm ins(%left, %right : !a, !b) outs(%start : !c) accumulator(f32) plan(#plan) -> !c
      kami.collect %sum, %c : !c, memref<64x24xf32>
      gpu.return
    }
  }
  func.func private @reference(%a: memref<64x80xf16>, %b: memref<80x24xf16>, %c: memref<64x24xf32>) {
    kami.gemm ins(%a, %b : memref<64x80xf16>, memref<80x24xf16>) outs(%c : memref<64x24xf32>) accumulator(f32)
    return
  }
  func.func @main(%a: memref<64x80xf16>, %b: memref<80x24xf16>, %c: memref<64x24xf32>)
      attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%a : memref<64x80xf16>, %b : memref<80x24xf16>, %c : memref<64x24xf32>)
    return
  }
}
