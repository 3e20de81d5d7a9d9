// Products of any layout have a plan on every chip that multiplies their elements,
// whatever is known of them at compile time.

// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=sm_80},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=sm_89},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=sm_100},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=sm_120},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=gfx90a},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=gfx942},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=gfx950},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1100},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1201},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=xe-hpc},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=xe2},func.func(kami-assign-plan))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=vulkan},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf32/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf64/g;s/xf32/xf64/g;s/accumulator(f32)/accumulator(f64)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xi8/g;s/xf32/xi32/g;s/accumulator(f32)/accumulator(i32)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf8E5M2/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf32/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx90a},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf64/g;s/xf32/xf64/g;s/accumulator(f32)/accumulator(f64)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx90a},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xi8/g;s/xf32/xi32/g;s/accumulator(f32)/accumulator(i32)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx90a},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf8E5M2/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx90a},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf32/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1100},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf64/g;s/xf32/xf64/g;s/accumulator(f32)/accumulator(f64)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1100},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xi8/g;s/xf32/xi32/g;s/accumulator(f32)/accumulator(i32)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1100},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf8E5M2/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1100},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf32/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1201},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf64/g;s/xf32/xf64/g;s/accumulator(f32)/accumulator(f64)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1201},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xi8/g;s/xf32/xi32/g;s/accumulator(f32)/accumulator(i32)/' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1201},func.func(kami-assign-plan))' | FileCheck %s
// RUN: sed 's/xf16/xf8E5M2/g;' %s | kami-opt - --pass-pipeline='builtin.module(kami-attach-target{chip=gfx1201},func.func(kami-assign-plan))' | FileCheck %s
// CHECK-COUNT-9: plan(#plan

func.func @runtime(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  kami.gemm ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>) accumulator(f32)
  return
}
func.func @batch(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf32>) {
  kami.gemm ins(%a, %b : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%c : memref<?x?x?xf32>) accumulator(f32)
  return
}
func.func @strides(%a: memref<?x?xf16, strided<[?, ?], offset: ?>>, %b: memref<?x?xf16, strided<[?, ?], offset: ?>>, %c: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  kami.gemm ins(%a, %b : memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>) outs(%c : memref<?x?xf32, strided<[?, ?], offset: ?>>) accumulator(f32)
  return
}
func.func @batch_strides(%a: memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>, %b: memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>, %c: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>) {
  kami.gemm ins(%a, %b : memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>, memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>) outs(%c : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>) accumulator(f32)
  return
}
func.func @one(%a: memref<1x1xf16>, %b: memref<1x1xf16>, %c: memref<1x1xf32>) {
  kami.gemm ins(%a, %b : memref<1x1xf16>, memref<1x1xf16>) outs(%c : memref<1x1xf32>) accumulator(f32)
  return
}
func.func @odd(%a: memref<17x17xf16>, %b: memref<17x17xf16>, %c: memref<17x17xf32>) {
  kami.gemm ins(%a, %b : memref<17x17xf16>, memref<17x17xf16>) outs(%c : memref<17x17xf32>) accumulator(f32)
  return
}
func.func @odd_batch(%a: memref<?x7x7xf16>, %b: memref<?x7x7xf16>, %c: memref<?x7x7xf32>) {
  kami.gemm ins(%a, %b : memref<?x7x7xf16>, memref<?x7x7xf16>) outs(%c : memref<?x7x7xf32>) accumulator(f32)
  return
}
func.func @large(%a: memref<4096x4096xf16>, %b: memref<4096x4096xf16>, %c: memref<4096x4096xf32>) {
  kami.gemm ins(%a, %b : memref<4096x4096xf16>, memref<4096x4096xf16>) outs(%c : memref<4096x4096xf32>) accumulator(f32)
  return
}
func.func @grouped(%a: memref<?xf16>, %c: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>) sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32)
  return
}
