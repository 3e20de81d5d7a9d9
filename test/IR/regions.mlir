// RUN: kami-opt %s --split-input-file | kami-opt --split-input-file | FileCheck %s
// RUN: kami-opt %s --split-input-file --mlir-print-op-generic | kami-opt --split-input-file | FileCheck %s
// RUN: kami-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefix=CANONICAL

// Everything that a product with regions can have.

// CHECK-DAG:   #[[M:.+]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG:   #[[BATCH:.+]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG:   #[[ALL:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[ROW:.+]] = affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK-LABEL: func @everything
// CHECK-SAME:    %[[Q:.+]]: tensor<4x8x16xi8>, %[[W:.+]]: tensor<24x16xi8>, %[[C:.+]]: tensor<4x8x24xf16>, %[[S:.+]]: tensor<8xf16>, %[[ALPHA:.+]]: tensor<f32>, %[[BETA:.+]]: f32, %[[R:.+]]: tensor<4x8x24xf16>, %[[B:.+]]: tensor<1x24xf32>, %[[T:.+]]: tensor<4xf32>, %[[U:.+]]: f32
// CHECK-NEXT:    kami.gemm ins(%[[Q]], %[[W]] : tensor<4x8x16xi8>, tensor<24x16xi8>) outs(%[[C]] : tensor<4x8x24xf16>) alpha(%[[ALPHA]] : tensor<f32>) beta(%[[BETA]] : f32) transpose_b accumulator(f32)
// CHECK-SAME:      prologue_a (%[[X:.+]]: i8, %[[SX:.+]] = %[[S]] : tensor<8xf16> at #[[M]]) {
// CHECK-NEXT:        arith.sitofp %[[X]] : i8 to f16
// CHECK-NEXT:        arith.mulf %{{.+}}, %[[SX]] : f16
// CHECK-NEXT:        kami.yield %{{.+}} : f16
// CHECK-NEXT:      } prologue_b (%[[Y:.+]]: i8) {
// CHECK-NEXT:        arith.sitofp %[[Y]] : i8 to f16
// CHECK-NEXT:        kami.yield %{{.+}} : f16
// CHECK-NEXT:      } epilogue (%[[Z:.+]]: f32, %[[RZ:.+]] = %[[R]] : tensor<4x8x24xf16> at #[[ALL]], %[[BZ:.+]] = %[[B]] : tensor<1x24xf32> at #[[ROW]], %[[TZ:.+]] = %[[T]] : tensor<4xf32> at #[[BATCH]], %[[UZ:.+]] = %[[U]] : f32) {
// CHECK:             kami.yield %{{.+}} : f16
// CHECK-NEXT:      } {note = "mine"} -> tensor<4x8x24xf16>
func.func @everything(%q: tensor<4x8x16xi8>, %w: tensor<24x16xi8>, %c: tensor<4x8x24xf16>, %s: tensor<8xf16>, %alpha: tensor<f32>, %beta: f32,
                      %r: tensor<4x8x24xf16>, %b: tensor<1x24xf32>, %t: tensor<4xf32>, %u: f32) -> tensor<4x8x24xf16> {
  %d = kami.gemm ins(%q, %w : tensor<4x8x16xi8>, tensor<24x16xi8>) outs(%c : tensor<4x8x24xf16>)
                 alpha(%alpha : tensor<f32>) beta(%beta : f32) transpose_b accumulator(f32)
      prologue_a(%x: i8, %sx = %s : tensor<8xf16> at affine_map<(b, m, k) -> (m)>) {
        %0 = arith.sitofp %x : i8 to f16
        %1 = arith.mulf %0, %sx : f16
        kami.yield %1 : f16
      }
      prologue_b(%x: i8) {
        %0 = arith.sitofp %x : i8 to f16
        kami.yield %0 : f16
      }
      epilogue(%x: f32, %rx = %r : tensor<4x8x24xf16> at affine_map<(b, m, n) -> (b, m, n)>,
               %bx = %b : tensor<1x24xf32> at affine_map<(b, m, n) -> (0, n)>,
               %tx = %t : tensor<4xf32> at affine_map<(b, m, n) -> (b)>, %ux = %u : f32) {
        %0 = arith.extf %rx : f16 to f32
        %1 = arith.addf %x, %0 : f32
        %2 = arith.addf %1, %bx : f32
        %3 = arith.mulf %2, %tx : f32
        %4 = arith.mulf %3, %ux : f32
        %5 = arith.truncf %4 : f32 to f16
        kami.yield %5 : f16
      } {note = "mine"} -> tensor<4x8x24xf16>
  return %d : tensor<4x8x24xf16>
}

