func.func @i16(%a: memref<16x16xi16>, %b: memref<16x16xi16>, %c: memref<16x16xi16>) {
  linalg.matmul ins(%a, %b : memref<16x16xi16>, memref<16x16xi16>) outs(%c : memref<16x16xi16>)
  return
}
