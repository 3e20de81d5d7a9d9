// From linalg to a module of SPIR-V, of each flavor, as the chip takes it.

// RUN: kami-opt %s --kami-to-spirv="chip=vulkan algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,VULKAN
// RUN: kami-opt %s --kami-to-spirv="chip=lavapipe algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,LAVAPIPE
// RUN: kami-opt %s --kami-to-spirv="chip=xe-hpc algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,KERNEL
// RUN: kami-opt %s --kami-to-spirv="chip=xe2 algorithm=2d warps=4" | FileCheck %s --check-prefixes=CHECK,KERNEL

// What the pipeline is made of can be written down and run again.

// RUN: kami-opt %s --kami-to-spirv="chip=vulkan warps=2" --dump-pass-pipeline > %t.direct 2> %t.pipeline
// RUN: FileCheck %s --check-prefix=PASSES < %t.pipeline
// RUN: sed -n '/^builtin/,$p' %t.pipeline | tr -d '\n' | sed "s/^/--pass-pipeline='/; s/$/'/" > %t.flags
// RUN: kami-opt %s @%t.flags > %t.again
// RUN: cmp %t.direct %t.again

// PASSES:        convert-kami-to-spirv
// PASSES:        kami-expand-math
// PASSES:        kami-kernels-to-spirv
// PASSES:        spirv-lower-abi-attrs,
// PASSES-NEXT:   spirv-update-vce
// PASSES-NEXT:   kami-declare-capabilities

// CHECK-LABEL: func.func @matmul
// VULKAN:        threads in (%c128,
// LAVAPIPE:      threads in (%c32,
// KERNEL:        threads in (%c64,
// VULKAN:      spirv.module @{{.+}} Logical Vulkan requires #spirv.vce<v1.6, [{{.*}}CooperativeMatrixKHR{{.*}}VulkanMemoryModel
// LAVAPIPE:    spirv.module @{{.+}} Logical Vulkan requires #spirv.vce<v1.6, [{{.*}}CooperativeMatrixKHR{{.*}}VulkanMemoryModel
// KERNEL:      spirv.module @{{.+}} Physical64 OpenCL requires #spirv.vce<v1.6, [{{.*}}CooperativeMatrixKHR
// VULKAN:        spirv.KHR.CooperativeMatrixMulAdd {{.+}}16x16xf16
// LAVAPIPE:      spirv.KHR.CooperativeMatrixMulAdd {{.+}}8x8xf16
// KERNEL:        spirv.KHR.CooperativeMatrixMulAdd {{.+}}8x16xf16
// VULKAN:        spirv.EntryPoint "GLCompute"
// VULKAN:        spirv.ExecutionMode {{.+}} "LocalSize", 128, 1, 1
// KERNEL:        spirv.EntryPoint "Kernel"
// KERNEL:        spirv.ExecutionMode {{.+}} "SubgroupSize", 16
// CHECK-NOT:   builtin.unrealized_conversion_cast

func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
