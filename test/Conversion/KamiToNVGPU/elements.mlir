// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu)),canonicalize,cse)' --split-input-file | FileCheck %s

// A region works on the vector of a lane's registers; a constant is a splat.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>

// CHECK-LABEL: gpu.func @map
// CHECK-SAME:    %[[X:.+]]: f32, %{{.+}}: memref<16x8xf16>)
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK:         %[[V:.+]] = vector.broadcast %[[X]] : f32 to vector<4xf32>
// CHECK:         %[[P:.+]] = arith.cmpf ogt, %[[V]], %[[ZERO]] : vector<4xf32>
// CHECK:         %[[S:.+]] = arith.select %[[P]], %[[V]], %[[ZERO]] : vector<4xi1>, vector<4xf32>
// CHECK:         arith.truncf %[[S]] : vector<4xf32> to vector<4xf16>
gpu.module @kernels {
  gpu.func @map(%x: f32, %m: memref<16x8xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = arith.constant 0 : index
    %f = kami.fill %x : f32 -> !c
    %g = kami.map (%e = %f : !c) -> !h {
      %zero = arith.constant 0.0 : f32
      %p = arith.cmpf ogt, %e, %zero : f32
      %s = arith.select %p, %e, %zero : f32
      %t = arith.truncf %s : f32 to f16
      kami.yield %t : f16
    }
    kami.store %g, %m[%i, %i] row_in_bounds column_in_bounds : !h, memref<16x8xf16>
    gpu.return
  }
}

// -----

// The vector of a bias has one element for each column of the lane's: two of
// eight loads in two tiles of rows. Of a scale of rows it is four.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x8xf32, c, #hmma>

// CHECK-LABEL: gpu.func @repeated
// CHECK-COUNT-2: memref.load %{{.+}} : memref<32x8xf32, strided<[0, 1]>>
// CHECK-NOT:     memref.load %{{.+}} : memref<32x8xf32, strided<[0, 1]>>
// CHECK-COUNT-4: memref.load %{{.+}} : memref<32x8xf32, strided<[1, 0]>>
// CHECK-NOT:     memref.load
gpu.module @kernels {
  gpu.func @repeated(%b: memref<32x8xf32, strided<[0, 1]>>, %s: memref<32x8xf32, strided<[1, 0]>>, %m: memref<32x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = arith.constant 0 : index
    %f = kami.load %b[%i, %i] row_in_bounds column_in_bounds : memref<32x8xf32, strided<[0, 1]>> -> !c
    kami.store %f, %m[%i, %i] row_in_bounds column_in_bounds : !c, memref<32x8xf32>
    %g = kami.load %s[%i, %i] row_in_bounds column_in_bounds : memref<32x8xf32, strided<[1, 0]>> -> !c
    kami.store %g, %m[%i, %i] row_in_bounds column_in_bounds : !c, memref<32x8xf32>
    gpu.return
  }
}

// -----

// Registers of A lie in four columns: as many comparisons.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<16x16xf16, a, #hmma>

// CHECK-LABEL: gpu.func @clip
// CHECK-SAME:    %{{.+}}: memref<16x16xf16>, %[[LIMIT:.+]]: index, %{{.+}}: memref<16384xi8
// CHECK-COUNT-4: arith.cmpi slt, %{{.+}}, %[[LIMIT]] : index
// CHECK-NOT:     arith.cmpi
// CHECK:         vector.from_elements
gpu.module @kernels {
  gpu.func @clip(%m: memref<16x16xf16>, %limit: index, %buffer: memref<16384xi8, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %i = arith.constant 0 : index
    %f = kami.load %m[%i, %i] row_in_bounds column_in_bounds : memref<16x16xf16> -> !a
    %g = kami.clip %f at column %limit : !a
    kami.share %g, %buffer[%i] : !a, memref<16384xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
