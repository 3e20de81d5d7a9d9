// RUN: kami-opt %s --split-input-file --transform-interpreter --canonicalize --cse | FileCheck %s

// Tiles of C: the batch dimensions, rows and columns. A and B are cut where
// their dimensions are C's, and keep all of k.

// CHECK-LABEL: func @tensor
// CHECK-SAME:    %[[A:.+]]: tensor<64x32xf16>, %[[B:.+]]: tensor<32x48xf16>, %[[C:.+]]: tensor<64x48xf32>, %[[BETA:.+]]: f32
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[ROWS:.+]] = %[[C]])
// CHECK:           scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[ALL:.+]] = %[[ROWS]])
// CHECK:             %[[AT:.+]] = tensor.extract_slice %[[A]][%[[I]], 0] [16, 32] [1, 1]
// CHECK:             %[[BT:.+]] = tensor.extract_slice %[[B]][0, %[[J]]] [32, 24] [1, 1]
// CHECK:             %[[CT:.+]] = tensor.extract_slice %[[ALL]][%[[I]], %[[J]]] [16, 24] [1, 1]
// CHECK:             %[[DT:.+]] = kami.gemm ins(%[[AT]], %[[BT]] : tensor<16x32xf16>, tensor<32x24xf16>) outs(%[[CT]] : tensor<16x24xf32>) beta(%[[BETA]] : f32) accumulator(f32) -> tensor<16x24xf32>
// CHECK:             tensor.insert_slice %[[DT]] into %[[ALL]][%[[I]], %[[J]]] [16, 24] [1, 1]
func.func @tensor(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %beta: f32) -> tensor<64x48xf32> {
  %d = kami.gemm ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) beta(%beta : f32)
       accumulator(f32) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %gemm = transform.structured.match ops{["kami.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %gemm tile_sizes [16, 24] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Extents known at run time: the last tile is smaller.

// CHECK:       #[[REST:.+]] = affine_map<(d0)[s0] -> (-d0 + s0, 16)>
// CHECK-LABEL: func @memref
// CHECK-SAME:    %[[A:.+]]: memref<?x?xf16>, %[[B:.+]]: memref<?x?xf16>, %[[C:.+]]: memref<?x?xf32>
// CHECK-DAG:     %[[M:.+]] = memref.dim %[[C]], %{{.+}}
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[M]] step %{{.+}} {
// CHECK:           %[[ROWS:.+]] = affine.min #[[REST]](%[[I]])[%[[M]]]
// CHECK:           %[[K:.+]] = memref.dim %[[A]], %c0
// CHECK:           %[[AT:.+]] = memref.subview %[[A]][0, %[[I]]] [%[[K]], %[[ROWS]]] [1, 1]
// CHECK:           %[[BT:.+]] = memref.subview %[[B]][0, 0] [%{{.+}}, %{{.+}}] [1, 1]
// CHECK:           %[[CT:.+]] = memref.subview %[[C]][%[[I]], 0] [%[[ROWS]], %{{.+}}] [1, 1]
// CHECK:           kami.gemm ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[CT]] : {{.*}}) transpose_a transpose_b accumulator(f32)
// CHECK-NEXT:    }
func.func @memref(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  kami.gemm ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>) transpose_a transpose_b accumulator(f32)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %gemm = transform.structured.match ops{["kami.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %gemm tile_sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Batches: what is repeated is not cut. A lacks the outer batch dimension, B
// repeats the inner one.

// CHECK-LABEL: func @broadcast_batch
// CHECK-SAME:    %[[A:.+]]: tensor<6x64x32xf64>, %[[B:.+]]: tensor<4x1x32x48xf64>, %[[C:.+]]: tensor<4x6x64x48xf64>
// CHECK:         scf.for %[[X:[^ ]+]] =
// CHECK:           scf.for %[[Y:[^ ]+]] =
// CHECK:             %[[AT:.+]] = tensor.extract_slice %[[A]][%[[Y]], 0, 0] [2, 64, 32] [1, 1, 1]
// CHECK:             %[[BT:.+]] = tensor.extract_slice %[[B]][%[[X]], 0, 0, 0] [1, 1, 32, 48] [1, 1, 1, 1]
// CHECK:             %[[CT:.+]] = tensor.extract_slice %{{.+}}[%[[X]], %[[Y]], 0, 0] [1, 2, 64, 48] [1, 1, 1, 1]
// CHECK:             kami.gemm ins(%[[AT]], %[[BT]] : tensor<2x64x32xf64>, tensor<1x1x32x48xf64>) outs(%[[CT]] : tensor<1x2x64x48xf64>)
func.func @broadcast_batch(%a: tensor<6x64x32xf64>, %b: tensor<4x1x32x48xf64>, %c: tensor<4x6x64x48xf64>) -> tensor<4x6x64x48xf64> {
  %d = kami.gemm ins(%a, %b : tensor<6x64x32xf64>, tensor<4x1x32x48xf64>) outs(%c : tensor<4x6x64x48xf64>)
       accumulator(f64) -> tensor<4x6x64x48xf64>
  return %d : tensor<4x6x64x48xf64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %gemm = transform.structured.match ops{["kami.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %gemm tile_sizes [1, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile that a consumer needs is computed where it is needed.

// CHECK-LABEL: func @fuse
// CHECK-SAME:    %[[A:.+]]: tensor<64x32xf64>, %[[B:.+]]: tensor<32x48xf64>
// CHECK:         scf.for %[[I:[^ ]+]] =
// CHECK:           %[[AT:.+]] = tensor.extract_slice %[[A]][%[[I]], 0] [16, 32] [1, 1]
// CHECK:           %[[DT:.+]] = kami.gemm ins(%[[AT]], %[[B]] : {{.*}}) outs(%{{.+}} : tensor<16x48xf64>)
// CHECK:           linalg.exp ins(%[[DT]] : tensor<16x48xf64>)
func.func @fuse(%a: tensor<64x32xf64>, %b: tensor<32x48xf64>, %c: tensor<64x48xf64>, %e: tensor<64x48xf64>) -> tensor<64x48xf64> {
  %d = kami.gemm ins(%a, %b : tensor<64x32xf64>, tensor<32x48xf64>) outs(%c : tensor<64x48xf64>) accumulator(f64) -> tensor<64x48xf64>
  %f = linalg.exp ins(%d : tensor<64x48xf64>) outs(%e : tensor<64x48xf64>) -> tensor<64x48xf64>
  return %f : tensor<64x48xf64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.fuse %exp tile_sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Without terms, no slice begins in an extent of 0.

// CHECK-LABEL: func @no_terms
// CHECK:         %[[AT:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}, %{{.+}}] [16, 0] [1, 1] : tensor<64x0xf16> to tensor<16x0xf16>
// CHECK:         kami.gemm ins(%[[AT]], %{{.+}} : tensor<16x0xf16>, tensor<0x24xf16>)
func.func @no_terms(%a: tensor<64x0xf16>, %b: tensor<0x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %d = kami.gemm ins(%a, %b : tensor<64x0xf16>, tensor<0x48xf16>) outs(%c : tensor<64x48xf32>) accumulator(f32) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %gemm = transform.structured.match ops{["kami.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %gemm tile_sizes [16, 24] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
