// Where a product of f64 ends in the first half of a tile's rows or columns, another
// loop over k multiplies that half alone, of which each warp has a part: in rows, in
// columns, in both, of sizes of run time, relayed, in layers, and with a slice ahead.
// Whole tiles, and what ends in the second half, have one loop.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right

// WARP: ![[C:.+]] = !kami.fragment<32x32xf64, c, {{.+}}, apart = [32, 32]>
// WARP-LABEL: gpu.func @gemm_72x200x40_f64
// WARP:         arith.cmpi ule, %{{.+}}, %c32
// WARP:         scf.if %{{.+}} -> (![[C]])
// WARP:           kami.mma {{.+}} first = [1, 4]
// WARP:           scf.if %{{.+}} -> (![[C]])
// WARP:             kami.mma {{.+}} first = [2, 2]
// WARP:           } else {
// WARP-NOT:         first =
// WARP:             kami.mma
// WARP-LABEL: gpu.func @gemm_64x104x40_f64
// WARP-NOT:     first =
// WARP-LABEL: gpu.func @gemm_81x95x67_f64

#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 64x64x16, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 3>
#two = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 64x64x16, transport = copied,
                  slices = {k = 8, shared = [0, 0]}, stages = 2>
#relayed = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #dmma, tile = 64x64x16, transport = copied,
                      slices = {k = 8, shared = [0, 0]}, stages = 3, output = relayed, rows = skewed>
func.func @main(%a: memref<2x72x40xf64>, %b: memref<2x40x200xf64>, %c: memref<2x72x200xf64>,
                %whole: memref<64x40xf64>, %late: memref<40x104xf64>, %d: memref<64x104xf64>,
                %wide: memref<81x67xf64>, %odd: memref<67x95xf64>, %e: memref<81x95xf64>,
                %at: memref<64x90xf64>, %bt: memref<70x64xf64>, %f: memref<90x70xf64>, %beta: f64,
                %x: memref<130x17xf64>, %y: memref<17x65xf64>, %z: memref<130x65xf64>,
                %g: memref<72x80xf64>, %h: memref<80x72xf64>, %i: memref<72x72xf64>) {
  kami.gemm ins(%a, %b : memref<2x72x40xf64>, memref<2x40x200xf64>) outs(%c : memref<2x72x200xf64>)
      accumulator(f64) plan(#two)
  kami.gemm ins(%whole, %late : memref<64x40xf64>, memref<40x104xf64>) outs(%d : memref<64x104xf64>)
      accumulator(f64) plan(#two)
  kami.gemm ins(%wide, %odd : memref<81x67xf64>, memref<67x95xf64>) outs(%e : memref<81x95xf64>)
      accumulator(f64) plan(#relayed)
  kami.gemm ins(%at, %bt : memref<64x90xf64>, memref<70x64xf64>) outs(%f : memref<90x70xf64>)
      beta(%beta : f64) transpose_a transpose_b accumulator(f64) plan(#plan)
  %xd = memref.cast %x : memref<130x17xf64> to memref<?x?xf64>
  %yd = memref.cast %y : memref<17x65xf64> to memref<?x?xf64>
  %zd = memref.cast %z : memref<130x65xf64> to memref<?x?xf64>
  func.call @any(%xd, %yd, %zd) : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  kami.gemm ins(%g, %h : memref<72x80xf64>, memref<80x72xf64>) outs(%i : memref<72x72xf64>)
      accumulator(f64) layers(%three, %seven) plan(#plan)
  return
}
func.func private @any(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  kami.gemm ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>)
      accumulator(f64) plan(#plan)
  return
}
