// Fragments whose halves are apart, and products of the first of their tiles.

// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
// CHECK-DAG: = !kami.fragment<32x8xf64, a, {{.+}}, apart = [32, 0]>
// CHECK-DAG: = !kami.fragment<8x16xf64, b, {{.+}}, apart = [0, 24]>
// CHECK-DAG: = !kami.fragment<32x16xf64, c, {{.+}}, apart = [32, 24]>
!a = !kami.fragment<32x8xf64, a, #dmma, apart = [32, 0]>
!b = !kami.fragment<8x16xf64, b, #dmma, apart = [0, 24]>
!c = !kami.fragment<32x16xf64, c, #dmma, apart = [32, 24]>

// CHECK-LABEL: func @multiply
// CHECK:         kami.mma {{.+}} first = [1, 2] : !
// CHECK:         kami.mma {{.+}} first = [2, 1] : !
func.func @multiply(%a: !a, %b: !b, %c: !c) -> !c {
  %0 = kami.mma %a, %b, %c first = [1, 2] : !a, !b, !c
  %1 = kami.mma %a, %b, %0 first = [2, 1] : !a, !b, !c
  return %1 : !c
}
