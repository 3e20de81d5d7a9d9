// RUN: kami-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// Operands of regions are cut where their maps have what is tiled; k is not.

// CHECK-LABEL: func @regions
// CHECK-SAME:    %{{.+}}: tensor<64x32xi8>, %{{.+}}: tensor<32x48xf16>, %{{.+}}: tensor<64x48xf32>, %[[S:.+]]: tensor<64xf16>, %[[K:.+]]: tensor<32xf16>, %[[N:.+]]: tensor<1x48xf32>, %[[R:.+]]: tensor<48x64xf32>, %[[X:.+]]: tensor<f32>
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           scf.for %[[J:[a-z0-9]+]] =
// CHECK:             %[[ST:.+]] = tensor.extract_slice %[[S]][%[[I]]] [16] [1]
// CHECK:             %[[NT:.+]] = tensor.extract_slice %[[N]][0, %[[J]]] [1, 24] [1, 1]
// CHECK:             %[[RT:.+]] = tensor.extract_slice %[[R]][%[[J]], %[[I]]] [24, 16] [1, 1]
// CHECK:             kami.gemm {{.*}} alpha(%[[X]] : tensor<f32>) accumulator(f32)
// CHECK-SAME:          prologue_a (%{{.+}}: i8, %{{.+}} = %[[ST]] : tensor<16xf16> at #{{.+}}, %{{.+}} = %[[K]] : tensor<32xf16> at #{{.+}}) {
// CHECK:             } epilogue (%{{.+}}: f32, %{{.+}} = %[[NT]] : tensor<1x24xf32> at #{{.+}}, %{{.+}} = %[[RT]] : tensor<24x16xf32> at #{{.+}}) {
func.func @regions(%a: tensor<64x32xi8>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %s: tensor<64xf16>, %k: tensor<32xf16>,
                   %n: tensor<1x48xf32>, %r: tensor<48x64xf32>, %x: tensor<f32>) -> tensor<64x48xf32> {
  %d = kami.gemm ins(%a, %b : tensor<64x32xi8>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) alpha(%x : tensor<f32>) accumulator(f32)
      prologue_a(%e: i8, %se = %s : tensor<64xf16> at affine_map<(m, k) -> (m)>, %ke = %k : tensor<32xf16> at affine_map<(m, k) -> (k)>) {
        %0 = arith.sitofp %e : i8 to f16
        %1 = arith.mulf %0, %se : f16
        %2 = arith.mulf %1, %ke : f16
        kami.yield %2 : f16
      }
      epilogue(%e: f32, %ne = %n : tensor<1x48xf32> at affine_map<(m, n) -> (0, n)>, %re = %r : tensor<48x64xf32> at affine_map<(m, n) -> (n, m)>) {
        %0 = arith.addf %e, %ne : f32
        %1 = arith.addf %0, %re : f32
        kami.yield %1 : f32
      } -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %gemm = transform.structured.match ops{["kami.gemm"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %gemm tile_sizes [16, 24] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
