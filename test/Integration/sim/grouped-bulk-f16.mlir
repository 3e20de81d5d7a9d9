// The copy engine brings both operands of products whose rows are aligned, among
// others: A adjacent along k, B along n.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=3 | FileCheck %s
// CHECK: verdict   right

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #wgmma, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 3, rows = skewed, copies = bulk>
func.func @main(
    %a: memref<20000xf16>, %b: memref<16272xf16>, %c: memref<23424xf32>,
    %aAt: memref<12xi64> {kami.contents = dense<[0, 1368, 1376, 2240, 3080, 5952, 8736, 8736, 9136, 10176, 10480, 13920]> : tensor<12xi64>},
    %bAt: memref<12xi64> {kami.contents = dense<[0, 576, 1472, 4800, 5640, 7464, 10280, 10280, 10600, 11792, 12432, 15632]> : tensor<12xi64>},
    %cAt: memref<12xi64> {kami.contents = dense<[0, 1368, 1480, 4288, 4772, 5838, 13494, 15798, 17798, 20336, 21096, 22816]> : tensor<12xi64>},
    %m: memref<12xi32> {kami.contents = dense<[57, 1, 27, 22, 41, 87, 24, 50, 47, 19, 43, 76]> : tensor<12xi32>},
    %n: memref<12xi32> {kami.contents = dense<[24, 112, 104, 22, 26, 88, 96, 40, 54, 40, 40, 8]> : tensor<12xi32>},
    %k: memref<12xi32> {kami.contents = dense<[24, 8, 32, 38, 70, 32, 0, 8, 22, 16, 80, 80]> : tensor<12xi32>},
    %beta: f32) {
  kami.grouped_gemm ins(%a, %b : memref<20000xf16>, memref<16272xf16>) outs(%c : memref<23424xf32>)
      at(%aAt, %bAt, %cAt : memref<12xi64>, memref<12xi64>, memref<12xi64>)
      sizes(%m, %n, %k : memref<12xi32>, memref<12xi32>, memref<12xi32>)
      beta(%beta : f32) accumulator(f32) plan(#plan)
  return
}
