// What is left of the last turns is listed where all tiles of a block are dealt;
// a block that is done with its own takes one after the other.

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
  // CHECK:         kami.open_tickets %[[WORDS:.+]] by 128
  // CHECK:         scf.while (%[[TURN:.+]] = %c0_i32, %[[ALL:.+]] = %c1_i32, %[[OPEN:.+]] = %c0_i32)
  // CHECK-DAG:       %[[DEALT:.+]] = arith.cmpi ult, %[[TURN]], %[[ALL]]
  // CHECK-DAG:       %[[MORE:.+]] = arith.cmpi ne, %[[OPEN]], %c0_i32
  // CHECK:           arith.ori %[[DEALT]], %[[MORE]]
  // CHECK:         %[[STATE:.+]]:4 = scf.if
  // CHECK:           %{{.+}}, %[[LEFT:.+]] = kami.deal_tiles {{.+}} by 128 holding 2 to %{{[^ ]+}} : memref<792xi32, #gpu.address_space<workgroup>>
  // CHECK:         } else {
  // CHECK:           %[[TAKEN:.+]] = kami.take_ticket %[[WORDS]] of 264 by 128
  // CHECK-NEXT:      kami.publish_ticket %[[TAKEN]] in %[[WORDS]] up_to %[[LIMIT:.+]] of 264 by 128
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      %[[WORD:.+]] = memref.load %[[WORDS]][%c0]
  // CHECK-NEXT:      %[[TICKET:.+]] = arith.index_castui %[[WORD]]
  // CHECK-NEXT:      %[[THERE:.+]] = arith.cmpi ult, %[[TICKET]], %[[LIMIT]]
  // Who has a ticket that is none takes no other.
  // CHECK:           %[[STILL:.+]] = arith.select %[[THERE]], %{{.+}}, %c0_i32
  // CHECK:           scf.if
  // CHECK:             %[[ENTRY:.+]] = memref.load %{{.+}}[%[[TICKET]]] : memref<792xi32, #gpu.address_space<workgroup>>
  // CHECK-DAG:         arith.shrui %[[ENTRY]], %c16_i32
  // CHECK-DAG:         arith.andi %[[ENTRY]], %c65535_i32
  // CHECK:           scf.yield %{{.+}}, %{{.+}}, %[[STILL]],
  // The tiles' code is there once.
  // CHECK:         gpu.barrier
  // CHECK:         scf.for %{{.+}} = %c0 to %[[STATE]]#3
  // CHECK:           kami.gemm
  // CHECK-NOT:       kami.gemm
  // CHECK:         gpu.return
}
