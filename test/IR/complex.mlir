// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

// CHECK-LABEL: func @gemm
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xcomplex<f32>>, memref<32x48xcomplex<f32>>) outs({{.+}} : memref<64x48xcomplex<f32>>) alpha(%{{.+}} : complex<f32>) beta(%{{.+}} : memref<complex<f32>>) accumulator(complex<f32>) precision<tf32x3>
// CHECK:         kami.gemm ins({{.+}}) outs({{.+}}) transpose_a conjugate_a conjugate_b accumulator(complex<f64>) -> tensor<2x64x48xcomplex<f64>>
func.func @gemm(%a: memref<64x32xcomplex<f32>>, %b: memref<32x48xcomplex<f32>>, %c: memref<64x48xcomplex<f32>>,
                %s: complex<f32>, %t: memref<complex<f32>>,
                %d: tensor<2x32x64xcomplex<f64>>, %e: tensor<32x48xcomplex<f64>>, %f: tensor<2x64x48xcomplex<f64>>) -> tensor<2x64x48xcomplex<f64>> {
  kami.gemm ins(%a, %b : memref<64x32xcomplex<f32>>, memref<32x48xcomplex<f32>>) outs(%c : memref<64x48xcomplex<f32>>)
      alpha(%s : complex<f32>) beta(%t : memref<complex<f32>>) accumulator(complex<f32>) precision<tf32x3>
  %r = kami.gemm ins(%d, %e : tensor<2x32x64xcomplex<f64>>, tensor<32x48xcomplex<f64>>) outs(%f : tensor<2x64x48xcomplex<f64>>)
      transpose_a conjugate_a conjugate_b accumulator(complex<f64>) -> tensor<2x64x48xcomplex<f64>>
  return %r : tensor<2x64x48xcomplex<f64>>
}

// CHECK-LABEL: func @complex_part
// CHECK:         kami.complex_part %{{.+}} real : memref<64x32xcomplex<f32>> -> memref<64x32xf32, strided<[64, 2]>>
// CHECK:         kami.complex_part %{{.+}} imaginary : memref<64x32xcomplex<f32>> -> memref<64x32xf32, strided<[64, 2], offset: 1>>
// CHECK:         kami.complex_part %{{.+}} imaginary : memref<?x8xcomplex<f64>, strided<[?, 3], offset: ?>, 3> -> memref<?x8xf64, strided<[?, 6], offset: ?>, 3>
// CHECK:         kami.complex_part %{{.+}} imaginary : memref<complex<f32>> -> memref<f32, strided<[], offset: 1>>
func.func @complex_part(%a: memref<64x32xcomplex<f32>>, %b: memref<?x8xcomplex<f64>, strided<[?, 3], offset: ?>, 3>, %c: memref<complex<f32>>) {
  %0 = kami.complex_part %a real : memref<64x32xcomplex<f32>> -> memref<64x32xf32, strided<[64, 2]>>
  %1 = kami.complex_part %a imaginary : memref<64x32xcomplex<f32>> -> memref<64x32xf32, strided<[64, 2], offset: 1>>
  %2 = kami.complex_part %b imaginary : memref<?x8xcomplex<f64>, strided<[?, 3], offset: ?>, 3> -> memref<?x8xf64, strided<[?, 6], offset: ?>, 3>
  %3 = kami.complex_part %c imaginary : memref<complex<f32>> -> memref<f32, strided<[], offset: 1>>
  return
}

// CHECK-LABEL: func @as_real
// CHECK:         kami.as_real %{{.+}} : memref<64x32xcomplex<f32>> -> memref<64x64xf32, strided<[64, 1]>>
// CHECK:         kami.as_real %{{.+}} : memref<4x?x?xcomplex<f64>, strided<[?, 9, 1], offset: ?>, 3> -> memref<4x?x?xf64, strided<[?, 18, 1], offset: ?>, 3>
func.func @as_real(%a: memref<64x32xcomplex<f32>>, %b: memref<4x?x?xcomplex<f64>, strided<[?, 9, 1], offset: ?>, 3>) {
  %0 = kami.as_real %a : memref<64x32xcomplex<f32>> -> memref<64x64xf32, strided<[64, 1]>>
  %1 = kami.as_real %b : memref<4x?x?xcomplex<f64>, strided<[?, 9, 1], offset: ?>, 3> -> memref<4x?x?xf64, strided<[?, 18, 1], offset: ?>, 3>
  return
}

#doubles = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#reals = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #doubles, tile = 16x8x16, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 2, complex = interleaved>

// CHECK-LABEL: func @interleaved
// CHECK:         kami.gemm {{.+}} conjugate_a interleaved_parts accumulator(f64) plan(#plan{{.*}})
// CHECK:         kami.gemm {{.+}} transpose_b conjugate_b interleaved_parts accumulator(f64) plan(#plan{{.*}})
// CHECK:         kami.gemm {{.+}} transpose_a interleaved_parts accumulator(f64) plan(#plan{{.*}})
// CHECK:         kami.load %{{.+}}[%{{.+}}, %{{.+}}] row_in_bounds interleaved_parts conjugate_a conjugate_b : memref<24x36xf64> -> !b8x8
func.func @interleaved(%a: memref<20x48xf64>, %b: memref<24x36xf64>, %c: memref<20x36xf64>, %d: memref<18x48xf64>, %e: memref<24x40xf64>, %i: index) {
  kami.gemm ins(%a, %b : memref<20x48xf64>, memref<24x36xf64>) outs(%c : memref<20x36xf64>) conjugate_a interleaved_parts accumulator(f64) plan(#reals)
  kami.gemm ins(%a, %d : memref<20x48xf64>, memref<18x48xf64>) outs(%c : memref<20x36xf64>) transpose_b conjugate_b interleaved_parts accumulator(f64) plan(#reals)
  kami.gemm ins(%e, %b : memref<24x40xf64>, memref<24x36xf64>) outs(%c : memref<20x36xf64>) transpose_a interleaved_parts accumulator(f64) plan(#reals)
  %f = kami.load %b[%i, %i] row_in_bounds interleaved_parts conjugate_a conjugate_b : memref<24x36xf64> -> !kami.fragment<8x8xf64, b, #doubles>
  return
}

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
!c = !kami.distributed<64x24xf32, c, #plan>

// CHECK-LABEL: func @combine
// CHECK:         %[[OLD:.+]] = kami.distribute %{{.+}} : memref<64x24xf16> -> !block_c64x24
// CHECK:         kami.combine (%[[X:.+]] = %{{.+}} : !block_c64x24, %[[Y:.+]] = %[[OLD]] : !block_c64x24) -> !block_c64x24 {
// CHECK-NEXT:      %[[Z:.+]] = arith.subf %[[X]], %[[Y]] : f32
// CHECK-NEXT:      kami.yield %[[Z]] : f32
func.func @combine(%a: !c, %m: memref<64x24xf16>) -> !c {
  %old = kami.distribute %m : memref<64x24xf16> -> !c
  %r = kami.combine (%x = %a : !c, %y = %old : !c) -> !c {
    %z = arith.subf %x, %y : f32
    kami.yield %z : f32
  }
  return %r : !c
}
