// RUN: split-file %s %t
// RUN: kami-run %t/through-two-buffers.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/through-two-buffers.mlir --device=sim --seed=9 | FileCheck %s
// RUN: kami-run %t/layers-to-b.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/layers-to-b.mlir --device=sim --seed=9 | FileCheck %s
// RUN: kami-run %t/layers-to-group.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/layers-to-group.mlir --device=sim --seed=9 | FileCheck %s
// RUN: kami-run %t/group-to-b.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/group-to-b.mlir --device=sim --seed=9 | FileCheck %s
// RUN: kami-run %t/group-to-group.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/group-to-group.mlir --device=sim --seed=9 | FileCheck %s
// RUN: kami-run %t/layers-to-a.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/layers-to-a.mlir --device=sim --seed=9 | FileCheck %s
// RUN: kami-run %t/grid-to-b.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/grid-to-b.mlir --device=sim --seed=9 | FileCheck %s
// CHECK: verdict   right

// C of one product as an operand of another, between all kinds of distributions.

//--- through-two-buffers.mlir
// A product through two buffers, then its C through scratch memory that one of
// them lies in.
#m16n8k16_f16_f32 = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #m16n8k16_f16_f32, tile = 40x33x17, transport = double_buffered, slices = {k = 16, shared = [0, 0]}>
#plan1 = #kami.plan<three_d, grid = [1, 1, 4], unit = warp, atom = #m16n8k16_f16_f32, tile = 40x48x33, transport = staged, slices = {k = 16, shared = [0, 1]}>
!block_a40x33 = !kami.distributed<40x33xf16, a, #plan1>
!block_c40x33 = !kami.distributed<40x33xf32, c, #plan>
!block_c40x48 = !kami.distributed<40x48xf32, c, #plan1>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<40x17xf16>, %arg1: memref<17x33xf16>, %arg2: memref<33x48xf16>, %arg3: memref<40x48xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f32 -> !block_c40x33
      %1 = kami.splat %cst : f32 -> !block_c40x48
      %2 = scf.for %arg4 = %c0 to %c1 step %c1 iter_args(%arg5 = %1) -> (!block_c40x48) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<40x17xf16>, memref<17x33xf16>) outs(%0 : !block_c40x33) accumulator(f32) plan(#plan) -> !block_c40x33
        %4 = kami.redistribute %3 : !block_c40x33 -> !block_a40x33
        %5 = kami.gemm ins(%4, %arg2 : !block_a40x33, memref<33x48xf16>) outs(%arg5 : !block_c40x48) beta(%cst_0 : f32) accumulator(f32) plan(#plan1) -> !block_c40x48
        scf.yield %5 : !block_c40x48
      }
      kami.collect %2, %arg3 : !block_c40x48, memref<40x48xf32>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<40x17xf16>, %arg1: memref<17x33xf16>, %arg2: memref<33x48xf16>, %arg3: memref<40x48xf32>) {
    %cst = arith.constant 1.000000e+00 : f32
    %alloc = memref.alloc() : memref<40x33xf16>
    kami.gemm ins(%arg0, %arg1 : memref<40x17xf16>, memref<17x33xf16>) outs(%alloc : memref<40x33xf16>) accumulator(f32)
    kami.gemm ins(%alloc, %arg2 : memref<40x33xf16>, memref<33x48xf16>) outs(%arg3 : memref<40x48xf32>) alpha(%cst : f32) accumulator(f32)
    return
  }
  func.func @main(%arg0: memref<40x17xf16>, %arg1: memref<17x33xf16>, %arg2: memref<33x48xf16>, %arg3: memref<40x48xf32>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)  args(%arg0 : memref<40x17xf16>, %arg1 : memref<17x33xf16>, %arg2 : memref<33x48xf16>, %arg3 : memref<40x48xf32>)
    return
  }
}

