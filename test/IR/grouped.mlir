// Products of sizes of their own, and the search for a tile's product.

// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

!i32s = memref<?xi32>
!i64s = memref<?xi64>

// CHECK-DAG: #[[OWN:.+]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>

// CHECK-LABEL: func.func @all
func.func @all(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: !i32s, %n: !i64s,
               %ld: !i32s, %alpha: memref<?xf32>, %beta: f32) {
  // CHECK:      kami.grouped_gemm ins(%{{[^ ,]+}}, %{{[^ ,]+}} : memref<?xf16>, memref<?xf16>) outs(%{{[^ ,]+}} : memref<?xf32>)
  // CHECK-SAME:   at(%{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} : memref<?xi64>, memref<?xi64>, memref<?xi64>) bytes
  // CHECK-SAME:   sizes(%{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} : memref<?xi32>, memref<?xi64>, memref<?xi32>)
  // CHECK-SAME:   leading(%{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} : memref<?xi32>, memref<?xi32>, memref<?xi32>)
  // CHECK-SAME:   alpha(%{{[^ ,]+}} : memref<?xf32>) beta(%{{[^ ,]+}} : f32) transpose_a transpose_b accumulator(f32)
  // CHECK-SAME:   typical [64, 32, 100]
  kami.grouped_gemm ins(%a, %b : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) bytes sizes(%m, %n, %m : !i32s, !i64s, !i32s)
      leading(%ld, %ld, %ld : !i32s, !i32s, !i32s) alpha(%alpha : memref<?xf32>) beta(%beta : f32)
      transpose_a transpose_b accumulator(f32) typical [64, 32, 100]
  return
}

// CHECK-LABEL: func.func @few
func.func @few(%a: memref<?xf32>, %at: !i64s, %m: !i32s) {
  // CHECK: kami.grouped_gemm ins({{.+}}) outs({{.+}}) at({{.+}}) sizes({{.+}}) accumulator(f32) precision<tf32>
  kami.grouped_gemm ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%a : memref<?xf32>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32) precision<tf32>
  return
}

// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%a: memref<?xf16>, %at: !i64s, %m: !i32s, %scale: memref<?xf32>, %bias: memref<?x?xf16>, %all: f32) {
  // CHECK: kami.grouped_gemm ins({{.+}}) outs({{.+}}) at({{.+}}) sizes({{.+}}) accumulator(f32)
  // CHECK-SAME: epilogue (%[[X:[^ ]+]]: f32, %[[S:[^ ]+]] = %{{[^ ]+}} : memref<?xf32> at #[[OWN]], %{{[^ ]+}} = %{{[^ ]+}} : memref<?x?xf16> at #[[ROW]], %{{[^ ]+}} = %{{[^ ]+}} : f32) {
  // CHECK-NEXT: arith.mulf %[[X]], %[[S]]
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%a : memref<?xf16>)
      at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32)
      epilogue(%x: f32, %s = %scale : memref<?xf32> at affine_map<(p, i, j) -> (p)>,
               %t = %bias : memref<?x?xf16> at affine_map<(p, i, j) -> (p, j)>, %u = %all : f32) {
        %0 = arith.mulf %x, %s : f32
        %1 = arith.extf %t : f16 to f32
        %2 = arith.addf %0, %1 : f32
        %3 = arith.addf %2, %u : f32
        %4 = arith.truncf %3 : f32 to f16
        kami.yield %4 : f16
      }
  return
}

// CHECK-LABEL: func.func @deal
func.func @deal(%i: index, %m: !i32s, %n: !i64s, %dealt: memref<32x2xi32, #gpu.address_space<workgroup>>, %scratch: memref<29200xi8, #gpu.address_space<workgroup>>) -> index {
  // CHECK: kami.deal_tiles %{{[^ ,]+}} of 264 from %{{[^ ,]+}} in %{{[^ ,]+}}, %{{[^ ,]+}}, %{{[^ ,]+}} by [64, 128, 32] to %{{[^ ,]+}} through %{{[^ ,]+}} by 256 : memref<?xi32>, memref<?xi64>, memref<?xi32>, memref<32x2xi32, #gpu.address_space<workgroup>>, memref<29200xi8, #gpu.address_space<workgroup>>
  %count, %left = kami.deal_tiles %i of 264 from %i in %m, %n, %m by [64, 128, 32] to %dealt through %scratch by 256
      : !i32s, !i64s, !i32s, memref<32x2xi32, #gpu.address_space<workgroup>>, memref<29200xi8, #gpu.address_space<workgroup>>
  return %count : index
}

// CHECK-LABEL: func.func @sum
func.func @sum(%tiles: i32) -> i32 {
  // CHECK: %[[BEFORE:.+]], %[[ALL:.+]] = kami.prefix_sum %{{.+}}
  %before, %all = kami.prefix_sum %tiles
  return %before : i32
}

// CHECK-LABEL: func.func @hold
func.func @hold(%i: index, %m: !i32s, %dealt: memref<32x2xi32, #gpu.address_space<workgroup>>, %scratch: memref<29200xi8, #gpu.address_space<workgroup>>,
                %rest: memref<792xi32, #gpu.address_space<workgroup>>, %words: memref<2xi32, #gpu.address_space<workgroup>>) -> index {
  // CHECK: kami.open_tickets %{{[^ ,]+}} by 256 : memref<2xi32, #gpu.address_space<workgroup>>
  kami.open_tickets %words by 256 : memref<2xi32, #gpu.address_space<workgroup>>
  // CHECK: %{{.+}}, %[[LEFT:.+]] = kami.deal_tiles %{{.+}} through %{{[^ ,]+}} by 256 holding 2 to %{{[^ ,]+}} : memref<792xi32, #gpu.address_space<workgroup>> : memref<?xi32>
  %count, %left = kami.deal_tiles %i of 264 from %i in %m, %m, %m by [64, 128, 32] to %dealt through %scratch by 256
      holding 2 to %rest : memref<792xi32, #gpu.address_space<workgroup>>
      : !i32s, !i32s, !i32s, memref<32x2xi32, #gpu.address_space<workgroup>>, memref<29200xi8, #gpu.address_space<workgroup>>
  // CHECK: %[[TICKET:.+]] = kami.take_ticket %{{[^ ,]+}} of 264 by 256 : memref<2xi32, #gpu.address_space<workgroup>>
  %ticket = kami.take_ticket %words of 264 by 256 : memref<2xi32, #gpu.address_space<workgroup>>
  // CHECK: kami.publish_ticket %[[TICKET]] in %{{[^ ,]+}} up_to %[[LEFT]] of 264 by 256 : memref<2xi32, #gpu.address_space<workgroup>>
  kami.publish_ticket %ticket in %words up_to %left of 264 by 256 : memref<2xi32, #gpu.address_space<workgroup>>
  return %count : index
}
