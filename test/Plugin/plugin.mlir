// An mlir-opt that knows nothing of kami loads the dialect and the passes.

// REQUIRES: shared-llvm
// RUN: mlir-opt-22 %s --load-dialect-plugin=%kami_plugin --load-pass-plugin=%kami_plugin --pass-pipeline='builtin.module(convert-linalg-to-kami)' | FileCheck %s --check-prefix=KAMI
// RUN: mlir-opt-22 %s --load-dialect-plugin=%kami_plugin --load-pass-plugin=%kami_plugin --pass-pipeline='builtin.module(kami-to-warps{chip=sm_90 algorithm=2d warps=4})' | FileCheck %s --check-prefix=WARPS
// RUN: mlir-opt-22 %s --load-dialect-plugin=%kami_plugin --load-pass-plugin=%kami_plugin --pass-pipeline='builtin.module(kami-to-nvvm{chip=sm_90},gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=PTX

// KAMI: kami.gemm ins(%{{.+}}, %{{.+}} : tensor<64x64xf16>, tensor<64x64xf16>) outs(%{{.+}} : tensor<64x64xf32>)

// WARPS: gpu.launch_func
// WARPS: kami.warp_coordinates [2, 2, 1]
// WARPS: kami.mma

// PTX: gpu.binary
// PTX-SAME: mma.sync.aligned.m16n8k16

func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
