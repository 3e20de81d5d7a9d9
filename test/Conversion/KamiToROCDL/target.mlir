// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-kami-to-rocdl))' | FileCheck %s
// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-kami-to-rocdl,kami-convert-gpu-to-rocdl))' | FileCheck %s --check-prefix=ROCDL
// RUN: not kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(kami-convert-gpu-to-rocdl))' 2>&1 | FileCheck %s --check-prefix=NONE

// The target says how wide a wave is. Elementary functions are instructions, no
// calls of a library.

// CHECK: gpu.module @kernels [#rocdl.target<O = 3, chip = "gfx942", flags = {wave64}>]
// CHECK: llvm.call_intrinsic "llvm.fma"
// ROCDL: rocdl.mfma.f32.16x16x16f16
// NONE:  error: 'gpu.module' op expected a rocdl.target, but got none
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @fma(%x: f32, %a: vector<4xf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %y = math.fma %x, %x, %x : f32
  %z = vector.broadcast %y : f32 to vector<4xf32>
  %d = amdgpu.mfma 16x16x16 %a * %a + %z blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}
}

// -----

// CHECK: gpu.module @kernels [#rocdl.target<O = 3, chip = "gfx1100", flags = {no_wave64}>]
module attributes {kami.target = #kami.target<"gfx1100">} {
gpu.module @kernels {
}
}
