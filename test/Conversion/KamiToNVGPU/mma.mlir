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

// -----

// Integers would saturate; registers have no sign, the atom says it.

// CHECK:       #[[ATOM:.+]] = #kami.mma_atom<mma_sync 16x8x32, ui8, i8, i32,
// CHECK-LABEL: gpu.func @integers
// CHECK:         kami.mma_sync %{{.+}}, %{{.+}}, %{{.+}} atom #[[ATOM]] : vector<16xi8>, vector<8xi8>, vector<4xi32>
#atom = #kami.mma_atom<mma_sync 16x8x32, ui8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x32xui8, a, #atom>
!b = !kami.fragment<32x8xi8, b, #atom>
!c = !kami.fragment<16x8xi32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @integers(%s: !shared, %x: i32, %m: memref<?x?xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : i32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xi32>
  gpu.return
}
}

// -----

// CHECK-LABEL: gpu.func @float8
// CHECK:         kami.mma_sync %{{.+}}, %{{.+}}, %{{.+}} atom #{{.+}} : vector<16xf8E4M3FN>, vector<8xf8E5M2>, vector<4xf32>
#atom = #kami.mma_atom<mma_sync 16x8x32, f8E4M3FN, f8E5M2, f32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x32xf8E4M3FN, a, #atom>
!b = !kami.fragment<32x8xf8E5M2, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @float8(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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

// Fragments of tf32 were rounded when they were loaded.

// CHECK-LABEL: gpu.func @tf32
// CHECK-NOT:     math.fma
// CHECK:         nvgpu.mma.sync(%{{.+}}, %{{.+}}, %{{.+}}) {mmaShape = [16, 8, 4], tf32Enabled} : (vector<2x1xf32>, vector<1x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
#atom = #kami.mma_atom<mma_sync 16x8x4, f32, f32, f32, ["nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x4xf32, a, #atom>
!b = !kami.fragment<4x8xf32, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @tf32(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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

// Three products of the parts, in the order low·high, high·low, high·high. Only
// what is subtracted is freed of the bits that the matrix unit ignores.

// CHECK-LABEL: gpu.func @tf32x3
// CHECK-SAME:    %[[S:.+]]: memref<4096xi8
// CHECK:         %[[A:.+]] = vector.extract %{{.+}}[0] : f32 from vector<2xf32>
// CHECK:         %[[ROUNDED:.+]] = math.fma %{{.+}}, %{{.+}}, %[[A]] : f32
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[ROUNDED]] : f32 to i32
// CHECK:         %[[KEPT:.+]] = arith.andi %[[BITS]], %{{.+}} : i32
// CHECK:         %[[HIGH:.+]] = arith.bitcast %[[KEPT]] : i32 to f32
// CHECK:         %[[REST:.+]] = arith.subf %[[A]], %[[HIGH]] : f32
// CHECK:         %[[LOW:.+]] = math.fma %{{.+}}, %{{.+}}, %[[REST]] : f32
// CHECK-DAG:     %[[HIGH_PART:.+]] = vector.from_elements %[[HIGH]], %{{.+}} : vector<2xf32>
// CHECK-DAG:     %[[LOW_PART:.+]] = vector.from_elements %[[LOW]], %{{.+}} : vector<2xf32>
// CHECK:         %[[LOW_A:.+]] = vector.shape_cast %[[LOW_PART]] : vector<2xf32> to vector<2x1xf32>
// CHECK:         %[[D0:.+]] = nvgpu.mma.sync(%[[LOW_A]], %[[HIGH_B:.+]], %{{.+}}) {
// CHECK:         %[[HIGH_A:.+]] = vector.shape_cast %[[HIGH_PART]] : vector<2xf32> to vector<2x1xf32>
// CHECK:         %[[D1:.+]] = nvgpu.mma.sync(%[[HIGH_A]], %[[LOW_B:.+]], %[[D0]]) {
// CHECK:         nvgpu.mma.sync(%[[HIGH_A]], %[[HIGH_B]], %[[D1]]) {
// CHECK-NOT:     nvgpu.mma.sync
#atom = #kami.mma_atom<mma_sync 16x8x4, f32, f32, f32, ["nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32"], products = 3>
!a = !kami.fragment<16x4xf32, a, #atom>
!b = !kami.fragment<4x8xf32, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @tf32x3(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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

// An instruction of the chip rounds, and frees of the other bits.

// CHECK-LABEL: gpu.func @tf32x3_sm_90
// CHECK:         %[[A:.+]] = vector.extract %{{.+}}[0] : f32 from vector<2xf32>
// CHECK:         %[[ROUNDED:.+]] = nvvm.convert.float.to.tf32 %[[A]] {rnd = #nvvm.fp_rnd_mode<rn>}
// CHECK:         %[[HIGH:.+]] = arith.bitcast %[[ROUNDED]] : i32 to f32
// CHECK:         %[[REST:.+]] = arith.subf %[[A]], %[[HIGH]] : f32
// CHECK:         nvvm.convert.float.to.tf32 %[[REST]] {rnd = #nvvm.fp_rnd_mode<rn>}
// CHECK-NOT:     math.fma
#atom = #kami.mma_atom<mma_sync 16x8x4, f32, f32, f32, ["nv.a.16x4.b32", "nv.b.4x8.b32", "nv.c.16x8.b32"], products = 3>
!a = !kami.fragment<16x4xf32, a, #atom>
!b = !kami.fragment<4x8xf32, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @tf32x3_sm_90(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf32>
  gpu.return
}
}
}

// -----

// Rows l / 4 and l / 4 + 8 of A times columns 2·(l mod 4) and the next of B.

// CHECK-LABEL: gpu.func @fma
// CHECK-SAME:    %{{.+}}, %[[X:.+]]: f32,
// CHECK-DAG:     %[[UPPER:.+]] = vector.extract %[[A:.+]][0] : f32 from vector<2xf32>
// CHECK-DAG:     %[[LOWER:.+]] = vector.extract %[[A]][1] : f32 from vector<2xf32>
// CHECK-DAG:     %[[LEFT:.+]] = vector.extract %[[B:.+]][0] : f32 from vector<2xf32>
// CHECK-DAG:     %[[RIGHT:.+]] = vector.extract %[[B]][1] : f32 from vector<2xf32>
// CHECK:         math.fma %[[UPPER]], %[[LEFT]], %[[X]] : f32
// CHECK:         math.fma %[[UPPER]], %[[RIGHT]], %[[X]] : f32
// CHECK:         math.fma %[[LOWER]], %[[LEFT]], %[[X]] : f32
// CHECK:         math.fma %[[LOWER]], %[[RIGHT]], %[[X]] : f32
// CHECK-NOT:     math.fma
#atom = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x1xf32, a, #atom>
!b = !kami.fragment<1x8xf32, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @fma(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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

// Narrower floats are extended first.

// CHECK-LABEL: gpu.func @fma_float8
// CHECK-COUNT-4: arith.extf %{{.+}} : f8E4M3FN to f32
// CHECK-COUNT-4: math.fma {{.+}} : f32
#atom = #kami.mma_atom<fma 16x8x1, f8E4M3FN, f8E4M3FN, f32, ["nv.a.16x1.b8", "nv.b.1x8.b8", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x1xf8E4M3FN, a, #atom>
!b = !kami.fragment<1x8xf8E4M3FN, b, #atom>
!c = !kami.fragment<16x8xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @fma_float8(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf32>
  gpu.return
}
}
