// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// nvgpu.mma.sync wants registers: pairs of f16.

// CHECK-LABEL: gpu.func @f16
// CHECK-DAG:     %[[C:.+]] = vector.broadcast %{{.+}} : f32 to vector<2x2xf32>
// CHECK-DAG:     %[[A:.+]] = vector.shape_cast %{{.+}} : vector<8xf16> to vector<4x2xf16>
// CHECK-DAG:     %[[B:.+]] = vector.shape_cast %{{.+}} : vector<4xf16> to vector<2x2xf16>
// CHECK:         nvgpu.mma.sync(%[[A]], %[[B]], %[[C]]) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x8xf16, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @f16(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf32>
  gpu.return
}
}

// -----

// It leaves bf16 unconverted, so that is kami.mma_sync.

// CHECK:       #[[ATOM:.+]] = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32,
// CHECK-LABEL: gpu.func @bf16
// CHECK-NOT:     nvgpu.mma.sync
// CHECK:         kami.mma_sync %{{.+}}, %{{.+}}, %{{.+}} atom #[[ATOM]] : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
#atom = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xbf16, a, #atom>
!b = !kami.fragment<16x8xbf16, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @bf16(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf32>
  gpu.return
}
}

// -----

// So are the larger shapes of f64, which it rejects.

// CHECK-LABEL: gpu.func @f64
// CHECK:         kami.mma_sync %{{.+}}, %{{.+}}, %{{.+}} atom #{{.+}} : vector<4xf64>, vector<2xf64>, vector<4xf64>
#atom = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
!a = !kami.fragment<16x8xf64, a, #atom>
!b = !kami.fragment<8x8xf64, b, #atom>
!c = !kami.fragment<16x8xf64, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @f64(%s: !shared, %x: f64, %m: memref<?x?xf64>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f64 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf64>
  gpu.return
}
}

// -----

// CHECK-LABEL: gpu.func @f64_small
// CHECK:         nvgpu.mma.sync(%{{.+}}, %{{.+}}, %{{.+}}) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
#atom = #kami.mma_atom<mma_sync 8x8x4, f64, f64, f64, ["nv.a.8x4.b64", "nv.b.4x8.b64", "nv.c.8x8.b64"]>
!a = !kami.fragment<8x4xf64, a, #atom>
!b = !kami.fragment<4x8xf64, b, #atom>
!c = !kami.fragment<8x8xf64, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @f64_small(%s: !shared, %x: f64, %m: memref<?x?xf64>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f64 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf64>
  gpu.return
}
}

// -----

// Larger fragments take one instruction for every tile of (m, n, k). For a tile of
// C they add in the order of k.

// CHECK-LABEL: gpu.func @tiles
// CHECK:         %[[C0:.+]] = nvgpu.mma.sync(%[[A0:.+]], %[[B0:.+]], %[[ZERO:.+]]) {
// CHECK:         %[[C1:.+]] = nvgpu.mma.sync(%[[A0]], %[[B1:.+]], %[[ZERO]]) {
// CHECK:         nvgpu.mma.sync(%[[A1:.+]], %[[B2:.+]], %[[C0]]) {
// CHECK:         nvgpu.mma.sync(%[[A1]], %[[B3:.+]], %[[C1]]) {
// CHECK-NOT:     nvgpu.mma.sync
// CHECK:         gpu.return
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x32xf16, a, #atom>
!b = !kami.fragment<32x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @tiles(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf32>
  gpu.return
}
}
