// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))'

// expected-error @+1 {{'gpu.module' op expected a module with a 'kami.target'; kami-attach-target sets it}}
gpu.module @no_target {
}

// -----

// nvgpu.mma.sync is right for f16, so that nothing makes this op of it.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @f16(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  // expected-error @+1 {{'kami.mma_sync' op no NVVM instruction for #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,}}
  %d = kami.mma_sync %a, %b, %c atom #hmma : vector<8xf16>, vector<4xf16>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}
}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
gpu.func @no_matrix_stores(%i: index, %r: vector<1x2xf16>) workgroup(%m: memref<64x64xf16, #gpu.address_space<workgroup>>) kernel {
  // expected-error @+1 {{'kami.stmatrix' op expected a target with stmatrix (sm_90 or later), but got sm_80}}
  kami.stmatrix %r, %m[%i, %i] : vector<1x2xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  gpu.return
}
}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
gpu.func @no_rounding(%x: f32, %m: memref<i32>) kernel {
  // expected-error @+1 {{'nvvm.convert.float.to.tf32' op expected a target with cvt.rn.tf32.f32 (sm_90 or later), but got sm_80}}
  %y = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rn>}
  memref.store %y, %m[] : memref<i32>
  gpu.return
}
}
