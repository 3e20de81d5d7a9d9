// What a thread computes of its index is computed once a tile, not once a kernel:
// in the loop, the index is read by what LLVM leaves there.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-reread-thread-index)))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-reread-thread-index),convert-kami-to-nvvm))' | FileCheck %s --check-prefix=NVVM

module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @tiles
  // CHECK:         %[[FIRST:.+]] = gpu.thread_id x
  // CHECK:         memref.store %{{.+}}, %{{.+}}[%[[FIRST]]]
  // CHECK:         scf.for
  // CHECK-NEXT:      %[[INDEX:.+]] = gpu.thread_id x {kami.reread}
  // CHECK-NOT:       gpu.thread_id x
  // CHECK:           %[[Y:.+]] = gpu.thread_id y
  // CHECK:           scf.for
  // CHECK:             memref.store %{{.+}}, %{{.+}}[%[[INDEX]]]
  // CHECK:           memref.store %{{.+}}, %{{.+}}[%[[Y]]]
  // NVVM-LABEL:  gpu.func @tiles
  // NVVM:          scf.for
  // NVVM-NEXT:       %[[READ:.+]] = llvm.inline_asm has_side_effects "mov.u32 $0, %tid.x;", "=r" : () -> i32
  // 96 threads.
  // NVVM:            %[[MASK:.+]] = arith.constant 127 : i32
  // NVVM:            %[[BOUNDED:.+]] = arith.andi %[[READ]], %[[MASK]] : i32
  // NVVM:            %[[INDEX:.+]] = arith.index_castui %[[BOUNDED]] : i32 to index
  // NVVM:            memref.store %{{.+}}, %{{.+}}[%[[INDEX]]]
  gpu.func @tiles(%count: index, %m: memref<?xi32>, %v: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = gpu.thread_id x
    memref.store %v, %m[%first] : memref<?xi32>
    scf.for %tile = %c0 to %count step %c1 {
      %y = gpu.thread_id y
      scf.for %k = %c0 to %count step %c1 {
        %x = gpu.thread_id x
        memref.store %v, %m[%x] : memref<?xi32>
      }
      memref.store %v, %m[%y] : memref<?xi32>
    } {kami.tile_loop}
    gpu.return
  }

  // Other loops are left as they are.
  // CHECK-LABEL: gpu.func @others
  // CHECK:         scf.for
  // CHECK-NEXT:      gpu.thread_id x
  gpu.func @others(%count: index, %m: memref<?xi32>, %v: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %tile = %c0 to %count step %c1 {
      %x = gpu.thread_id x
      memref.store %v, %m[%x] : memref<?xi32>
    }
    gpu.return
  }
}
}
