// From linalg to ROCDL, for chips of each family: the instruction, the wave, and
// shared memory that is declared, not defined.

// RUN: kami-opt %s --kami-to-rocdl="chip=gfx90a algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,CDNA2
// RUN: kami-opt %s --kami-to-rocdl="chip=gfx942 algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,CDNA3
// RUN: kami-opt %s --kami-to-rocdl="chip=gfx950 algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,CDNA4
// RUN: kami-opt %s --kami-to-rocdl="chip=gfx1100 algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,RDNA3
// RUN: kami-opt %s --kami-to-rocdl="chip=gfx1201 algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,RDNA4

// What the pipeline is made of can be written down and run again.

// RUN: kami-opt %s --kami-to-rocdl="chip=gfx942 warps=2" --dump-pass-pipeline > %t.direct 2> %t.pipeline
// RUN: FileCheck %s --check-prefix=PASSES < %t.pipeline
// RUN: sed -n '/^builtin/,$p' %t.pipeline | tr -d '\n' | sed "s/^/--pass-pipeline='/; s/$/'/" > %t.flags
// RUN: kami-opt %s @%t.flags > %t.again
// RUN: cmp %t.direct %t.again

// PASSES:        convert-kami-to-amdgpu
// PASSES:        kami-expand-math
// PASSES:        convert-kami-to-rocdl,
// PASSES:        kami-convert-gpu-to-rocdl,
// PASSES-NEXT:   kami-declare-dynamic-shared,

// CHECK-LABEL: func.func @matmul
// CDNA2:         threads in (%c256,
// CDNA3:         threads in (%c256,
// CDNA4:         threads in (%c256,
// RDNA3:         threads in (%c128,
// RDNA4:         threads in (%c128,
// CDNA2:       #rocdl.target<O = 3, chip = "gfx90a", flags = {wave64}>
// CDNA3:       #rocdl.target<O = 3, chip = "gfx942", flags = {wave64}>
// CDNA4:       #rocdl.target<O = 3, chip = "gfx950", flags = {wave64}>
// RDNA3:       #rocdl.target<O = 3, chip = "gfx1100", flags = {no_wave64}>
// RDNA4:       #rocdl.target<O = 3, chip = "gfx1201", flags = {no_wave64}>
// CHECK:       llvm.mlir.global external @{{.+}}() {addr_space = 3 : i32
// CDNA2:       rocdl.flat_work_group_size = "256,256"
// RDNA3:       rocdl.flat_work_group_size = "128,128"
// CHECK:       rocdl.barrier
// CDNA2:       rocdl.mfma.f32.{{(16x16x16f16|32x32x8f16)}}
// CDNA3:       rocdl.mfma.f32.{{(16x16x16f16|32x32x8f16)}}
// CDNA4:       rocdl.mfma.f32.{{(16x16x32.f16|32x32x16.f16)}}
// RDNA3:       rocdl.wmma.f32.16x16x16.f16
// RDNA4:       rocdl.wmma.f32.16x16x16.f16
// CHECK-NOT:   builtin.unrealized_conversion_cast
// CHECK-NOT:   kami.

func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
