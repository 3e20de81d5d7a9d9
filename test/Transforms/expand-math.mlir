// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-expand-math)))' --split-input-file --verify-diagnostics | FileCheck %s

// Vectors of f16 are computed in f32; what is an instruction stays.

// CHECK-LABEL: gpu.func @exp
// CHECK-SAME:    %[[X:.+]]: vector<4xf16>
// CHECK:         %[[WIDE:.+]] = arith.extf %[[X]] : vector<4xf16> to vector<4xf32>
// CHECK-NOT:     math.exp
// CHECK:         math.roundeven %{{.+}} : vector<4xf32>
// CHECK:         math.fma %{{.+}} : vector<4xf32>
// CHECK:         arith.truncf %{{.+}} : vector<4xf32> to vector<4xf16>
// CHECK:         math.sqrt %[[X]] : vector<4xf16>
gpu.module @kernels {
  gpu.func @exp(%x: vector<4xf16>, %m: memref<vector<4xf16>>) {
    %y = math.exp %x : vector<4xf16>
    memref.store %y, %m[] : memref<vector<4xf16>>
    %z = math.sqrt %x : vector<4xf16>
    memref.store %z, %m[] : memref<vector<4xf16>>
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @f64
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.erf
// CHECK-NOT:     math.rsqrt
// CHECK-NOT:     math.exp2
gpu.module @kernels {
  gpu.func @f64(%x: f64, %m: memref<f64>) {
    %a = math.tanh %x : f64
    %b = math.erf %a : f64
    %c = math.rsqrt %b : f64
    %d = math.exp2 %c : f64
    memref.store %d, %m[] : memref<f64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @sine(%x: f32, %m: memref<f32>) {
    // expected-error@+1 {{no expansion of 'math.sin' on 'f32'; of functions that are no instructions, there are math.erf, math.exp, math.exp2, math.rsqrt and math.tanh}}
    %y = math.sin %x : f32
    memref.store %y, %m[] : memref<f32>
    gpu.return
  }
}
