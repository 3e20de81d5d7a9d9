// Maps are made in shared memory and published to a part of a variable that the
// block takes when it begins and gives back when it ends; only the block's first
// thread, or warp, knows of them and of the mbarriers.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm,canonicalize,cse))' | FileCheck %s

#matrix = #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128>
#wide = #kami.shared_matrix<32x128xf16, b, mn_major, swizzle = 128>
!dynamic = memref<?xi8, #gpu.address_space<workgroup>>

module attributes {kami.target = #kami.target<"sm_90">} {
// The variant of the chip, and a PTX in which strides are in bytes.
// CHECK: gpu.module @kernels [#nvvm.target<{{.*}}chip = "sm_90a", features = "+ptx86">]
gpu.module @kernels {
// CHECK: llvm.mlir.global internal @bulk_tensor_maps() {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<67584 x i8>
// CHECK: llvm.mlir.global internal @bulk_tensor_map_locks() {addr_space = 1 : i32, alignment = 4 : i64} : !llvm.array<132 x i32>
// CHECK-LABEL: gpu.func @bulk
// A thread each writes what the two maps of a place have in common with others.
// CHECK: %[[TWO:.+]] = arith.cmpi ult, %{{.+}}, %c2
// CHECK-NEXT: scf.if %[[TWO]]
// CHECK: st.shared.v4.b32 [$0 + 0], {0, 0, 262144, 0}; {{.*}}st.shared.v4.b32 [$0 + 112]{{.*}}tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1; {{.*}}box_dim{{.*}}[$0], 0, 32; {{.*}}box_dim{{.*}}[$0], 1, 128; {{.*}}elemtype{{.*}}[$0], 11; {{.*}}swizzle_mode{{.*}}[$0], 3;
// CHECK: scf.if %[[TWO]]
// CHECK: box_dim{{.*}}[$0], 0, 64; {{.*}}box_dim{{.*}}[$0], 1, 32; {{.*}}elemtype{{.*}}[$0], 6;
// Nobody knows that there are several warps, which would need a barrier.
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.bar.warp.sync
// CHECK-NEXT: llvm.inline_asm {{.*}}atom.acquire.gpu.global.cas.b32{{.*}}shfl.sync.idx.b32
gpu.func @bulk(%b: memref<?x?xf32, strided<[1, ?], offset: ?>>, %w: memref<?x?xf16, strided<[?, 1], offset: ?>>,
               %i: index, %parity: i32) kernel {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %shared = gpu.dynamic_shared_memory : !dynamic
  %maps = memref.view %shared[%c0][] : !dynamic to memref<256xi8, #gpu.address_space<workgroup>>
  %others = memref.view %shared[%c256][] : !dynamic to memref<256xi8, #gpu.address_space<workgroup>>
  %barriers = memref.view %shared[%c512][] : !dynamic to memref<2xi64, #gpu.address_space<workgroup>>
  %buffer = memref.view %shared[%c1024][] : !dynamic to memref<16384xi8, #gpu.address_space<workgroup>>
  // CHECK: mbarrier.init.shared.b64 [$0 + 0], 2; mbarrier.init.shared.b64 [$0 + 8], 2; fence.mbarrier_init.release.cluster;
  kami.mbarrier_init %barriers arrivals 2 : memref<2xi64, #gpu.address_space<workgroup>>
  // A lane each writes a map; then both are published, and waited for when they
  // are wanted.
  // CHECK: %[[SECOND:.+]] = arith.cmpi eq, %{{.+}}, %c1
  // CHECK: arith.select %[[SECOND]]
  // CHECK: setp.lt.u32 p, l, 2; @p tensormap.replace.tile.global_address{{.*}}global_dim{{.*}}, 0, $2; {{.*}}global_dim{{.*}}, 1, $3; {{.*}}global_stride{{.*}}, 0, $4;
  // CHECK: nvvm.bar.warp.sync
  // CHECK-NEXT: tensormap.cp_fenceproxy
  // CHECK-NEXT: tensormap.cp_fenceproxy
  // CHECK-NOT: fence.proxy.tensormap
  kami.tensor_map %b as #matrix in %maps[%i] rounded : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  kami.tensor_map %w as #wide in %others[%i] : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  // CHECK: scf.if
  // CHECK: fence.proxy.tensormap::generic.acquire.gpu [$0], 128;
  kami.acquire_map %maps[%i] : memref<256xi8, #gpu.address_space<workgroup>>
  // CHECK: mbarrier.arrive.expect_tx.shared.b64 _, [$1], 16384; add.s32 x, $3, 0; cp.async.bulk.tensor.2d{{.*}}[$0 + 0], [$2, {x, $4}], [$1]; }
  kami.place_bulk %maps[%i] at[%c256, %c0] to %buffer in #matrix arrive %barriers[%i] : memref<256xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, memref<2xi64, #gpu.address_space<workgroup>>
  // Two boxes of 64 elements side by side.
  // CHECK: mbarrier.arrive.expect_tx.shared.b64 _, [$1], 8192; add.s32 x, $3, 0; {{.*}}[$0 + 0]{{.*}}add.s32 x, $3, 64; {{.*}}[$0 + 4096]
  kami.place_bulk %others[%i] at[%c256, %c0] to %buffer in #wide arrive %barriers[%i] : memref<256xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, memref<2xi64, #gpu.address_space<workgroup>>
  // CHECK: mbarrier.arrive.shared.b64 _, [$0], 2;
  kami.mbarrier_arrive %barriers[%i] arrivals 2 : memref<2xi64, #gpu.address_space<workgroup>>
  // CHECK: mbarrier.try_wait.parity
  kami.mbarrier_wait %barriers[%i] parity %parity : memref<2xi64, #gpu.address_space<workgroup>>
  // Where every warp waits, each lane does; one of them arrives.
  // CHECK: mbarrier.try_wait.parity
  // CHECK-NEXT: nvvm.bar.warp.sync
  kami.mbarrier_wait %barriers[%i] parity %parity every_warp : memref<2xi64, #gpu.address_space<workgroup>>
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK: scf.if
  // CHECK: mbarrier.arrive.shared.b64 _, [$0], 1;
  kami.mbarrier_arrive %barriers[%i] arrivals 1 every_warp : memref<2xi64, #gpu.address_space<workgroup>>
  // CHECK: mbarrier.inval
  kami.mbarrier_inval %barriers : memref<2xi64, #gpu.address_space<workgroup>>
  // CHECK: st.release.gpu.global.b32
  gpu.return
}

// One map is of all matrices of a batch, whose distance is a stride of its own.
// CHECK-LABEL: gpu.func @batch
// CHECK: tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 2; {{.*}}box_dim{{.*}}[$0], 1, 128; {{.*}}box_dim{{.*}}[$0], 2, 1; {{.*}}element_stride{{.*}}[$0], 2, 1;
gpu.func @batch(%b: memref<?x32x256xf32, strided<[8192, 1, 32]>>, %i: index) kernel {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %shared = gpu.dynamic_shared_memory : !dynamic
  %maps = memref.view %shared[%c0][] : !dynamic to memref<256xi8, #gpu.address_space<workgroup>>
  %barriers = memref.view %shared[%c256][] : !dynamic to memref<2xi64, #gpu.address_space<workgroup>>
  %buffer = memref.view %shared[%c1024][] : !dynamic to memref<16384xi8, #gpu.address_space<workgroup>>
  // CHECK: global_dim{{.*}}, 2, $5; {{.*}}global_stride{{.*}}, 1, $6; }", "r,l,r,r,l,r,l,~{memory}" {{.*}}, %c128_i64, %{{.+}}, %c32768_i64 :
  kami.tensor_map %b as #matrix in %maps[%c0] : memref<?x32x256xf32, strided<[8192, 1, 32]>>, memref<256xi8, #gpu.address_space<workgroup>>
  // CHECK: cp.async.bulk.tensor.3d{{.*}}[$0 + 0], [$2, {x, $4, $5}], [$1]; }
  kami.place_bulk %maps[%c0] at[%c256, %c0] of[%i] to %buffer in #matrix arrive %barriers[%c0] : memref<256xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, memref<2xi64, #gpu.address_space<workgroup>>
  gpu.return
}
}
}