// -----

// An epilogue may make something else of floats.

// CHECK-LABEL: func @quantizes
// CHECK:         outs(%{{.+}} : memref<8x8xi8>) accumulator(f32) epilogue (%{{.+}}: f32) {
func.func @quantizes(%a: memref<8x8xf16>, %c: memref<8x8xi8>) {
  kami.gemm ins(%a, %a : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xi8>) accumulator(f32)
      epilogue(%x: f32) {
        %0 = arith.fptosi %x : f32 to i8
        kami.yield %0 : i8
      }
  return
}

// -----

// Regions that say nothing new go, with what they read; so do operands that are
// not used, or twice there.

// CANONICAL-LABEL: func @identity
// CANONICAL:         kami.gemm ins(%{{.+}}, %{{.+}} : {{.+}}) outs(%{{.+}} : memref<8x8xf16>) accumulator(f32){{$}}
func.func @identity(%a: memref<8x8xf16>, %c: memref<8x8xf16>, %b: memref<8xf32>) {
  kami.gemm ins(%a, %a : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf16>) accumulator(f32)
      prologue_a(%x: f16) {
        kami.yield %x : f16
      }
      epilogue(%x: f32, %y = %b : memref<8xf32> at affine_map<(m, n) -> (n)>) {
        %0 = arith.truncf %x : f32 to f16
        kami.yield %0 : f16
      }
  return
}

// CANONICAL-LABEL: func @operands
// CANONICAL-SAME:    %[[B:[a-z0-9]+]]: memref<8xf32>, %{{.+}}: f32)
// CANONICAL:         epilogue (%[[X:.+]]: f32, %[[Y:.+]] = %[[B]] : memref<8xf32> at #{{[^,]+}}, %[[Z:.+]] = %[[B]] : memref<8xf32> at #{{[^,]+}}) {
// CANONICAL-NEXT:      %[[S:.+]] = arith.addf %[[X]], %[[Y]]
// CANONICAL-NEXT:      %[[T:.+]] = arith.addf %[[S]], %[[Y]]
// CANONICAL-NEXT:      arith.mulf %[[T]], %[[Z]]
func.func @operands(%a: memref<8x8xf16>, %c: memref<8x8xf32>, %b: memref<8xf32>, %s: f32) {
  kami.gemm ins(%a, %a : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>) accumulator(f32)
      epilogue(%x: f32, %unused = %s : f32, %y = %b : memref<8xf32> at affine_map<(m, n) -> (n)>,
               %same = %b : memref<8xf32> at affine_map<(m, n) -> (n)>, %z = %b : memref<8xf32> at affine_map<(m, n) -> (m)>) {
        %0 = arith.addf %x, %y : f32
        %1 = arith.addf %0, %same : f32
        %2 = arith.mulf %1, %z : f32
        kami.yield %2 : f32
      }
  return
}

// -----

// At warp level.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!c = !kami.fragment<16x8xf32, c, #hmma>
!h = !kami.fragment<16x8xf16, c, #hmma>
!q = !kami.fragment<16x16xi8, a, #hmma>

// CHECK-LABEL: func @map
// CHECK-SAME:    %[[F:.+]]: !c16x8, %[[G:.+]]: !c16x8_f16
// CHECK-NEXT:    %{{.+}} = kami.map (%[[X:.+]] = %[[F]] : !c16x8, %[[Y:.+]] = %[[G]] : !c16x8_f16) -> !c16x8_f16 {
// CHECK-NEXT:      %[[T:.+]] = arith.truncf %[[X]] : f32 to f16
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[T]], %[[Y]] : f16
// CHECK-NEXT:      kami.yield %[[S]] : f16
func.func @map(%f: !c, %g: !h) -> !h {
  %r = kami.map (%x = %f : !c, %y = %g : !h) -> !h {
    %t = arith.truncf %x : f32 to f16
    %s = arith.addf %t, %y : f16
    kami.yield %s : f16
  }
  return %r : !h
}

// CHECK-LABEL: func @clip
// CHECK-SAME:    %[[F:.+]]: !a16x16_i8, %[[I:.+]]: index
// CHECK-NEXT:    kami.clip %[[F]] at row %[[I]] : !a16x16_i8
// CHECK-NEXT:    kami.clip %{{.+}} at column %[[I]] : !a16x16_i8
func.func @clip(%f: !q, %i: index) -> !q {
  %0 = kami.clip %f at row %i : !q
  %1 = kami.clip %0 at column %i : !q
  return %1 : !q
}
