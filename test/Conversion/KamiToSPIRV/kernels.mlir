// RUN: kami-opt %s --split-input-file --kami-kernels-to-spirv | FileCheck %s

// Shaders: arguments are storage buffers, those of a type that one has bytes for;
// shared memory is a variable of the module; accesses that others see are not
// private, and barriers make them visible. The kernel that launches name stays.

// CHECK-LABEL: gpu.func @shader(
// CHECK:       spirv.module @{{.+}} Logical Vulkan
// CHECK:         spirv.GlobalVariable @[[SHARED:.+]] : !spirv.ptr<!spirv.array<64 x f16>, Workgroup>
// CHECK:         spirv.func @shader(
// CHECK-SAME:      %[[ARGUMENT:.+]]: !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0])>, StorageBuffer> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}
// CHECK-SAME:      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>
// CHECK:           %[[ADDRESS:.+]] = spirv.mlir.addressof @[[SHARED]]
// CHECK:           %[[FROM:.+]] = spirv.AccessChain %[[ARGUMENT]][%{{.+}}, %{{.+}}]
// CHECK:           %[[X:.+]] = spirv.Load "StorageBuffer" %[[FROM]] : f16
// CHECK:           %[[TO:.+]] = spirv.AccessChain %[[ADDRESS]][%{{.+}}]
// CHECK:           spirv.Store "Workgroup" %[[TO]], %[[X]] ["NonPrivatePointer"] : f16
// CHECK:           spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
module attributes {gpu.container_module, kami.target = #kami.target<"vulkan">} {
gpu.module @shader_module {
gpu.func @shader(%m: memref<64xf16>) workgroup(%s : memref<64xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %i = gpu.lane_id
  %x = memref.load %m[%i] : memref<64xf16>
  memref.store %x, %s[%i] : memref<64xf16, #gpu.address_space<workgroup>>
  gpu.barrier
  gpu.return
}
}
}

// -----

// Kernels: arguments are addresses, indices have 64 bits, subgroups the extent
// that the plan counts on; a matrix of two is a branch's.

// CHECK:       spirv.module @{{.+}} Physical64 OpenCL
// CHECK:         spirv.func @kernel(
// CHECK-SAME:      %[[ARGUMENT:.+]]: !spirv.ptr<f32, CrossWorkgroup>
// CHECK-SAME:      spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [16, 1, 1], subgroup_size = 16>
// CHECK:           spirv.mlir.selection
// CHECK:           spirv.Load "Function" %{{.+}} : !spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>
// CHECK:           spirv.InBoundsPtrAccessChain %[[ARGUMENT]][%{{.+}}] : !spirv.ptr<f32, CrossWorkgroup>, i64
// CHECK:           spirv.KHR.CooperativeMatrixStore
// CHECK:           spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
module attributes {gpu.container_module, kami.target = #kami.target<"xe-hpc">} {
gpu.module @kernel_module {
gpu.func @kernel(%m: memref<128xf32>, %which: i1) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %first = arith.constant 0 : i64
  %stride = arith.constant 16 : i32
  %x = spirv.CompositeConstruct %zero : (f32) -> !spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>
  %y = spirv.CompositeConstruct %one : (f32) -> !spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>
  %z = arith.select %which, %x, %y : !spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>
  %p = builtin.unrealized_conversion_cast %m : memref<128xf32> to !spirv.ptr<f32, CrossWorkgroup>
  %q = spirv.InBoundsPtrAccessChain %p[%first] : !spirv.ptr<f32, CrossWorkgroup>, i64 -> !spirv.ptr<f32, CrossWorkgroup>
  spirv.KHR.CooperativeMatrixStore %q, %z, %stride, <RowMajor> : !spirv.ptr<f32, CrossWorkgroup>, !spirv.coopmatrix<8x16xf32, Subgroup, MatrixAcc>, i32
  gpu.barrier
  gpu.return
}
}
}

// -----

// Words of an argument are another variable with its binding, or another type of its
// pointer.

// CHECK:       spirv.module @{{.+}} Logical Vulkan
// CHECK:         spirv.GlobalVariable @words_words_1 bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<vector<4xi32>, stride=16> [0])>, StorageBuffer>
// CHECK:         spirv.func @words
// CHECK:           %[[WORDS:.+]] = spirv.mlir.addressof @words_words_1
// CHECK:           %[[AT:.+]] = spirv.AccessChain %[[WORDS]]
// CHECK:           spirv.Load "StorageBuffer" %[[AT]] : vector<4xi32>
module attributes {gpu.container_module, kami.target = #kami.target<"vulkan">} {
gpu.module @word_module {
gpu.func @words(%o: memref<64xf16>, %m: memref<64xf16>) workgroup(%s : memref<8xvector<4xi32>, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %i = gpu.lane_id
  %w = builtin.unrealized_conversion_cast %m : memref<64xf16> to memref<8xvector<4xi32>>
  %x = memref.load %w[%i] : memref<8xvector<4xi32>>
  memref.store %x, %s[%i] : memref<8xvector<4xi32>, #gpu.address_space<workgroup>>
  gpu.return
}
}
}

// -----

// CHECK:       spirv.module @{{.+}} Physical64 OpenCL
// CHECK:         spirv.func @kernel_words(%[[ARGUMENT:.+]]: !spirv.ptr<f16, CrossWorkgroup>
// CHECK:           %[[WORDS:.+]] = spirv.Bitcast %[[ARGUMENT]] : !spirv.ptr<f16, CrossWorkgroup> to !spirv.ptr<vector<4xi32>, CrossWorkgroup>
// CHECK:           spirv.Load "CrossWorkgroup" %{{.+}} : vector<4xi32>
module attributes {gpu.container_module, kami.target = #kami.target<"xe2">} {
gpu.module @word_module {
gpu.func @kernel_words(%m: memref<64xf16>) workgroup(%s : memref<8xvector<4xi32>, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
  %i = gpu.lane_id
  %w = builtin.unrealized_conversion_cast %m : memref<64xf16> to memref<8xvector<4xi32>>
  %x = memref.load %w[%i] : memref<8xvector<4xi32>>
  memref.store %x, %s[%i] : memref<8xvector<4xi32>, #gpu.address_space<workgroup>>
  gpu.return
}
}
}
