// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-spirv)))'

// Which chip it is decides the flavor.

gpu.module @kernels {
// expected-error @+1 {{kami.target}}
gpu.func @no_target() kernel {
  gpu.return
}
}

// -----

module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
// expected-error @+1 {{'gpu.func' op expected a target that takes SPIR-V, but got sm_90}}
gpu.func @no_spirv() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  gpu.return
}
}
}

// -----

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @no_matrix() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'kami.fill' op expected fragments of cooperative_matrix, but got #kami.mma_atom<mma_sync 16x8x16}}
  %c = kami.fill %zero : f32 -> !kami.fragment<16x8xf32, c, #atom>
  gpu.return
}
}
}

// -----

#atom = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @dynamic(%m: memref<?x64xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !kami.fragment<16x16xf32, c, #atom>
  // expected-error @+1 {{'kami.store' op expected a matrix in an argument whose extents and strides are known at compile time, since a buffer does not say them, but got 'memref<?x64xf16>'}}
  kami.store %c, %m[%c0, %c0] : !kami.fragment<16x16xf32, c, #atom>, memref<?x64xf16>
  gpu.return
}
}
}

// -----

// Indices of shaders have 32 bits.

#atom = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @large(%m: memref<65536x32768xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !kami.fragment<16x16xf32, c, #atom>
  // expected-error @+1 {{'kami.store' op expected a buffer of fewer than 2^31 elements, but got 'memref<65536x32768xf16>'}}
  kami.store %c, %m[%c0, %c0] : !kami.fragment<16x16xf32, c, #atom>, memref<65536x32768xf16>
  gpu.return
}
}
}

// -----

#atom = #kami.mma_atom<cooperative_matrix 8x8x4, f64, f64, f64, ["", "", ""], lanes = 8>
module attributes {kami.target = #kami.target<"lavapipe">} {
gpu.module @kernels {
gpu.func @doubles() kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
  %zero = arith.constant 0.0 : f64
  // expected-error @+1 {{'kami.fill' op expected elements of f16, bf16, f32, i8 or i32 in SPIR-V, but got 'f64'}}
  %c = kami.fill %zero : f64 -> !kami.fragment<8x8xf64, c, #atom>
  gpu.return
}
}
}

// -----

// Where a subgroup begins in workgroup memory depends on how many there are.

#atom = #kami.mma_atom<cooperative_matrix 16x16x16, f16, f16, f32, ["", "", ""], lanes = 32>
module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
// expected-error @+1 {{'gpu.func' op expected a known_block_size, which is a constant of a kernel in SPIR-V}}
gpu.func @any_block(%m: memref<64x64xf16>) kernel {
  %c0 = arith.constant 0 : index
  %a = kami.load %m[%c0, %c0] : memref<64x64xf16> -> !kami.fragment<16x16xf16, a, #atom>
  gpu.return
}
}
}

// -----

// No plan for these chips copies asynchronously.

module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @copy() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  // expected-error @+1 {{failed to legalize operation 'kami.copy_commit'}}
  kami.copy_commit
  gpu.return
}
}
}
