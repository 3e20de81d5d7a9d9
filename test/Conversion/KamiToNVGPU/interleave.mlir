// What a lane has of several tiles is adjacent: 16 bytes of A's rows and of B's,
// of which it builds pairs along k, and of C's.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x32xf16, a, #hmma, interleave = [0, 2]>
!b = !kami.fragment<32x64xf16, b, #hmma, interleave = [2, 8]>
!c = !kami.fragment<16x64xf32, c, #hmma, interleave = [0, 8]>
gpu.module @kernels {
  // Rows g and g + 8 of A; rows 8t to 8t + 7 of B; of C, rows g and g + 8, 16
  // columns each.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-NOT:     memref.load
  // CHECK-COUNT-2: vector.load %arg0{{.*}} {alignment = 16 : i64} : memref<16x32xf16>, vector<8xf16>
  // CHECK-COUNT-8: vector.load %arg1{{.*}} {alignment = 16 : i64} : memref<32x64xf16>, vector<8xf16>
  // CHECK-NOT:     vector.load
  // CHECK-COUNT-16: nvgpu.mma.sync
  // CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64} : memref<16x64xf16>, vector<8xf16>
  // CHECK-NOT:     store
  // CHECK:         gpu.return
  gpu.func @rows(%a: memref<16x32xf16> {llvm.align = 16 : i64}, %b: memref<32x64xf16> {llvm.align = 16 : i64},
                 %d: memref<16x64xf16> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %fa = kami.load %a[%c0, %c0] row_in_bounds column_in_bounds : memref<16x32xf16> -> !a
    %fb = kami.load %b[%c0, %c0] row_in_bounds column_in_bounds : memref<32x64xf16> -> !b
    %start = kami.fill %zero : f32 -> !c
    %sum = kami.mma %fa, %fb, %start : !a, !b, !c
    kami.store %sum, %d[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<16x64xf16>
    gpu.return
  }
}
