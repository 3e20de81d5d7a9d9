// RUN: kami-opt %s --split-input-file --verify-diagnostics --kami-kernels-to-spirv

// expected-error @+1 {{expected a target that takes SPIR-V, but got gfx942}}
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  gpu.return
}
}
}

// -----

module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
// expected-error @+1 {{'gpu.func' op expected a known_block_size, which is a constant of a kernel in SPIR-V}}
gpu.func @kernel() kernel {
  gpu.return
}
}
}

// -----

// What other conversions lower does not come here.

module attributes {kami.target = #kami.target<"vulkan">} {
gpu.module @kernels {
gpu.func @kernel(%m: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  // expected-error @+2 {{'memref.load' op expected a row of elements, but got 'memref<8x8xf32>'}}
  // expected-error @+1 {{failed to legalize operation 'memref.load'}}
  %x = memref.load %m[%c0, %c0] : memref<8x8xf32>
  memref.store %x, %m[%c0, %c0] : memref<8x8xf32>
  gpu.return
}
}
}
