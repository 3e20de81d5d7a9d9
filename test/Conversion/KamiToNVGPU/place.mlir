// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#along_m = #kami.shared_matrix<32x32xf32, a, mn_major, swizzle = 128>
#along_k = #kami.shared_matrix<16x16xf32, b, k_major, swizzle = 64>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
#bt = #kami.shared_matrix<16x64xf16, b, mn_major, swizzle = 128>
!b = !kami.fragment<16x8xf16, b, #wgmma>
!shared = memref<8192xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {

// Two elements along k are one register and one store. A lane's column is
// lane / 4, of 128 bytes; its chunk of 16 bytes is permuted by the column's low
// three bits; its word within the chunk is lane % 4. The second register's chunk
// is the next.

// CHECK-LABEL: gpu.func @k_major
// CHECK-SAME:    %[[S:[^:]+]]: memref<8192xi8, {{[^>]*}}>>, %[[T:[^:]+]]: memref<8192xi8, {{[^>]*}}>>, %[[N:.+]]: index
// CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %c32
// CHECK:         %[[THREAD:.+]] = arith.andi %[[LANE]], %c3
// CHECK:         %[[K:.+]] = arith.muli %[[THREAD]], %c2
// CHECK:         %[[HIGH:.+]] = arith.shrui %[[LANE]], %c2
// CHECK:         %[[GROUP:.+]] = arith.andi %[[HIGH]], %c7
// CHECK:         %[[WORD:.+]] = arith.divui %[[K]], %c2
// CHECK:         %[[LINE:.+]] = arith.addi %[[N]], %[[GROUP]]
// CHECK:         %[[WORDS:.+]] = memref.view %[[S]][%c0][] : {{.*}} to memref<2048xvector<2xf16>,
// CHECK:         %[[R0:.+]] = vector.extract_strided_slice {{.*}} {offsets = [0], sizes = [2]
// CHECK:         %[[PERMUTATION:.+]] = arith.remui %[[GROUP]], %c8
// CHECK:         %[[ROW:.+]] = arith.muli %[[LINE]], %c32
// CHECK:         %[[CHUNK0:.+]] = arith.muli %[[PERMUTATION]], %c4
// CHECK:         %[[A0:.+]] = arith.addi %[[ROW]], %[[CHUNK0]]
// CHECK:         %[[I0:.+]] = arith.addi %[[A0]], %[[WORD]]
// CHECK:         memref.store %[[R0]], %[[WORDS]][%[[I0]]]
// CHECK:         %[[R1:.+]] = vector.extract_strided_slice {{.*}} {offsets = [2], sizes = [2]
// CHECK:         %[[NEXT:.+]] = arith.xori %[[PERMUTATION]], %c1
// CHECK:         %[[CHUNK1:.+]] = arith.muli %[[NEXT]], %c4
// CHECK:         %[[A1:.+]] = arith.addi %[[ROW]], %[[CHUNK1]]
// CHECK:         %[[I1:.+]] = arith.addi %[[A1]], %[[WORD]]
// CHECK:         memref.store %[[R1]], %[[WORDS]][%[[I1]]]
// CHECK-NEXT:    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
gpu.func @k_major(%s: !shared, %t: !shared, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fetch %t[%c0] : !shared -> !b
  kami.place %f, %s[%c0, %n] in #b : !b, !shared
  gpu.return
}

// Along n, elements that a lane holds are not adjacent.

// CHECK-LABEL: gpu.func @mn_major
// CHECK:         memref.view %{{.+}}[%c0][] : {{.*}} to memref<4096xvector<1xf16>,
// CHECK-COUNT-4: memref.store %{{.+}} : memref<4096xvector<1xf16>,
// CHECK-NOT:     memref.store
// CHECK:         nvvm.fence.proxy
gpu.func @mn_major(%s: !shared, %t: !shared, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fetch %t[%c0] : !shared -> !b
  kami.place %f, %s[%c0, %n] in #bt : !b, !shared
  gpu.return
}

// One fence is enough for stores that follow each other, and none is left to
// behind a barrier.

// CHECK-LABEL: gpu.func @one_fence
// CHECK-COUNT-4: memref.store
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    gpu.barrier
// CHECK-COUNT-2: memref.store
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    gpu.return
gpu.func @one_fence(%s: !shared, %t: !shared, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fetch %t[%c0] : !shared -> !b
  %c16 = arith.constant 16 : index
  kami.place %f, %s[%c0, %n] in #b : !b, !shared
  kami.place %f, %s[%c16, %n] in #b : !b, !shared
  gpu.barrier
  kami.place %f, %s[%c0, %n] in #b : !b, !shared
  gpu.return
}

// Lanes read tf32 along m: a lane's row lies in one of two chunks, which its
// column permutes, and columns that are 8 apart are read from one address.

// CHECK-LABEL: gpu.func @load_placed
// CHECK-SAME:    %[[S:[^:]+]]: memref<4096xi8, {{[^>]*}}>>
// CHECK:         %[[HIGH:.+]] = arith.shrui %[[LANE:.+]], %c2
// CHECK:         %[[ROW:.+]] = arith.andi %[[HIGH]], %c7
// CHECK:         %[[COLUMN:.+]] = arith.andi %[[LANE]], %c3
// CHECK:         %[[CHUNK:.+]] = arith.divui %[[ROW]], %c4
// CHECK:         %[[WORD:.+]] = arith.remui %[[ROW]], %c4
// CHECK:         %[[WORDS:.+]] = memref.view %[[S]][%c0][] : {{.*}} to memref<1024xvector<1xf32>,
// CHECK:         %[[PERMUTATION:.+]] = arith.remui %[[COLUMN]], %c8
// CHECK:         %[[PERMUTED:.+]] = arith.xori %[[PERMUTATION]], %[[CHUNK]]
// CHECK:         %[[LINE:.+]] = arith.muli %[[COLUMN]], %c32
// CHECK:         %[[AT:.+]] = arith.muli %[[PERMUTED]], %c4
// CHECK:         %[[A0:.+]] = arith.addi %[[LINE]], %[[AT]]
// CHECK:         %[[I0:.+]] = arith.addi %[[A0]], %[[WORD]]
// CHECK:         memref.load %[[WORDS]][%[[I0]]]
// CHECK-COUNT-7: memref.load %[[WORDS]]
// CHECK-NOT:     memref.load %[[WORDS]][{{.*}} : memref<1024x
gpu.func @load_placed(%s: memref<4096xi8, #gpu.address_space<workgroup>>, %c: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.load_placed %s[%c0, %c0] in #along_m
      : memref<4096xi8, #gpu.address_space<workgroup>> -> !kami.fragment<16x16xf32, a, #tf32>
  %none = kami.fetch %s[%c0] : memref<4096xi8, #gpu.address_space<workgroup>> -> !kami.fragment<16x16xf32, c, #tf32>
  %d = kami.group_mma %f, %s[%c0, %c0] in #along_k, %none
      : !kami.fragment<16x16xf32, a, #tf32>, memref<4096xi8, #gpu.address_space<workgroup>>, !kami.fragment<16x16xf32, c, #tf32>
  kami.store %d, %c[%c0, %c0] : !kami.fragment<16x16xf32, c, #tf32>, memref<16x16xf32>
  gpu.return
}

}
