// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x32x48, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom, tile = 64x24x32, transport = staged, slices = {k = 16, shared = [0, 0]}>

// CHECK-LABEL: func.func @chain
// CHECK:         kami.chain ins(%{{.+}}, %{{.+}}, %{{.+}} : memref<64x48xf16>, memref<48x32xf16>, memref<32x24xf16>) outs(%{{.+}} : memref<64x24xf32>) accumulator(f32)
// CHECK:         kami.chain ins({{.+}}) outs({{.+}}) alpha(%{{.+}} : f32) beta(%{{.+}} : memref<f32>) accumulator(f32) association<left> plans(#plan, #plan1)
func.func @chain(%a: memref<64x48xf16>, %b: memref<48x32xf16>, %c: memref<32x24xf16>, %d: memref<64x24xf32>, %alpha: f32, %beta: memref<f32>) {
  kami.chain ins(%a, %b, %c : memref<64x48xf16>, memref<48x32xf16>, memref<32x24xf16>)
             outs(%d : memref<64x24xf32>) accumulator(f32)
  kami.chain ins(%a, %b, %c : memref<64x48xf16>, memref<48x32xf16>, memref<32x24xf16>)
             outs(%d : memref<64x24xf32>) alpha(%alpha : f32) beta(%beta : memref<f32>)
             accumulator(f32) association<left> plans(#first, #second)
  return
}

// CHECK-LABEL: func.func @tensors
// CHECK:         kami.chain {{.+}} transpose_a transpose_b transpose_c accumulator(f32) precision<tf32> association<right> -> tensor<5x?x24xf32>
func.func @tensors(%a: tensor<48x?xf32>, %b: tensor<5x32x48xf32>, %c: tensor<1x24x32xf32>, %d: tensor<5x?x24xf32>) -> tensor<5x?x24xf32> {
  %r = kami.chain ins(%a, %b, %c : tensor<48x?xf32>, tensor<5x32x48xf32>, tensor<1x24x32xf32>)
                  outs(%d : tensor<5x?x24xf32>) transpose_a transpose_b transpose_c
                  accumulator(f32) precision<tf32> association<right> -> tensor<5x?x24xf32>
  return %r : tensor<5x?x24xf32>
}

// CHECK-LABEL: func.func @redistribute
// CHECK:         kami.redistribute %{{.+}} : !block_c64x32 -> !block_a64x32
func.func @redistribute(%c: !kami.distributed<64x32xf32, c, #first>) -> !kami.distributed<64x32xf16, a, #second> {
  %a = kami.redistribute %c : !kami.distributed<64x32xf32, c, #first> -> !kami.distributed<64x32xf16, a, #second>
  return %a : !kami.distributed<64x32xf16, a, #second>
}

// CHECK-LABEL: func.func @recast
// CHECK:         kami.recast %{{.+}} column 16 : !c16x32 -> !a16x16
func.func @recast(%c: !kami.fragment<16x32xf32, c, #atom>) -> !kami.fragment<16x16xf16, a, #atom> {
  %a = kami.recast %c column 16 : !kami.fragment<16x32xf32, c, #atom> -> !kami.fragment<16x16xf16, a, #atom>
  return %a : !kami.fragment<16x16xf16, a, #atom>
}
