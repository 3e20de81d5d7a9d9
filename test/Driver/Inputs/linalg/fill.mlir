func.func @fill(%a: tensor<20x24xf16>, %b: tensor<24x12xf16>) -> tensor<20x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<20x12xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<20x12xf32>) -> tensor<20x12xf32>
  %d = linalg.matmul ins(%a, %b : tensor<20x24xf16>, tensor<24x12xf16>) outs(%filled : tensor<20x12xf32>) -> tensor<20x12xf32>
  return %d : tensor<20x12xf32>
}
