func.func @strided(%a: memref<20x24xf16, strided<[2, 41], offset: 3>>, %b: memref<24x12xf16, strided<[13, 1]>>,
                   %c: memref<20x12xf32, strided<[1, 20], offset: 1>>) {
  linalg.matmul ins(%a, %b : memref<20x24xf16, strided<[2, 41], offset: 3>>, memref<24x12xf16, strided<[13, 1]>>)
      outs(%c : memref<20x12xf32, strided<[1, 20], offset: 1>>)
  return
}