//--- layers-to-b.mlir
// f64: from layer 0 of several to a B; in a loop, with an epilogue.
#m16n8k8_f64_f64 = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<three_d, grid = [1, 1, 2], unit = warp, atom = #m16n8k8_f64_f64, tile = 48x8x24, transport = double_buffered, slices = {k = 8, shared = [2, 0]}>
#plan1 = #kami.plan<one_d, grid = [1, 2, 1], unit = warp, atom = #m16n8k8_f64_f64, tile = 64x8x48, transport = double_buffered, slices = {k = 16, shared = [2, 4]}>
!block_b48x8 = !kami.distributed<48x8xf64, b, #plan1>
!block_c48x8 = !kami.distributed<48x8xf64, c, #plan>
!block_c64x8 = !kami.distributed<64x8xf64, c, #plan1>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<48x24xf64>, %arg1: memref<24x8xf64>, %arg2: memref<64x48xf64>, %arg3: memref<64x8xf64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %cst_0 = arith.constant 1.000000e+00 : f64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f64 -> !block_c48x8
      %1 = kami.splat %cst : f64 -> !block_c64x8
      %2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %1) -> (!block_c64x8) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<48x24xf64>, memref<24x8xf64>) outs(%0 : !block_c48x8) accumulator(f64) epilogue (%arg6: f64) {
          %cst_1 = arith.constant 1.000000e+00 : f64
          %6 = arith.addf %arg6, %cst_1 : f64
          kami.yield %6 : f64
        } plan(#plan) -> !block_c48x8
        %4 = kami.redistribute %3 : !block_c48x8 -> !block_b48x8
        %5 = kami.gemm ins(%arg2, %4 : memref<64x48xf64>, !block_b48x8) outs(%arg5 : !block_c64x8) beta(%cst_0 : f64) accumulator(f64) plan(#plan1) -> !block_c64x8
        scf.yield %5 : !block_c64x8
      }
      kami.collect %2, %arg3 : !block_c64x8, memref<64x8xf64>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<48x24xf64>, %arg1: memref<24x8xf64>, %arg2: memref<64x48xf64>, %arg3: memref<64x8xf64>) {
    %cst = arith.constant 2.000000e+00 : f64
    %alloc = memref.alloc() : memref<48x8xf64>
    kami.gemm ins(%arg0, %arg1 : memref<48x24xf64>, memref<24x8xf64>) outs(%alloc : memref<48x8xf64>) accumulator(f64) epilogue (%arg4: f64) {
      %cst_0 = arith.constant 1.000000e+00 : f64
      %0 = arith.addf %arg4, %cst_0 : f64
      kami.yield %0 : f64
    }
    kami.gemm ins(%arg2, %alloc : memref<64x48xf64>, memref<48x8xf64>) outs(%arg3 : memref<64x8xf64>) alpha(%cst : f64) accumulator(f64)
    return
  }
  func.func @main(%arg0: memref<48x24xf64>, %arg1: memref<24x8xf64>, %arg2: memref<64x48xf64>, %arg3: memref<64x8xf64>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)  args(%arg0 : memref<48x24xf64>, %arg1 : memref<24x8xf64>, %arg2 : memref<64x48xf64>, %arg3 : memref<64x8xf64>)
    return
  }
}

//--- layers-to-group.mlir
// From layers of warps to the A of a warp group.
#m16n8k16_f16_f32 = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#m16n8k16_f16_f32_1 = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<three_d, grid = [2, 1, 2], unit = warp, atom = #m16n8k16_f16_f32, tile = 17x3x70, transport = staged, slices = {k = 16, shared = [4, 2]}>
#plan1 = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #m16n8k16_f16_f32_1, tile = 17x70x3, transport = resident, slices = {k = 16, shared = [0, 1]}>
!block_a17x3 = !kami.distributed<17x3xf16, a, #plan1>
!block_c17x3 = !kami.distributed<17x3xf32, c, #plan>
!block_c17x70 = !kami.distributed<17x70xf32, c, #plan1>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<17x70xf16>, %arg1: memref<70x3xf16>, %arg2: memref<3x70xf16>, %arg3: memref<17x70xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f32 -> !block_c17x3
      %1 = kami.splat %cst : f32 -> !block_c17x70
      %2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %1) -> (!block_c17x70) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<17x70xf16>, memref<70x3xf16>) outs(%0 : !block_c17x3) accumulator(f32) epilogue (%arg6: f32) {
          %cst_1 = arith.constant 1.000000e+00 : f32
          %6 = arith.addf %arg6, %cst_1 : f32
          kami.yield %6 : f32
        } plan(#plan) -> !block_c17x3
        %4 = kami.redistribute %3 : !block_c17x3 -> !block_a17x3
        %5 = kami.gemm ins(%4, %arg2 : !block_a17x3, memref<3x70xf16>) outs(%arg5 : !block_c17x70) beta(%cst_0 : f32) accumulator(f32) plan(#plan1) -> !block_c17x70
        scf.yield %5 : !block_c17x70
      }
      kami.collect %2, %arg3 : !block_c17x70, memref<17x70xf32>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<17x70xf16>, %arg1: memref<70x3xf16>, %arg2: memref<3x70xf16>, %arg3: memref<17x70xf32>) {
    %cst = arith.constant 2.000000e+00 : f32
    %alloc = memref.alloc() : memref<17x3xf16>
    kami.gemm ins(%arg0, %arg1 : memref<17x70xf16>, memref<70x3xf16>) outs(%alloc : memref<17x3xf16>) accumulator(f32) epilogue (%arg4: f32) {
      %cst_0 = arith.constant 1.000000e+00 : f32
      %0 = arith.addf %arg4, %cst_0 : f32
      %1 = arith.truncf %0 : f32 to f16
      kami.yield %1 : f16
    }
    kami.gemm ins(%alloc, %arg2 : memref<17x3xf16>, memref<3x70xf16>) outs(%arg3 : memref<17x70xf32>) alpha(%cst : f32) accumulator(f32)
    return
  }
  func.func @main(%arg0: memref<17x70xf16>, %arg1: memref<70x3xf16>, %arg2: memref<3x70xf16>, %arg3: memref<17x70xf32>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)  args(%arg0 : memref<17x70xf16>, %arg1 : memref<70x3xf16>, %arg2 : memref<3x70xf16>, %arg3 : memref<17x70xf32>)
    return
  }
}

