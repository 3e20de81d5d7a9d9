// Products without terms or elements on tensors, as linalg has them, with an
// epilogue, a prologue, and inside of a kernel.

func.func private @tensors(%a: tensor<20x0xf16>, %b: tensor<0x17xf16>, %bias: tensor<20x17xf32>) -> tensor<20x17xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<20x17xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<20x17xf32>) -> tensor<20x17xf32>
  %d = linalg.matmul ins(%a, %b : tensor<20x0xf16>, tensor<0x17xf16>) outs(%filled : tensor<20x17xf32>) -> tensor<20x17xf32>
  %e = linalg.add ins(%d, %bias : tensor<20x17xf32>, tensor<20x17xf32>) outs(%empty : tensor<20x17xf32>) -> tensor<20x17xf32>
  return %e : tensor<20x17xf32>
}

func.func @main(%a: tensor<20x0xf16>, %b: tensor<0x17xf16>, %bias: tensor<20x17xf32>,
                %c: tensor<3x0x17xf32>, %d: tensor<3x0x9xf16>, %e: tensor<3x9x17xf16>,
                %f: tensor<2x5x0xf32>, %g: tensor<2x0x6xf32>, %h: tensor<2x5x6xf32>)
    -> (tensor<20x17xf32>, tensor<3x0x17xf32>, tensor<2x5x6xf32>) {
  %0 = func.call @tensors(%a, %b, %bias) : (tensor<20x0xf16>, tensor<0x17xf16>, tensor<20x17xf32>) -> tensor<20x17xf32>
  %1 = linalg.batch_matmul ins(%d, %e : tensor<3x0x9xf16>, tensor<3x9x17xf16>) outs(%c : tensor<3x0x17xf32>) -> tensor<3x0x17xf32>
  %2 = linalg.batch_matmul ins(%f, %g : tensor<2x5x0xf32>, tensor<2x0x6xf32>) outs(%h : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  return %0, %1, %2 : tensor<20x17xf32>, tensor<3x0x17xf32>, tensor<2x5x6xf32>
}
