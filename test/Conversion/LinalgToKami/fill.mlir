// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami | FileCheck %s

// A fill with zero that feeds the product is β = 0.

// CHECK-LABEL: func @tensor_fill
// CHECK:         %[[EMPTY:.+]] = tensor.empty
// CHECK-NOT:     linalg.fill
// CHECK:         kami.gemm ins({{.*}}) outs(%[[EMPTY]] : tensor<64x48xf32>) accumulator(f32)
func.func @tensor_fill(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// Somebody else wants the zeros, too.

// CHECK-LABEL: func @tensor_fill_with_other_uses
// CHECK:         %[[EMPTY:.+]] = tensor.empty
// CHECK:         %[[FILLED:.+]] = linalg.fill
// CHECK:         %[[D:.+]] = kami.gemm ins({{.*}}) outs(%[[EMPTY]] : tensor<64x48xf32>) accumulator(f32)
// CHECK:         return %[[D]], %[[FILLED]]
func.func @tensor_fill_with_other_uses(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d, %c : tensor<64x48xf32>, tensor<64x48xf32>
}

// -----

// CHECK-LABEL: func @fill_with_one
// CHECK:         %[[FILLED:.+]] = linalg.fill
// CHECK:         kami.gemm ins({{.*}}) outs(%[[FILLED]] : tensor<64x48xf32>) beta(
func.func @fill_with_one(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %one = arith.constant 1.0 : f32
  %filled = linalg.fill ins(%one : f32) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%filled : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// CHECK-LABEL: func @memref_fill
// CHECK-NOT:     linalg.fill
// CHECK:         kami.gemm ins({{.*}}) outs(%{{.+}} : memref<64x48xf32>) accumulator(f32)
func.func @memref_fill(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// -----

// What lies between does not touch C: another buffer's fill, a view, arithmetic.

// CHECK-LABEL: func @memref_fill_before_others
// CHECK:         %[[C:.+]] = memref.alloc() : memref<64x48xf32>
// CHECK:         %[[E:.+]] = memref.alloc() : memref<64x48xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         kami.gemm ins({{.*}}) outs(%[[C]] : memref<64x48xf32>) accumulator(f32)
// CHECK:         kami.gemm ins({{.*}}) outs(%[[E]] : memref<64x48xf32>) accumulator(f32)
func.func @memref_fill_before_others(%a: memref<64x64xf16>, %b: memref<32x48xf16>) -> (memref<64x48xf32>, memref<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<64x48xf32>
  %e = memref.alloc() : memref<64x48xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.fill ins(%zero : f32) outs(%e : memref<64x48xf32>)
  %view = memref.subview %a[0, 0] [64, 32] [1, 1] : memref<64x64xf16> to memref<64x32xf16, strided<[64, 1]>>
  linalg.matmul ins(%view, %b : memref<64x32xf16, strided<[64, 1]>>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  linalg.matmul ins(%view, %b : memref<64x32xf16, strided<[64, 1]>>, memref<32x48xf16>) outs(%e : memref<64x48xf32>)
  return %c, %e : memref<64x48xf32>, memref<64x48xf32>
}

// -----

// Somebody writes to C after the fill.

// CHECK-LABEL: func @memref_store_between
// CHECK:         linalg.fill
// CHECK:         memref.store
// CHECK:         kami.gemm ins({{.*}}) outs({{.*}}) beta(
func.func @memref_store_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %x: f32, %i: index) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  memref.store %x, %c[%i, %i] : memref<64x48xf32>
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// -----

// Somebody reads the zeros.

// CHECK-LABEL: func @memref_load_between
// CHECK:         linalg.fill
// CHECK:         memref.load
// CHECK:         kami.gemm ins({{.*}}) outs({{.*}}) beta(
func.func @memref_load_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %i: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  %x = memref.load %c[%i, %i] : memref<64x48xf32>
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return %x : f32
}

// -----

// %e may be %c: filling it must not be moved away from between.

// CHECK-LABEL: func @memref_alias_between
// CHECK:         linalg.fill ins(%{{.+}} : f32) outs(%[[C:.+]] : memref<64x48xf32>)
// CHECK:         linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : memref<64x48xf32>)
// CHECK:         kami.gemm ins({{.*}}) outs({{.*}}) beta(
func.func @memref_alias_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %e: memref<64x48xf32>, %x: f32) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.fill ins(%x : f32) outs(%e : memref<64x48xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// -----

// Another call of unknown effects lies between.

// CHECK-LABEL: func @memref_call_between
// CHECK:         linalg.fill
// CHECK:         call
// CHECK:         kami.gemm ins({{.*}}) outs({{.*}}) beta(
func.func private @unknown()
func.func @memref_call_between(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  func.call @unknown() : () -> ()
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// -----

// The product is in a loop, the fill before it: only the first round sees zeros.

// CHECK-LABEL: func @memref_fill_before_loop
// CHECK:         linalg.fill
// CHECK:         scf.for
// CHECK:           kami.gemm ins({{.*}}) outs({{.*}}) beta(
func.func @memref_fill_before_loop(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  }
  return
}
