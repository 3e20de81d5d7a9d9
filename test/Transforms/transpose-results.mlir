// Narrow results in columns are computed as transposes in rows.

// RUN: kami-opt %s --kami-attach-target=chip=sm_90 --kami-transpose-results | FileCheck %s
// RUN: kami-opt %s --kami-attach-target=chip=gfx942 --kami-transpose-results | FileCheck %s --check-prefix=AMD
// RUN: kami-opt %s --kami-attach-target=chip=sm_90 --kami-transpose-results --verify-each --kami-assign-plan --kami-verify-target | FileCheck %s --check-prefix=PLANNED

// AMD-NOT: memref.transpose

// CHECK-DAG: #[[LAST:.+]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[MIDDLE:.+]] = affine_map<(d0, d1, d2) -> (d1)>
// PLANNED-COUNT-6: plan(

// CHECK-LABEL: func.func @columns
// CHECK-SAME:      (%[[A:.+]]: memref<64x32xf16>, %[[B:.+]]: memref<32x48xf16>, %[[C:.+]]: memref
// CHECK:         %[[T:.+]] = memref.transpose %[[C]] (d0, d1) -> (d1, d0) : {{.+}} to memref<48x64xf16, strided<[64, 1]>>
// CHECK:         kami.gemm ins(%[[B]], %[[A]] : {{.+}}) outs(%[[T]] : {{.+}}) transpose_a transpose_b accumulator(f32)
func.func @columns(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16, strided<[1, 64]>>) {
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16, strided<[1, 64]>>) accumulator(f32)
  return
}

// What is said of A is said of B, also by regions. Scalars have no dimensions.
// CHECK-LABEL: func.func @regions
// CHECK-SAME:      (%[[A:.+]]: memref<3x?x?xi8>, %[[B:.+]]: memref<3x?x?xbf16>, %[[C:[a-z0-9]+]]: memref{{.+}}, %[[SCALE:.+]]: memref<?xbf16>, %[[BIAS:.+]]: memref<?xf32>, %[[HALF:.+]]: f32)
// CHECK:         %[[T:.+]] = memref.transpose %[[C]] (d0, d1, d2) -> (d0, d2, d1)
// CHECK:         kami.gemm ins(%[[B]], %[[A]] : {{.+}}) outs(%[[T]] : {{.+}}) transpose_b accumulator(f32)
// CHECK-NOT:       prologue_a
// CHECK:           prologue_b (%{{.+}}: i8, %{{.+}} = %[[SCALE]] : memref<?xbf16> at #[[LAST]])
// CHECK:             arith.sitofp
// CHECK:           epilogue (%{{.+}}: f32, %{{.+}} = %[[BIAS]] : memref<?xf32> at #[[MIDDLE]], %{{.+}} = %[[HALF]] : f32)
func.func @regions(%a: memref<3x?x?xi8>, %b: memref<3x?x?xbf16>, %c: memref<3x?x?xbf16, strided<[?, 1, ?], offset: ?>>,
                   %scale: memref<?xbf16>, %bias: memref<?xf32>, %half: f32) {
  kami.gemm ins(%a, %b : memref<3x?x?xi8>, memref<3x?x?xbf16>) outs(%c : memref<3x?x?xbf16, strided<[?, 1, ?], offset: ?>>)
            transpose_b accumulator(f32)
    prologue_a(%x: i8, %s = %scale : memref<?xbf16> at affine_map<(p, m, k) -> (m)>) {
      %y = arith.sitofp %x : i8 to bf16
      %z = arith.mulf %y, %s : bf16
      kami.yield %z : bf16
    }
    epilogue(%x: f32, %y = %bias : memref<?xf32> at affine_map<(p, m, n) -> (n)>, %h = %half : f32) {
      %s = arith.addf %x, %y : f32
      %t = arith.mulf %s, %h : f32
      %z = arith.truncf %t : f32 to bf16
      kami.yield %z : bf16
    }
  return
}

// Eight elements of four bytes are a sector; a row of one element is a column; and
// rows stay rows.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     memref.transpose
func.func @others(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32, strided<[1, 64]>>,
                  %d: memref<64x48xf16, strided<[100, 2]>>, %v: memref<32x1xf16>, %e: memref<64x1xf16, strided<[1, 64]>>,
                  %f: memref<64x48xf16, strided<[1, 64]>>) {
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32, strided<[1, 64]>>) accumulator(f32)
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%d : memref<64x48xf16, strided<[100, 2]>>) accumulator(f32)
  kami.gemm ins(%a, %v : memref<64x32xf16>, memref<32x1xf16>) outs(%e : memref<64x1xf16, strided<[1, 64]>>) accumulator(f32)
  // A plan says how a product's rows and columns are split.
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%f : memref<64x48xf16, strided<[1, 64]>>) accumulator(f32)
            plan(#kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = <mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>, tile = 64x48x32, transport = staged, slices = {k = 16, shared = [0, 0]}>)
  return
}
