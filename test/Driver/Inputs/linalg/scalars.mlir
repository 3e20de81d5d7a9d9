func.func @scalars(%a: memref<20x24xf16>, %b: memref<24x12xf16>, %c: memref<20x12xf32>, %alpha: f32, %beta: f32) {
  kami.gemm ins(%a, %b : memref<20x24xf16>, memref<24x12xf16>) outs(%c : memref<20x12xf32>)
            alpha(%alpha : f32) beta(%beta : f32) accumulator(f32)
  return
}
