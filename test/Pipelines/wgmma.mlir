// A kernel of four warps, written at warp level, down to PTX: B in shared memory
// where the matrix unit reads it, A and C in registers, which stay there in a
// loop.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse,convert-kami-to-nvvm,convert-nvgpu-to-nvvm,convert-vector-to-llvm,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-gpu-to-nvvm,kami-declare-dynamic-shared,reconcile-unrealized-casts,canonicalize,cse),gpu-module-to-binary{format=isa})' | FileCheck %s

// CHECK:      gpu.binary @kernels
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .extern .shared .align 1024 .b8
// CHECK-SAME: .entry cube(
// CHECK-SAME: fence.proxy.async.shared::cta;
// CHECK-SAME: bar.sync
// CHECK-SAME: [[LOOP:BB[0-9_]+]]:
// CHECK-SAME: wgmma.fence.sync.aligned;

// Nothing but the instructions is between the fence and the commit: no register
// is copied.

// CHECK-NOT:  mov
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK-NOT:  mov
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK-NOT:  mov
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK-NOT:  mov
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
// CHECK-NOT:  mov
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: wgmma.wait_group.sync.aligned
// CHECK-SAME: bra
// CHECK-SAME: [[LOOP]]
// CHECK-NOT:  wgmma.mma_async

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#mat = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
!a = !kami.fragment<16x64xf16, a, #wgmma>
!b = !kami.fragment<64x16xf16, b, #wgmma>
!c = !kami.fragment<16x64xf32, c, #wgmma>
!buf = memref<8192xi8, #gpu.address_space<workgroup>>
module attributes {gpu.container_module, kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @cube(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>, %times: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %buffer = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !buf
  %row, %column, %layer = kami.warp_coordinates [4, 1, 1]
  %m = arith.muli %row, %c16 : index
  %fa = kami.load %a[%m, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  %fb = kami.load %b[%c0, %m] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
  kami.place %fb, %buffer[%c0, %m] in #mat : !b, !buf
  gpu.barrier
  %fill = kami.fill %zero : f32 -> !c
  %sum = scf.for %i = %c0 to %times step %c1 iter_args(%acc = %fill) -> !c {
    %next = kami.group_mma %fa, %buffer[%c0, %c0] in #mat, %acc : !a, !buf, !c
    scf.yield %next : !c
  }
  kami.store %sum, %c[%m, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}
