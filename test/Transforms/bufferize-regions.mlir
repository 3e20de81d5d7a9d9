// RUN: kami-opt %s --split-input-file --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// What regions read is read where it lies.

// CHECK-LABEL: func @in_place
// CHECK-SAME:    %[[A:.+]]: memref<8x8xf16>, %[[C:.+]]: memref<8x8xf32>, %[[B:.+]]: memref<8xf32>, %[[S:.+]]: memref<f32>)
// CHECK-NOT:     memref.alloc
// CHECK:         kami.gemm ins(%[[A]], %[[A]] : {{.*}}) outs(%[[C]] : memref<8x8xf32>) alpha(%[[S]] : memref<f32>) accumulator(f32) epilogue (%{{.+}}: f32, %{{.+}} = %[[B]] : memref<8xf32> at #{{.+}}) {
// CHECK:         return %[[C]]
func.func @in_place(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>, %b: tensor<8xf32>, %s: tensor<f32>) -> tensor<8x8xf32> {
  %d = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) alpha(%s : tensor<f32>) accumulator(f32)
      epilogue(%x: f32, %y = %b : tensor<8xf32> at affine_map<(m, n) -> (n)>) {
        %0 = arith.addf %x, %y : f32
        kami.yield %0 : f32
      } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

// What is written must not be read by a region: C gets memory of its own.

// CHECK-LABEL: func @residual_is_c
// CHECK-SAME:    %[[A:.+]]: memref<8x8xf16>, %[[C:.+]]: memref<8x8xf32>)
// CHECK:         %[[NEW:.+]] = memref.alloc()
// CHECK:         kami.gemm {{.*}} outs(%[[NEW]] : memref<8x8xf32>) accumulator(f32) epilogue (%{{.+}}: f32, %{{.+}} = %[[C]] : memref<8x8xf32> at #{{.+}}) {
// CHECK:         return %[[NEW]]
func.func @residual_is_c(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %d = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %y = %c : tensor<8x8xf32> at affine_map<(m, n) -> (m, n)>) {
        %0 = arith.addf %x, %y : f32
        kami.yield %0 : f32
      } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
