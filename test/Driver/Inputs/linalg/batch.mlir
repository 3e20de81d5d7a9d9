func.func @batch(%a: tensor<5x20x24xf16>, %b: tensor<5x24x12xf16>, %c: tensor<5x20x12xf32>) -> tensor<5x20x12xf32> {
  %d = linalg.batch_matmul ins(%a, %b : tensor<5x20x24xf16>, tensor<5x24x12xf16>) outs(%c : tensor<5x20x12xf32>) -> tensor<5x20x12xf32>
  return %d : tensor<5x20x12xf32>
}
