// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami | FileCheck %s --implicit-check-not=kami.gemm

// What no matrix instruction multiplies as linalg says stays as it is.

// Sums of i8 in i8 wrap earlier than sums in i32.

// CHECK-LABEL: func @narrow_integers
// CHECK:         linalg.matmul
func.func @narrow_integers(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi8>) {
  linalg.matmul ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi8>)
  return
}

// -----

// CHECK-LABEL: func @wide_integers
// CHECK:         linalg.matmul
func.func @wide_integers(%a: memref<8x8xi16>, %b: memref<8x8xi16>, %c: memref<8x8xi32>) {
  linalg.matmul ins(%a, %b : memref<8x8xi16>, memref<8x8xi16>) outs(%c : memref<8x8xi32>)
  return
}

// -----

// Products that wrap in i16 before they are summed.

// CHECK-LABEL: func @narrow_products
// CHECK:         linalg.generic
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @narrow_products(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.muli %x, %y : i8
    %1 = arith.extsi %0 : i8 to i32
    %2 = arith.addi %z, %1 : i32
    linalg.yield %2 : i32
  }
  return
}

// -----

// CHECK-LABEL: func @mixed_inputs
// CHECK:         linalg.matmul
func.func @mixed_inputs(%a: memref<8x8xf16>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf16>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// No instruction sums products of f16 in f64.

// CHECK-LABEL: func @wide_accumulator
// CHECK:         linalg.matmul
func.func @wide_accumulator(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf64>) {
  linalg.matmul ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf64>)
  return
}

// -----

// Inputs wider than the output are rounded before they are multiplied.

// CHECK-LABEL: func @narrowed_inputs
// CHECK:         linalg.matmul
func.func @narrowed_inputs(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// CHECK-LABEL: func @dot
// CHECK:         linalg.dot
func.func @dot(%a: memref<8xf16>, %b: memref<8xf16>, %c: memref<f32>) {
  linalg.dot ins(%a, %b : memref<8xf16>, memref<8xf16>) outs(%c : memref<f32>)
  return
}

// -----

// Neither rows nor columns: a batch of dot products.

// CHECK-LABEL: func @batch_of_dots
// CHECK:         linalg.contract
func.func @batch_of_dots(%a: tensor<4x8xf64>, %b: tensor<4x8xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %d = linalg.contract indexing_maps = [affine_map<(b, k) -> (b, k)>, affine_map<(b, k) -> (b, k)>, affine_map<(b, k) -> (b)>]
      ins(%a, %b : tensor<4x8xf64>, tensor<4x8xf64>) outs(%c : tensor<4xf64>) -> tensor<4xf64>
  return %d : tensor<4xf64>
}

// -----

// Two sums.

// CHECK-LABEL: func @batch_reduce
// CHECK:         linalg.batch_reduce_matmul
func.func @batch_reduce(%a: memref<4x8x8xf16>, %b: memref<4x8x8xf16>, %c: memref<8x8xf32>) {
  linalg.batch_reduce_matmul ins(%a, %b : memref<4x8x8xf16>, memref<4x8x8xf16>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// No sum at all.

// CHECK-LABEL: func @outer_product
// CHECK:         linalg.generic
func.func @outer_product(%a: memref<8xf64>, %b: memref<8xf64>, %c: memref<8x8xf64>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<8xf64>, memref<8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// -----

// A sum over a dimension that B does not have.

// CHECK-LABEL: func @one_sided_sum
// CHECK:         linalg.generic
func.func @one_sided_sum(%a: memref<8x4xf64>, %b: memref<8xf64>, %c: memref<8x8xf64>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x4xf64>, memref<8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// -----

// Windows are no projected permutations.

// CHECK-LABEL: func @convolution
// CHECK:         linalg.conv_1d
func.func @convolution(%a: memref<10xf64>, %b: memref<3xf64>, %c: memref<8xf64>) {
  linalg.conv_1d ins(%a, %b : memref<10xf64>, memref<3xf64>) outs(%c : memref<8xf64>)
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#matmul = {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}

// The product is rounded to f16 before it is added.

// CHECK-LABEL: func @rounded_product
// CHECK:         linalg.generic
func.func @rounded_product(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  linalg.generic #matmul ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.extf %0 : f16 to f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// CHECK-LABEL: func @maximum
// CHECK:         linalg.generic
func.func @maximum(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>) {
  linalg.generic #matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.maximumf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// CHECK-LABEL: func @square
// CHECK:         linalg.generic
func.func @square(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>) {
  linalg.generic #matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %x : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// CHECK-LABEL: func @twice_the_sum
// CHECK:         linalg.generic
func.func @twice_the_sum(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>) {
  linalg.generic #matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %0, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// CHECK-LABEL: func @scaled
// CHECK:         linalg.generic
func.func @scaled(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>, %s: f64) {
  linalg.generic #matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %s : f64
    %1 = arith.mulf %0, %y : f64
    %2 = arith.addf %z, %1 : f64
    linalg.yield %2 : f64
  }
  return
}

// Anything else in the body, an assertion here, would be lost.

// CHECK-LABEL: func @other_effects
// CHECK:         linalg.generic
func.func @other_effects(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>, %s: i1) {
  linalg.generic #matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    cf.assert %s, "lost"
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// -----

// kami.gemm's C must not overlap its inputs.

// CHECK-LABEL: func @in_place
// CHECK:         linalg.matmul
func.func @in_place(%a: memref<8x8xf64>, %b: memref<8x8xf64>) {
  linalg.matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%b : memref<8x8xf64>)
  return
}

// -----

// Only strides can be permuted.

#tiled = affine_map<(i, j) -> (i floordiv 4, j floordiv 4, i mod 4, j mod 4)>

// CHECK-LABEL: func @not_strided
// CHECK:         linalg.matmul
func.func @not_strided(%a: memref<8x8xf64, #tiled>, %b: memref<8x8xf64>, %c: memref<8x8xf64>) {
  linalg.matmul ins(%a, %b : memref<8x8xf64, #tiled>, memref<8x8xf64>) outs(%c : memref<8x8xf64>)
  return
}

// -----

// Zero points make it more than a product.

// CHECK-LABEL: func @quantized
// CHECK:         linalg.quantized_matmul
func.func @quantized(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %z: i32, %c: memref<8x8xi32>) {
  linalg.quantized_matmul ins(%a, %b, %z, %z : memref<8x8xi8>, memref<8x8xi8>, i32, i32) outs(%c : memref<8x8xi32>)
  return
}
