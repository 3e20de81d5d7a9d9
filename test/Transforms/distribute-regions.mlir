// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-distribute-to-warps)),canonicalize,cse)' | FileCheck %s

// An epilogue, once, after the sum over k. A bias of columns is a matrix whose
// rows are one; α is read where it lies, β = 0 leaves C alone.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #hmma, tile = 32x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>

// CHECK-LABEL: gpu.func @epilogue
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<32x8xf16>, %[[BIAS:[a-z0-9]+]]: memref<8xf32>, %[[ALPHA:[a-z0-9]+]]: memref<f32>, %[[BETA:[a-z0-9]+]]: f32)
// CHECK:         %[[SUM:.+]] = scf.for
// CHECK:           kami.mma
// CHECK:         }
// CHECK:         %[[A:.+]] = memref.load %[[ALPHA]][] : memref<f32>
// CHECK:         %[[ALPHAS:.+]] = kami.fill %[[A]]
// CHECK:         %[[BETAS:.+]] = kami.fill %[[BETA]]
// CHECK:         %[[READS:.+]] = arith.cmpf une, %[[BETA]], %{{.+}} : f32
// CHECK:         %[[OLD:.+]] = scf.if %[[READS]] -> (!c16x8_f16) {
// CHECK:           kami.load %[[C]]
// CHECK:         } else {
// CHECK:           kami.fill
// CHECK:         %[[X:.+]] = kami.map (%[[S:.+]] = %[[SUM]] : !c16x8, %[[AX:.+]] = %[[ALPHAS]] : !c16x8, %[[BX:.+]] = %[[BETAS]] : !c16x8, %[[O:.+]] = %[[OLD]] : !c16x8_f16) -> !c16x8 {
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[AX]], %[[S]] : f32
// CHECK-NEXT:      %[[W:.+]] = arith.extf %[[O]] : f16 to f32
// CHECK-NEXT:      %[[Q:.+]] = arith.mulf %[[BX]], %[[W]] : f32
// CHECK-NEXT:      arith.addf %[[P]], %[[Q]] : f32
// CHECK:         %[[VIEW:.+]] = memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [16, 8], strides: [0, 1] : memref<{{.*}}f32> to memref<16x8xf32, strided<[0, 1]>>
// CHECK:         %[[R:.+]] = kami.load %[[VIEW]][%c0, %c0] row_in_bounds column_in_bounds
// CHECK:         %[[Y:.+]] = kami.map (%{{.+}} = %[[X]] : !c16x8, %{{.+}} = %[[R]] : !c16x8) -> !c16x8_f16 {
// CHECK:         kami.store %[[Y]], %[[C]][%{{.+}}, %c0] row_in_bounds column_in_bounds : !c16x8_f16, memref<32x8xf16>
gpu.module @kernels {
  gpu.func @epilogue(%a: memref<32x64xf16>, %b: memref<64x8xf16>, %c: memref<32x8xf16>, %bias: memref<8xf32>, %alpha: memref<f32>, %beta: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    kami.gemm ins(%a, %b : memref<32x64xf16>, memref<64x8xf16>) outs(%c : memref<32x8xf16>) alpha(%alpha : memref<f32>) beta(%beta : f32) accumulator(f32)
        epilogue(%x: f32, %r = %bias : memref<8xf32> at affine_map<(m, n) -> (n)>) {
          %y = arith.addf %x, %r : f32
          %t = arith.truncf %y : f32 to f16
          kami.yield %t : f16
        } plan(#plan)
    gpu.return
  }
}

// -----

// A prologue. A scale of rows is loaded once, before the sum; one of k with each
// slice, at its place in the whole sum. What lies beyond k is made 0 again.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x8x16, transport = staged, slices = {k = 16, shared = [0, 0]}>

// CHECK-LABEL: gpu.func @prologue
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<16x40xi8>, %[[B:[a-z0-9]+]]: memref<40x8xf16>, %[[C:[a-z0-9]+]]: memref<16x8xf32>, %[[S:[a-z0-9]+]]: memref<16xf16>, %[[Z:[a-z0-9]+]]: memref<40xi8>)
// CHECK:         %[[SV:.+]] = memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [16, 16], strides: [1, 0]
// CHECK:         %[[ZV:.+]] = memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [16, 40], strides: [0, 1]
// CHECK:         %[[SX:.+]] = kami.load %[[SV]][%c0, %c0] row_in_bounds column_in_bounds
// CHECK:         scf.for %[[K:.+]] = %c0 to %c40 step %c16
// CHECK:           %[[SIZE:.+]] = arith.minsi
// CHECK:           %[[X:.+]] = kami.load %{{.+}}[%c0, %c0] row_in_bounds : {{.*}} -> !a16x16_i8
// CHECK:           %[[ZX:.+]] = kami.load %[[ZV]][%c0, %[[K]]] row_in_bounds : {{.*}} -> !a16x16_i8
// CHECK:           %[[Y:.+]] = kami.map (%{{.+}} = %[[X]] : !a16x16_i8, %{{.+}} = %[[SX]] : !a16x16, %{{.+}} = %[[ZX]] : !a16x16_i8) -> !a16x16 {
// CHECK:           %[[KEPT:.+]] = kami.clip %[[Y]] at column %[[SIZE]] : !a16x16
// CHECK:           kami.mma %[[KEPT]]
gpu.module @kernels {
  gpu.func @prologue(%q: memref<16x40xi8>, %b: memref<40x8xf16>, %c: memref<16x8xf32>, %s: memref<16xf16>, %z: memref<40xi8>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    kami.gemm ins(%q, %b : memref<16x40xi8>, memref<40x8xf16>) outs(%c : memref<16x8xf32>) accumulator(f32)
        prologue_a(%x: i8, %sx = %s : memref<16xf16> at affine_map<(m, k) -> (m)>, %zx = %z : memref<40xi8> at affine_map<(m, k) -> (k)>) {
          %d = arith.subi %x, %zx : i8
          %f = arith.sitofp %d : i8 to f16
          %y = arith.mulf %f, %sx : f16
          kami.yield %y : f16
        } plan(#plan)
    gpu.return
  }
}
