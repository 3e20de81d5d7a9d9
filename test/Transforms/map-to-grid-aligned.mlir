// Rows that begin at multiples of 16 bytes do so in a tile only where it begins there:
// 20 columns of f16 are no such multiple, 24 are. Who calls the function is to look at what
// is promised of its arguments.

// RUN: kami-opt %s --kami-map-to-grid | FileCheck %s
// RUN: kami-opt %s --kami-map-to-grid | FileCheck %s --check-prefix=ARGUMENTS

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#odd = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 32x20x16, transport = copied, slices = {k = 16, shared = [0, 0]}>
#even = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 32x24x16, transport = copied, slices = {k = 16, shared = [0, 0]}>
module attributes {kami.target = #kami.target<"sm_90">} {
  // CHECK-LABEL: gpu.func @gemm_64x40x32_f16
  // CHECK:         kami.gemm
  // CHECK-NOT:     aligned_rows
  // CHECK:         gpu.return
  func.func @cut(%a: memref<64x32xf16>, %b: memref<32x40xf16>, %c: memref<64x40xf32>) {
    kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x40xf16>) outs(%c : memref<64x40xf32>) accumulator(f32) aligned_rows plan(#odd)
    return
  }
  // CHECK-LABEL: gpu.func @gemm_64x48x32_f16
  // CHECK:         kami.gemm {{.+}} aligned_rows plan
  func.func @kept(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
    kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) accumulator(f32) aligned_rows plan(#even)
    return
  }
  // ARGUMENTS-LABEL: func.func @unknown
  // ARGUMENTS-SAME:    (%{{.+}}: memref<?x?x?xf16> {kami.aligned_rows}, %{{.+}}: memref<?x?x?xf16, strided<[?, 1, ?]>> {kami.aligned_rows}, %{{.+}}: memref<?x?x?xf32>)
  func.func @unknown(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16, strided<[?, 1, ?]>>, %c: memref<?x?x?xf32>) {
    %known = memref.assume_alignment %a, 16 : memref<?x?x?xf16>
    kami.gemm ins(%known, %b : memref<?x?x?xf16>, memref<?x?x?xf16, strided<[?, 1, ?]>>) outs(%c : memref<?x?x?xf32>) accumulator(f32) aligned_rows plan(#even)
    return
  }
  // Of a part, nothing is promised of the whole.
  // ARGUMENTS-LABEL: func.func @part
  // ARGUMENTS-SAME:    (%{{.+}}: memref<64x99xf16>, %{{.+}}: memref<32x48xf16> {kami.aligned_rows},
  func.func @part(%a: memref<64x99xf16>, %b: memref<32x48xf16>, %c: memref<1x48xf32>) {
    %part = memref.subview %a[1, 5] [1, 32] [1, 1] : memref<64x99xf16> to memref<1x32xf16, strided<[99, 1], offset: 104>>
    kami.gemm ins(%part, %b : memref<1x32xf16, strided<[99, 1], offset: 104>>, memref<32x48xf16>) outs(%c : memref<1x48xf32>) accumulator(f32) aligned_rows plan(#even)
    return
  }
}
