// What becomes of each product's sums: a scale and a row of biases of its own, a
// column that all share, and β, for products whose tiles are ragged, of odd rows,
// empty and without a sum.

// RUN: kami-run %s --device=sim --target=sm_90 --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --target=sm_90 --inputs=integers --unit=warp --tile=32x32x16 | FileCheck %s
// RUN: kami-run %s --device=sim --target=sm_90 | FileCheck %s
// CHECK: verdict   right

func.func @main(%a: memref<30000xf16>, %b: memref<30000xf16>, %c: memref<30000xf16>,
                %aAt: memref<4xi64> {kami.contents = dense<[1, 8000, 16000, 24000]> : tensor<4xi64>},
                %bAt: memref<4xi64> {kami.contents = dense<[0, 8000, 16001, 24000]> : tensor<4xi64>},
                %cAt: memref<4xi64> {kami.contents = dense<[0, 8000, 16000, 24003]> : tensor<4xi64>},
                %m: memref<4xi32> {kami.contents = dense<[70, 33, 0, 40]> : tensor<4xi32>},
                %n: memref<4xi32> {kami.contents = dense<[65, 80, 12, 7]> : tensor<4xi32>},
                %k: memref<4xi32> {kami.contents = dense<[50, 64, 9, 0]> : tensor<4xi32>},
                %scale: memref<4xf32>, %bias: memref<4x80xf16>, %column: memref<70x1xf32>, %beta: memref<4xf32>) {
  kami.grouped_gemm ins(%a, %b : memref<30000xf16>, memref<30000xf16>) outs(%c : memref<30000xf16>)
      at(%aAt, %bAt, %cAt : memref<4xi64>, memref<4xi64>, memref<4xi64>)
      sizes(%m, %n, %k : memref<4xi32>, memref<4xi32>, memref<4xi32>)
      beta(%beta : memref<4xf32>) accumulator(f32)
      epilogue(%x: f32, %s = %scale : memref<4xf32> at affine_map<(p, i, j) -> (p)>,
               %t = %bias : memref<4x80xf16> at affine_map<(p, i, j) -> (p, j)>,
               %u = %column : memref<70x1xf32> at affine_map<(p, i, j) -> (i, 0)>) {
        %0 = arith.mulf %x, %s : f32
        %1 = arith.extf %t : f16 to f32
        %2 = arith.addf %0, %1 : f32
        %3 = arith.addf %2, %u : f32
        %zero = arith.constant 0.0 : f32
        %4 = arith.maximumf %3, %zero : f32
        %5 = arith.truncf %4 : f32 to f16
        kami.yield %5 : f16
      }
  return
}
