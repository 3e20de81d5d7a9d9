// A thread each reads a product's sizes and positions, and lists its tiles behind
// those of the threads before it; the block multiplies what is listed, and goes on
// with the same products if these have more, or with the next.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 264, deal = products>
module attributes {kami.target = #kami.target<"sm_90">} {
  func.func @grouped(%a: memref<?xf16>, %c: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
    kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
        at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>)
        sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32) plan(#plan)
    return
  }
  // No more blocks than products, but one.
  // CHECK:       func.func @grouped
  // CHECK:         %[[COUNT_OF_ALL:.+]] = memref.dim
  // CHECK:         %[[BLOCKS:.+]] = arith.minui %[[COUNT_OF_ALL]], %c264
  // CHECK:         %[[LAUNCHED:.+]] = arith.maxui %[[BLOCKS]], %c1
  // CHECK:         gpu.launch_func {{.+}} blocks in (%[[LAUNCHED]],
  // CHECK:       gpu.func @grouped_gemm_dxdxd_f16
  // CHECK-NOT:     kami.deal_tiles
  // CHECK:         %[[PRODUCTS:.+]] = memref.dim
  // CHECK:         scf.while (%[[TURN:.+]] = %c0, %[[DONE:.+]] = %c0)
  // CHECK:           %[[FIRST:.+]] = arith.muli %[[TURN]], %c264
  // CHECK:           arith.addi %[[FIRST]], %block_id_x
  // CHECK:         ^bb0(%[[AT:.+]]: index, %[[BEHIND:.+]]: index):
  // CHECK:           %[[OWN:.+]] = arith.addi %[[AT]], %thread_id_x
  // CHECK:           %[[LAST:.+]] = arith.subi %[[PRODUCTS]], %c1
  // CHECK:           %[[PRODUCT:.+]] = arith.minui %{{.+}}, %[[LAST]]
  // CHECK-COUNT-2:   memref.load %{{.+}}[%[[PRODUCT]]]
  // CHECK:           gpu.barrier
  // CHECK:           %[[TILES:.+]] = arith.select %{{.+}}, %{{.+}}, %c0_i32
  // CHECK:           %[[BEFORE:.+]], %[[ALL:.+]] = kami.prefix_sum %[[TILES]]
  // CHECK:           memref.store %[[ALL]], %[[COUNT:.+]][%c0] : memref<1xi32, #gpu.address_space<workgroup>>
  // CHECK:           %[[FROM:.+]] = arith.maxui %{{.+}}, %[[BEHIND]]
  // To divide is for products that are not listed from their first tile on.
  // CHECK:           %[[FIRST_TILE:.+]] = arith.index_castui %{{.+}} : index to i32
  // CHECK:           %[[IS_LATER:.+]] = arith.cmpi ne, %[[FIRST_TILE]], %c0_i32
  // CHECK:           %[[PLACE:.+]]:2 = scf.if %[[IS_LATER]]
  // CHECK:             arith.divui
  // CHECK:             arith.remui
  // CHECK:           scf.for %{{.+}} = %[[FROM]] to %{{.+}} iter_args(%{{.+}} = %[[PLACE]]#0, %{{.+}} = %[[PLACE]]#1)
  // CHECK:             memref.store
  // CHECK:           gpu.barrier
  // CHECK:           memref.load %[[COUNT]]
  // CHECK:           scf.for
  // CHECK:             kami.gemm
  // CHECK:           %[[GOES_ON:.+]] = arith.cmpi ult
  // CHECK:           arith.select %[[GOES_ON]], %[[AT]]
  // CHECK:         gpu.return
}
