func.func @multiply(%a: memref<?x256x256xf32>, %b: memref<?x256x256xf32>, %c: memref<?x256x256xf32>) {
  kami.gemm ins(%a, %b : memref<?x256x256xf32>, memref<?x256x256xf32>) outs(%c : memref<?x256x256xf32>) accumulator(f32) precision<tf32>
  return
}
