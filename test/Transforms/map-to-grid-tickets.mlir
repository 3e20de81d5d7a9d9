// Blocks that prefetch take tiles as they are done with others: each is dealt
// two, and a ticket for the one after the next is taken before a tile and told to
// the block behind it.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#all = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = copied,
                  slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 132, next = prefetched, taken = 1024>
#some = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 132, next = prefetched, taken = 3>
module attributes {kami.target = #kami.target<"sm_90">} {
  // CHECK-LABEL: gpu.func @gemm_64x64x128_f16
  // CHECK-DAG:     %[[DEALT:.+]] = arith.constant 264 : index
  // CHECK-DAG:     %[[LEFT:.+]] = arith.constant 736 : index
  // CHECK:         %[[BLOCK:.+]] = gpu.block_id {{ *}}x
  // Behind the operands' tiles.
  // CHECK:         %[[WORDS:.+]] = memref.view %{{.+}}[%c20480][] : {{.+}} to memref<2xi32, #gpu.address_space<workgroup>>
  // CHECK:         %[[SECOND:.+]] = arith.addi %[[BLOCK]], %c132
  // CHECK:         scf.while (%[[AT:.+]] = %[[BLOCK]], %[[THEN:.+]] = %[[SECOND]], %{{.+}} = %c0)
  // CHECK:           arith.cmpi ult, %[[AT]], %c1000
  // CHECK:         ^bb0(%[[TILE:.+]]: index, %[[NEXT:.+]]: index, %{{.+}}: index):
  // CHECK:           %[[IN_TURN:.+]] = arith.addi %[[NEXT]], %c132
  // CHECK-DAG:       %[[THERE:.+]] = arith.cmpi ult, %[[NEXT]], %c1000
  // CHECK-DAG:       %[[BEYOND:.+]] = arith.cmpi uge, %[[IN_TURN]], %[[DEALT]]
  // CHECK:           %[[TAKES:.+]] = arith.andi
  // CHECK:           %[[TICKET:.+]] = scf.if %[[TAKES]]
  // CHECK:             %[[FIRST:.+]] = arith.cmpi ult, %[[NEXT]], %[[DEALT]]
  // CHECK:             scf.if %[[FIRST]]
  // CHECK:               kami.open_tickets %[[WORDS]] by 128
  // CHECK:             kami.take_ticket %[[WORDS]] of 132 by 128
  // CHECK:           kami.gemm {{.*}}next
  // CHECK:           %[[AFTER:.+]] = scf.if %[[TAKES]]
  // CHECK:             kami.publish_ticket %[[TICKET]] in %[[WORDS]] up_to %[[LEFT]] of 132 by 128
  // CHECK-NEXT:        gpu.barrier
  // CHECK-NEXT:        %[[TOLD:.+]] = memref.load %[[WORDS]][%c0]
  // CHECK-NEXT:        %[[NUMBER:.+]] = arith.index_castui %[[TOLD]]
  // CHECK-NEXT:        %[[TAKEN:.+]] = arith.addi %[[NUMBER]], %[[DEALT]]
  // CHECK-NEXT:        scf.yield %[[TAKEN]]
  // CHECK:             scf.yield %[[IN_TURN]]
  // CHECK:           scf.yield %[[NEXT]], %[[AFTER]],
  func.func @known(%a: memref<1000x64x128xf16>, %b: memref<1000x128x64xf16>, %c: memref<1000x64x64xf32>) {
    kami.gemm ins(%a, %b : memref<1000x64x128xf16>, memref<1000x128x64xf16>) outs(%c : memref<1000x64x64xf32>) accumulator(f32) plan(#all)
    return
  }

  // Where two turns are all that there is, nobody looks for a counter.
  // CHECK-LABEL: gpu.func @gemm_64x64x64_f16
  // CHECK:         %[[ALL:.+]] = memref.dim
  // CHECK:         %[[LAST:.+]] = arith.minui %[[ALL]], %c396
  // CHECK:         %[[TURNS:.+]] = arith.subi %[[ALL]], %[[LAST]]
  // CHECK:         %[[DEALT:.+]] = arith.maxui %[[TURNS]], %c264
  // CHECK:         scf.while
  // CHECK-DAG:       %[[ANY:.+]] = arith.cmpi ult, %[[DEALT]], %[[ALL]]
  // CHECK-DAG:       %[[BEYOND:.+]] = arith.cmpi uge, %{{.+}}, %[[DEALT]]
  // CHECK:           kami.take_ticket
  func.func @dynamic(%a: memref<?x64x64xf16>, %b: memref<?x64x64xf16>, %c: memref<?x64x64xf32>) {
    kami.gemm ins(%a, %b : memref<?x64x64xf16>, memref<?x64x64xf16>) outs(%c : memref<?x64x64xf32>) accumulator(f32) plan(#some)
    return
  }
}
