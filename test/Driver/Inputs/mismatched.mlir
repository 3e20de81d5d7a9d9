func.func @mismatched(%a: memref<16x32xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) {
  kami.gemm ins(%a, %b : memref<16x32xf16>, memref<16x8xf16>) outs(%c : memref<16x8xf32>) accumulator(f32)
  return
}
