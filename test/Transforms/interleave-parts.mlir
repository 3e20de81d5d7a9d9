// RUN: kami-opt %s --split-input-file --kami-interleave-parts --verify-diagnostics | FileCheck %s

#atom = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #atom, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 2, complex = interleaved>
#parts = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #atom, tile = 16x8x16, transport = staged, slices = {k = 8, shared = [0, 0]}>

// Rows as they lie in memory; B has half the rows of what is multiplied.

// CHECK-LABEL: func @rows
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2.0{{.+}} : f64
// CHECK-DAG:     %[[A:.+]] = kami.as_real %{{.+}} : memref<3x20x24xcomplex<f64>> -> memref<3x20x48xf64, strided<[960, 48, 1]>>
// CHECK-DAG:     %[[B:.+]] = kami.as_real %{{.+}} : memref<24x?xcomplex<f64>> -> memref<24x?xf64, strided<[?, 1]>>
// CHECK-DAG:     %[[C:.+]] = kami.as_real %{{.+}} : memref<3x20x?xcomplex<f64>>
// CHECK:         kami.gemm ins(%[[A]], %[[B]] : {{.+}}) outs(%[[C]] : {{.+}}) beta(%[[TWO]] : f64) conjugate_b interleaved_parts accumulator(f64) reproducible = false plan(
func.func @rows(%a: memref<3x20x24xcomplex<f64>>, %b: memref<24x?xcomplex<f64>>, %c: memref<3x20x?xcomplex<f64>>) {
  %two = complex.constant [2.0 : f64, 0.0 : f64] : complex<f64>
  kami.gemm ins(%a, %b : memref<3x20x24xcomplex<f64>>, memref<24x?xcomplex<f64>>) outs(%c : memref<3x20x?xcomplex<f64>>)
      beta(%two : complex<f64>) conjugate_b accumulator(complex<f64>) reproducible = false plan(#plan)
  return
}

// Other plans stay for kami-expand-complex.

// CHECK-LABEL: func @parts
// CHECK-NOT:     kami.as_real
// CHECK:         kami.gemm {{.+}} accumulator(complex<f64>)
func.func @parts(%a: memref<20x24xcomplex<f64>>, %b: memref<24x36xcomplex<f64>>, %c: memref<20x36xcomplex<f64>>) {
  kami.gemm ins(%a, %b : memref<20x24xcomplex<f64>>, memref<24x36xcomplex<f64>>) outs(%c : memref<20x36xcomplex<f64>>) accumulator(complex<f64>) plan(#parts)
  return
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #atom, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 2, complex = interleaved>

func.func @scaled(%a: memref<20x24xcomplex<f64>>, %b: memref<24x36xcomplex<f64>>, %c: memref<20x36xcomplex<f64>>, %s: complex<f64>) {
  // expected-error@+1 {{'kami.gemm' op expected rows of adjacent elements, and neither complex scales nor layers, where parts are interleaved}}
  kami.gemm ins(%a, %b : memref<20x24xcomplex<f64>>, memref<24x36xcomplex<f64>>) outs(%c : memref<20x36xcomplex<f64>>)
      alpha(%s : complex<f64>) accumulator(complex<f64>) plan(#plan)
  return
}
