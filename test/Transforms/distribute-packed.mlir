// Packed products: matrices of several products arrive as one range of memory, each
// lane multiplies rows of one, or each warp one, and C's leave as one range.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps,canonicalize,cse)))' | FileCheck %s

#lane16 = #kami.mma_atom<fma 1x1x1, f16, f16, f32, ["lane.1x1.b16", "lane.1x1.b16", "lane.1x1.b32"]>
#lane32 = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// Three lanes have two rows each of five, the last one its row twice.
#lanes = #kami.plan<one_d, grid = [3, 1, 1], unit = lane, atom = #lane16, tile = 5x2x3, transport = copied,
                    slices = {k = 1, shared = [0, 0]}, teams = 16, output = relayed>
#words = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane32, tile = 4x4x4, transport = copied,
                    slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
#warps = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 17x9x5, transport = copied,
                    slices = {k = 16, shared = [0, 0]}, teams = 8, output = relayed>
gpu.module @kernels {
  // Lines of 30, 12 and 20 bytes are no whole pieces of 16, all together are.
  // CHECK-LABEL: gpu.func @lanes
  // CHECK-DAG:     %[[LAST:.+]] = arith.constant 4 : index
  // CHECK:         kami.copy_async {{.+}} by 48 : memref<1x?xf16> to memref<1x240xf16, #gpu.address_space<workgroup>>
  // CHECK:         kami.copy_async {{.+}} by 48 : memref<1x?xf16> to memref<1x96xf16, #gpu.address_space<workgroup>>
  // CHECK:         kami.copy_wait 0
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         arith.minui {{.+}}, %[[LAST]]
  // CHECK-COUNT-6: math.fma
  // CHECK:         gpu.barrier
  // CHECK:         arith.truncf
  // CHECK:         {{memref|vector}}.store
  // CHECK:         gpu.barrier
  // CHECK:         kami.copy_out {{.+}} by 48 : memref<1x160xf16, #gpu.address_space<workgroup>> to memref<1x?xf16
  gpu.func @lanes(%a: memref<?x5x3xf16>, %b: memref<?x3x2xf16>, %c: memref<?x5x2xf16>) kernel
      attributes {known_block_size = array<i32: 48, 1, 1>} {
    kami.gemm ins(%a, %b : memref<?x5x3xf16>, memref<?x3x2xf16>) outs(%c : memref<?x5x2xf16>) accumulator(f32) plan(#lanes)
    gpu.return
  }

  // Four pieces of 16 bytes a matrix, which begin five apart; rows are words, of A
  // as stored columns, which a lane reads one by one.
  // CHECK-LABEL: gpu.func @words
  // CHECK:         kami.copy_async {{.+}} by 32 : memref<?x16xf32, strided<[20, 1]>> to memref<8x16xf32, strided<[20, 1]>, #gpu.address_space<workgroup>>
  // CHECK:         kami.copy_async {{.+}} by 32 : memref<?x16xf32> to memref<8x16xf32, strided<[20, 1]>, #gpu.address_space<workgroup>>
  // CHECK-COUNT-4: memref.load {{.+}} : memref<160xf32, #gpu.address_space<workgroup>>
  // CHECK:         vector.load {{.+}} : memref<160xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK:         math.fma
  // CHECK:         vector.store {{.+}} : memref<160xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK:         kami.copy_out
  gpu.func @words(%a: memref<?x4x4xf32, strided<[20, 1, 4]>>, %b: memref<?x4x4xf32>, %c: memref<?x4x4xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    kami.gemm ins(%a, %b : memref<?x4x4xf32, strided<[20, 1, 4]>>, memref<?x4x4xf32>) outs(%c : memref<?x4x4xf32>) accumulator(f32) plan(#words)
    gpu.return
  }

  // C's old elements are read where they are, but not where β is 0, or where there
  // is no product.
  // CHECK-LABEL: gpu.func @beta
  // CHECK:         %[[COUNT:.+]] = memref.dim %{{.+}}, %c0
  // CHECK:         %[[HAS:.+]] = arith.cmpi ult, %{{.+}}, %[[COUNT]]
  // CHECK:         scf.if %[[HAS]]
  // CHECK:           %[[ZERO:.+]] = arith.cmpf oeq
  // CHECK:           scf.if %[[ZERO]]
  // CHECK-NEXT:        scf.yield
  // CHECK-NEXT:      } else {
  // CHECK:             memref.load
  // CHECK:           memref.store
  // CHECK-NOT:     kami.copy_out
  gpu.func @beta(%a: memref<?x4x4xf32>, %b: memref<?x4x4xf32>, %c: memref<?x4x4xf32>, %beta: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    kami.gemm ins(%a, %b : memref<?x4x4xf32>, memref<?x4x4xf32>) outs(%c : memref<?x4x4xf32>) beta(%beta : f32) accumulator(f32) plan(#words)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @warps
  // CHECK:         kami.copy_wait 0
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         kami.warp_coordinates [8, 1, 1]
  // CHECK:         kami.load {{.+}} memref<17x5xf16, #gpu.address_space<workgroup>>
  // CHECK:         kami.mma
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         kami.store {{.+}} memref<17x9xf16, #gpu.address_space<workgroup>>
  // CHECK-NEXT:    gpu.barrier
  // CHECK:         kami.copy_out
  gpu.func @warps(%a: memref<?x17x5xf16>, %b: memref<?x5x9xf16>, %c: memref<?x17x9xf16>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    kami.gemm ins(%a, %b : memref<?x17x5xf16>, memref<?x5x9xf16>) outs(%c : memref<?x17x9xf16>) accumulator(f32) plan(#warps)
    gpu.return
  }
}
