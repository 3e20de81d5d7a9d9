// RUN: kami-opt %s --convert-linalg-to-kami --split-input-file | FileCheck %s

// Integers of A with a scale for each row, in two steps; B is transposed, with a
// scale for each of its columns, which are k.

// CHECK-DAG:   #[[FIRST:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @dequantize
// CHECK-SAME:    %[[Q:.+]]: tensor<8x16xi8>, %[[S:.+]]: tensor<8xf16>, %[[W:.+]]: tensor<24x16xi8>, %[[T:.+]]: tensor<16xf16>
// CHECK:         kami.gemm ins(%[[Q]], %[[W]] : tensor<8x16xi8>, tensor<24x16xi8>) {{.*}} transpose_b accumulator(f32)
// CHECK-SAME:      prologue_a (%[[X:.+]]: i8, %[[SX:.+]] = %[[S]] : tensor<8xf16> at #[[FIRST]])
// CHECK-NEXT:        %[[F:.+]] = arith.sitofp %[[X]] : i8 to f16
// CHECK-NEXT:        %[[P:.+]] = arith.mulf %[[F]], %[[SX]] : f16
// CHECK-NEXT:        kami.yield %[[P]] : f16
// CHECK-NEXT:      } prologue_b (%[[Y:.+]]: i8, %[[TY:.+]] = %[[T]] : tensor<16xf16> at #[[FIRST]])
#id = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>
#second = affine_map<(d0, d1) -> (d1)>
func.func @dequantize(%q: tensor<8x16xi8>, %s: tensor<8xf16>, %w: tensor<24x16xi8>, %t: tensor<16xf16>, %c: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %e = tensor.empty() : tensor<8x16xf16>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x16xi8>) outs(%e : tensor<8x16xf16>) {
    ^bb0(%x: i8, %o: f16):
      %y = arith.sitofp %x : i8 to f16
      linalg.yield %y : f16
  } -> tensor<8x16xf16>
  %a = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f, %s : tensor<8x16xf16>, tensor<8xf16>) outs(%e : tensor<8x16xf16>) {
    ^bb0(%x: f16, %r: f16, %o: f16):
      %y = arith.mulf %x, %r : f16
      linalg.yield %y : f16
  } -> tensor<8x16xf16>
  %eb = tensor.empty() : tensor<24x16xf16>
  %b = linalg.generic {indexing_maps = [#id, #second, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %t : tensor<24x16xi8>, tensor<16xf16>) outs(%eb : tensor<24x16xf16>) {
    ^bb0(%x: i8, %r: f16, %o: f16):
      %y = arith.sitofp %x : i8 to f16
      %z = arith.mulf %y, %r : f16
      linalg.yield %z : f16
  } -> tensor<24x16xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x16xf16>, tensor<24x16xf16>) outs(%c : tensor<8x24xf32>) {
    ^bb0(%x: f16, %y: f16, %z: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %m = arith.mulf %u, %v : f32
      %r = arith.addf %z, %m : f32
      linalg.yield %r : f32
  } -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}

// -----

// A that is one matrix for a batch: its maps have the batch, but do not use it.

// CHECK:       #[[M:.+]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @batch
// CHECK:         kami.gemm ins({{.*}} : tensor<8x16xi8>, tensor<3x16x24xf16>)
// CHECK-SAME:      prologue_a (%{{.+}}: i8, %{{.+}} = %{{.+}} : tensor<8xf16> at #[[M]])
func.func @batch(%q: tensor<8x16xi8>, %s: tensor<8xf16>, %b: tensor<3x16x24xf16>, %c: tensor<3x8x24xf32>) -> tensor<3x8x24xf32> {
  %e = tensor.empty() : tensor<8x16xf16>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%q, %s : tensor<8x16xi8>, tensor<8xf16>) outs(%e : tensor<8x16xf16>) {
    ^bb0(%x: i8, %r: f16, %o: f16):
      %y = arith.sitofp %x : i8 to f16
      %z = arith.mulf %y, %r : f16
      linalg.yield %z : f16
  } -> tensor<8x16xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x16xf16>, tensor<3x16x24xf16>) outs(%c : tensor<3x8x24xf32>) {
    ^bb0(%x: f16, %y: f16, %z: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %m = arith.mulf %u, %v : f32
      %r = arith.addf %z, %m : f32
      linalg.yield %r : f32
  } -> tensor<3x8x24xf32>
  return %p : tensor<3x8x24xf32>
}

// -----

// Not fused: made for somebody else, too; dear, when every block makes it anew.

// CHECK-LABEL: func @used_twice
// CHECK-NOT:     prologue
func.func @used_twice(%q: tensor<8x16xf32>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<8x16xf16>) {
  %e = tensor.empty() : tensor<8x16xf16>
  %a = linalg.map { arith.truncf } ins(%q : tensor<8x16xf32>) outs(%e : tensor<8x16xf16>)
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p, %a : tensor<8x24xf32>, tensor<8x16xf16>
}

// CHECK-LABEL: func @dear
// CHECK-NOT:     prologue
func.func @dear(%q: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %e = tensor.empty() : tensor<8x16xf16>
  %a = linalg.exp ins(%q : tensor<8x16xf16>) outs(%e : tensor<8x16xf16>) -> tensor<8x16xf16>
  %p = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %p : tensor<8x24xf32>
}
