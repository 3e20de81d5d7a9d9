// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-amdgpu),canonicalize,cse))' | FileCheck %s

// A wave of 64 writes 64 words of a fragment; scopes are the block's barrier, of
// LDS alone. kami.barrier is for all memory.

// CHECK-LABEL: gpu.func @within_row
// CHECK:         %[[THREAD:.+]] = gpu.thread_id x
// CHECK:         arith.remui %[[THREAD]], %c64
// CHECK:         arith.divui %[[THREAD]], %c64
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<256xvector<4xf16>
// CHECK:         amdgpu.lds_barrier
// CHECK-NEXT:    %{{.+}} = scf.if
// CHECK:         amdgpu.lds_barrier
// CHECK-NOT:     barrier
// CHECK:         gpu.barrier
// CHECK:         gpu.return
#atom = #kami.mma_atom<mfma 16x16x16, f16, f16, f32, ["cdna.a.16x16.b16", "cdna.b.16x16.b16", "cdna.c.16x16.b32"]>
!a = !kami.fragment<16x16xf16, a, #atom>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx90a">} {
gpu.module @kernels {
gpu.func @within_row(%s: !shared, %t: !shared, %i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fetch %t[%i] : !shared -> !a
  %g = kami.broadcast in [2, 2, 1] within row
         %f : !a along row from 1 via %s : !shared
  kami.share %g, %t[%i] : !a, !shared
  kami.barrier in [2, 2, 1] within row
  gpu.return
}
}
}

// -----

// Of RDNA 3's two lanes that have a row of A, the first 16 write, and all read
// what those wrote.

// CHECK-LABEL: gpu.func @replicas
// CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %c32
// CHECK:         %[[WORD:.+]] = arith.andi %[[LANE]], %c15
// CHECK:         %[[REPLICA:.+]] = arith.andi %[[LANE]], %c16
// CHECK:         %[[WRITES:.+]] = arith.cmpi eq, %[[REPLICA]], %c0
// CHECK:         scf.if %[[WRITES]]
// CHECK-COUNT-2:   memref.store
#atom = #kami.mma_atom<wmma 16x16x16, f16, f16, f32, ["rdna3.a.16x16.b16", "rdna3.b.16x16.b16", "rdna3.c.16x16.b32"]>
!a = !kami.fragment<16x16xf16, a, #atom>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx1100">} {
gpu.module @kernels {
gpu.func @replicas(%s: !shared, %m: memref<?x?xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = kami.load %m[%c0, %c0] : memref<?x?xf16> -> !a
  kami.share %a, %s[%c0] : !a, !shared
  gpu.return
}
}
}
