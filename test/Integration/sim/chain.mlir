// RUN: split-file %s %t
// RUN: kami-run %t/left.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/left.mlir --device=sim --seed=2 | FileCheck %s
// RUN: kami-run %t/low-rank.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/low-rank.mlir --device=sim --seed=3 | FileCheck %s
// RUN: kami-run %t/congruence.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/congruence.mlir --device=sim --seed=4 | FileCheck %s
// RUN: kami-run %t/double.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/double.mlir --device=sim --seed=5 | FileCheck %s
// RUN: kami-run %t/tf32.mlir --device=sim --seed=6 | FileCheck %s
// RUN: kami-run %t/f32.mlir --device=sim --seed=7 | FileCheck %s
// RUN: kami-run %t/parts.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/parts.mlir --device=sim --seed=8 | FileCheck %s
// RUN: kami-run %t/groups.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/dynamic.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/tensors.mlir --device=sim --inputs=integers | FileCheck %s
// CHECK: verdict   right

//--- left.mlir
func.func @left(%a: memref<3x50x23xf16>, %b: memref<23x37xf16>, %c: memref<1x37x41xf16>, %d: memref<3x50x41xf32>) {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant -3.0 : f32
  kami.chain ins(%a, %b, %c : memref<3x50x23xf16>, memref<23x37xf16>, memref<1x37x41xf16>)
             outs(%d : memref<3x50x41xf32>) alpha(%alpha : f32) beta(%beta : f32)
             accumulator(f32) association<left>
  return
}

// (U·Vᵀ)·X of rank 16.
//--- low-rank.mlir
func.func @rank(%u: memref<100x16xf16>, %v: memref<90x16xf16>, %x: memref<90x64xf16>, %d: memref<100x64xf16>) {
  kami.chain ins(%u, %v, %x : memref<100x16xf16>, memref<90x16xf16>, memref<90x64xf16>)
             outs(%d : memref<100x64xf16>) transpose_b accumulator(f32)
  return
}

// AᵀBA.
//--- congruence.mlir
func.func @congruence(%a: memref<45x30xbf16>, %b: memref<45x45xbf16>, %d: memref<30x30xf32>) {
  kami.chain ins(%a, %b, %a : memref<45x30xbf16>, memref<45x45xbf16>, memref<45x30xbf16>)
             outs(%d : memref<30x30xf32>) transpose_a accumulator(f32)
  return
}

// Lanes do not keep f64 sums where they are multiplied: through shared memory.
//--- double.mlir
func.func @double(%a: memref<5x33x20xf64>, %b: memref<5x20x27xf64>, %c: memref<5x19x27xf64>, %d: memref<5x33x19xf64>, %beta: memref<f64>) {
  kami.chain ins(%a, %b, %c : memref<5x33x20xf64>, memref<5x20x27xf64>, memref<5x19x27xf64>)
             outs(%d : memref<5x33x19xf64>) beta(%beta : memref<f64>) transpose_c accumulator(f64) association<right>
  return
}

//--- tf32.mlir
func.func @tf32(%a: memref<33x20xf32>, %b: memref<20x27xf32>, %c: memref<27x19xf32>, %d: memref<33x19xf32>) {
  kami.chain ins(%a, %b, %c : memref<33x20xf32>, memref<20x27xf32>, memref<27x19xf32>)
             outs(%d : memref<33x19xf32>) accumulator(f32) precision<tf32>
  return
}

//--- f32.mlir
func.func @f32(%a: memref<17x9xf32>, %b: memref<9x11xf32>, %c: memref<11x13xf32>, %d: memref<17x13xf32>) {
  kami.chain ins(%a, %b, %c : memref<17x9xf32>, memref<9x11xf32>, memref<11x13xf32>)
             outs(%d : memref<17x13xf32>) accumulator(f32)
  return
}

// The intermediate in parts, tiles of D at ragged edges, two k tiles.
//--- parts.mlir
#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 32x48x32, transport = staged, slices = {k = 16, shared = [0, 0]}>
#second = #kami.plan<one_d, grid = [2, 1, 1], unit = warp, atom = #atom, tile = 32x40x48, transport = staged, slices = {k = 16, shared = [0, 0]}>
func.func @parts(%a: memref<70x50xf16>, %b: memref<50x110xf16>, %c: memref<110x90xf16>, %d: memref<70x90xf32>) {
  kami.chain ins(%a, %b, %c : memref<70x50xf16>, memref<50x110xf16>, memref<110x90xf16>)
             outs(%d : memref<70x90xf32>) accumulator(f32) association<left> plans(#first, #second)
  return
}

// Both products by warp groups; what the first makes is the second's A in
// registers.
//--- groups.mlir
#atom = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#first = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #atom, tile = 64x40x48, transport = resident, slices = {k = 16, shared = [0, 1]}>
#second = #kami.plan<one_d, grid = [4, 1, 1], unit = warpgroup, atom = #atom, tile = 64x56x40, transport = resident, slices = {k = 16, shared = [0, 1]}>
func.func @groups(%a: memref<100x48xf16>, %b: memref<48x70xf16>, %c: memref<70x56xf16>, %d: memref<100x56xf32>) {
  kami.chain ins(%a, %b, %c : memref<100x48xf16>, memref<48x70xf16>, memref<70x56xf16>)
             outs(%d : memref<100x56xf32>) accumulator(f32) association<left> plans(#first, #second)
  return
}

//--- dynamic.mlir
func.func @entry(%a: memref<2x29x21xf16>, %b: memref<2x21x34xf16>, %c: memref<2x34x18xf16>, %d: memref<2x29x18xf32>) {
  %0 = memref.cast %a : memref<2x29x21xf16> to memref<?x?x?xf16>
  %1 = memref.cast %b : memref<2x21x34xf16> to memref<?x?x?xf16>
  %2 = memref.cast %c : memref<2x34x18xf16> to memref<?x?x?xf16>
  %3 = memref.cast %d : memref<2x29x18xf32> to memref<?x?x?xf32>
  call @any(%0, %1, %2, %3) : (memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?x?xf32>) -> ()
  return
}
func.func private @any(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %c: memref<?x?x?xf16>, %d: memref<?x?x?xf32>) {
  kami.chain ins(%a, %b, %c : memref<?x?x?xf16>, memref<?x?x?xf16>, memref<?x?x?xf16>)
             outs(%d : memref<?x?x?xf32>) accumulator(f32)
  return
}

//--- tensors.mlir
func.func @tensors(%a: tensor<20x30xf16>, %b: tensor<30x10xf16>, %c: tensor<10x25xf16>, %d: tensor<20x25xf16>) -> tensor<20x25xf16> {
  %one = arith.constant 1.0 : f32
  %r = kami.chain ins(%a, %b, %c : tensor<20x30xf16>, tensor<30x10xf16>, tensor<10x25xf16>)
                  outs(%d : tensor<20x25xf16>) beta(%one : f32) accumulator(f32) -> tensor<20x25xf16>
  return %r : tensor<20x25xf16>
}
