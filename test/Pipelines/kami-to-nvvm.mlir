// From linalg to NVVM. The host function keeps an ordinary launch, which a
// compiler's own host lowering takes from there.

// RUN: kami-opt %s --kami-to-nvvm=chip=sm_90 | FileCheck %s
// RUN: kami-opt %s --kami-to-nvvm="chip=sm_80 algorithm=2d warps=4 model=paper" | FileCheck %s --check-prefix=OPTIONS

// What the pipeline is made of can be written down and run again.

// RUN: kami-opt %s --kami-to-nvvm="chip=sm_90 warps=2" --dump-pass-pipeline > %t.direct 2> %t.pipeline
// RUN: FileCheck %s --check-prefix=PASSES < %t.pipeline
// RUN: sed -n '/^builtin/,$p' %t.pipeline | tr -d '\n' | sed "s/^/--pass-pipeline='/; s/$/'/" > %t.flags
// RUN: kami-opt %s @%t.flags > %t.again
// RUN: cmp %t.direct %t.again

// PASSES:      builtin.module(
// PASSES-NEXT:   convert-linalg-to-kami{fuse=true precision=exact},
// PASSES:        kami-attach-target{chip=sm_90},
// PASSES-NEXT:   kami-transpose-results,
// PASSES-NEXT:   kami-flatten-batch,
// PASSES-NEXT:   kami-assign-plan{algorithm=auto calibration= copies=auto model=calibrated products=0 stages=0 taken=0 tile= unit=auto warps=2},
// PASSES-NEXT:   kami-verify-target,
// PASSES-NEXT:   kami-interleave-parts,
// PASSES-NEXT:   kami-map-to-grid,
// PASSES:          kami-distribute-to-warps
// PASSES:          convert-kami-to-nvgpu
// PASSES:          kami-expand-math
// PASSES:        convert-kami-to-nvvm,
// PASSES:        kami-lower-views,
// PASSES:        kami-convert-gpu-to-nvvm,
// PASSES-NEXT:   kami-declare-dynamic-shared,

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
// All lanes multiply.
// OPTIONS-NEXT: llvm.func @llvm.nvvm.mma.m16n8k16.row.col.f32.f32({{.*}}convergent
// OPTIONS-NEXT: llvm.mlir.global external @{{.+}}() {addr_space = 3 : i32
// OPTIONS:      llvm.func @{{.+}} attributes {{.*}}gpu.known_block_size = array<i32: 128, 1, 1>{{.*}}nvvm.kernel
// OPTIONS:      nvvm.barrier

func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
