// Upstream's serialization goes on from kami-to-nvvm, for every chip of the
// table: two warps' product of each type, with a broadcast.

// RUN: kami-opt %s --kami-to-nvvm=chip=sm_80 --gpu-module-to-binary=format=isa | FileCheck %s -DCHIP=sm_80
// RUN: kami-opt %s --kami-to-nvvm=chip=sm_89 --gpu-module-to-binary=format=isa | FileCheck %s -DCHIP=sm_89
// RUN: kami-opt %s --kami-to-nvvm=chip=sm_90 --gpu-module-to-binary=format=isa | FileCheck %s -DCHIP=sm_90
// RUN: kami-opt %s --kami-to-nvvm=chip=sm_100 --gpu-module-to-binary=format=isa | FileCheck %s -DCHIP=sm_100
// RUN: kami-opt %s --kami-to-nvvm=chip=sm_120 --gpu-module-to-binary=format=isa | FileCheck %s -DCHIP=sm_120

// CHECK:      gpu.binary @gemm_32x8x32_f16_module
// CHECK-SAME: .target [[CHIP]]
// CHECK-SAME: .extern .shared .align 16 .b8
// CHECK-SAME: .entry gemm_32x8x32_f16(
// CHECK-SAME: bar.sync
// CHECK-SAME: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK:      gpu.binary @gemm_32x8x32_bf16_module
// CHECK-SAME: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK:      gpu.binary @gemm_16x8x8_f64_module
// CHECK-SAME: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#bmma = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 8x8x4, f64, f64, f64, ["nv.a.8x4.b64", "nv.b.4x8.b64", "nv.c.8x8.b64"]>
func.func @f16(%a: memref<32x32xf16>, %b: memref<32x8xf16>, %c: memref<32x8xf32>) {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32)
      plan(<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x32, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
func.func @bf16(%a: memref<32x32xbf16>, %b: memref<32x8xbf16>, %c: memref<32x8xbf16>) {
  kami.gemm ins(%a, %b : memref<32x32xbf16>, memref<32x8xbf16>) outs(%c : memref<32x8xbf16>) accumulator(f32)
      plan(<one_d, grid = [2, 1, 1], unit = warp, atom = #bmma, tile = 32x8x32, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
func.func @f64(%a: memref<16x8xf64>, %b: memref<8x8xf64>, %c: memref<16x8xf64>) {
  kami.gemm ins(%a, %b : memref<16x8xf64>, memref<8x8xf64>) outs(%c : memref<16x8xf64>) accumulator(f64)
      plan(<one_d, grid = [2, 1, 1], unit = warp, atom = #dmma, tile = 16x8x8, transport = staged, slices = {k = 4, shared = [0, 0]}>)
  return
}
