// A kernel whose blocks take turns says how many of them a multiprocessor holds;
// what its author says stays; others have room for one.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))' | FileCheck %s

module attributes {kami.target = #kami.target<"sm_90">} {
  gpu.module @kernels {
    // CHECK: gpu.func @turns() kernel attributes {{{.*}}nvvm.minctasm = 6 : i32
    gpu.func @turns() kernel attributes {kami.resident_blocks = 6 : i64, known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
    // CHECK: gpu.func @said() kernel attributes {{{.*}}nvvm.minctasm = 2 : i32
    gpu.func @said() kernel attributes {kami.resident_blocks = 6 : i64, nvvm.minctasm = 2 : i32, known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
    // CHECK: gpu.func @other() kernel attributes {{{.*}}nvvm.minctasm = 1 : i32
    gpu.func @other() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  }
}
