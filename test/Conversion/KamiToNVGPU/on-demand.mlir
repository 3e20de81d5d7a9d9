// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Operands that were fetched for a product are read where they are multiplied.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#fma = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
!shared = memref<8192xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {

// One row of tiles of A stays, four tiles of B pass.

// CHECK-LABEL: gpu.func @tiles
// CHECK:         memref.load %[[A:.+]][%{{.+}}] : memref<512xvector<8xf16>
// CHECK-NEXT:    memref.load %[[B:.+]][%{{.+}}] : memref<1024xvector<4xf16>
// CHECK:         nvgpu.mma.sync
// CHECK:         memref.load %[[B]]
// CHECK:         nvgpu.mma.sync
// CHECK:         memref.load %[[A]]
// CHECK:         memref.load %[[B]]
// CHECK:         nvgpu.mma.sync
gpu.func @tiles(%s: !shared, %t: !shared, %x: f32, %m: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = kami.fetch %s[%c0] : !shared -> !kami.fragment<16x32xf16, a, #hmma>
  %b = kami.fetch %t[%c0] : !shared -> !kami.fragment<32x16xf16, b, #hmma>
  %c = kami.fill %x : f32 -> !kami.fragment<16x16xf32, c, #hmma>
  %d = kami.mma %a, %b, %c : !kami.fragment<16x32xf16, a, #hmma>, !kami.fragment<32x16xf16, b, #hmma>, !kami.fragment<16x16xf32, c, #hmma>
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !kami.fragment<16x16xf32, c, #hmma>, memref<16x16xf32>
  gpu.return
}

// Four outer products a round: of 18 the last two are left over.

// CHECK-LABEL: gpu.func @loop
// CHECK:         scf.for %[[K:.+]] = %c0 to %c16 step %c4
// CHECK-COUNT-2:   memref.load
// CHECK-COUNT-4:   math.fma
// CHECK-COUNT-2:   memref.load
// CHECK-COUNT-12:  math.fma
// CHECK:           scf.yield
// CHECK-COUNT-8: math.fma
// CHECK-NOT:     math.fma
gpu.func @loop(%s: !shared, %t: !shared, %x: f32, %m: memref<16x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = kami.fetch %s[%c0] : !shared -> !kami.fragment<16x18xf32, a, #fma>
  %b = kami.fetch %t[%c0] : !shared -> !kami.fragment<18x8xf32, b, #fma>
  %c = kami.fill %x : f32 -> !kami.fragment<16x8xf32, c, #fma>
  %d = kami.mma %a, %b, %c : !kami.fragment<16x18xf32, a, #fma>, !kami.fragment<18x8xf32, b, #fma>, !kami.fragment<16x8xf32, c, #fma>
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !kami.fragment<16x8xf32, c, #fma>, memref<16x8xf32>
  gpu.return
}

// After a barrier, the memory may be another's.

// CHECK-LABEL: gpu.func @barrier
// CHECK-NOT:     scf.for
// CHECK:         gpu.barrier
// CHECK-NOT:     memref.load
// CHECK:         math.fma
gpu.func @barrier(%s: !shared, %t: !shared, %x: f32, %m: memref<16x9xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = kami.fetch %s[%c0] : !shared -> !kami.fragment<16x8xf32, a, #fma>
  %b = kami.fetch %t[%c0] : !shared -> !kami.fragment<8x8xf32, b, #fma>
  gpu.barrier
  %c = kami.fill %x : f32 -> !kami.fragment<16x8xf32, c, #fma>
  %d = kami.mma %a, %b, %c : !kami.fragment<16x8xf32, a, #fma>, !kami.fragment<8x8xf32, b, #fma>, !kami.fragment<16x8xf32, c, #fma>
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !kami.fragment<16x8xf32, c, #fma>, memref<16x9xf32>
  gpu.return
}

}
