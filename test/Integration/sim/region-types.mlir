// RUN: split-file %s %t
// RUN: kami-run --device=sim %t/integers.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/integers.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/fused.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/float8.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/tf32.mlir | FileCheck %s
// RUN: kami-opt %t/fused.mlir --kami-to-warps=chip=sm_90 | FileCheck %s --check-prefix=ONE
// RUN: kami-opt %t/float8.mlir --kami-to-nvvm=chip=sm_90 | FileCheck %s --check-prefix=NVVM

// CHECK: verdict right

// Sums of integers, with C scaled where it lies, become floats.
//--- integers.mlir
func.func @main(%a: memref<37x53xi8>, %b: memref<53x19xi8>, %s: memref<37xf32>, %c: memref<37x19xf16>, %d: memref<37x19xi32>, %beta: memref<i32>) {
  kami.gemm ins(%a, %b : memref<37x53xi8>, memref<53x19xi8>) outs(%c : memref<37x19xf16>) accumulator(i32) unsigned_a
      epilogue(%x: i32, %t = %s : memref<37xf32> at affine_map<(m, n) -> (m)>) {
        %f = arith.sitofp %x : i32 to f32
        %tiny = arith.constant 0.0001 : f32
        %g = arith.mulf %f, %tiny : f32
        %y = arith.mulf %g, %t : f32
        %h = arith.truncf %y : f32 to f16
        kami.yield %h : f16
      }
  %three = arith.constant 3 : i32
  kami.gemm ins(%a, %b : memref<37x53xi8>, memref<53x19xi8>) outs(%d : memref<37x19xi32>) alpha(%three : i32) beta(%beta : memref<i32>) accumulator(i32)
      epilogue(%x: i32) {
        %zero = arith.constant 0 : i32
        %y = arith.maxsi %x, %zero : i32
        kami.yield %y : i32
      }
  return
}

// ONE-COUNT-1: gpu.launch_func
// ONE-NOT:     gpu.launch_func
// ONE-NOT:     linalg.
//--- fused.mlir
#all = affine_map<(m, n) -> (m, n)>
func.func @main(%a: tensor<37x23xi8>, %b: tensor<23x29xi8>) -> tensor<37x29xf32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<37x29xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<37x29xi32>) -> tensor<37x29xi32>
  %ab = linalg.matmul ins(%a, %b : tensor<37x23xi8>, tensor<23x29xi8>) outs(%z : tensor<37x29xi32>) -> tensor<37x29xi32>
  %ef = tensor.empty() : tensor<37x29xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%ab : tensor<37x29xi32>) outs(%ef : tensor<37x29xf32>) {
    ^bb0(%v: i32, %out: f32):
      %f = arith.sitofp %v : i32 to f32
      linalg.yield %f : f32
  } -> tensor<37x29xf32>
  return %y : tensor<37x29xf32>
}

// 8-bit floats come out of one region and go into another, on a chip that has
// none as well.
// NVVM:     llvm.func @gemm
// NVVM-NOT: arith.{{extf|truncf}}
//--- float8.mlir
func.func @main(%a: memref<37x53xf8E4M3FN>, %b: memref<53x19xf16>, %s: memref<19xf32>, %c: memref<37x19xf8E5M2>) {
  kami.gemm ins(%a, %b : memref<37x53xf8E4M3FN>, memref<53x19xf16>) outs(%c : memref<37x19xf8E5M2>) accumulator(f32)
      prologue_a(%x: f8E4M3FN) {
        %f = arith.extf %x : f8E4M3FN to f16
        kami.yield %f : f16
      }
      epilogue(%x: f32, %t = %s : memref<19xf32> at affine_map<(m, n) -> (n)>) {
        %y = arith.addf %x, %t : f32
        %h = arith.truncf %y : f32 to f8E5M2
        kami.yield %h : f8E5M2
      }
  return
}

// A and B are rounded as they are loaded; what an epilogue reads is not.
//--- tf32.mlir
func.func @main(%a: memref<37x23xf32>, %b: memref<23x29xf32>, %s: memref<29xf32>, %c: memref<37x29xf32>) {
  kami.gemm ins(%a, %b : memref<37x23xf32>, memref<23x29xf32>) outs(%c : memref<37x29xf32>) accumulator(f32) precision<tf32>
      epilogue(%x: f32, %t = %s : memref<29xf32> at affine_map<(m, n) -> (n)>) {
        %y = arith.addf %x, %t : f32
        kami.yield %y : f32
      }
  return
}
