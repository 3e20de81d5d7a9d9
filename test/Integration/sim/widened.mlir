// Floats of 8 bits that are multiplied as f16: distributed over a block once, and
// multiplied in a loop; and by the lanes, where a plan says so.

// RUN: split-file %s %t
// RUN: kami-run %t/block.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/block.mlir --device=sim --seed=7 | FileCheck %s
// RUN: kami-run %t/lanes.mlir --device=sim --seed=3 | FileCheck %s
// RUN: kami-run %t/prologue.mlir --device=sim --seed=5 | FileCheck %s
// CHECK: verdict   right

// Nothing is converted in the loop.

// RUN: kami-opt %t/block.mlir --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},gpu.module(gpu.func(kami-distribute-to-warps,convert-kami-to-nvgpu),convert-kami-to-nvvm,kami-expand-float8))' | FileCheck %s --check-prefix=LOOP
// LOOP-LABEL: gpu.func @repeated
// LOOP:         nvvm.convert.f8x2.to.f16x2 %{{.+}}(f8E4M3FN)
// LOOP:         nvvm.convert.f8x2.to.f16x2 %{{.+}}(f8E5M2)
// LOOP:         scf.for
// LOOP-NOT:     convert
// LOOP-COUNT-2: nvgpu.mma.sync
// LOOP-NOT:     convert
// LOOP:         gpu.return

//--- block.mlir
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #atom, tile = 16x16x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
!a = !kami.distributed<16x16xf16, a, #plan>
!b = !kami.distributed<16x16xf16, b, #plan>
!c = !kami.distributed<16x16xf32, c, #plan>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @repeated(%ma: memref<16x16xf8E4M3FN>, %mb: memref<16x16xf8E5M2>, %mc: memref<16x16xf32>, %count: index)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %a = kami.distribute %ma : memref<16x16xf8E4M3FN> -> !a
      %b = kami.distribute %mb : memref<16x16xf8E5M2> -> !b
      %start = kami.splat %zero : f32 -> !c
      %sum = scf.for %i = %c0 to %count step %c1 iter_args(%partial = %start) -> (!c) {
        %next = kami.gemm ins(%a, %b : !a, !b) outs(%partial : !c) beta(%one : f32) accumulator(f32) plan(#plan) -> !c
        scf.yield %next : !c
      }
      kami.collect %sum, %mc : !c, memref<16x16xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<16x16xf8E4M3FN>, %b: memref<16x16xf8E5M2>, %c: memref<16x16xf32>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@repeated blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%a : memref<16x16xf8E4M3FN>, %b : memref<16x16xf8E5M2>, %c : memref<16x16xf32>, %c3 : index)
    return
  }
  func.func private @reference(%a: memref<16x16xf8E4M3FN>, %b: memref<16x16xf8E5M2>, %c: memref<16x16xf32>) {
    %three = arith.constant 3.0 : f32
    kami.gemm ins(%a, %b : memref<16x16xf8E4M3FN>, memref<16x16xf8E5M2>) outs(%c : memref<16x16xf32>) alpha(%three : f32) accumulator(f32)
    return
  }
}

//--- lanes.mlir
#atom = #kami.mma_atom<fma 16x8x1, f8E4M3FN, f8E5M2, f32, ["nv.a.16x1.b8", "nv.b.1x8.b8", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #atom, tile = 33x17x40, transport = staged, slices = {k = 4, shared = [0, 1]}>
func.func @main(%a: memref<33x40xf8E4M3FN>, %b: memref<40x17xf8E5M2>, %c: memref<33x17xf32>) {
  kami.gemm ins(%a, %b : memref<33x40xf8E4M3FN>, memref<40x17xf8E5M2>) outs(%c : memref<33x17xf32>) accumulator(f32) plan(#plan)
  return
}

// What a prologue makes is widened, too.

//--- prologue.mlir
func.func @main(%a: memref<33x40xi8>, %b: memref<40x17xf8E5M2>, %c: memref<33x17xf32>) {
  kami.gemm ins(%a, %b : memref<33x40xi8>, memref<40x17xf8E5M2>) outs(%c : memref<33x17xf32>) accumulator(f32)
      prologue_a(%x: i8) {
        %y = arith.sitofp %x : i8 to f32
        %s = arith.constant 0.03125 : f32
        %z = arith.mulf %y, %s : f32
        %t = arith.truncf %z : f32 to f8E4M3FN
        kami.yield %t : f8E4M3FN
      }
      prologue_b(%x: f8E5M2) {
        %y = arith.extf %x : f8E5M2 to f16
        kami.yield %y : f16
      }
  return
}
