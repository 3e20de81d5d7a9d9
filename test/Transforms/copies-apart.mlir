// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)))' | FileCheck %s

// Warps hold a slice of A and B ahead over the loop along k, unless what threads
// copy of odd rows takes its registers: 16 lines of 160 elements among 128
// threads, each piece at an address of its own.

#atom = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#odd = #kami.plan<one_d, grid = [1, 4, 1], unit = warp, atom = #atom, tile = 32x137x16, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3>
#even = #kami.plan<one_d, grid = [1, 4, 1], unit = warp, atom = #atom, tile = 32x128x16, transport = copied, slices = {k = 8, shared = [0, 0]}, stages = 3>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @odd_rows
  // CHECK:         scf.for {{.+}} -> (!c32x40, i32) {
  // CHECK-NOT:     scf.for {{.+}} -> (!c32x40, i32, !a32x8, !b8x40)
  gpu.func @odd_rows(%a: memref<32x197xf64>, %b: memref<197x137xf64>, %c: memref<32x137xf64>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<32x197xf64>, memref<197x137xf64>) outs(%c : memref<32x137xf64>) accumulator(f64) plan(#odd)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @even_rows
  // CHECK:         scf.for {{.+}} -> (!c32x32, i32, !a32x8, !b8x32) {
  gpu.func @even_rows(%a: memref<32x208xf64>, %b: memref<208x128xf64>, %c: memref<32x128xf64>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.gemm ins(%a, %b : memref<32x208xf64>, memref<208x128xf64>) outs(%c : memref<32x128xf64>) accumulator(f64) plan(#even)
    gpu.return
  }
}
