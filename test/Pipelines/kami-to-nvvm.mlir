// From linalg to NVVM. The host function keeps an ordinary launch, which a
// compiler's own host lowering takes from there.

// RUN: kami-opt %s --kami-to-nvvm=chip=sm_90 | FileCheck %s
// RUN: kami-opt %s --kami-to-nvvm="chip=sm_80 algorithm=2d warps=4 model=paper" | FileCheck %s --check-prefix=OPTIONS

// What the pipeline is made of can be written down and run again.

// RUN: kami-opt %s --kami-to-nvvm=chip=sm_90 --mlir-generate-reproducer=%t.mlir > %t.direct
// RUN: FileCheck %s --check-prefix=PASSES < %t.mlir
// RUN: kami-opt %t.mlir --run-reproducer > %t.again
// RUN: cmp %t.direct %t.again

// PASSES: pipeline: "builtin.module(convert-linalg-to-kami,one-shot-bufferize{{.*}},kami-attach-target{chip=sm_90},kami-assign-plan{algorithm=auto model=calibrated warps=0},kami-verify-target,kami-map-to-grid,gpu.module(gpu.func(kami-distribute-to-warps),{{.*}}gpu.func(convert-kami-to-nvgpu),{{.*}}convert-kami-to-nvvm,{{.*}}convert-gpu-to-nvvm{{.*}},kami-declare-dynamic-shared,

// CHECK-LABEL: func.func @matmul
// CHECK:         gpu.launch_func @[[MODULE:.+]]::@[[KERNEL:[a-z0-9_]+]] blocks in
// CHECK-NOT:     llvm.
// CHECK:         return
// CHECK:       gpu.module @[[MODULE]] [#nvvm.target<O = 3, chip = "sm_90">]
// CHECK:         llvm.func @[[KERNEL]](
// CHECK-SAME:      attributes {{.*}}gpu.kernel{{.*}}nvvm.kernel
// CHECK:           nvvm.mma.sync
// CHECK-NOT:     builtin.unrealized_conversion_cast
// CHECK-NOT:     kami.

// OPTIONS:      gpu.launch_func {{.*}} threads in (%c128,
// OPTIONS:      gpu.module {{.*}} [#nvvm.target<O = 3, chip = "sm_80">]
// OPTIONS-NEXT: llvm.mlir.global external @{{.+}}() {addr_space = 3 : i32
// OPTIONS:      llvm.func @{{.+}} attributes {{.*}}gpu.known_block_size = array<i32: 128, 1, 1>{{.*}}nvvm.kernel
// OPTIONS:      nvvm.barrier

func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
