// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#i8 = #kami.mma_atom<wgmma 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<128x64xf16, a, k_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
#wide = #kami.shared_matrix<16x288xf16, b, k_major, swizzle = 32>
#b8 = #kami.shared_matrix<32x40xi8, b, k_major, swizzle = 32>
!shared = memref<65536xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {

// Registers are handed over, every row of tiles goes over all of k, and then
// there is one wait for all.

// CHECK-LABEL: gpu.func @registers
// CHECK-SAME:    %[[S:.+]]: memref<65536xi8, {{.*}}>, %[[K:.+]]: index
// CHECK:         %[[R:.+]]:8 = kami.wgmma_fence %{{.+}} : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<8xf16>, vector<8xf16>, vector<8xf16>, vector<8xf16>
// CHECK:         %[[B0:.+]] = kami.matrix_descriptor %[[S]][%[[K]], %c8]
// CHECK:         %[[D0:.+]]:2 = kami.wgmma %[[R]]#4, %[[B0]], [%[[R]]#0, %[[R]]#1]
// CHECK:         %[[K1:.+]] = arith.addi %[[K]], %c16
// CHECK:         %[[B1:.+]] = kami.matrix_descriptor %[[S]][%[[K1]], %c8]
// CHECK:         %[[E0:.+]]:2 = kami.wgmma %[[R]]#5, %[[B1]], [%[[D0]]#0, %[[D0]]#1]
// CHECK:         %[[D1:.+]]:2 = kami.wgmma %[[R]]#6, %[[B0]], [%[[R]]#2, %[[R]]#3]
// CHECK:         %[[E1:.+]]:2 = kami.wgmma %[[R]]#7, %[[B1]], [%[[D1]]#0, %[[D1]]#1]
// CHECK:         %[[G:.+]]:4 = kami.wgmma_commit[%[[E0]]#0, %[[E0]]#1, %[[E1]]#0, %[[E1]]#1]
// CHECK:         %[[F:.+]]:4 = kami.wgmma_wait[%[[G]]#0, %[[G]]#1, %[[G]]#2, %[[G]]#3]
gpu.func @registers(%s: !shared, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %slot = arith.constant 0 : index
  %a = kami.fetch %s[%slot] : !shared -> !kami.fragment<32x32xf16, a, #wgmma>
  %c = kami.fetch %s[%slot] : !shared -> !kami.fragment<32x16xf32, c, #wgmma>
  %c8 = arith.constant 8 : index
  %d = kami.group_mma %a, %s[%k, %c8] in #b, %c : !kami.fragment<32x32xf16, a, #wgmma>, !shared, !kami.fragment<32x16xf32, c, #wgmma>
  kami.share %d, %s[%slot] : !kami.fragment<32x16xf32, c, #wgmma>, !shared
  gpu.return
}

// The four warps' second tiles are 64 rows below the first.

// CHECK-LABEL: gpu.func @both_shared
// CHECK:         kami.wgmma_fence %{{[^,]+}}, %{{[^,]+}} : vector<4xf32>, vector<4xf32>
// CHECK:         %[[A0:.+]] = kami.matrix_descriptor %{{.+}}[%c0, %c0] : {{.*}}_a128x64>
// CHECK:         kami.wgmma %[[A0]], %{{.+}}, [
// CHECK:         %[[A1:.+]] = kami.matrix_descriptor %{{.+}}[%c64, %c0] : {{.*}}_a128x64>
// CHECK:         kami.wgmma %[[A1]], %{{.+}}, [
gpu.func @both_shared(%s: !shared) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %slot = arith.constant 0 : index
  %c = kami.fetch %s[%slot] : !shared -> !kami.fragment<32x8xf32, c, #wgmma>
  %c0 = arith.constant 0 : index
  %d = kami.group_mma %s[%c0, %c0] in #a, %s[%c0, %c0] in #b, %c depth 16 : !shared, !shared, !kami.fragment<32x8xf32, c, #wgmma>
  kami.share %d, %s[%slot] : !kami.fragment<32x8xf32, c, #wgmma>, !shared
  gpu.return
}

// What stands before the wait is done while the instructions are.

// CHECK-LABEL: gpu.func @pending
// CHECK:         %[[G:.+]] = kami.wgmma_commit
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    kami.wgmma_wait[%[[G]]]
gpu.func @pending(%s: !shared, %k: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %slot = arith.constant 0 : index
  %a = kami.fetch %s[%slot] : !shared -> !kami.fragment<16x16xf16, a, #wgmma>
  %c = kami.fetch %s[%slot] : !shared -> !kami.fragment<16x8xf32, c, #wgmma>
  %d = kami.group_mma %a, %s[%slot, %slot] in #b, %c pending : !kami.fragment<16x16xf16, a, #wgmma>, !shared, !kami.fragment<16x8xf32, c, #wgmma>
  gpu.barrier
  %e = kami.group_wait %d : !kami.fragment<16x8xf32, c, #wgmma>
  kami.share %e, %s[%slot] : !kami.fragment<16x8xf32, c, #wgmma>, !shared
  gpu.return
}

// An instruction has no more than 256 columns, and of integers not 40.

// CHECK-LABEL: gpu.func @wide
// CHECK:         kami.matrix_descriptor %{{.+}}[%c0, %c0]
// CHECK:         %{{.+}}:32 = kami.wgmma
// CHECK:         kami.matrix_descriptor %{{.+}}[%c0, %c256]
// CHECK:         %{{.+}}:4 = kami.wgmma
gpu.func @wide(%s: !shared) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %slot = arith.constant 0 : index
  %a = kami.fetch %s[%slot] : !shared -> !kami.fragment<16x16xf16, a, #wgmma>
  %c = kami.fetch %s[%slot] : !shared -> !kami.fragment<16x288xf32, c, #wgmma>
  %c0 = arith.constant 0 : index
  %d = kami.group_mma %a, %s[%c0, %c0] in #wide, %c : !kami.fragment<16x16xf16, a, #wgmma>, !shared, !kami.fragment<16x288xf32, c, #wgmma>
  kami.share %d, %s[%slot] : !kami.fragment<16x288xf32, c, #wgmma>, !shared
  gpu.return
}

// CHECK-LABEL: gpu.func @integers
// CHECK:         %{{.+}}:4 = kami.wgmma
// CHECK:         kami.matrix_descriptor %{{.+}}[%c0, %c32]
// CHECK:         kami.wgmma %{{.+}}, %{{.+}}, [%{{[^,]+}}] atom
gpu.func @integers(%s: !shared) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %slot = arith.constant 0 : index
  %a = kami.fetch %s[%slot] : !shared -> !kami.fragment<16x32xi8, a, #i8>
  %c = kami.fetch %s[%slot] : !shared -> !kami.fragment<16x40xi32, c, #i8>
  %c0 = arith.constant 0 : index
  %d = kami.group_mma %a, %s[%c0, %c0] in #b8, %c : !kami.fragment<16x32xi8, a, #i8>, !shared, !kami.fragment<16x40xi32, c, #i8>
  kami.share %d, %s[%slot] : !kami.fragment<16x40xi32, c, #i8>, !shared
  gpu.return
}

}
