// A block takes a ticket with the last but one of the tiles that are dealt to it,
// and with each one after that. Behind the tile its last warp finds the product of
// the ticket's tile, and lists it as the one after the next.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x32x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 264, taken = 2>
module attributes {kami.target = #kami.target<"sm_90">} {
  func.func @grouped(%a: memref<?xf16>, %c: memref<?xf32>, %at: memref<?xi64>, %m: memref<?xi32>) {
    kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
        at(%at, %at, %at : memref<?xi64>, memref<?xi64>, memref<?xi64>)
        sizes(%m, %m, %m : memref<?xi32>, memref<?xi32>, memref<?xi32>) accumulator(f32) plan(#plan)
    return
  }
  // CHECK:       gpu.func @grouped_gemm_dxdxd_f16
  // CHECK:         scf.while (%[[TURN:.+]] = %c0_i32, %[[ALL:.+]] = %c1_i32)
  // CHECK:           arith.cmpi ult, %[[TURN]], %[[ALL]]
  // CHECK:         %{{.+}}, %[[LEFT:.+]] = kami.deal_tiles {{.+}} by 128 holding 2 to %{{[^ ]+}} : memref<512xi32, #gpu.address_space<workgroup>>
  // CHECK:         %[[LAST:.+]] = arith.cmpi uge
  // CHECK:         %[[ANY:.+]] = arith.cmpi ne, %{{.+}}, %c0_i32
  // CHECK:         %[[OPENS:.+]] = arith.andi %[[LAST]], %[[ANY]]
  // CHECK:         scf.if %[[OPENS]]
  // CHECK:           kami.open_tickets %{{.+}} by 128
  // CHECK:         scf.while (%{{.+}} = %c0)
  // CHECK:         ^bb0(%[[NUMBER:.+]]: index):
  // CHECK:           %[[TAKES:.+]] = arith.cmpi uge, %[[NUMBER]]
  // CHECK:           %[[TICKET:.+]] = scf.if %[[TAKES]]
  // CHECK:             kami.take_ticket %{{.+}} of 264 by 128
  // The tiles' code is there once.
  // CHECK:           kami.gemm
  // CHECK-NOT:       kami.gemm
  // CHECK:           scf.if %[[TAKES]]
  // CHECK-NEXT:        gpu.barrier
  // CHECK:             %[[WARP:.+]] = arith.cmpi uge, %[[THREAD:.+]], %c96
  // CHECK-NEXT:        scf.if %[[WARP]]
  // The ticket is the warp's first thread's.
  // CHECK-NEXT:          %[[TOLD:.+]], %{{.+}} = gpu.shuffle idx %[[TICKET]], %c0_i32
  // CHECK:               %[[NONE:.+]] = arith.cmpi uge, %[[TOLD]], %[[LEFT_OVER:.+]] :
  // CHECK:               memref.store %c-1_i32
  // CHECK:               %[[TILE:.+]] = arith.addi %{{.+}}, %[[TOLD]]
  // CHECK:               %[[THERE:.+]] = arith.cmpi ult, %[[TOLD]], %[[LEFT_OVER]]
  // CHECK:               %[[FOUND:.+]] = scf.for
  // CHECK-COUNT-4:         memref.load %{{.+}} : memref<512xi32, #gpu.address_space<workgroup>>
  // CHECK:                 %[[BEGIN:.+]] = arith.shrui %{{.+}}, %c16_i32
  // CHECK:                 arith.subi %[[TILE]], %[[BEGIN]]
  // CHECK:               %[[ANY_FOUND:.+]] = arith.cmpi ne, %[[FOUND]], %c-1_i32
  // CHECK-NEXT:          scf.if %[[ANY_FOUND]]
  // CHECK:                 arith.remui %{{.+}}, %c32
  // CHECK:             kami.publish_ticket %[[TICKET]]
  // CHECK-NEXT:        gpu.barrier
  // CHECK:         gpu.return
}
