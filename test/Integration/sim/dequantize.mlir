// RUN: split-file %s %t
// RUN: kami-run --device=sim %t/rows.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/rows.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/zero-points.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/zero-points.mlir --inputs=integers --algorithm=2d --warps=4 --tile=32x32x16 | FileCheck %s
// RUN: kami-run --device=sim %t/epilogue.mlir --inputs=integers | FileCheck %s
// RUN: kami-opt %t/rows.mlir --kami-to-warps=chip=sm_90 | FileCheck %s --check-prefix=ONE

// CHECK: verdict right

// Weights of 8 bits with a scale for each row, as linalg: they stay 8 bits until
// they are in registers.
// ONE-NOT: linalg.
// ONE:     kami.load {{.*}}xi8{{.*}} -> !b{{[0-9x]+}}_i8
//--- rows.mlir
#all = affine_map<(k, n) -> (k, n)>
#row = affine_map<(k, n) -> (k)>
func.func @main(%x: tensor<37x23xf16>, %q: tensor<23x29xi8>, %scale: tensor<23xf16>) -> tensor<37x29xf32> {
  %ew = tensor.empty() : tensor<23x29xf16>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%q, %scale : tensor<23x29xi8>, tensor<23xf16>) outs(%ew : tensor<23x29xf16>) {
    ^bb0(%v: i8, %s: f16, %out: f16):
      %f = arith.sitofp %v : i8 to f16
      %m = arith.mulf %f, %s : f16
      linalg.yield %m : f16
  } -> tensor<23x29xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x29xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<37x29xf32>) -> tensor<37x29xf32>
  %y = linalg.matmul ins(%x, %w : tensor<37x23xf16>, tensor<23x29xf16>) outs(%z : tensor<37x29xf32>) -> tensor<37x29xf32>
  return %y : tensor<37x29xf32>
}

// What is made of nothing beyond the sum is not nothing: both sides have zero
// points along k, and one divides. k is more than one tile, and ends within one.
//--- zero-points.mlir
func.func @main(%q: memref<21x53xi8>, %r: memref<19x53xi8>, %zq: memref<53xi8>, %zr: memref<53x19xi8>, %c: memref<21x19xf32>) {
  kami.gemm ins(%q, %r : memref<21x53xi8>, memref<19x53xi8>) outs(%c : memref<21x19xf32>) transpose_b accumulator(f32)
      prologue_a(%x: i8, %z = %zq : memref<53xi8> at affine_map<(m, k) -> (k)>) {
        %five = arith.constant 5 : i8
        %d = arith.subi %x, %z : i8
        %e = arith.addi %d, %five : i8
        %f = arith.sitofp %e : i8 to f16
        kami.yield %f : f16
      }
      prologue_b(%x: i8, %z = %zr : memref<53x19xi8> at affine_map<(k, n) -> (k, n)>) {
        %three = arith.constant 3 : i8
        %d = arith.addi %x, %z : i8
        %e = arith.subi %d, %three : i8
        %f = arith.sitofp %e : i8 to f16
        kami.yield %f : f16
      }
  return
}

// A scale of whole rows and columns may as well be applied to the sum.
//--- epilogue.mlir
func.func @main(%q: memref<21x23xi8>, %b: memref<23x29xf16>, %rows: memref<21xf32>, %columns: memref<29xf32>, %c: memref<21x29xf32>) {
  kami.gemm ins(%q, %b : memref<21x23xi8>, memref<23x29xf16>) outs(%c : memref<21x29xf32>) accumulator(f32)
      prologue_a(%x: i8) {
        %f = arith.sitofp %x : i8 to f16
        kami.yield %f : f16
      }
      epilogue(%x: f32, %s = %rows : memref<21xf32> at affine_map<(m, n) -> (m)>,
               %t = %columns : memref<29xf32> at affine_map<(m, n) -> (n)>) {
        %y = arith.mulf %x, %s : f32
        %z = arith.mulf %y, %t : f32
        kami.yield %z : f32
      }
  return
}
