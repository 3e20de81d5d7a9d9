// RUN: kami-opt %s --split-input-file --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// The destination becomes the result, without a copy.

// CHECK-LABEL: func @in_place
// CHECK-SAME:    %[[A:.+]]: memref<64x32xf16>, %[[B:.+]]: memref<32x48xf16>, %[[C:.+]]: memref<64x48xf32>, %[[BETA:.+]]: f32
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         kami.gemm ins(%[[A]], %[[B]] : memref<64x32xf16>, memref<32x48xf16>) outs(%[[C]] : memref<64x48xf32>) beta(%[[BETA]] : f32) accumulator(f32)
// CHECK-NOT:     memref.copy
// CHECK:         return %[[C]]
func.func @in_place(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %beta: f32) -> tensor<64x48xf32> {
  %d = kami.gemm ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) beta(%beta : f32)
       accumulator(f32) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// Transposes, α and the plan survive.

// CHECK:       #[[PLAN:.+]] = #kami.plan<one_d, grid = [4, 1, 1],
// CHECK-LABEL: func @attributes
// CHECK-SAME:    %{{.+}}: memref<32x64xf16>, %{{.+}}: memref<48x32xf16>, %{{.+}}: memref<64x48xf32>, %[[ALPHA:.+]]: f32
// CHECK:         kami.gemm {{.*}} alpha(%[[ALPHA]] : f32) transpose_a transpose_b accumulator(f32) plan(#[[PLAN]]) {note = "kept"}
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
func.func @attributes(%a: tensor<32x64xf16>, %b: tensor<48x32xf16>, %c: tensor<64x48xf32>, %alpha: f32) -> tensor<64x48xf32> {
  %d = kami.gemm ins(%a, %b : tensor<32x64xf16>, tensor<48x32xf16>) outs(%c : tensor<64x48xf32>) alpha(%alpha : f32)
       transpose_a transpose_b accumulator(f32)
       plan(<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x48x32, transport = staged, slices = {k = 16, shared = [0, 0]}>)
       {note = "kept"} -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}

// -----

// C is A: what is read must not be overwritten. Without β, the copy of C gets no
// contents.

// CHECK-LABEL: func @c_is_a
// CHECK-SAME:    %[[A:.+]]: memref<32x32xf64>, %[[B:.+]]: memref<32x32xf64>
// CHECK:         %[[C:.+]] = memref.alloc() {{.*}} : memref<32x32xf64>
// CHECK-NOT:     memref.copy
// CHECK:         kami.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : memref<32x32xf64>) accumulator(f64)
// CHECK:         return %[[C]]
func.func @c_is_a(%a: tensor<32x32xf64>, %b: tensor<32x32xf64>) -> tensor<32x32xf64> {
  %d = kami.gemm ins(%a, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%a : tensor<32x32xf64>)
       accumulator(f64) -> tensor<32x32xf64>
  return %d : tensor<32x32xf64>
}

// -----

// With β it does.

// CHECK-LABEL: func @c_is_b_with_beta
// CHECK-SAME:    %[[A:.+]]: memref<32x32xf64>, %[[B:.+]]: memref<32x32xf64>, %[[BETA:.+]]: f64
// CHECK:         %[[C:.+]] = memref.alloc() {{.*}} : memref<32x32xf64>
// CHECK:         memref.copy %[[B]], %[[C]]
// CHECK:         kami.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : memref<32x32xf64>) beta(%[[BETA]] : f64)
func.func @c_is_b_with_beta(%a: tensor<32x32xf64>, %b: tensor<32x32xf64>, %beta: f64) -> tensor<32x32xf64> {
  %d = kami.gemm ins(%a, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%b : tensor<32x32xf64>) beta(%beta : f64)
       accumulator(f64) -> tensor<32x32xf64>
  return %d : tensor<32x32xf64>
}

// -----

// The old C is wanted afterwards.

// CHECK-LABEL: func @c_used_later
// CHECK-SAME:    %{{.+}}: memref<32x32xf64>, %{{.+}}: memref<32x32xf64>, %[[C:.+]]: memref<32x32xf64>
// CHECK:         %[[COPY:.+]] = memref.alloc() {{.*}} : memref<32x32xf64>
// CHECK:         kami.gemm {{.*}} outs(%[[COPY]] : memref<32x32xf64>)
// CHECK:         return %[[COPY]], %[[C]]
func.func @c_used_later(%a: tensor<32x32xf64>, %b: tensor<32x32xf64>, %c: tensor<32x32xf64>) -> (tensor<32x32xf64>, tensor<32x32xf64>) {
  %d = kami.gemm ins(%a, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%c : tensor<32x32xf64>)
       accumulator(f64) -> tensor<32x32xf64>
  return %d, %c : tensor<32x32xf64>, tensor<32x32xf64>
}

// -----

// A chain of products: the second reads the first's result.

// CHECK-LABEL: func @chain
// CHECK-SAME:    %[[A:.+]]: memref<32x32xf64>, %[[B:.+]]: memref<32x32xf64>, %[[C:.+]]: memref<32x32xf64>, %[[D:.+]]: memref<32x32xf64>
// CHECK-NOT:     memref.alloc
// CHECK:         kami.gemm ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}})
// CHECK:         kami.gemm ins(%[[C]], %[[B]] : {{.*}}) outs(%[[D]] : {{.*}})
// CHECK:         return %[[D]]
func.func @chain(%a: tensor<32x32xf64>, %b: tensor<32x32xf64>, %c: tensor<32x32xf64>, %d: tensor<32x32xf64>) -> tensor<32x32xf64> {
  %0 = kami.gemm ins(%a, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%c : tensor<32x32xf64>)
       accumulator(f64) -> tensor<32x32xf64>
  %1 = kami.gemm ins(%0, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%d : tensor<32x32xf64>)
       accumulator(f64) -> tensor<32x32xf64>
  return %1 : tensor<32x32xf64>
}
