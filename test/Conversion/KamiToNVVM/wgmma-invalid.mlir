// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))'

module attributes {kami.target = #kami.target<"sm_100">} {
gpu.module @kernels {
gpu.func @other_generation(%c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  // expected-error @+1 {{'kami.wgmma_wait' op expected a target with warpgroup instructions (sm_90), but got sm_100}}
  %d = kami.wgmma_wait [%c] : vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}
}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
gpu.func @plain(%c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  // expected-error @+1 {{'kami.wgmma_fence' op expected the architecture-specific target sm_90a, but got sm_90}}
  %d = kami.wgmma_fence %c : vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}

// -----

#wgmma = #kami.mma_atom<wgmma 16x8x16, bf16, bf16, bf16, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16"]>
#b = #kami.shared_matrix<64x64xbf16, b, k_major, swizzle = 128>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @no_such_type(%a: vector<8xbf16>, %b: memref<8192xi8, #gpu.address_space<workgroup>>, %c: vector<4xbf16>, %m: memref<vector<4xbf16>>) kernel {
  %c0 = arith.constant 0 : index
  %at = kami.matrix_descriptor %b[%c0, %c0] : memref<8192xi8, #gpu.address_space<workgroup>> -> !kami.matrix_descriptor<#b>
  // expected-error @+2 {{'kami.wgmma' op no warpgroup instruction for #kami.mma_atom<wgmma 16x8x16, bf16, bf16, bf16,}}
  // expected-error @+1 {{failed to legalize operation 'kami.wgmma'}}
  %d = kami.wgmma %a, %at, [%c] atom #wgmma : vector<8xbf16>, !kami.matrix_descriptor<#b>, vector<4xbf16>
  memref.store %d, %m[] : memref<vector<4xbf16>>
  gpu.return
}
}
}

// -----

// Static memory starts anywhere unless it is said.

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @unaligned(%a: vector<8xf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>)
    workgroup(%b: memref<8192xi8, #gpu.address_space<workgroup>>) kernel {
  %c0 = arith.constant 0 : index
  // expected-error @+2 {{'kami.matrix_descriptor' op expected workgroup memory with 'llvm.align' of a multiple of 1024}}
  // expected-error @+1 {{failed to legalize operation 'kami.matrix_descriptor'}}
  %at = kami.matrix_descriptor %b[%c0, %c0] : memref<8192xi8, #gpu.address_space<workgroup>> -> !kami.matrix_descriptor<#b>
  %d = kami.wgmma %a, %at, [%c] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}
}
