// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s
// RUN: sed s/sm_90/sm_89/ %s | kami-opt --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s --check-prefix=SM89
// RUN: sed 's/ attributes {kami.target.*"sm_90">}//' %s | kami-opt --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s --check-prefix=SM89
// SM89-NOT: stmatrix

// Sums that are stored to workgroup memory as 16 bits go there by stmatrix, two tiles
// at once, where the chip has it.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#half = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f16, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16"]>
!c = !kami.fragment<16x24xf32, c, #hmma>
!half = !kami.fragment<16x8xf16, c, #half>
!m = memref<64x64xf16, #gpu.address_space<workgroup>>
!t = memref<64x64xbf16, strided<[1, 64]>, #gpu.address_space<workgroup>>
!wide = memref<64x64xf32, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {

// CHECK-LABEL: gpu.func @scaled
// CHECK-SAME:    %[[M:.+]]: memref<64x64xf16
// CHECK:         %[[SUMS:.+]] = arith.mulf %{{.+}}, %{{.+}} : vector<4x2xf32>
// CHECK:         %[[SHORT:.+]] = arith.truncf %[[SUMS]] : vector<4x2xf32> to vector<4x2xf16>
// CHECK:         %[[LANE:.+]] = arith.remui %{{.+}}, %c32
// CHECK:         %[[ROW:.+]] = arith.andi %[[LANE]], %c15
// CHECK:         %[[COLUMN:.+]] = arith.muli %{{.+}}, %c8
// CHECK:         kami.stmatrix %[[SHORT]], %[[M]][%[[ROW]], %[[COLUMN]]] : vector<4x2xf16>
// CHECK:         kami.stmatrix %{{.+}}, %[[M]][%[[ROW]], %c16] : vector<2x2xf16>
// CHECK-NOT:     store
// CHECK:         gpu.return
gpu.func @scaled(%m: !m {llvm.align = 16 : i64}, %x: f32, %alpha: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%c0, %c0] alpha(%alpha : f32) row_in_bounds column_in_bounds : !c, !m
  gpu.return
}

// CHECK-LABEL: gpu.func @columns
// CHECK:         %[[T:.+]] = memref.transpose
// CHECK:         kami.stmatrix %{{.+}}, %[[T]][%{{.+}}, %{{.+}}] transpose : vector<4x2xbf16>
gpu.func @columns(%m: !t {llvm.align = 16 : i64}, %x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, !t
  gpu.return
}

// CHECK-LABEL: gpu.func @asked
// CHECK:         %[[LOW:.+]] = arith.andi %{{.+}}, %c15
// CHECK:         scf.if
// CHECK:           kami.stmatrix %{{.+}} : vector<2x2xf16>
// CHECK:         } else {
// CHECK:           scf.if
// CHECK:             vector.store
// CHECK:             memref.store
gpu.func @asked(%m: !m, %i: index, %x: f16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fill %x : f16 -> !half
  kami.store %f, %m[%i, %i] : !half, !m
  gpu.return
}

// Old elements are added where sums are, and f32 does not fit.

// CHECK-LABEL: gpu.func @otherwise
// CHECK-NOT:     stmatrix
// CHECK:         gpu.return
gpu.func @otherwise(%m: !m {llvm.align = 16 : i64}, %w: !wide {llvm.align = 16 : i64}, %x: f32, %beta: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %m[%c0, %c0] beta(%beta : f32) row_in_bounds column_in_bounds : !c, !m
  kami.store %f, %w[%c0, %c0] row_in_bounds column_in_bounds : !c, !wide
  gpu.return
}
}
}
