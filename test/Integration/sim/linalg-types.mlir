// RUN: kami-run --device=sim %s | FileCheck %s

// Signs, chains of types and β through the whole pipeline, from linalg.

// CHECK: verdict right

func.func @types(%a: tensor<20x33xi8>, %b: tensor<33x17xi8>, %c: tensor<20x17xi32>,
                 %e: tensor<9x40xf8E4M3FN>, %f: tensor<40x11xf8E5M2>, %g: tensor<9x11xf32>,
                 %h: tensor<11x13xf32>, %k: tensor<9x13xf32>) -> (tensor<20x17xi32>, tensor<20x17xi32>, tensor<9x13xf32>) {
  %signed = linalg.matmul ins(%a, %b : tensor<20x33xi8>, tensor<33x17xi8>) outs(%c : tensor<20x17xi32>) -> tensor<20x17xi32>
  %unsigned = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %b : tensor<20x33xi8>, tensor<33x17xi8>) outs(%c : tensor<20x17xi32>) -> tensor<20x17xi32>
  %d = linalg.matmul ins(%e, %f : tensor<9x40xf8E4M3FN>, tensor<40x11xf8E5M2>) outs(%g : tensor<9x11xf32>) -> tensor<9x11xf32>
  %l = linalg.matmul ins(%d, %h : tensor<9x11xf32>, tensor<11x13xf32>) outs(%k : tensor<9x13xf32>) -> tensor<9x13xf32>
  return %signed, %unsigned, %l : tensor<20x17xi32>, tensor<20x17xi32>, tensor<9x13xf32>
}
