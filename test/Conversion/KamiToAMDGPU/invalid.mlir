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
