// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-amdgpu)))'

// Which chip it is decides how wide a wave is.

gpu.module @kernels {
// expected-error @+1 {{kami.target}}
gpu.func @no_target() kernel {
  gpu.return
}
}

// -----

// No plan for these chips copies asynchronously.

module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @copy() kernel {
  // expected-error @+1 {{failed to legalize operation 'kami.copy_commit'}}
  kami.copy_commit
  gpu.return
}
}
}

// -----

// Which lane has which element of a cooperative matrix is the driver's to know.

#atom = #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @opaque(%x: f32) kernel {
  // expected-error @+1 {{expected fragments of which each lane has known elements, but got #kami.mma_atom<cooperative_matrix}}
  %c = kami.fill %x : f32 -> !kami.fragment<8x16xf32, c, #atom>
  gpu.return
}
}
}
