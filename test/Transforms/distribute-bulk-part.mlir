// A map of a batch has terms of k that a product of a part of its matrices lacks, which
// would have to arrive as zeros: such products have maps of their own. Where sizes are
// known only at run time, it is for IR to show that a product has all of them.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps,canonicalize,cse)))' | FileCheck %s

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3, blocks = 2, next = prefetched, copies = bulk>
!a = memref<64x72xf16, strided<[104, 1], offset: ?>>
!b = memref<72x48xf16, strided<[48, 1], offset: ?>>
!c = memref<64x48xf32, strided<[48, 1], offset: ?>>
!any_a = memref<64x?xf16, strided<[?, 1], offset: ?>>
!any_b = memref<?x48xf16, strided<[?, 1], offset: ?>>
!any_c = memref<64x48xf32, strided<[?, 1], offset: ?>>

module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
// CHECK-LABEL: gpu.func @part
// CHECK-COUNT-2: kami.tensor_map {{.*}} : memref<{{[0-9]+x[0-9]+}}xf16, strided
// CHECK-NOT:     kami.place_bulk {{.*}} of[
// CHECK-COUNT-2: kami.tensor_map {{.*}} : memref<{{[0-9]+x[0-9]+}}xf16, strided
// CHECK-NOT:     kami.place_bulk {{.*}} of[
gpu.func @part(%a: memref<9x64x104xf16>, %b: memref<9x104x48xf16>, %c: memref<9x64x48xf32>) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %turn = arith.muli %i, %c6 : index
    %after = arith.addi %i, %c1 : index
    %more = arith.cmpi ult, %after, %c8 : index
    %ai = memref.subview %a[%i, 0, 32] [1, 64, 72] [1, 1, 1] : memref<9x64x104xf16> to !a
    %bi = memref.subview %b[%i, 0, 0] [1, 72, 48] [1, 1, 1] : memref<9x104x48xf16> to !b
    %ci = memref.subview %c[%i, 0, 0] [1, 64, 48] [1, 1, 1] : memref<9x64x48xf32> to !c
    %an = memref.subview %a[%after, 0, 32] [1, 64, 72] [1, 1, 1] : memref<9x64x104xf16> to !a
    %bn = memref.subview %b[%after, 0, 0] [1, 72, 48] [1, 1, 1] : memref<9x104x48xf16> to !b
    kami.gemm ins(%ai, %bi : !a, !b) outs(%ci : !c) accumulator(f32) aligned_rows
        next(%an, %bn : !a, !b) if %more turn %turn plan(#plan)
  }
  gpu.return
}
// CHECK-LABEL: gpu.func @whole
// CHECK-SAME:    (%[[A:.+]]: memref<?x?x?xf16>, %[[B:.+]]: memref<?x?x?xf16>,
// CHECK:         kami.tensor_map %[[A]] {{.*}} : memref<?x?x?xf16>
// CHECK:         kami.tensor_map %[[B]] {{.*}} : memref<?x?x?xf16>
// CHECK:         kami.place_bulk {{.*}} of[
// CHECK-NOT:     kami.tensor_map
gpu.func @whole(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf32>) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %products = memref.dim %a, %c0 : memref<?x?x?xf16>
  %terms = memref.dim %a, %c2 : memref<?x?x?xf16>
  %same = memref.dim %b, %c1 : memref<?x?x?xf16>
  scf.for %i = %c0 to %products step %c1 {
    %turn = arith.muli %i, %c6 : index
    %after = arith.addi %i, %c1 : index
    %more = arith.cmpi ult, %after, %products : index
    %ai = memref.subview %a[%i, 0, 0] [1, 64, %terms] [1, 1, 1] : memref<?x?x?xf16> to !any_a
    %bi = memref.subview %b[%i, 0, 0] [1, %same, 48] [1, 1, 1] : memref<?x?x?xf16> to !any_b
    %ci = memref.subview %c[%i, 0, 0] [1, 64, 48] [1, 1, 1] : memref<?x?x?xf32> to !any_c
    %an = memref.subview %a[%after, 0, 0] [1, 64, %terms] [1, 1, 1] : memref<?x?x?xf16> to !any_a
    %bn = memref.subview %b[%after, 0, 0] [1, %same, 48] [1, 1, 1] : memref<?x?x?xf16> to !any_b
    kami.gemm ins(%ai, %bi : !any_a, !any_b) outs(%ci : !any_c) accumulator(f32) aligned_rows
        next(%an, %bn : !any_a, !any_b) if %more turn %turn plan(#plan)
  }
  gpu.return
}
}
}
