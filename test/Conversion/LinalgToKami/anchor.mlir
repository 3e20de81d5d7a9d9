// RUN: kami-opt %s --pass-pipeline='builtin.module(func.func(convert-linalg-to-kami))' | FileCheck %s --check-prefix=FUNC
// RUN: kami-opt %s --pass-pipeline='any(convert-linalg-to-kami)' | FileCheck %s --check-prefix=ANY

// FUNC-LABEL: func @in_function
// FUNC:         kami.gemm
// ANY-LABEL:  func @in_function
// ANY:          kami.gemm
func.func @in_function(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}
