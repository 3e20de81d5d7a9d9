// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-roll-slices)))' | FileCheck %s

// Three products of lanes' multiply-adds whose slots follow each other are a loop,
// also where slots are counted from one that only the warp knows; the first, whose
// A is in registers, stays. Two are none, nor are those of another instruction.

#fma = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x1xf32, a, #fma>
!b = !kami.fragment<1x8xf32, b, #fma>
!c = !kami.fragment<16x8xf32, c, #fma>
!s = memref<1024xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
// CHECK-LABEL: gpu.func @rolled
// CHECK-SAME:    (%[[FIRST:[a-z0-9]+]]: !a16x1, %[[C:[a-z0-9]+]]: !c16x8, %[[SLOT:[a-z0-9]+]]: index, %[[S:[a-z0-9]+]]: memref<1024xi8{{[^:]+}}, %[[T:[a-z0-9]+]]: memref<1024
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK:         %[[B:.+]] = kami.fetch %[[T]][%[[SLOT]]]
// CHECK:         %[[ONE:.+]] = kami.mma %[[FIRST]], %[[B]], %[[C]]
// CHECK:         %[[AFTER:.+]] = arith.addi %[[SLOT]], %c1
// CHECK:         %[[SUM:.+]] = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[SO:.+]] = %[[ONE]])
// CHECK:           %[[AT:.+]] = arith.addi %[[TWO]], %[[I]]
// CHECK:           %[[A:.+]] = kami.fetch %[[S]][%[[AT]]]
// CHECK:           %[[BT:.+]] = arith.addi %[[AFTER]], %[[I]]
// CHECK:           %[[BS:.+]] = kami.fetch %[[T]][%[[BT]]]
// CHECK:           %[[P:.+]] = kami.mma %[[A]], %[[BS]], %[[SO]]
// CHECK:           scf.yield %[[P]]
// CHECK-NOT:     kami.mma
// CHECK:         kami.store %[[SUM]]
gpu.func @rolled(%a: !a, %c: !c, %slot: index, %s: !s, %t: !s, %o: memref<16x8xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %b0 = kami.fetch %t[%slot] : !s -> !b
  %d0 = kami.mma %a, %b0, %c : !a, !b, !c
  %a1 = kami.fetch %s[%c2] : !s -> !a
  %t1 = arith.addi %slot, %c1 : index
  %b1 = kami.fetch %t[%t1] : !s -> !b
  %d1 = kami.mma %a1, %b1, %d0 : !a, !b, !c
  %a2 = kami.fetch %s[%c3] : !s -> !a
  %t2 = arith.addi %slot, %c2 : index
  %b2 = kami.fetch %t[%t2] : !s -> !b
  %d2 = kami.mma %a2, %b2, %d1 : !a, !b, !c
  %a3 = kami.fetch %s[%c4] : !s -> !a
  %t3 = arith.addi %slot, %c3 : index
  %b3 = kami.fetch %t[%t3] : !s -> !b
  %d3 = kami.mma %a3, %b3, %d2 : !a, !b, !c
  kami.store %d3, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<16x8xf32>
  gpu.return
}

// CHECK-LABEL: gpu.func @apart
// CHECK-NOT:     scf.for
gpu.func @apart(%c: !c, %s: !s, %t: !s, %o: memref<16x8xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a0 = kami.fetch %s[%c0] : !s -> !a
  %b0 = kami.fetch %t[%c0] : !s -> !b
  %d0 = kami.mma %a0, %b0, %c : !a, !b, !c
  %a1 = kami.fetch %s[%c1] : !s -> !a
  %b1 = kami.fetch %t[%c1] : !s -> !b
  %d1 = kami.mma %a1, %b1, %d0 : !a, !b, !c
  // What others write in between may be what the third reads.
  gpu.barrier
  %a2 = kami.fetch %s[%c2] : !s -> !a
  %b2 = kami.fetch %t[%c2] : !s -> !b
  %d2 = kami.mma %a2, %b2, %d1 : !a, !b, !c
  // Not the next slot.
  %a3 = kami.fetch %s[%c3] : !s -> !a
  %b3 = kami.fetch %t[%c0] : !s -> !b
  %d3 = kami.mma %a3, %b3, %d2 : !a, !b, !c
  kami.store %d3, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<16x8xf32>
  gpu.return
}
}
