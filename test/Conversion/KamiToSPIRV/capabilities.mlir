// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(spirv.module(kami-declare-capabilities))' | FileCheck %s

// Vulkan's memory model and its subgroups are capabilities of their own.

// CHECK:      spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader, VulkanMemoryModel, GroupNonUniform], []>
spirv.module Logical Vulkan requires #spirv.vce<v1.6, [Shader], []> {
  spirv.GlobalVariable @id built_in("SubgroupId") : !spirv.ptr<i32, Input>
}

// -----

// Kernels have subgroups anyway. Matrices of bf16 are more than its type.

// CHECK:      spirv.module Physical64 OpenCL requires #spirv.vce<v1.6, [Kernel, BFloat16CooperativeMatrixKHR], [SPV_KHR_bfloat16]>
spirv.module Physical64 OpenCL requires #spirv.vce<v1.6, [Kernel], [SPV_KHR_bfloat16]> {
  spirv.GlobalVariable @id built_in("SubgroupId") : !spirv.ptr<i32, Input>
  spirv.func @f(%x: bf16) "None" {
    %m = spirv.CompositeConstruct %x : (bf16) -> !spirv.coopmatrix<8x16xbf16, Subgroup, MatrixA>
    spirv.Return
  }
}
