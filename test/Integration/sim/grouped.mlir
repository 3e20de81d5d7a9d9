// Products of sizes of their own, all told by arrays: 0 and negative sizes, a k of 0
// that leaves β·C, strides wider than rows, α and β of each, positions in bytes.
// No element between the matrices is written.

// RUN: kami-run %s --device=sim | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --seed=3 | FileCheck %s
// RUN: kami-run %s --device=sim --target=sm_80 | FileCheck %s
// CHECK: verdict   right

func.func @main(
    %a: memref<6000xf16>, %b: memref<6000xf16>, %c: memref<4000xf32>,
    %aAt: memref<6xi64> {kami.contents = dense<[0, 1026, 3400, 0, 4600, 6000]> : tensor<6xi64>},
    %bAt: memref<6xi64> {kami.contents = dense<[2, 2400, 3000, 0, 3600, 5200]> : tensor<6xi64>},
    %cAt: memref<6xi64> {kami.contents = dense<[0, 4000, 7000, 8000, 9000, 12000]> : tensor<6xi64>},
    %m: memref<6xi32> {kami.contents = dense<[17, 33, 5, -3, 8, 20]> : tensor<6xi32>},
    %n: memref<6xi64> {kami.contents = dense<[30, 9, 0, 4, 70, 11]> : tensor<6xi64>},
    %k: memref<6xi32> {kami.contents = dense<[19, 34, 3, 2, 0, 64]> : tensor<6xi32>},
    %lda: memref<6xi32> {kami.contents = dense<[19, 34, 3, 2, 1, 70]> : tensor<6xi32>},
    %ldb: memref<6xi32> {kami.contents = dense<[33, 9, 1, 4, 70, 12]> : tensor<6xi32>},
    %ldc: memref<6xi32> {kami.contents = dense<[31, 9, 1, 4, 72, 11]> : tensor<6xi32>},
    %alpha: memref<6xf32> {kami.contents = dense<[1.0, 2.0, 1.0, 1.0, 5.0, -1.0]> : tensor<6xf32>},
    %beta: memref<6xf32> {kami.contents = dense<[0.0, 1.0, 1.0, 1.0, 3.0, 0.5]> : tensor<6xf32>}) {
  kami.grouped_gemm ins(%a, %b : memref<6000xf16>, memref<6000xf16>) outs(%c : memref<4000xf32>)
      at(%aAt, %bAt, %cAt : memref<6xi64>, memref<6xi64>, memref<6xi64>) bytes
      sizes(%m, %n, %k : memref<6xi32>, memref<6xi64>, memref<6xi32>)
      leading(%lda, %ldb, %ldc : memref<6xi32>, memref<6xi32>, memref<6xi32>)
      alpha(%alpha : memref<6xf32>) beta(%beta : memref<6xf32>) accumulator(f32)
  return
}
