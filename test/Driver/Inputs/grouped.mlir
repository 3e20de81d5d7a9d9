// Two products, of 2 x 2 and of 4 x 4, of which a test fills in where the second
// C is.
func.func @main(%a: memref<32xf16>, %b: memref<32xf16>, %c: memref<SIZExf32>,
    %aAt: memref<2xi64> {kami.contents = dense<[0, 8]> : tensor<2xi64>},
    %cAt: memref<2xi64> {kami.contents = dense<AT> : tensor<2xi64>},
    %m: memref<2xi32> {kami.contents = dense<[2, 4]> : tensor<2xi32>},
    %k: memref<2xi32> {kami.contents = dense<[3, 4]> : tensor<2xi32>},
    %ldc: memref<2xi32> {kami.contents = dense<LDC> : tensor<2xi32>}) {
  kami.grouped_gemm ins(%a, %b : memref<32xf16>, memref<32xf16>) outs(%c : memref<SIZExf32>)
      at(%aAt, %aAt, %cAt : memref<2xi64>, memref<2xi64>, memref<2xi64>)
      sizes(%m, %m, %k : memref<2xi32>, memref<2xi32>, memref<2xi32>)
      leading(%k, %ldc, %ldc : memref<2xi32>, memref<2xi32>, memref<2xi32>) accumulator(f32)
  return
}
