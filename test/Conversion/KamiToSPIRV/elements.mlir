// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-spirv),canonicalize,cse))' | FileCheck %s

// A region sees elements: the matrix goes through the warp's part of workgroup
// memory, 2 x 4 elements for each of 8 lanes, and what the region makes of them is
// no matrix any more unless an instruction takes it.

// CHECK-LABEL: gpu.func @region
// CHECK-SAME:    workgroup(%[[STAGED:.+]] : memref<128xf32, #gpu.address_space<workgroup>>)
// CHECK:         spirv.KHR.CooperativeMatrixStore
// CHECK:         spirv.MemoryBarrier
// CHECK-COUNT-8: memref.load %[[STAGED]]
// CHECK:         arith.maximumf
// CHECK:         spirv.MemoryBarrier
// CHECK-COUNT-8: memref.store %{{.+}}, %[[STAGED]]
// CHECK:         spirv.MemoryBarrier
// CHECK:         spirv.KHR.CooperativeMatrixLoad
#atom = #kami.mma_atom<cooperative_matrix 8x8x8, f16, f16, f32, ["", "", ""], lanes = 8>
!c = !kami.fragment<8x8xf32, c, #atom>
module attributes {kami.target = #kami.target<"lavapipe">} {
gpu.module @kernels {
gpu.func @region(%m: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf32> -> !c
  %d = kami.map (%x = %c : !c) -> !c {
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %x, %zero : f32
    kami.yield %y : f32
  }
  kami.store %d, %m[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}

// -----

// What lies beyond k is 0 again.

// CHECK-LABEL: gpu.func @clip
// CHECK-SAME:    %[[LIMIT:[a-z0-9]+]]: index
// CHECK:         %[[IN:.+]] = arith.cmpi slt, %{{.+}}, %[[LIMIT]] : index
// CHECK:         arith.select %[[IN]], %{{.+}}, %{{.+}} : f16
#atom = #kami.mma_atom<cooperative_matrix 8x8x8, f16, f16, f32, ["", "", ""], lanes = 8>
!a = !kami.fragment<8x8xf16, a, #atom>
!b = !kami.fragment<8x8xf16, b, #atom>
!c = !kami.fragment<8x8xf32, c, #atom>
module attributes {kami.target = #kami.target<"lavapipe">} {
gpu.module @kernels {
gpu.func @clip(%limit: index, %m: memref<64x64xf16>, %o: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
  %c0 = arith.constant 0 : index
  %a = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !a
  %clipped = kami.clip %a at column %limit : !a
  %b = kami.load %m[%c0, %c0] row_in_bounds column_in_bounds : memref<64x64xf16> -> !b
  %zero = arith.constant 0.0 : f32
  %c = kami.fill %zero : f32 -> !c
  %d = kami.mma %clipped, %b, %c : !a, !b, !c
  kami.store %d, %o[%c0, %c0] row_in_bounds column_in_bounds : !c, memref<64x64xf32>
  gpu.return
}
}
}
