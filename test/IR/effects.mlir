// RUN: kami-opt %s --allow-unregistered-dialect --cse --loop-invariant-code-motion --cse | FileCheck %s

// What waits for other warps, and what depends on when memory is read, keeps its
// place; the rest is free to move.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!b = !kami.fragment<16x64xf16, b, #hmma>
!c = !kami.fragment<32x64xf32, c, #hmma>
!workgroup = memref<32768xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func @same_fetches_merge
// CHECK:         %[[F:.+]] = kami.fetch
// CHECK-NOT:     kami.fetch
// CHECK:         return %[[F]], %[[F]]
func.func @same_fetches_merge(%buffer: !workgroup, %i: index) -> (!a, !a) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  %1 = kami.fetch %buffer[%i] : !workgroup -> !a
  return %0, %1 : !a, !a
}

// CHECK-LABEL: func @same_loads_merge
// CHECK:         %[[F:.+]] = kami.load
// CHECK-NOT:     kami.load
// CHECK:         return %[[F]], %[[F]]
func.func @same_loads_merge(%m: memref<64x64xf16>, %i: index) -> (!a, !a) {
  %0 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  %1 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  return %0, %1 : !a, !a
}

// Another place, another role: another value.

// CHECK-LABEL: func @other_fetches_stay
// CHECK-COUNT-3: kami.fetch
func.func @other_fetches_stay(%buffer: !workgroup, %i: index, %j: index) -> (!a, !a, !b) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  %1 = kami.fetch %buffer[%j] : !workgroup -> !a
  %2 = kami.fetch %buffer[%i] : !workgroup -> !b
  return %0, %1, %2 : !a, !a, !b
}

// CHECK-LABEL: func @fetches_across_share
// CHECK:         kami.fetch
// CHECK-NEXT:    kami.share
// CHECK-NEXT:    kami.fetch
func.func @fetches_across_share(%f: !a, %buffer: !workgroup, %i: index) -> (!a, !a) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  kami.share %f, %buffer[%i] : !a, !workgroup
  %1 = kami.fetch %buffer[%i] : !workgroup -> !a
  return %0, %1 : !a, !a
}

// CHECK-LABEL: func @fetches_across_barrier
// CHECK:         kami.fetch
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    kami.fetch
func.func @fetches_across_barrier(%buffer: !workgroup, %i: index) -> (!a, !a) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  gpu.barrier
  %1 = kami.fetch %buffer[%i] : !workgroup -> !a
  return %0, %1 : !a, !a
}

// A broadcast is a barrier for all memory, not for its own buffer alone.

// CHECK-LABEL: func @reads_across_broadcast
// CHECK:         kami.fetch
// CHECK-NEXT:    kami.load
// CHECK-NEXT:    kami.broadcast
// CHECK:         kami.fetch
// CHECK-NEXT:    kami.load
func.func @reads_across_broadcast(%f: !a, %m: memref<64x64xf16>, %buffer: !workgroup, %other: !workgroup, %i: index) -> (!a, !a, !a, !a, !a) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  %1 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  %2 = kami.broadcast in [1, 2, 1] %f : !a along row from 0 via %other : !workgroup
  %3 = kami.fetch %buffer[%i] : !workgroup -> !a
  %4 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  return %0, %1, %2, %3, %4 : !a, !a, !a, !a, !a
}

// CHECK-LABEL: func @reads_across_reduce
// CHECK:         kami.fetch
// CHECK-NEXT:    kami.load
// CHECK-NEXT:    kami.reduce
// CHECK-NEXT:    kami.fetch
// CHECK-NEXT:    kami.load
func.func @reads_across_reduce(%c: !c, %m: memref<64x64xf16>, %buffer: !workgroup, %other: !workgroup, %i: index) -> (!a, !a, !c, !a, !a) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  %1 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  %2 = kami.reduce in [2, 2, 2] %c via %other : !c, !workgroup
  %3 = kami.fetch %buffer[%i] : !workgroup -> !a
  %4 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  return %0, %1, %2, %3, %4 : !a, !a, !c, !a, !a
}

// CHECK-LABEL: func @loads_across_store
// CHECK:         kami.load
// CHECK-NEXT:    kami.store
// CHECK-NEXT:    kami.load
func.func @loads_across_store(%c: !c, %m: memref<64x64xf16>, %i: index) -> (!a, !a) {
  %0 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  kami.store %c, %m[%i, %i] : !c, memref<64x64xf16>
  %1 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  return %0, %1 : !a, !a
}

