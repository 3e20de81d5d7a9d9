// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=7 | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)))' | FileCheck %s --check-prefix=WARPS
// CHECK: verdict   right

// Prologues and an epilogue where groups of warps multiply in unison: all of a
// warp's rows of A go through the one, B's slices on their way to shared memory
// through the other. A's zero point makes something of what lies beyond k, which
// is more than one tile and ends within one.

// WARPS-LABEL: gpu.func @product
// WARPS:         scf.for
// WARPS:           kami.map ({{.*}}) -> !a16x32
// WARPS:           kami.clip
// WARPS:           kami.map ({{.*}}) -> !b16x24
// WARPS:           kami.place
// WARPS:           kami.group_mma
// WARPS:         kami.map ({{.*}}) -> !c16x24_f16
// WARPS:         kami.store

#atom = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #atom, tile = 64x24x32, transport = resident, slices = {k = 16, shared = [0, 1]}>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<50x71xi8>, %z: memref<71xi8>, %b: memref<71x21xf16>, %s: memref<21xf16>, %r: memref<50x21xf32>, %c: memref<50x21xf16>)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      kami.gemm ins(%a, %b : memref<50x71xi8>, memref<71x21xf16>) outs(%c : memref<50x21xf16>) accumulator(f32)
          prologue_a(%x: i8, %p = %z : memref<71xi8> at affine_map<(m, k) -> (k)>) {
            %one = arith.constant 1.0 : f16
            %f = arith.sitofp %x : i8 to f16
            %g = arith.sitofp %p : i8 to f16
            %d = arith.subf %f, %g : f16
            %e = arith.addf %d, %one : f16
            kami.yield %e : f16
          }
          prologue_b(%x: f16, %t = %s : memref<21xf16> at affine_map<(k, n) -> (n)>) {
            %y = arith.mulf %x, %t : f16
            kami.yield %y : f16
          }
          epilogue(%x: f32, %y = %r : memref<50x21xf32> at affine_map<(m, n) -> (m, n)>) {
            %u = arith.addf %x, %y : f32
            %v = arith.truncf %u : f32 to f16
            kami.yield %v : f16
          } plan(#plan)
      gpu.return
    }
  }
  func.func private @reference(%a: memref<50x71xi8>, %z: memref<71xi8>, %b: memref<71x21xf16>, %s: memref<21xf16>, %r: memref<50x21xf32>, %c: memref<50x21xf16>) {
    kami.gemm ins(%a, %b : memref<50x71xi8>, memref<71x21xf16>) outs(%c : memref<50x21xf16>) accumulator(f32)
        prologue_a(%x: i8, %p = %z : memref<71xi8> at affine_map<(m, k) -> (k)>) {
          %one = arith.constant 1.0 : f16
          %f = arith.sitofp %x : i8 to f16
          %g = arith.sitofp %p : i8 to f16
          %d = arith.subf %f, %g : f16
          %e = arith.addf %d, %one : f16
          kami.yield %e : f16
        }
        prologue_b(%x: f16, %t = %s : memref<21xf16> at affine_map<(k, n) -> (n)>) {
          %y = arith.mulf %x, %t : f16
          kami.yield %y : f16
        }
        epilogue(%x: f32, %y = %r : memref<50x21xf32> at affine_map<(m, n) -> (m, n)>) {
          %u = arith.addf %x, %y : f32
          %v = arith.truncf %u : f32 to f16
          kami.yield %v : f16
        }
    return
  }
  func.func @main(%a: memref<50x71xi8>, %z: memref<71xi8>, %b: memref<71x21xf16>, %s: memref<21xf16>, %r: memref<50x21xf32>, %c: memref<50x21xf16>)
      attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%a : memref<50x71xi8>, %z : memref<71xi8>, %b : memref<71x21xf16>, %s : memref<21xf16>, %r : memref<50x21xf32>, %c : memref<50x21xf16>)
    return
  }
}
