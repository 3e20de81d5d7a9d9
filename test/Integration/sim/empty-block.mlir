// Products without terms and without rows, inside a kernel that somebody wrote.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// CHECK: verdict   right

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @empty(%a: memref<32x0xf16>, %b: memref<0x16xf16>, %c: memref<32x16xf32>, %c16: memref<32x16xf16>, %d: memref<0x16xf32>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %half = arith.constant 0.5 : f32
      kami.gemm ins(%a, %b : memref<32x0xf16>, memref<0x16xf16>) outs(%c : memref<32x16xf32>)
                beta(%half : f32) accumulator(f32)
      kami.gemm ins(%a, %c16 : memref<32x0xf16>, memref<32x16xf16>) outs(%d : memref<0x16xf32>)
                transpose_a accumulator(f32)
      gpu.return
    }
  }
  func.func private @halved(%a: memref<32x0xf16>, %b: memref<0x16xf16>, %c: memref<32x16xf32>, %c16: memref<32x16xf16>, %d: memref<0x16xf32>) {
    %half = arith.constant 0.5 : f32
    kami.gemm ins(%a, %b : memref<32x0xf16>, memref<0x16xf16>) outs(%c : memref<32x16xf32>)
              beta(%half : f32) accumulator(f32)
    return
  }
  func.func @main(%a: memref<32x0xf16>, %b: memref<0x16xf16>, %c: memref<32x16xf32>, %c16: memref<32x16xf16>, %d: memref<0x16xf32>)
      attributes {kami.reference = @halved} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@empty blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<32x0xf16>, %b : memref<0x16xf16>, %c : memref<32x16xf32>, %c16 : memref<32x16xf16>, %d : memref<0x16xf32>)
    return
  }
}
