// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami=precision=tf32 | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: kami-opt %s --split-input-file --convert-linalg-to-kami=precision=tf32x3 | FileCheck %s --check-prefixes=CHECK,TF32X3
// RUN: not kami-opt %s --split-input-file --convert-linalg-to-kami=precision=low 2>&1 | FileCheck %s --check-prefix=LOW

// LOW: error: expected precision exact, tf32 or tf32x3, but got 'low'

// Only the option makes f32 less exact.

// CHECK-LABEL: func @f32
// EXACT:         kami.gemm {{.*}} accumulator(f32){{$}}
// TF32:          kami.gemm {{.*}} accumulator(f32) precision<tf32>{{$}}
// TF32X3:        kami.gemm {{.*}} accumulator(f32) precision<tf32x3>{{$}}
func.func @f32(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// CHECK-LABEL: func @f64
// CHECK:         kami.gemm {{.*}} accumulator(f64){{$}}
func.func @f64(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>) {
  linalg.matmul ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>)
  return
}

// -----

// A fill with zero is no β, for integers too.

// CHECK-LABEL: func @integers
// CHECK-NOT:     linalg.fill
// CHECK:         kami.gemm ins({{.*}} : tensor<8x8xi8>, tensor<8x8xi8>) outs({{.*}} : tensor<8x8xi32>) accumulator(i32) -> tensor<8x8xi32>
func.func @integers(%a: tensor<8x8xi8>, %b: tensor<8x8xi8>, %c: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %zero = arith.constant 0 : i32
  %filled = linalg.fill ins(%zero : i32) outs(%c : tensor<8x8xi32>) -> tensor<8x8xi32>
  %d = linalg.matmul ins(%a, %b : tensor<8x8xi8>, tensor<8x8xi8>) outs(%filled : tensor<8x8xi32>) -> tensor<8x8xi32>
  return %d : tensor<8x8xi32>
}

// -----

// CHECK-LABEL: func @unsigned
// CHECK:         %[[ONE:.+]] = arith.constant 1 : i32
// CHECK:         kami.gemm {{.*}} beta(%[[ONE]] : i32) accumulator(i32) unsigned_a unsigned_b{{$}}
func.func @unsigned(%a: memref<8x8xi8>, %b: memref<8x8xi8>, %c: memref<8x8xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%a, %b : memref<8x8xi8>, memref<8x8xi8>) outs(%c : memref<8x8xi32>)
  return
}

// -----

// A transposed C swaps the operands, and their signs with them.

// CHECK-LABEL: func @mixed
// CHECK-SAME:    %[[A:.+]]: memref<8x16xi8>, %[[B:.+]]: memref<16x4xi8>
// CHECK:         kami.gemm ins(%[[B]], %[[A]] : {{.*}} transpose_a transpose_b accumulator(i32) unsigned_b{{$}}
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (j, i)>
func.func @mixed(%a: memref<8x16xi8>, %b: memref<16x4xi8>, %c: memref<4x8xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x16xi8>, memref<16x4xi8>) outs(%c : memref<4x8xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %1, %0 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// -----

// Floats of 8 bits are summed in f32, also where linalg would sum in their type.

// CHECK-LABEL: func @float8
// CHECK:         kami.gemm ins({{.*}} : memref<8x8xf8E4M3FN>, memref<8x8xf8E5M2>) outs({{.*}} : memref<8x8xf32>) {{.*}} accumulator(f32){{$}}
// CHECK:         kami.gemm ins({{.*}} : memref<8x8xf8E4M3FN>, memref<8x8xf8E4M3FN>) outs({{.*}} : memref<8x8xf8E4M3FN>) {{.*}} accumulator(f32){{$}}
func.func @float8(%a: memref<8x8xf8E4M3FN>, %b: memref<8x8xf8E5M2>, %c: memref<8x8xf32>, %d: memref<8x8xf8E4M3FN>) {
  linalg.matmul ins(%a, %b : memref<8x8xf8E4M3FN>, memref<8x8xf8E5M2>) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%a, %a : memref<8x8xf8E4M3FN>, memref<8x8xf8E4M3FN>) outs(%d : memref<8x8xf8E4M3FN>)
  return
}
