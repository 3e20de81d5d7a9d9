// Rows that begin at multiples of 16 bytes do so in a tile only where it begins there:
// 20 columns of f16 are no such multiple, 24 are.

// RUN: kami-opt %s --kami-map-to-grid | FileCheck %s

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
}
