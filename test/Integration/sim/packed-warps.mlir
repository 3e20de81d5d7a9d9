// Small products, several to a block, a warp each: the last block has fewer, rows are
// no whole words, and C goes by way of shared memory unless it is added to.

// RUN: split-file %s %t
// RUN: kami-run %t/relayed.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/added.mlir --device=sim --seed=3 | FileCheck %s
// RUN: kami-run %t/rows.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/interleaved.mlir --device=sim --inputs=integers | FileCheck %s --check-prefixes=GROUPS,CHECK
// RUN: kami-run --gemm=33x33x33 --type=f16 --output-type=f16 --batch=2600 --device=sim --inputs=integers | FileCheck %s --check-prefixes=CHOSEN,CHECK
// GROUPS: tiles interleaved by 3, 4 and 0
// CHOSEN: tiles interleaved by 3, 5 and 0
// CHECK: products packed
// CHECK: verdict   right

//--- relayed.mlir
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 33x31x29, transport = copied, slices = {k = 16, shared = [0, 0]}, teams = 8, output = relayed>
func.func @f(%a: memref<21x33x29xf16>, %b: memref<21x29x31xf16>, %c: memref<21x33x31xf16>) {
  kami.gemm ins(%a, %b : memref<21x33x29xf16>, memref<21x29x31xf16>) outs(%c : memref<21x33x31xf16>) accumulator(f32) plan(#plan)
  return
}

//--- added.mlir
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #dmma, tile = 17x9x23, transport = copied, slices = {k = 8, shared = [0, 0]}, teams = 4, blocks = 2, output = relayed>
func.func @f(%a: memref<13x23x17xf64>, %b: memref<13x9x23xf64>, %c: memref<13x17x9xf64>) {
  %alpha = arith.constant -0.5 : f64
  %beta = arith.constant 2.0 : f64
  kami.gemm ins(%a, %b : memref<13x23x17xf64>, memref<13x9x23xf64>) outs(%c : memref<13x17x9xf64>) alpha(%alpha : f64) beta(%beta : f64) transpose_a transpose_b accumulator(f64) plan(#plan)
  return
}

//--- rows.mlir
#imma = #kami.mma_atom<mma_sync 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #imma, tile = 15x5x19, transport = copied, slices = {k = 32, shared = [0, 0]}, teams = 3, output = relayed>
func.func @f(%a: memref<4x10x15x19xi8>, %b: memref<10x19x5xi8>, %c: memref<4x10x15x5xi32>) {
  kami.gemm ins(%a, %b : memref<4x10x15x19xi8>, memref<10x19x5xi8>) outs(%c : memref<4x10x15x5xi32>) accumulator(i32) plan(#plan)
  return
}

// Rows and columns in an order in which lanes meet in few banks.
//--- interleaved.mlir
#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 33x31x29, transport = copied, slices = {k = 16, shared = [0, 0]}, interleave = [3, 4, 0], teams = 8, output = relayed>
func.func @f(%a: memref<21x29x33xf16>, %b: memref<21x29x31xf16>, %c: memref<21x33x31xf16>, %d: memref<9x33x31xf16>, %e: memref<9x29x33xf16>, %g: memref<9x29x31xf16>) {
  kami.gemm ins(%a, %b : memref<21x29x33xf16>, memref<21x29x31xf16>) outs(%c : memref<21x33x31xf16>) transpose_a accumulator(f32) plan(#plan)
  %beta = arith.constant 2.0 : f32
  kami.gemm ins(%e, %g : memref<9x29x33xf16>, memref<9x29x31xf16>) outs(%d : memref<9x33x31xf16>) beta(%beta : f32) transpose_a accumulator(f32) plan(#plan)
  return
}
