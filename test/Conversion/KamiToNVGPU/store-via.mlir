// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu),canonicalize,cse))' | FileCheck %s

// What is stored via a buffer: a tile's rows at a time, of no more columns than a
// cache line has, go to the buffer, and from there to memory in pieces of 16 bytes.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<32x80xf32, c, #hmma>
!tall = !kami.fragment<32x16xf32, c, #hmma>
!long = !kami.fragment<64x16xf32, c, #hmma>
!narrow = !kami.fragment<16x16xf32, c, #hmma>
!buffer = memref<2304xi8, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {

// 64 columns, 16 columns, and the same of the other rows.
// CHECK-LABEL: gpu.func @parts
// CHECK-SAME:    %[[C:[^:]+]]: memref<32x80xf16
// CHECK:         %[[LINES:.+]] = memref.view %{{.+}} to memref<16x72xf16, #gpu.address_space<workgroup>>
// CHECK-COUNT-4: kami.stmatrix
// CHECK-NOT:     kami.stmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK-COUNT-4: vector.store {{.+}} : memref<{{16|12|8|4}}x64xf16, strided<[80, 1]{{.*}}>>, vector<8xf16>
// CHECK-NOT:     vector.store
// CHECK:         nvvm.bar.warp.sync
// CHECK:         kami.stmatrix
// CHECK-NOT:     kami.stmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [64], sizes: [16, 16], strides: [80, 1]
// CHECK:         vector.store {{.+}} : memref<16x16xf16, strided<[80, 1], offset: 64>>, vector<8xf16>
// CHECK:         nvvm.bar.warp.sync
// CHECK-COUNT-4: kami.stmatrix
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [1280], sizes: [16, 64], strides: [80, 1]
// CHECK:         kami.stmatrix
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [1344], sizes: [16, 16], strides: [80, 1]
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
gpu.func @parts(%c: memref<32x80xf16> {llvm.align = 16 : i64}, %x: f32)
    workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !c
  kami.store %f, %c[%c0, %c0] via %s : !buffer row_in_bounds column_in_bounds : !c, memref<32x80xf16>
  gpu.return
}

// Where a matrix may end within a part, or its lines may begin anywhere, lanes ask,
// once whether lines are aligned.
// CHECK-LABEL: gpu.func @asked
// CHECK:         %[[LOW:.+]] = arith.andi %{{.+}}, %c15
// CHECK:         %[[ALIGNED:.+]] = arith.cmpi eq, %[[LOW]], %c0
// CHECK:         kami.stmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [%{{.+}}, %{{.+}}]
// CHECK:         scf.if %[[ALIGNED]]
// CHECK:           vector.store
// CHECK:         } else {
// CHECK:           memref.store
gpu.func @asked(%c: memref<?x?xf16, strided<[?, 1]>>, %i: index, %x: f32)
    workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fill %x : f32 -> !narrow
  kami.store %f, %c[%i, %i] via %s : !buffer : !narrow, memref<?x?xf16, strided<[?, 1]>>
  gpu.return
}

// Where lines are apart as is known only at run time, what all parts have in common
// is there once.
// CHECK-LABEL: gpu.func @in_loop
// CHECK:         scf.for %[[PART:.+]] = %c0 to %c4 step %c1
// CHECK:           arith.cmpi eq, %[[PART]], %c0
// CHECK:           kami.stmatrix
// CHECK:           arith.cmpi eq, %[[PART]], %c1
// CHECK:           kami.stmatrix
// CHECK:           arith.cmpi eq, %[[PART]], %c2
// CHECK-COUNT-2:   kami.stmatrix
// CHECK-NOT:       kami.stmatrix
// CHECK:           %[[ROW:.+]] = arith.muli %[[PART]], %c16
// CHECK:           nvvm.bar.warp.sync
// CHECK:           memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [%{{.+}}, %{{.+}}]
// CHECK-NOT:       memref.reinterpret_cast
// CHECK:           nvvm.bar.warp.sync
// CHECK-NEXT:    } {llvm.loop_annotation = {{.+}}}
// CHECK-NEXT:    gpu.return
gpu.func @in_loop(%c: memref<?x?xf16, strided<[?, 1]>>, %i: index, %x: f32)
    workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %f = kami.fill %x : f32 -> !long
  kami.store %f, %c[%i, %i] via %s : !buffer : !long, memref<?x?xf16, strided<[?, 1]>>
  gpu.return
}

// Lines of 34 bytes begin anywhere, also the only one of the second part.
// CHECK-LABEL: gpu.func @one_line
// CHECK-NOT:     vector.store
// CHECK:         memref.reinterpret_cast %{{.+}} sizes: [16, 16]
// CHECK-NOT:     vector.store
// CHECK:         memref.reinterpret_cast %{{.+}} sizes: [1, 16]
// CHECK-NOT:     vector.store
// CHECK:         gpu.return
gpu.func @one_line(%c: memref<17x17xf16> {llvm.align = 16 : i64}, %x: f32)
    workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %f = kami.fill %x : f32 -> !tall
  kami.store %f, %c[%c0, %c0] via %s : !buffer column_in_bounds : !tall, memref<17x17xf16>
  gpu.return
}

}
}
