// Of tf32 that groups multiply, a product's tiles are as alike as steps let them be:
// rows to the element, columns of B, which lie beside each other, to what is a
// sector of C. Of others all but the last are full.

// RUN: kami-opt %s --kami-map-to-grid --canonicalize --cse | FileCheck %s

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#f16 = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#alike = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #tf32, tile = 128x64x32, transport = copied,
                    slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 264>
#full = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #f16, tile = 64x64x32, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 3, blocks = 264>
!i32s = memref<?xi32>
!i64s = memref<?xi64>
module attributes {kami.target = #kami.target<"sm_90">} {
  func.func @alike(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %at: !i64s, %m: !i32s, %n: !i32s, %k: !i32s) {
    kami.grouped_gemm ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
        at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %n, %k : !i32s, !i32s, !i32s)
        accumulator(f32) precision<tf32> plan(#alike)
    return
  }
  func.func @full(%a: memref<?xf16>, %b: memref<?xf16>, %c: memref<?xf32>, %at: !i64s, %m: !i32s, %n: !i32s, %k: !i32s) {
    kami.grouped_gemm ins(%a, %b : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
        at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %n, %k : !i32s, !i32s, !i32s)
        accumulator(f32) plan(#full)
    return
  }

  // CHECK:       gpu.func @grouped_gemm_dxdxd_f32
  // CHECK:         %[[M:.+]] = arith.maxsi
  // CHECK:         %[[N:.+]] = arith.maxsi
  // CHECK:         %[[DOWN:.+]] = arith.ceildivui %[[M]], %c128
  // CHECK:         %[[ACROSS:.+]] = arith.ceildivui %[[N]], %c64
  // CHECK:         arith.maxui %{{.+}}, %c1
  // CHECK:         %[[ROWS:.+]] = arith.ceildivui %[[M]]
  // CHECK:         arith.maxui %{{.+}}, %c1
  // CHECK:         %[[PART:.+]] = arith.ceildivui %[[N]]
  // CHECK:         %[[STEPS:.+]] = arith.ceildivui %[[PART]], %c8
  // CHECK:         %[[COLUMNS:.+]] = arith.muli %[[STEPS]], %c8
  // CHECK:         %[[ROW:.+]] = arith.muli %{{.+}}, %[[ROWS]]
  // CHECK:         %[[COLUMN:.+]] = arith.muli %{{.+}}, %[[COLUMNS]]
  // CHECK:         %[[BELOW:.+]] = arith.subi %[[M]], %[[ROW]]
  // CHECK:         arith.minsi %[[ROWS]], %[[BELOW]]
  // CHECK:         %[[BESIDE:.+]] = arith.subi %[[N]], %[[COLUMN]]
  // CHECK:         arith.minsi %[[COLUMNS]], %[[BESIDE]]

  // CHECK:       gpu.func @grouped_gemm_dxdxd_f16
  // CHECK-NOT:     arith.maxui
  // CHECK:         arith.muli %{{.+}}, %c64
  // CHECK-NOT:     arith.maxui
  // CHECK:         gpu.return
}
