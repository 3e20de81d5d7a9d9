// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps),canonicalize,cse))' | FileCheck %s

// One warp has everything, and never goes through shared memory.

// CHECK-LABEL: gpu.func @one_warp
// CHECK-SAME:    %[[A:.+]]: memref<16x32xf16>, %[[B:.+]]: memref<32x8xf16>, %[[C:.+]]: memref<16x8xf32>
// CHECK-NOT:     gpu.dynamic_shared_memory
// CHECK-NOT:     gpu.barrier
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[ACC:.+]] = kami.fill %[[ZERO]] : f32 -> !c16x8
// CHECK-DAG:     %[[FA:.+]] = kami.load %[[A]][%c0, %c0] row_in_bounds column_in_bounds : memref<16x32xf16> -> !a16x32
// CHECK-DAG:     %[[FB:.+]] = kami.load %[[B]][%c0, %c0] row_in_bounds column_in_bounds : memref<32x8xf16> -> !b32x8
// CHECK:         %[[SUM:.+]] = kami.mma %[[FA]], %[[FB]], %[[ACC]]
// CHECK:         kami.store %[[SUM]], %[[C]][%c0, %c0] row_in_bounds column_in_bounds : !c16x8, memref<16x8xf32>
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x8x32, transport = staged, slices = {k = 32, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @one_warp(%a: memref<16x32xf16>, %b: memref<32x8xf16>, %c: memref<16x8xf32>) kernel {
  kami.gemm ins(%a, %b : memref<16x32xf16>, memref<32x8xf16>) outs(%c : memref<16x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// Algorithm 1: a warp has 16 rows of A and 16 of B's 32. In stage z the z-th warp
// sends its part of B to all; A stays where it is.

// CHECK-LABEL: gpu.func @one_d
// CHECK-SAME:    %[[A:.+]]: memref<32x32xf16>, %[[B:.+]]: memref<32x8xf16>, %[[C:.+]]: memref<32x8xf32>
// CHECK:         %[[ROW:.+]], %{{.+}}, %{{.+}} = kami.warp_coordinates [2, 1, 1]
// CHECK:         %[[SHARED:.+]] = gpu.dynamic_shared_memory
// CHECK:         %[[BUFFER:.+]] = memref.view %[[SHARED]][%c0][] : {{.*}} to memref<256xi8,
// CHECK:         %[[ACC:.+]] = kami.fill
// CHECK:         %[[M:.+]] = arith.muli %[[ROW]], %c16
// CHECK:         %[[A0:.+]] = kami.load %[[A]][%[[M]], %c0]
// CHECK:         %[[A1:.+]] = kami.load %[[A]][%[[M]], %c16]
// CHECK:         %[[OWN:.+]] = kami.load %[[B]][%[[M]], %c0]
// CHECK-NEXT:    %[[B0:.+]] = kami.broadcast in [2, 1, 1]
// CHECK-NEXT:      %[[OWN]] : !b16x8 along column from 0 via %[[BUFFER]] :
// CHECK-NEXT:    %[[SUM0:.+]] = kami.mma %[[A0]], %[[B0]], %[[ACC]]
// CHECK-NEXT:    %[[B1:.+]] = kami.broadcast in [2, 1, 1]
// CHECK-NEXT:      %[[OWN]] : !b16x8 along column from 1 via %[[BUFFER]] :
// CHECK-NEXT:    %[[SUM1:.+]] = kami.mma %[[A1]], %[[B1]], %[[SUM0]]
// CHECK-NEXT:    kami.store %[[SUM1]], %[[C]][%[[M]], %c0]
// CHECK-NEXT:    gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @one_d(%a: memref<32x32xf16>, %b: memref<32x8xf16>, %c: memref<32x8xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// Algorithm 2: A travels along rows and B along columns. What one stage sends is
// one op, so that it shares one pair of barriers.

// CHECK-LABEL: gpu.func @two_d
// CHECK-SAME:    %[[A:.+]]: memref<32x32xf16>, %[[B:.+]]: memref<32x16xf16>, %[[C:.+]]: memref<32x16xf32>
// CHECK:         %[[ROW:.+]], %[[COLUMN:.+]], %{{.+}} = kami.warp_coordinates [2, 2, 1]
// CHECK:         %[[VIA_A:.+]] = memref.view %{{.+}}[%c0][] : {{.*}} to memref<1024xi8,
// CHECK:         %[[VIA_B:.+]] = memref.view %{{.+}}[%c1024][] : {{.*}} to memref<512xi8,
// CHECK:         %[[ACC:.+]] = kami.fill
// CHECK-DAG:     %[[K_A:.+]] = arith.muli %[[COLUMN]], %c16
// CHECK-DAG:     %[[M:.+]] = arith.muli %[[ROW]], %c16
// CHECK-DAG:     %[[N:.+]] = arith.muli %[[COLUMN]], %c8
// CHECK-DAG:     %[[OWN_A:.+]] = kami.load %[[A]][%[[M]], %[[K_A]]]
// CHECK-DAG:     %[[OWN_B:.+]] = kami.load %[[B]][%[[M]], %[[N]]]
// CHECK:         %[[S0:.+]]:2 = kami.broadcast in [2, 2, 1]
// CHECK-NEXT:      %[[OWN_A]] : !a16x16 along row from 0 via %[[VIA_A]] : {{.*}},
// CHECK-NEXT:      %[[OWN_B]] : !b16x8 along column from 0 via %[[VIA_B]] :
// CHECK-NEXT:    %[[SUM0:.+]] = kami.mma %[[S0]]#0, %[[S0]]#1, %[[ACC]]
// CHECK-NEXT:    %[[S1:.+]]:2 = kami.broadcast in [2, 2, 1]
// CHECK-NEXT:      %[[OWN_A]] : !a16x16 along row from 1 via %[[VIA_A]] : {{.*}},
// CHECK-NEXT:      %[[OWN_B]] : !b16x8 along column from 1 via %[[VIA_B]] :
// CHECK-NEXT:    %[[SUM1:.+]] = kami.mma %[[S1]]#0, %[[S1]]#1, %[[SUM0]]
// CHECK-NEXT:    kami.store %[[SUM1]], %[[C]][%[[M]], %[[N]]]
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @two_d(%a: memref<32x32xf16>, %b: memref<32x16xf16>, %c: memref<32x16xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// A grid of 2 × 3 takes lcm(2, 3) = 6 stages: A's owner is stage mod 3, B's stage
// mod 2.

// CHECK-LABEL: gpu.func @rectangular
// CHECK:         kami.broadcast in [2, 3, 1]
// CHECK-NEXT:      along row from 0 {{.*}},
// CHECK-NEXT:      along column from 0
// CHECK:         kami.broadcast in [2, 3, 1]
// CHECK-NEXT:      along row from 1 {{.*}},
// CHECK-NEXT:      along column from 1
// CHECK:         kami.broadcast in [2, 3, 1]
// CHECK-NEXT:      along row from 2 {{.*}},
// CHECK-NEXT:      along column from 0
// CHECK:         kami.broadcast in [2, 3, 1]
// CHECK-NEXT:      along row from 0 {{.*}},
// CHECK-NEXT:      along column from 1
// CHECK:         kami.broadcast in [2, 3, 1]
// CHECK-NEXT:      along row from 1 {{.*}},
// CHECK-NEXT:      along column from 0
// CHECK:         kami.broadcast in [2, 3, 1]
// CHECK-NEXT:      along row from 2 {{.*}},
// CHECK-NEXT:      along column from 1
// CHECK-NOT:     kami.broadcast
// CHECK:         gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 3, 1], unit = warp, atom = #hmma, tile = 32x24x96, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @rectangular(%a: memref<32x96xf16>, %b: memref<96x24xf16>, %c: memref<32x24xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x96xf16>, memref<96x24xf16>) outs(%c : memref<32x24xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// Algorithm 3: a layer has every second part of 16 along k; the partial sums are
// added at the end, through a buffer that overlays the operands', and layer 0
// stores.

// CHECK-LABEL: gpu.func @three_d
// CHECK-SAME:    %[[A:.+]]: memref<32x64xf16>, %[[B:.+]]: memref<64x16xf16>, %[[C:.+]]: memref<32x16xf32>, %[[BETA:.+]]: f32
// CHECK:         %[[ROW:.+]], %[[COLUMN:.+]], %[[LAYER:.+]] = kami.warp_coordinates [2, 2, 2]
// CHECK:         %[[START:.+]] = memref.view %[[SHARED:.+]][%c0][] : {{.*}} to memref<2048xi8,
// CHECK:         %[[DOUBLE:.+]] = arith.muli %[[COLUMN]], %c2
// CHECK:         %[[PART:.+]] = arith.addi %[[DOUBLE]], %[[LAYER]]
// CHECK:         %[[K_A:.+]] = arith.muli %[[PART]], %c16
// CHECK:         %[[M:.+]] = arith.muli %[[ROW]], %c16
// CHECK:         kami.load %[[A]][%[[M]], %[[K_A]]]
// CHECK-COUNT-2: kami.broadcast in [2, 2, 2]
// CHECK:         %[[PARTIAL:.+]] = kami.mma
// CHECK-NOT:     kami.broadcast
// CHECK:         %[[SUM:.+]] = kami.reduce in [2, 2, 2] %[[PARTIAL]] via %[[START]] : !c16x8,
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[LAYER]], %c0
// CHECK:         scf.if %[[FIRST]] {
// CHECK-NEXT:      kami.store %[[SUM]], %[[C]][%[[M]], %{{.+}}] beta(%[[BETA]] : f32)
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<three_d, grid = [2, 2, 2], unit = warp, atom = #hmma, tile = 32x16x64, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @three_d(%a: memref<32x64xf16>, %b: memref<64x16xf16>, %c: memref<32x16xf32>, %beta: f32) kernel {
  kami.gemm ins(%a, %b : memref<32x64xf16>, memref<64x16xf16>) outs(%c : memref<32x16xf32>) beta(%beta : f32) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// B is resident, so that only A travels, along rows: who is in another row is not
// waited for. Another plan's product is written where they may still read.

// CHECK-LABEL: gpu.func @within_row
// CHECK:         gpu.barrier
// CHECK-COUNT-4: kami.broadcast in [2, 2, 1] within row
// CHECK-NOT:     gpu.barrier
// CHECK-COUNT-4: kami.broadcast in [2, 2, 1] within row
// CHECK:         gpu.barrier
// CHECK:         kami.broadcast in [1, 4, 1]
// CHECK-NOT:     within
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 32x16x32, transport = staged, slices = {k = 8, shared = [0, 2]}>
#other = #kami.plan<one_d, grid = [1, 4, 1], unit = warp, atom = #dmma, tile = 16x32x64, transport = staged, slices = {k = 8, shared = [0, 0]}>
!b = !kami.distributed<32x16xf64, b, #plan>
gpu.module @kernels {
gpu.func @within_row(%a: memref<32x32xf64>, %b: memref<32x16xf64>, %c: memref<32x16xf64>, %d: memref<16x64xf64>, %e: memref<64x32xf64>, %f: memref<16x32xf64>) kernel {
  %right = kami.distribute %b : memref<32x16xf64> -> !b
  kami.gemm ins(%a, %right : memref<32x32xf64>, !b) outs(%c : memref<32x16xf64>) accumulator(f64) plan(#plan)
  kami.gemm ins(%a, %right : memref<32x32xf64>, !b) outs(%c : memref<32x16xf64>) accumulator(f64) plan(#plan)
  kami.gemm ins(%d, %e : memref<16x64xf64>, memref<64x32xf64>) outs(%f : memref<16x32xf64>) accumulator(f64) plan(#other)
  gpu.return
}
}

// -----

// Gathered, of three dimensions: what is read is of the own column, and layer.

// CHECK-LABEL: gpu.func @gathered_in_layers
// CHECK:         kami.barrier in [2, 1, 2] within column
// CHECK:         kami.fetch
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<three_d, grid = [2, 1, 2], unit = warp, atom = #dmma, tile = 32x8x64, transport = gathered, slices = {k = 8, shared = [0, 2]}>
gpu.module @kernels {
gpu.func @gathered_in_layers(%a: memref<32x64xf64>, %b: memref<64x8xf64>, %c: memref<32x8xf64>) kernel {
  kami.gemm ins(%a, %b : memref<32x64xf64>, memref<64x8xf64>) outs(%c : memref<32x8xf64>) accumulator(f64) plan(#plan)
  gpu.return
}
}

// -----

// Gathered: all owners write all their slices at once, one barrier, and who needs
// one reads it. Slots are numbered by warp.

// CHECK-LABEL: gpu.func @gathered
// CHECK-SAME:    %[[A:.+]]: memref<32x32xf16>, %[[B:.+]]: memref<32x16xf16>
// CHECK-NOT:     kami.broadcast
// CHECK:         %[[ROW:.+]], %[[COLUMN:.+]], %{{.+}} = kami.warp_coordinates [2, 2, 1]
// CHECK:         %[[BEFORE:.+]] = arith.muli %[[ROW]], %c2
// CHECK:         %[[WARP:.+]] = arith.addi %[[BEFORE]], %[[COLUMN]]
// CHECK:         %[[ALL_A:.+]] = memref.view %{{.+}}[%c0][] : {{.*}} to memref<2048xi8,
// CHECK:         %[[ALL_B:.+]] = memref.view %{{.+}}[%c2048][] : {{.*}} to memref<1024xi8,
// CHECK:         %[[OWN_A:.+]] = kami.load %[[A]]
// CHECK:         kami.share %[[OWN_A]], %[[ALL_A]][%[[WARP]]]
// CHECK:         %[[OWN_B:.+]] = kami.load %[[B]]
// CHECK:         kami.share %[[OWN_B]], %[[ALL_B]][%[[WARP]]]
// CHECK-NEXT:    gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[A0:.+]] = kami.fetch %[[ALL_A]][%[[BEFORE]]]
// CHECK:         %[[B0:.+]] = kami.fetch %[[ALL_B]][%[[COLUMN]]]
// CHECK:         kami.mma %[[A0]], %[[B0]]
// CHECK:         %[[SECOND:.+]] = arith.addi %[[BEFORE]], %c1
// CHECK:         %[[A1:.+]] = kami.fetch %[[ALL_A]][%[[SECOND]]]
// CHECK:         %[[BELOW:.+]] = arith.addi %[[COLUMN]], %c2
// CHECK:         %[[B1:.+]] = kami.fetch %[[ALL_B]][%[[BELOW]]]
// CHECK:         kami.mma %[[A1]], %[[B1]]
// CHECK:         kami.store
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = gathered, slices = {k = 16, shared = [1, 1]}>
gpu.module @kernels {
gpu.func @gathered(%a: memref<32x32xf16>, %b: memref<32x16xf16>, %c: memref<32x16xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// The last slice of A and of B waits in shared memory, the others are in
// registers: A's is its own warp's to read, B's everybody's, without a broadcast.

// CHECK-LABEL: gpu.func @parked
// CHECK-SAME:    %[[A:.+]]: memref<32x64xf16>, %[[B:.+]]: memref<64x8xf16>
// CHECK:         %[[ROW:.+]], %{{.+}}, %{{.+}} = kami.warp_coordinates [2, 1, 1]
// CHECK:         %[[PARKED_A:.+]] = memref.view %{{.+}}[%c0][] : {{.*}} to memref<1024xi8,
// CHECK:         %[[PARKED_B:.+]] = memref.view %{{.+}}[%c1024][] : {{.*}} to memref<512xi8,
// CHECK:         %[[BUFFER:.+]] = memref.view %{{.+}}[%c1536][] : {{.*}} to memref<256xi8,
// CHECK:         %[[A3:.+]] = kami.load %[[A]][%{{.+}}, %c48]
// CHECK:         kami.share %[[A3]], %[[PARKED_A]][%[[ROW]]]
// CHECK:         %[[LAST_B:.+]] = kami.load %[[B]]
// CHECK:         kami.share %[[LAST_B]], %[[PARKED_B]][%[[ROW]]]
// CHECK:         %[[A0:.+]] = kami.load %[[A]][%{{.+}}, %c0]
// CHECK:         %[[A1:.+]] = kami.load %[[A]][%{{.+}}, %c16]
// CHECK:         %[[A2:.+]] = kami.load %[[A]][%{{.+}}, %c32]
// CHECK:         %[[OWN:.+]] = kami.load %[[B]]
// CHECK:         gpu.barrier
// CHECK:         %[[B0:.+]] = kami.broadcast in [2, 1, 1]
// CHECK-NEXT:      %[[OWN]] : !b16x8 along column from 0 via %[[BUFFER]]
// CHECK:         kami.mma %[[A0]], %[[B0]]
// CHECK:         %[[B1:.+]] = kami.fetch %[[PARKED_B]][%c0]
// CHECK:         kami.mma %[[A1]], %[[B1]]
// CHECK:         %[[B2:.+]] = kami.broadcast in [2, 1, 1]
// CHECK-NEXT:      %[[OWN]] : !b16x8 along column from 1 via %[[BUFFER]]
// CHECK:         kami.mma %[[A2]], %[[B2]]
// CHECK-DAG:     %[[FETCHED:.+]] = kami.fetch %[[PARKED_A]][%[[ROW]]]
// CHECK-DAG:     %[[B3:.+]] = kami.fetch %[[PARKED_B]][%c1]
// CHECK:         kami.mma %[[FETCHED]], %[[B3]]
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x64, transport = staged, slices = {k = 16, shared = [1, 1]}>
gpu.module @kernels {
gpu.func @parked(%a: memref<32x64xf16>, %b: memref<64x8xf16>, %c: memref<32x8xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x64xf16>, memref<64x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// More terms than the plan takes at a time: a loop over k, whose last tile may be
// shorter. A barrier at its start keeps slices that are still read from being
// overwritten.

// CHECK-LABEL: gpu.func @k_loop
// CHECK-SAME:    %[[A:.+]]: memref<32x90xf16>, %[[B:.+]]: memref<90x16xf16>, %[[C:.+]]: memref<32x16xf32>
// CHECK:         %[[ZERO:.+]] = kami.fill
// CHECK:         %[[SUM:.+]] = scf.for %[[K:.+]] = %c0 to %c90 step %c32 iter_args(%[[ACC:.+]] = %[[ZERO]]) -> (!c16x8)
// CHECK:           %[[LEFT:.+]] = arith.subi %c90, %[[K]]
// CHECK:           %[[SIZE:.+]] = arith.minsi %[[LEFT]], %c32
// CHECK-NEXT:      gpu.barrier
// CHECK-DAG:       %[[TILE_A:.+]] = memref.subview %[[A]][0, %[[K]]] [32, %[[SIZE]]]
// CHECK-DAG:       %[[TILE_B:.+]] = memref.subview %[[B]][%[[K]], 0] [%[[SIZE]], 16]
// CHECK:           kami.load %[[TILE_A]][%{{.+}}, %{{.+}}] row_in_bounds : memref
// CHECK:           kami.share
// CHECK:           kami.load %[[TILE_B]][%{{.+}}, %{{.+}}] column_in_bounds : memref
// CHECK:           kami.share
// CHECK-NEXT:      gpu.barrier
// CHECK:           kami.mma %{{.+}}, %{{.+}}, %[[ACC]]
// CHECK:           %[[NEXT:.+]] = kami.mma
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK:         kami.store %[[SUM]], %[[C]]
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = gathered, slices = {k = 16, shared = [1, 1]}>
gpu.module @kernels {
gpu.func @k_loop(%a: memref<32x90xf16>, %b: memref<90x16xf16>, %c: memref<32x16xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x90xf16>, memref<90x16xf16>) outs(%c : memref<32x16xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// Sizes known at run time: every access is checked against the matrix, and a
// transpose is a matter of strides.

// CHECK-LABEL: gpu.func @dynamic
// CHECK-SAME:    %[[A:.+]]: memref<?x?xf16>, %{{.+}}: memref<?x?xf16>, %[[C:.+]]: memref<?x?xf32>
// CHECK:         %[[T:.+]] = memref.transpose %[[A]] (d0, d1) -> (d1, d0)
// CHECK:         %[[K:.+]] = memref.dim %[[T]], %c1
// CHECK:         scf.for %{{.+}} = %c0 to %[[K]] step %c32
// CHECK-NOT:     in_bounds
// CHECK:         kami.store %{{.+}}, %[[C]]
// CHECK-NOT:     in_bounds
// CHECK:         gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #hmma, tile = 32x16x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @dynamic(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) kernel {
  kami.gemm ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>) transpose_a accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// Stages beyond the product's k hold nothing: five terms in four warps' stages of
// 16 take one broadcast, and only the loads along k are checked.

// CHECK-LABEL: gpu.func @short_k
// CHECK:         kami.load %{{.+}}[%{{.+}}, %{{.+}}] row_in_bounds : memref<64x5xf16>
// CHECK:         kami.load %{{.+}}[%{{.+}}, %{{.+}}] column_in_bounds : memref<5x8xf16>
// CHECK-COUNT-1: kami.broadcast
// CHECK-NOT:     kami.broadcast
// CHECK:         kami.store
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma, tile = 64x8x5, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @short_k(%a: memref<64x5xf16>, %b: memref<5x8xf16>, %c: memref<64x8xf32>) kernel {
  kami.gemm ins(%a, %b : memref<64x5xf16>, memref<5x8xf16>) outs(%c : memref<64x8xf32>) accumulator(f32) plan(#plan)
  gpu.return
}
}

// -----

// After a broadcast nobody reads its buffer any more, so that the next product in
// a loop needs no barrier of its own.

// CHECK-LABEL: gpu.func @loop_of_products
// CHECK-NOT:     gpu.barrier
// CHECK:         kami.broadcast
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @loop_of_products(%a: memref<32x16xf16>, %b: memref<16x8xf16>, %c: memref<32x8xf32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    kami.gemm ins(%a, %b : memref<32x16xf16>, memref<16x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#plan)
  }
  gpu.return
}
}

// -----

// What was gathered may still be read when the next product begins; so may the
// first of two buffers after one broadcast.

// CHECK-LABEL: gpu.func @loop_of_gathered
// CHECK:         scf.for
// CHECK-NOT:       kami.share
// CHECK-NOT:       kami.broadcast
// CHECK:           gpu.barrier
// CHECK:           kami.share
// CHECK:           gpu.barrier
// CHECK:           kami.fetch
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#gathered = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = gathered, slices = {k = 16, shared = [0, 1]}>
gpu.module @kernels {
gpu.func @loop_of_gathered(%a: memref<32x16xf16>, %b: memref<16x8xf16>, %c: memref<32x8xf32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    kami.gemm ins(%a, %b : memref<32x16xf16>, memref<16x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#gathered)
  }
  gpu.return
}
}

// -----

// CHECK-LABEL: gpu.func @double_buffered
// CHECK:         scf.for
// CHECK-NOT:       kami.share
// CHECK-NOT:       kami.broadcast
// CHECK:           gpu.barrier
// CHECK:           %[[FIRST:.+]] = memref.view %{{.+}}[%c0][]
// CHECK:           %[[SECOND:.+]] = memref.view %{{.+}}[%c256][]
// CHECK:           kami.broadcast in [3, 1, 1] no_trailing_barrier
// CHECK-NEXT:        along column from 0 via %[[FIRST]]
// CHECK:           kami.broadcast in [3, 1, 1] no_trailing_barrier
// CHECK-NEXT:        along column from 1 via %[[SECOND]]
// CHECK:           kami.broadcast in [3, 1, 1] no_trailing_barrier
// CHECK-NEXT:        along column from 2 via %[[FIRST]]
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#double = #kami.plan<one_d, grid = [3, 1, 1], unit = warp, atom = #hmma, tile = 48x8x48, transport = double_buffered, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @double_buffered(%a: memref<48x48xf16>, %b: memref<48x8xf16>, %c: memref<48x8xf32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    kami.gemm ins(%a, %b : memref<48x48xf16>, memref<48x8xf16>) outs(%c : memref<48x8xf32>) accumulator(f32) plan(#double)
  }
  gpu.return
}
}

// -----

// Two broadcasts through two buffers: the second one may still be read. The
// next product of the same plan begins with the first, another plan's anywhere.

// CHECK-LABEL: gpu.func @double_buffered_alike
// CHECK:         kami.mma
// CHECK:         kami.mma
// CHECK-NOT:     gpu.barrier
// CHECK:         kami.broadcast
// CHECK-LABEL: gpu.func @double_buffered_and_others
// CHECK-COUNT-2: kami.broadcast
// CHECK:         gpu.barrier
// CHECK:         kami.broadcast
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#double = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x32, transport = double_buffered, slices = {k = 16, shared = [0, 0]}>
#other = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @double_buffered_alike(%a: memref<32x32xf16>, %b: memref<32x8xf16>, %c: memref<32x8xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#double)
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#double)
  gpu.return
}
gpu.func @double_buffered_and_others(%a: memref<32x32xf16>, %b: memref<32x8xf16>, %c: memref<32x8xf32>, %d: memref<32x24xf16>, %e: memref<32x24xf32>) kernel {
  kami.gemm ins(%a, %b : memref<32x32xf16>, memref<32x8xf16>) outs(%c : memref<32x8xf32>) accumulator(f32) plan(#double)
  kami.gemm ins(%a, %d : memref<32x32xf16>, memref<32x24xf16>) outs(%e : memref<32x24xf32>) accumulator(f32) plan(#other)
  gpu.return
}
}
