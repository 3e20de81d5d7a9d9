// RUN: kami-opt %s --convert-linalg-to-kami --split-input-file | FileCheck %s
// RUN: kami-opt %s --convert-linalg-to-kami=fuse=false --split-input-file | FileCheck %s --check-prefix=APART

// APART-NOT: epilogue
// APART-NOT: prologue

// A bias of columns through linalg.broadcast, then relu, then a rounding: one
// after the other. The broadcast is not read, its source is.

// CHECK:       #[[N:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @chain
// CHECK-SAME:    %[[A:.+]]: tensor<8x16xf16>, %[[B:.+]]: tensor<16x24xf16>, %[[BIAS:.+]]: tensor<24xf32>
// CHECK:         %[[OUT:.+]] = tensor.empty() : tensor<8x24xf16>
// CHECK:         %[[D:.+]] = kami.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[OUT]] : tensor<8x24xf16>) accumulator(f32)
// CHECK-SAME:      epilogue (%[[X:.+]]: f32, %[[Y:.+]] = %[[BIAS]] : tensor<24xf32> at #[[N]])
// CHECK-NEXT:        %[[S:.+]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT:        %[[ZERO:.+]] = arith.constant 0.0
// CHECK-NEXT:        %[[R:.+]] = arith.maximumf %[[S]], %[[ZERO]] : f32
// CHECK-NEXT:        %[[T:.+]] = arith.truncf %[[R]] : f32 to f16
// CHECK-NEXT:        kami.yield %[[T]] : f16
// CHECK:         return %[[D]]
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @chain(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %bias: tensor<24xf32>) -> tensor<8x24xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%z : tensor<8x24xf32>) -> tensor<8x24xf32>
  %w = linalg.broadcast ins(%bias : tensor<24xf32>) outs(%e : tensor<8x24xf32>) dimensions = [0]
  %s = linalg.add ins(%p, %w : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) {
    ^bb0(%x: f32, %o: f32):
      %m = arith.maximumf %x, %zero : f32
      linalg.yield %m : f32
  } -> tensor<8x24xf32>
  %h = tensor.empty() : tensor<8x24xf16>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<8x24xf32>) outs(%h : tensor<8x24xf16>) {
    ^bb0(%x: f32, %o: f16):
      %m = arith.truncf %x : f32 to f16
      linalg.yield %m : f16
  } -> tensor<8x24xf16>
  return %t : tensor<8x24xf16>
}

// -----

// linalg's product is rounded to f16 before anything else happens to it: the same
// bits as without fusion. A product used twice by one op is used once.

// CHECK-LABEL: func @rounds
// CHECK:         kami.gemm {{.*}} epilogue (%[[X:.+]]: f32)
// CHECK-NEXT:      %[[H:.+]] = arith.truncf %[[X]] : f32 to f16
// CHECK-NEXT:      %[[Y:.+]] = arith.mulf %[[H]], %[[H]] : f16
// CHECK-NEXT:      kami.yield %[[Y]] : f16
func.func @rounds(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>) -> tensor<8x24xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8x24xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<8x24xf16>) -> tensor<8x24xf16>
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%z : tensor<8x24xf16>) -> tensor<8x24xf16>
  %s = linalg.mul ins(%p, %p : tensor<8x24xf16>, tensor<8x24xf16>) outs(%e : tensor<8x24xf16>) -> tensor<8x24xf16>
  return %s : tensor<8x24xf16>
}

// -----

// β stays where the result goes to C's place, and is a residual where the result
// is of another type. Scalars from outside, and a fill, are operands.

