// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-amdgpu),canonicalize,cse))' | FileCheck %s

// A lane's registers are the instruction's operands.

// CHECK-LABEL: gpu.func @f16
// CHECK:         amdgpu.mfma 16x16x16 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
#atom = #kami.mma_atom<mfma 16x16x16, f16, f16, f32, ["cdna.a.16x16.b16", "cdna.b.16x16.b16", "cdna.c.16x16.b32"]>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @f16(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
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

// CHECK-LABEL: gpu.func @wide
// CHECK:         amdgpu.mfma 32x32x16 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
#atom = #kami.mma_atom<mfma 32x32x16, bf16, bf16, f32, ["cdna.a.32x16.b16", "cdna.b.16x32.b16", "cdna.c.32x32.b32"]>
!a = !kami.fragment<32x16xbf16, a, #atom>
!b = !kami.fragment<16x32xbf16, b, #atom>
!c = !kami.fragment<32x32xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx950">} {
gpu.module @kernels {
gpu.func @wide(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
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

// A lane's only value is no vector.

// CHECK-LABEL: gpu.func @f32
// CHECK:         amdgpu.mfma 16x16x4 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : f32, f32, vector<4xf32>
#atom = #kami.mma_atom<mfma 16x16x4, f32, f32, f32, ["cdna.a.16x4.b32", "cdna.b.4x16.b32", "cdna.c.16x16.b32"]>
!a = !kami.fragment<16x4xf32, a, #atom>
!b = !kami.fragment<4x16xf32, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx90a">} {
gpu.module @kernels {
gpu.func @f32(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
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

// CHECK-LABEL: gpu.func @f64
// CHECK:         amdgpu.mfma 16x16x4 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : f64, f64, vector<4xf64>
#atom = #kami.mma_atom<mfma 16x16x4, f64, f64, f64, ["cdna.a.16x4.b64", "cdna.b.4x16.b64", "cdna.c.16x16.b64"]>
!a = !kami.fragment<16x4xf64, a, #atom>
!b = !kami.fragment<4x16xf64, b, #atom>
!c = !kami.fragment<16x16xf64, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx90a">} {
gpu.module @kernels {
gpu.func @f64(%s: !shared, %x: f64, %m: memref<?x?xf64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f64 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf64>
  gpu.return
}
}
}

// -----

// 16 rows and 4 columns are 4 blocks of 4 rows.

// CHECK-LABEL: gpu.func @f64_blocks
// CHECK:         %[[D:.+]] = amdgpu.mfma 4x4x4 %{{.+}} * %{{.+}} + %{{.+}} {blocks = 4 : i32} blgp = none : f64, f64, f64
// CHECK:         memref.store %[[D]]
#atom = #kami.mma_atom<mfma 16x4x4, f64, f64, f64, ["cdna.a.16x4.b64", "cdna.b.4x4.b64", "cdna.c.16x4.b64"]>
!a = !kami.fragment<16x4xf64, a, #atom>
!b = !kami.fragment<4x4xf64, b, #atom>
!c = !kami.fragment<16x4xf64, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx90a">} {
gpu.module @kernels {
gpu.func @f64_blocks(%s: !shared, %x: f64, %m: memref<?x?xf64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : f64 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xf64>
  gpu.return
}
}
}

// -----

// CHECK-LABEL: gpu.func @f16_blocks
// CHECK:         amdgpu.mfma 4x4x4 %{{.+}} * %{{.+}} + %{{.+}} {blocks = 16 : i32} blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
#atom = #kami.mma_atom<mfma 64x4x4, f16, f16, f32, ["cdna.a.64x4.b16", "cdna.b.4x4.b16", "cdna.c.64x4.b32"]>
!a = !kami.fragment<64x4xf16, a, #atom>
!b = !kami.fragment<4x4xf16, b, #atom>
!c = !kami.fragment<64x4xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @f16_blocks(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
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

// CHECK-LABEL: gpu.func @i8
// CHECK:         amdgpu.mfma 16x16x32 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : vector<8xi8>, vector<8xi8>, vector<4xi32>
#atom = #kami.mma_atom<mfma 16x16x32, i8, i8, i32, ["cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32"]>
!a = !kami.fragment<16x32xi8, a, #atom>
!b = !kami.fragment<32x16xi8, b, #atom>
!c = !kami.fragment<16x16xi32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @i8(%s: !shared, %x: i32, %m: memref<?x?xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : i32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xi32>
  gpu.return
}
}
}

// -----

// CHECK-LABEL: gpu.func @fp8
// CHECK:         amdgpu.mfma 16x16x32 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : vector<8xf8E4M3FN>, vector<8xf8E5M2>, vector<4xf32>
#atom = #kami.mma_atom<mfma 16x16x32, f8E4M3FN, f8E5M2, f32, ["cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32"]>
!a = !kami.fragment<16x32xf8E4M3FN, a, #atom>
!b = !kami.fragment<32x16xf8E5M2, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx950">} {
gpu.module @kernels {
gpu.func @fp8(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
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

// CHECK-LABEL: gpu.func @fnuz
// CHECK:         amdgpu.mfma 16x16x32 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : vector<8xf8E4M3FNUZ>, vector<8xf8E5M2FNUZ>, vector<4xf32>
#atom = #kami.mma_atom<mfma 16x16x32, f8E4M3FNUZ, f8E5M2FNUZ, f32, ["cdna.a.16x32.b8", "cdna.b.32x16.b8", "cdna.c.16x16.b32"]>
!a = !kami.fragment<16x32xf8E4M3FNUZ, a, #atom>
!b = !kami.fragment<32x16xf8E5M2FNUZ, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx942">} {
gpu.module @kernels {
gpu.func @fnuz(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
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

// RDNA 3 has a whole row of A in two lanes, RDNA 4 half of it in each.

// CHECK-LABEL: gpu.func @replicated
// CHECK:         amdgpu.wmma 16x16x16 %{{.+}} * %{{.+}} + %{{.+}} : vector<16xf16>, vector<16xf16>, vector<8xf32>
#atom = #kami.mma_atom<wmma 16x16x16, f16, f16, f32, ["rdna3.a.16x16.b16", "rdna3.b.16x16.b16", "rdna3.c.16x16.b32"]>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx1100">} {
gpu.module @kernels {
gpu.func @replicated(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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

// CHECK-LABEL: gpu.func @halves
// CHECK:         amdgpu.wmma 16x16x16 %{{.+}} * %{{.+}} + %{{.+}} : vector<8xf16>, vector<8xf16>, vector<8xf32>
#atom = #kami.mma_atom<wmma 16x16x16, f16, f16, f32, ["rdna4.a.16x16.b16", "rdna4.b.16x16.b16", "rdna4.c.16x16.b32"]>
!a = !kami.fragment<16x16xf16, a, #atom>
!b = !kami.fragment<16x16xf16, b, #atom>
!c = !kami.fragment<16x16xf32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx1201">} {
gpu.module @kernels {
gpu.func @halves(%s: !shared, %x: f32, %m: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
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

// Each operand may have a sign or not.

// CHECK-LABEL: gpu.func @signs
// CHECK:         amdgpu.wmma 16x16x16 %{{.+}} * %{{.+}} + %{{.+}} {unsignedA} : vector<16xi8>, vector<16xi8>, vector<8xi32>
#atom = #kami.mma_atom<wmma 16x16x16, ui8, i8, i32, ["rdna3.a.16x16.b8", "rdna3.b.16x16.b8", "rdna3.c.16x16.b32"]>
!a = !kami.fragment<16x16xui8, a, #atom>
!b = !kami.fragment<16x16xi8, b, #atom>
!c = !kami.fragment<16x16xi32, c, #atom>
!shared = memref<4096xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"gfx1100">} {
gpu.module @kernels {
gpu.func @signs(%s: !shared, %x: i32, %m: memref<?x?xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %acc = kami.fill %x : i32 -> !c
  %a = kami.fetch %s[%c0] : !shared -> !a
  %b = kami.fetch %s[%c0] : !shared -> !b
  %d = kami.mma %a, %b, %acc : !a, !b, !c
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<?x?xi32>
  gpu.return
}
}
}
