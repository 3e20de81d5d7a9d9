// A block has more tiles than it lists at a time, of products of all depths: each
// is computed once.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/blocks = 3>/blocks = 1>/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/blocks = 3>/blocks = 3, taken = 2>/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/blocks = 3>/blocks = 3, taken = 1024>/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// Of 33 turns that would be dealt, 32 are.
// RUN: sed 's/blocks = 3>/blocks = 2, taken = 14>/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// CHECK: verdict   right

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = staged,
                   slices = {k = 16, shared = [0, 0]}, blocks = 3>
func.func @main(
    %a: memref<13981xf16>, %b: memref<16278xf16>, %c: memref<16167xf32>,
    %aAt: memref<14xi64> {kami.contents = dense<[0, 92, 1948, 4636, 7226, 7730, 10180, 10342, 10392, 10810, 12292, 13507, 13607, 13981]> : tensor<14xi64>},
    %bAt: memref<14xi64> {kami.contents = dense<[0, 136, 542, 3958, 4476, 5430, 6459, 6972, 8322, 8740, 12730, 13810, 13888, 14211]> : tensor<14xi64>},
    %cAt: memref<14xi64> {kami.contents = dense<[0, 3128, 3352, 6280, 7260, 8744, 9794, 10820, 10847, 11331, 13151, 13799, 15749, 16167]> : tensor<14xi64>},
    %m: memref<14xi32> {kami.contents = dense<[46, 32, 48, 70, 28, 50, 18, 1, 22, 26, 27, 50, 22, 0]> : tensor<14xi32>},
    %n: memref<14xi32> {kami.contents = dense<[68, 7, 61, 14, 53, 21, 57, 27, 22, 70, 24, 39, 19, 39]> : tensor<14xi32>},
    %k: memref<14xi32> {kami.contents = dense<[2, 58, 56, 37, 18, 49, 9, 50, 19, 57, 45, 2, 17, 53]> : tensor<14xi32>}, %beta: f32) {
  kami.grouped_gemm ins(%a, %b : memref<13981xf16>, memref<16278xf16>) outs(%c : memref<16167xf32>)
      at(%aAt, %bAt, %cAt : memref<14xi64>, memref<14xi64>, memref<14xi64>)
      sizes(%m, %n, %k : memref<14xi32>, memref<14xi32>, memref<14xi32>)
      beta(%beta : f32) accumulator(f32) plan(#plan)
  return
}