// CHECK-LABEL: func @beta
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<8x24xf32>, %[[S:.+]]: f32)
// CHECK:         kami.gemm {{.*}} outs(%[[C]] : tensor<8x24xf32>) beta(%{{.+}} : f32) accumulator(f32) epilogue (%[[X:.+]]: f32, %[[T:.+]] = %[[S]] : f32)
// CHECK-NEXT:      arith.mulf %[[X]], %[[T]]
func.func @beta(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>, %s: f32) -> tensor<8x24xf32> {
  %e = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  %y = linalg.mul ins(%p, %f : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %y : tensor<8x24xf32>
}

// CHECK-LABEL: func @residual
// CHECK-SAME:    %[[C:[a-z0-9]+]]: tensor<8x24xf32>)
// CHECK-NOT:     beta
// CHECK:         epilogue (%[[X:.+]]: f32, %[[O:.+]] = %[[C]] : tensor<8x24xf32> at #{{.+}})
// CHECK-NEXT:      %[[Y:.+]] = arith.addf %[[X]], %[[O]] : f32
// CHECK-NEXT:      arith.truncf %[[Y]]
func.func @residual(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> tensor<8x24xf16> {
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  %h = tensor.empty() : tensor<8x24xf16>
  %t = linalg.map { arith.truncf } ins(%p : tensor<8x24xf32>) outs(%h : tensor<8x24xf16>)
  return %t : tensor<8x24xf16>
}

// -----

// Loops in another order, a batch, a bias of its rows.

// CHECK:       #[[BM:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @order
// CHECK:         epilogue (%{{.+}}: f32, %{{.+}} = %{{.+}} : tensor<3x8xf32> at #[[BM]])
func.func @order(%a: tensor<3x8x16xf16>, %b: tensor<3x16x24xf16>, %r: tensor<3x8xf32>) -> tensor<3x8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x8x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x8x24xf32>) -> tensor<3x8x24xf32>
  %p = linalg.batch_matmul ins(%a, %b : tensor<3x8x16xf16>, tensor<3x16x24xf16>) outs(%z : tensor<3x8x24xf32>) -> tensor<3x8x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, m, b) -> (b, m, n)>, affine_map<(n, m, b) -> (b, m)>, affine_map<(n, m, b) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %r : tensor<3x8x24xf32>, tensor<3x8xf32>) outs(%e : tensor<3x8x24xf32>) {
    ^bb0(%x: f32, %s: f32, %o: f32):
      %m = arith.addf %x, %s : f32
      linalg.yield %m : f32
  } -> tensor<3x8x24xf32>
  return %y : tensor<3x8x24xf32>
}

// -----

// Not fused: the product is used elsewhere, is transposed, is reduced, or its
// place in the result matters.

// CHECK-LABEL: func @used_twice
// CHECK-NOT:     epilogue
func.func @used_twice(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  %e = tensor.empty() : tensor<8x24xf32>
  %y = linalg.exp ins(%p : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p, %y : tensor<8x24xf32>, tensor<8x24xf32>
}

// CHECK-LABEL: func @transposed
// CHECK-NOT:     epilogue
func.func @transposed(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> tensor<24x8xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  %e = tensor.empty() : tensor<24x8xf32>
  %y = linalg.transpose ins(%p : tensor<8x24xf32>) outs(%e : tensor<24x8xf32>) permutation = [1, 0]
  return %y : tensor<24x8xf32>
}

// CHECK-LABEL: func @reduced
// CHECK-NOT:     epilogue
func.func @reduced(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  %y = linalg.reduce { arith.addf } ins(%p : tensor<8x24xf32>) outs(%s : tensor<8xf32>) dimensions = [1]
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @indexed
// CHECK-NOT:     epilogue
func.func @indexed(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  %e = tensor.empty() : tensor<8x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) {
    ^bb0(%x: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %above = arith.cmpi ult, %i, %j : index
      %zero = arith.constant 0.0 : f32
      %m = arith.select %above, %zero, %x : f32
      linalg.yield %m : f32
  } -> tensor<8x24xf32>
  return %y : tensor<8x24xf32>
}

// Buffers: what lies between could read the product.

// CHECK-LABEL: func @buffers
// CHECK-NOT:     epilogue
// CHECK:         linalg.exp
func.func @buffers(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %c: memref<8x24xf32>) {
  linalg.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%c : memref<8x24xf32>)
  linalg.exp ins(%c : memref<8x24xf32>) outs(%c : memref<8x24xf32>)
  return
}
