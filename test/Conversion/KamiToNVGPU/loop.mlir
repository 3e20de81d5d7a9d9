// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Fragments that a loop carries become as many vectors as they have tiles.

// CHECK-LABEL: gpu.func @loop
// CHECK:         scf.for {{.*}} iter_args(%[[C0:.+]] = %{{.+}}, %[[C1:.+]] = %{{.+}}) -> (vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-2:   nvgpu.mma.sync
// CHECK:           scf.yield %{{.+}}, %{{.+}} : vector<4xf32>, vector<4xf32>

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>
!b = !kami.fragment<16x16xf16, b, #hmma>
!c = !kami.fragment<16x16xf32, c, #hmma>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @loop(%s: !shared, %x: f32, %n: index, %m: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = kami.fill %x : f32 -> !c
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!c) {
    %a = kami.fetch %s[%i] : !shared -> !a
    %b = kami.fetch %s[%i] : !shared -> !b
    %next = kami.mma %a, %b, %acc : !a, !b, !c
    scf.yield %next : !c
  }
  kami.store %sum, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<16x16xf32>
  gpu.return
}
}
