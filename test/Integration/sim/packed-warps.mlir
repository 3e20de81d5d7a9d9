// Small products, several to a block, a warp each: the last block has fewer, rows are
// no whole words, and C goes by way of shared memory unless it is added to.

// RUN: split-file %s %t
// RUN: kami-run %t/relayed.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/added.mlir --device=sim --seed=3 | FileCheck %s
// RUN: kami-run %t/rows.mlir --device=sim --inputs=integers | FileCheck %s
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