// Stages that look alike are different ones.

// CHECK-LABEL: func @same_messages_stay
// CHECK-COUNT-2: kami.broadcast
// CHECK-COUNT-2: kami.reduce
// CHECK-COUNT-2: kami.share
func.func @same_messages_stay(%a: !a, %c: !c, %buffer: !workgroup, %i: index) -> (!a, !a, !c, !c) {
  %0 = kami.broadcast in [1, 2, 1] %a : !a along row from 0 via %buffer : !workgroup
  %1 = kami.broadcast in [1, 2, 1] %a : !a along row from 0 via %buffer : !workgroup
  %2 = kami.reduce in [2, 2, 2] %c via %buffer : !c, !workgroup
  %3 = kami.reduce in [2, 2, 2] %c via %buffer : !c, !workgroup
  kami.share %a, %buffer[%i] : !a, !workgroup
  kami.share %a, %buffer[%i] : !a, !workgroup
  return %0, %1, %2, %3 : !a, !a, !c, !c
}

// Out of a loop go coordinates, fills and products of loop-invariant fragments;
// nothing that reads, writes or waits does.

// CHECK-LABEL: func @loop
// CHECK:         kami.warp_coordinates
// CHECK-NEXT:    kami.fill
// CHECK-NEXT:    kami.mma
// CHECK:         scf.for
// CHECK-NEXT:      kami.load
// CHECK-NEXT:      kami.broadcast
// CHECK:           kami.share
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      kami.fetch
// CHECK-NEXT:      kami.reduce
// CHECK-NEXT:      kami.store
func.func @loop(%a: !a, %b: !b, %m: memref<64x64xf16>, %buffer: !workgroup, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row, %column, %layer = kami.warp_coordinates [2, 2, 2]
    %zero = kami.fill %x : f32 -> !c
    %sum = kami.mma %a, %b, %zero : !a, !b, !c
    %a1 = kami.load %m[%row, %column] : memref<64x64xf16> -> !a
    %a2 = kami.broadcast in [2, 2, 2] %a1 : !a along row from 0 via %buffer : !workgroup
    kami.share %a2, %buffer[%layer] : !a, !workgroup
    gpu.barrier
    %a3 = kami.fetch %buffer[%layer] : !workgroup -> !a
    %total = kami.reduce in [2, 2, 2] %sum via %buffer : !c, !workgroup
    kami.store %total, %m[%row, %column] : !c, memref<64x64xf16>
    "test.use"(%a3) : (!a) -> ()
  }
  return
}

// What is fetched and never used may go: reading is no effect to keep.

// CHECK-LABEL: func @unused_reads_go
// CHECK-NEXT:    return
func.func @unused_reads_go(%m: memref<64x64xf16>, %buffer: !workgroup, %i: index) {
  %0 = kami.fetch %buffer[%i] : !workgroup -> !a
  %1 = kami.load %m[%i, %i] : memref<64x64xf16> -> !a
  return
}

// β decides whether a product reads C, and a load of C may be merged across it
// never: C is written.

// CHECK-LABEL: func @product_writes_c
// CHECK:         kami.load
// CHECK:         kami.gemm
// CHECK:         kami.load
func.func @product_writes_c(%a: memref<64x64xf16>, %c: memref<64x64xf16>, %i: index) -> (!a, !a) {
  %0 = kami.load %c[%i, %i] : memref<64x64xf16> -> !a
  kami.gemm ins(%a, %a : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) accumulator(f32)
  %1 = kami.load %c[%i, %i] : memref<64x64xf16> -> !a
  return %0, %1 : !a, !a
}

// On tensors a product is a value: equal ones are one, in loops too.

// CHECK-LABEL: func @products_of_tensors
// CHECK:         %[[D:.+]] = kami.gemm
// CHECK-NOT:     kami.gemm
// CHECK:         scf.for
// CHECK-NOT:     kami.gemm
// CHECK:         return %[[D]], %[[D]]
func.func @products_of_tensors(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>, %n: index) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32) -> tensor<8x8xf32>
  %1 = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32) -> tensor<8x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %2 = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32) -> tensor<8x8xf32>
    "test.use"(%2) : (tensor<8x8xf32>) -> ()
  }
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
