// Fragments whose tiles share their elements out, and plans that ask for it.

// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// CHECK-DAG: #[[PLAN:.+]] = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, {{.+}}, slices = {k = 32, shared = [0, 0]}, interleave = [0, 8, 2], teams = 4>
// CHECK-DAG: #[[ONE:.+]] = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, {{.+}}, slices = {k = 32, shared = [0, 0]}, teams = 2>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 32, shared = [0, 0]}, interleave = [0, 8, 2], teams = 4>
#teams = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 64x64x64, transport = staged, slices = {k = 32, shared = [0, 0]}, teams = 2>

// CHECK-DAG: = !kami.fragment<16x32xf16, a, {{.+}}, interleave = [0, 2]>
// CHECK-DAG: = !kami.fragment<32x64xf16, b, {{.+}}, interleave = [2, 8]>
// CHECK-DAG: = !kami.fragment<16x64xf32, c, {{.+}}, interleave = [0, 8]>
!a = !kami.fragment<16x32xf16, a, #hmma, interleave = [0, 2]>
!b = !kami.fragment<32x64xf16, b, #hmma, interleave = [2, 8]>
!c = !kami.fragment<16x64xf32, c, #hmma, interleave = [0, 8]>

// CHECK-LABEL: func @multiply
// CHECK:         kami.mma
func.func @multiply(%a: !a, %b: !b, %c: !c) -> !c {
  %d = kami.mma %a, %b, %c : !a, !b, !c
  return %d : !c
}

// CHECK-LABEL: func @planned
// CHECK:         plan(#[[PLAN]])
// CHECK:         plan(#[[ONE]])
func.func @planned(%a: memref<9x64x64xf16>, %b: memref<9x64x64xf16>, %c: memref<9x64x64xf32>) {
  kami.gemm ins(%a, %b : memref<9x64x64xf16>, memref<9x64x64xf16>) outs(%c : memref<9x64x64xf32>) accumulator(f32) plan(#plan)
  kami.gemm ins(%a, %b : memref<9x64x64xf16>, memref<9x64x64xf16>) outs(%c : memref<9x64x64xf32>) accumulator(f32) plan(#teams)
  return
}
