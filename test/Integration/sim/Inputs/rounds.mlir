// All blocks have 15 products, or the last one 7, so that lanes have none in their
// last round; with and without C's old elements.
#fma = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [2, 1, 1], unit = lane, atom = #fma, tile = 3x2x5, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 5, rounds = 3, output = relayed>
func.func @f(%a: memref<30x3x5xf32>, %b: memref<30x5x2xf32>, %c: memref<30x3x2xf32>, %d: memref<37x3x5xf32>, %e: memref<37x5x2xf32>, %g: memref<37x3x2xf32>, %h: memref<37x3x2xf32>) {
  %beta = arith.constant 0.5 : f32
  kami.gemm ins(%a, %b : memref<30x3x5xf32>, memref<30x5x2xf32>) outs(%c : memref<30x3x2xf32>) accumulator(f32) plan(#plan)
  kami.gemm ins(%d, %e : memref<37x3x5xf32>, memref<37x5x2xf32>) outs(%g : memref<37x3x2xf32>) accumulator(f32) plan(#plan)
  kami.gemm ins(%d, %e : memref<37x3x5xf32>, memref<37x5x2xf32>) outs(%h : memref<37x3x2xf32>) beta(%beta : f32) accumulator(f32) plan(#plan)
  return
}
