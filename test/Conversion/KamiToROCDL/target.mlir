// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-kami-to-rocdl))' | FileCheck %s
// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-kami-to-rocdl,kami-convert-gpu-to-rocdl))' | FileCheck %s --check-prefix=ROCDL
// RUN: not kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(kami-convert-gpu-to-rocdl))' 2>&1 | FileCheck %s --check-prefix=NONE

// The target says how wide a wave is. Elementary functions are instructions, no
// calls of a library.

// CHECK: gpu.module @kernels [#rocdl.target<O = 3, chip = "gfx942", flags = {wave64}>]
// CHECK: llvm.call_intrinsic "llvm.fma"
// ROCDL: rocdl.mfma.f32.16x16x16f16
// NONE:  error: 'gpu.module' op expected a rocdl.target, but got none
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @fma(%x: f32, %a: vector<4xf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %y = math.fma %x, %x, %x : f32
  %z = vector.broadcast %y : f32 to vector<4xf32>
  %d = amdgpu.mfma 16x16x16 %a * %a + %z blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}
}

// -----

// Code object version 5: hidden_block_count_y is at 4, hidden_group_size_z at 16.

// CHECK-LABEL: gpu.func @extents
// CHECK:         %[[A:.+]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK:         %[[Y:.+]] = llvm.getelementptr %[[A]][4] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i8
// CHECK:         %[[BLOCKS:.+]] = llvm.load %[[Y]] {alignment = 4 : i64} : !llvm.ptr<4> -> i32
// CHECK:         arith.index_castui %[[BLOCKS]] : i32 to index
// CHECK:         %[[Z:.+]] = llvm.getelementptr %{{.+}}[16]
// CHECK:         llvm.load %[[Z]] {alignment = 2 : i64} : !llvm.ptr<4> -> i16
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @extents(%m: memref<2xindex>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = gpu.grid_dim y
  %z = gpu.block_dim z
  memref.store %y, %m[%c0] : memref<2xindex>
  memref.store %z, %m[%c1] : memref<2xindex>
  gpu.return
}
}
}

// -----

// CHECK: gpu.module @kernels [#rocdl.target<O = 3, chip = "gfx1100", flags = {no_wave64}>]
module attributes {kami.target = #kami.target<"gfx1100">} {
gpu.module @kernels {
}
}