//--- group-to-b.mlir
// From a warp group to a B that warps hold.
#m16n8k16_f16_f32 = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#m16n8k16_f16_f32_1 = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #m16n8k16_f16_f32, tile = 17x48x40, transport = resident, slices = {k = 16, shared = [0, 1]}>
#plan1 = #kami.plan<three_d, grid = [1, 2, 2], unit = warp, atom = #m16n8k16_f16_f32_1, tile = 17x48x17, transport = staged, slices = {k = 16, shared = [0, 0]}>
!block_b17x48 = !kami.distributed<17x48xf16, b, #plan1>
!block_c17x48 = !kami.distributed<17x48xf32, c, #plan>
!block_c17x48_1 = !kami.distributed<17x48xf32, c, #plan1>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<17x40xf16>, %arg1: memref<40x48xf16>, %arg2: memref<17x17xf16>, %arg3: memref<17x48xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f32 -> !block_c17x48
      %1 = kami.splat %cst : f32 -> !block_c17x48_1
      %2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %1) -> (!block_c17x48_1) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<17x40xf16>, memref<40x48xf16>) outs(%0 : !block_c17x48) accumulator(f32) epilogue (%arg6: f32) {
          %cst_1 = arith.constant 1.000000e+00 : f32
          %6 = arith.addf %arg6, %cst_1 : f32
          kami.yield %6 : f32
        } plan(#plan) -> !block_c17x48
        %4 = kami.redistribute %3 : !block_c17x48 -> !block_b17x48
        %5 = kami.gemm ins(%arg2, %4 : memref<17x17xf16>, !block_b17x48) outs(%arg5 : !block_c17x48_1) beta(%cst_0 : f32) accumulator(f32) plan(#plan1) -> !block_c17x48_1
        scf.yield %5 : !block_c17x48_1
      }
      kami.collect %2, %arg3 : !block_c17x48_1, memref<17x48xf32>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<17x40xf16>, %arg1: memref<40x48xf16>, %arg2: memref<17x17xf16>, %arg3: memref<17x48xf32>) {
    %cst = arith.constant 2.000000e+00 : f32
    %alloc = memref.alloc() : memref<17x48xf16>
    kami.gemm ins(%arg0, %arg1 : memref<17x40xf16>, memref<40x48xf16>) outs(%alloc : memref<17x48xf16>) accumulator(f32) epilogue (%arg4: f32) {
      %cst_0 = arith.constant 1.000000e+00 : f32
      %0 = arith.addf %arg4, %cst_0 : f32
      %1 = arith.truncf %0 : f32 to f16
      kami.yield %1 : f16
    }
    kami.gemm ins(%arg2, %alloc : memref<17x17xf16>, memref<17x48xf16>) outs(%arg3 : memref<17x48xf32>) alpha(%cst : f32) accumulator(f32)
    return
  }
  func.func @main(%arg0: memref<17x40xf16>, %arg1: memref<40x48xf16>, %arg2: memref<17x17xf16>, %arg3: memref<17x48xf32>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)  args(%arg0 : memref<17x40xf16>, %arg1 : memref<40x48xf16>, %arg2 : memref<17x17xf16>, %arg3 : memref<17x48xf32>)
    return
  }
}

