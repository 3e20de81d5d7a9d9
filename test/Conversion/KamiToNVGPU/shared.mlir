// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// Shared memory holds fragments in their own order: a lane's registers of a tile
// side by side, as far as one access reaches (16 bytes), lane after lane.

// CHECK-LABEL: gpu.func @share_and_fetch
// CHECK-SAME:    %[[S:.+]]: memref<2048xi8, {{.*}}>, %[[I:.+]]: index, %[[J:.+]]: index
// CHECK:         %[[SLOTS:.+]] = memref.view %[[S]][%c0][] : {{.*}} to memref<256xvector<4xf16>,
// CHECK:         %[[FIRST:.+]] = arith.muli %[[I]], %c32
// CHECK:         %[[PLACE:.+]] = arith.addi %[[FIRST]], %[[LANE:.+]] :
// CHECK:         %[[READ:.+]] = memref.load %[[SLOTS]][%[[PLACE]]]
// CHECK:         gpu.barrier
// CHECK:         %[[OTHER:.+]] = arith.muli %[[J]], %c32
// CHECK:         %[[TO:.+]] = arith.addi %[[OTHER]], %[[LANE]] :
// CHECK:         memref.store %[[READ]], %[[SLOTS]][%[[TO]]]

// A lane's 4 f64 of A are two accesses, 32 lanes apart.

// CHECK-LABEL: gpu.func @two_words
// CHECK:         %[[SLOTS:.+]] = memref.view %{{.+}}[%c0][] : {{.*}} to memref<128xvector<2xf64>,
// CHECK:         %[[PLACE:.+]] = arith.addi
// CHECK:         memref.load %[[SLOTS]][%[[PLACE]]]
// CHECK:         %[[NEXT:.+]] = arith.addi %[[PLACE]], %c32
// CHECK:         memref.load %[[SLOTS]][%[[NEXT]]]

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!b = !kami.fragment<16x8xf16, b, #hmma>
!d = !kami.fragment<16x8xf64, a, #dmma>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @share_and_fetch(%s: !shared, %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fetch %s[%i] : !shared -> !b
  gpu.barrier
  kami.share %f, %s[%j] : !b, !shared
  gpu.return
}
gpu.func @two_words(%s: !shared, %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fetch %s[%i] : !shared -> !d
  gpu.barrier
  kami.share %f, %s[%j] : !d, !shared
  gpu.return
}
}

// -----

// Lanes 0, 4, 8, ... hold all of A's 16 × 1: they write 8 words, and every lane
// reads the word of its row.

// CHECK-LABEL: gpu.func @replicas
// CHECK-SAME:    %[[S:.+]]: memref<2048xi8, {{.*}}>, %[[I:.+]]: index, %[[J:.+]]: index
// CHECK:         %[[SLOTS:.+]] = memref.view %[[S]][%c0][] : {{.*}} to memref<256xvector<2xf32>,
// CHECK:         %[[FIRST:.+]] = arith.muli %[[I]], %c8
// CHECK:         %[[SHIFTED:.+]] = arith.shrui %[[LANE:.+]], %c2
// CHECK:         %[[ROW:.+]] = arith.andi %[[SHIFTED]], %c7
// CHECK:         %[[PLACE:.+]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK:         %[[READ:.+]] = memref.load %[[SLOTS]][%[[PLACE]]]
// CHECK:         gpu.barrier
// CHECK:         %[[COPY:.+]] = arith.andi %[[LANE]], %c3
// CHECK:         %[[WRITES:.+]] = arith.cmpi eq, %[[COPY]], %c0
// CHECK:         scf.if %[[WRITES]] {
// CHECK-NEXT:      memref.store %[[READ]], %[[SLOTS]][%{{.+}}]
// CHECK-NEXT:    }

#fma = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x1xf32, a, #fma>
!shared = memref<2048xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @replicas(%s: !shared, %i: index, %j: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fetch %s[%i] : !shared -> !a
  gpu.barrier
  kami.share %f, %s[%j] : !a, !shared
  gpu.return
}
}
