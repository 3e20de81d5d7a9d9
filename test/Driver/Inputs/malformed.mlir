func.func @f(%a: memref<16x16xf16>) {
  linalg.matmul ins(%a