//--- group-to-group.mlir
// From one warp group product to the next, in registers.
#m16n8k16_f16_f32 = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #m16n8k16_f16_f32, tile = 8x16x64, transport = resident, slices = {k = 16, shared = [0, 1]}>
#plan1 = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #m16n8k16_f16_f32, tile = 8x33x16, transport = resident, slices = {k = 16, shared = [0, 1]}>
!block_a8x16 = !kami.distributed<8x16xf16, a, #plan1>
!block_c8x16 = !kami.distributed<8x16xf32, c, #plan>
!block_c8x33 = !kami.distributed<8x33xf32, c, #plan1>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<8x64xf16>, %arg1: memref<64x16xf16>, %arg2: memref<16x33xf16>, %arg3: memref<8x33xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f32 -> !block_c8x16
      %1 = kami.splat %cst : f32 -> !block_c8x33
      %2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %1) -> (!block_c8x33) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<8x64xf16>, memref<64x16xf16>) outs(%0 : !block_c8x16) accumulator(f32) epilogue (%arg6: f32) {
          %cst_1 = arith.constant 1.000000e+00 : f32
          %6 = arith.addf %arg6, %cst_1 : f32
          kami.yield %6 : f32
        } plan(#plan) -> !block_c8x16
        %4 = kami.redistribute %3 : !block_c8x16 -> !block_a8x16
        %5 = kami.gemm ins(%4, %arg2 : !block_a8x16, memref<16x33xf16>) outs(%arg5 : !block_c8x33) beta(%cst_0 : f32) accumulator(f32) plan(#plan1) -> !block_c8x33
        scf.yield %5 : !block_c8x33
      }
      kami.collect %2, %arg3 : !block_c8x33, memref<8x33xf32>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<8x64xf16>, %arg1: memref<64x16xf16>, %arg2: memref<16x33xf16>, %arg3: memref<8x33xf32>) {
    %cst = arith.constant 2.000000e+00 : f32
    %alloc = memref.alloc() : memref<8x16xf16>
    kami.gemm ins(%arg0, %arg1 : memref<8x64xf16>, memref<64x16xf16>) outs(%alloc : memref<8x16xf16>) accumulator(f32) epilogue (%arg4: f32) {
      %cst_0 = arith.constant 1.000000e+00 : f32
      %0 = arith.addf %arg4, %cst_0 : f32
      %1 = arith.truncf %0 : f32 to f16
      kami.yield %1 : f16
    }
    kami.gemm ins(%alloc, %arg2 : memref<8x16xf16>, memref<16x33xf16>) outs(%arg3 : memref<8x33xf32>) alpha(%cst : f32) accumulator(f32)
    return
  }
  func.func @main(%arg0: memref<8x64xf16>, %arg1: memref<64x16xf16>, %arg2: memref<16x33xf16>, %arg3: memref<8x33xf32>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)  args(%arg0 : memref<8x64xf16>, %arg1 : memref<64x16xf16>, %arg2 : memref<16x33xf16>, %arg3 : memref<8x33xf32>)
    return
  }
}

