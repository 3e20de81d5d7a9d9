// An operand of tf32 stays in registers while the other passes by: columns of B, in one or
// three groups, and rows of A whose products' columns of C follow each other; from maps of
// whole batches and of single matrices; with edges of both, fewer tiles than are ahead, a
// block for each product, and C scaled, added to and changed on its way out. What begins
// anywhere is computed tile by tile.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=5 | FileCheck %s
// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// CHECK: verdict   right
// WARP-COUNT-4: kami.group_mma %{{.*}} pending
// WARP-NOT:     pending

#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#columns = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #tf32, tile = 16x64x104, transport = copied,
                      slices = {k = 8, shared = [0, 0]}, stages = 3, blocks = 3, next = prefetched, copies = bulk, taken = 2, stationary = operand>
#groups = #kami.plan<one_d, grid = [1, 12, 1], unit = warpgroup, atom = #tf32, tile = 24x192x40, transport = copied,
                     slices = {k = 8, shared = [0, 0]}, stages = 7, blocks = 1, next = prefetched, copies = bulk, stationary = operand>
#rows = #kami.plan<one_d, grid = [8, 1, 1], unit = warpgroup, atom = #tf32, tile = 128x8x48, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 4, blocks = 2, next = prefetched, copies = bulk, taken = 1024, stationary = operand>
#each = #kami.plan<one_d, grid = [1, 8, 1], unit = warpgroup, atom = #tf32, tile = 8x128x24, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 2, blocks = 100, next = prefetched, copies = bulk, stationary = operand>
func.func @main(%a: memref<5x37x100xf32>, %b: memref<5x100x132xf32>, %c: memref<5x37x132xf32>,
                %d: memref<3x5x40xf32>, %e: memref<3x40x200xf32>, %f: memref<3x5x200xf32>,
                %g: memref<2x150x48xf32>, %h: memref<2x20x48xf32>, %i: memref<2x150x20xf32>,
                %j: memref<45x24xf32>, %k: memref<24x129xf32, strided<[132, 1]>>, %l: memref<45x129xf32>,
                %bias: memref<129xf32>,
                %m: memref<24x130xf32, strided<[131, 1]>>, %n: memref<45x130xf32>) {
  %two = arith.constant 2.0 : f32
  kami.gemm ins(%a, %b : memref<5x37x100xf32>, memref<5x100x132xf32>) outs(%c : memref<5x37x132xf32>)
      alpha(%two : f32) beta(%two : f32) accumulator(f32) precision<tf32> aligned_rows plan(#columns)
  kami.gemm ins(%d, %e : memref<3x5x40xf32>, memref<3x40x200xf32>) outs(%f : memref<3x5x200xf32>)
      accumulator(f32) precision<tf32> aligned_rows plan(#groups)
  kami.gemm ins(%g, %h : memref<2x150x48xf32>, memref<2x20x48xf32>) outs(%i : memref<2x150x20xf32>)
      transpose_b accumulator(f32) precision<tf32> aligned_rows plan(#rows)
  kami.gemm ins(%j, %k : memref<45x24xf32>, memref<24x129xf32, strided<[132, 1]>>) outs(%l : memref<45x129xf32>)
      accumulator(f32) precision<tf32> aligned_rows
      epilogue(%x: f32, %t = %bias : memref<129xf32> at affine_map<(m, n) -> (n)>) {
        %y = arith.addf %x, %t : f32
        kami.yield %y : f32
      } plan(#each)
  kami.gemm ins(%j, %m : memref<45x24xf32>, memref<24x130xf32, strided<[131, 1]>>) outs(%n : memref<45x130xf32>)
      accumulator(f32) precision<tf32> plan(#each)
  return
}
