// README's example: 64 × 64 × 64, f16 with f32 sums. C is added to, as linalg says.

// RUN: kami-opt %s --convert-linalg-to-kami | FileCheck %s --check-prefix=KAMI
// RUN: kami-opt %s --kami-to-nvvm=chip=sm_90 | FileCheck %s --check-prefix=NVVM
// RUN: kami-compile %s --type=f16 --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t.ptx.json
// RUN: kami-run %s --type=f16 --target=sm_90 | FileCheck %s --check-prefix=VERDICT

// KAMI: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// KAMI: kami.gemm {{.*}} beta(%[[ONE]] : f32) accumulator(f32)
// NVVM: gpu.launch_func
// NVVM: nvvm.mma.sync
// PTX:  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// JSON: "kernel": "gemm_64x64x64_f16"
// VERDICT: verdict right

func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>,
                  %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = linalg.matmul
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
      outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