//--- layers-to-a.mlir
// f64: lanes do not keep their sums, so through shared memory to an A.
#m16n8k8_f64_f64 = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<three_d, grid = [1, 1, 4], unit = warp, atom = #m16n8k8_f64_f64, tile = 8x48x40, transport = staged, slices = {k = 8, shared = [2, 2]}>
#plan1 = #kami.plan<three_d, grid = [1, 2, 2], unit = warp, atom = #m16n8k8_f64_f64, tile = 8x16x48, transport = staged, slices = {k = 16, shared = [1, 2]}>
!block_a8x48 = !kami.distributed<8x48xf64, a, #plan1>
!block_c8x16 = !kami.distributed<8x16xf64, c, #plan1>
!block_c8x48 = !kami.distributed<8x48xf64, c, #plan>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<8x40xf64>, %arg1: memref<40x48xf64>, %arg2: memref<48x16xf64>, %arg3: memref<8x16xf64>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f64
      %cst_0 = arith.constant 1.000000e+00 : f64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f64 -> !block_c8x48
      %1 = kami.splat %cst : f64 -> !block_c8x16
      %2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %1) -> (!block_c8x16) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<8x40xf64>, memref<40x48xf64>) outs(%0 : !block_c8x48) accumulator(f64) plan(#plan) -> !block_c8x48
        %4 = kami.redistribute %3 : !block_c8x48 -> !block_a8x48
        %5 = kami.gemm ins(%4, %arg2 : !block_a8x48, memref<48x16xf64>) outs(%arg5 : !block_c8x16) beta(%cst_0 : f64) accumulator(f64) plan(#plan1) -> !block_c8x16
        scf.yield %5 : !block_c8x16
      }
      kami.collect %2, %arg3 : !block_c8x16, memref<8x16xf64>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<8x40xf64>, %arg1: memref<40x48xf64>, %arg2: memref<48x16xf64>, %arg3: memref<8x16xf64>) {
    %cst = arith.constant 2.000000e+00 : f64
    %alloc = memref.alloc() : memref<8x48xf64>
    kami.gemm ins(%arg0, %arg1 : memref<8x40xf64>, memref<40x48xf64>) outs(%alloc : memref<8x48xf64>) accumulator(f64)
    kami.gemm ins(%alloc, %arg2 : memref<8x48xf64>, memref<48x16xf64>) outs(%arg3 : memref<8x16xf64>) alpha(%cst : f64) accumulator(f64)
    return
  }
  func.func @main(%arg0: memref<8x40xf64>, %arg1: memref<40x48xf64>, %arg2: memref<48x16xf64>, %arg3: memref<8x16xf64>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)  args(%arg0 : memref<8x40xf64>, %arg1 : memref<40x48xf64>, %arg2 : memref<48x16xf64>, %arg3 : memref<8x16xf64>)
    return
  }
}

//--- grid-to-b.mlir
// From a grid of rows and columns to a B.
#m16n8k16_f16_f32 = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #m16n8k16_f16_f32, tile = 64x33x70, transport = staged, slices = {k = 16, shared = [0, 3]}>
#plan1 = #kami.plan<three_d, grid = [2, 1, 2], unit = warp, atom = #m16n8k16_f16_f32, tile = 24x33x64, transport = staged, slices = {k = 16, shared = [0, 0]}>
!block_b64x33 = !kami.distributed<64x33xf16, b, #plan1>
!block_c24x33 = !kami.distributed<24x33xf32, c, #plan1>
!block_c64x33 = !kami.distributed<64x33xf32, c, #plan>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @two(%arg0: memref<64x70xf16>, %arg1: memref<70x33xf16>, %arg2: memref<24x64xf16>, %arg3: memref<24x33xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %0 = kami.splat %cst : f32 -> !block_c64x33
      %1 = kami.splat %cst : f32 -> !block_c24x33
      %2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %1) -> (!block_c24x33) {
        %3 = kami.gemm ins(%arg0, %arg1 : memref<64x70xf16>, memref<70x33xf16>) outs(%0 : !block_c64x33) accumulator(f32) plan(#plan) -> !block_c64x33
        %4 = kami.redistribute %3 : !block_c64x33 -> !block_b64x33
        %5 = kami.gemm ins(%arg2, %4 : memref<24x64xf16>, !block_b64x33) outs(%arg5 : !block_c24x33) beta(%cst_0 : f32) accumulator(f32) plan(#plan1) -> !block_c24x33
        scf.yield %5 : !block_c24x33
      }
      kami.collect %2, %arg3 : !block_c24x33, memref<24x33xf32>
      gpu.return
    }
  }
  func.func private @reference(%arg0: memref<64x70xf16>, %arg1: memref<70x33xf16>, %arg2: memref<24x64xf16>, %arg3: memref<24x33xf32>) {
    %cst = arith.constant 2.000000e+00 : f32
    %alloc = memref.alloc() : memref<64x33xf16>
    kami.gemm ins(%arg0, %arg1 : memref<64x70xf16>, memref<70x33xf16>) outs(%alloc : memref<64x33xf16>) accumulator(f32)
    kami.gemm ins(%arg2, %alloc : memref<24x64xf16>, memref<64x33xf16>) outs(%arg3 : memref<24x33xf32>) alpha(%cst : f32) accumulator(f32)
    return
  }
  func.func @main(%arg0: memref<64x70xf16>, %arg1: memref<70x33xf16>, %arg2: memref<24x64xf16>, %arg3: memref<24x33xf32>) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func  @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)  args(%arg0 : memref<64x70xf16>, %arg1 : memref<70x33xf16>, %arg2 : memref<24x64xf16>, %arg3 : memref<24x33xf32>)
    return
  }
}
