// Five steps, each of which adds what is twice as many lanes below; the last lane
// has the sum of all.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu,canonicalize,cse)))' | FileCheck %s

gpu.module @kernels attributes {kami.target = #kami.target<"sm_90">} {
  // CHECK-LABEL: gpu.func @sum
  // CHECK-SAME:    %[[OUT:.+]]: memref<2xi32>, %[[VALUE:.+]]: i32
  // CHECK:         %[[BELOW:.+]], %{{.+}} = gpu.shuffle up %[[VALUE]], %c1_i32, %c32_i32
  // CHECK:         %[[HAS_NONE:.+]] = arith.cmpi ult, %[[LANE:.+]], %c1
  // CHECK:         %[[MORE:.+]] = arith.select %[[HAS_NONE]], %c0_i32, %[[BELOW]]
  // CHECK:         arith.addi %[[VALUE]], %[[MORE]]
  // CHECK-COUNT-4: gpu.shuffle up
  // CHECK:         %[[UP_TO:.+]] = arith.addi
  // CHECK:         %[[BEFORE:.+]] = arith.subi %[[UP_TO]], %[[VALUE]]
  // CHECK:         %[[ALL:.+]], %{{.+}} = gpu.shuffle idx %[[UP_TO]], %c31_i32, %c32_i32
  // CHECK:         memref.store %[[BEFORE]], %[[OUT]][%c0]
  // CHECK:         memref.store %[[ALL]], %[[OUT]][%c1]
  gpu.func @sum(%out: memref<2xi32>, %value: i32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %before, %all = kami.prefix_sum %value
    memref.store %before, %out[%c0] : memref<2xi32>
    memref.store %all, %out[%c1] : memref<2xi32>
    gpu.return
  }
}
