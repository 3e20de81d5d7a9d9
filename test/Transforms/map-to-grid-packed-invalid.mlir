// A packed plan on what cannot be packed is refused before there is a kernel.

// RUN: kami-opt %s --split-input-file --verify-diagnostics --kami-map-to-grid

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @alone(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %c: memref<4x4xf32>) {
  // expected-error@+1 {{expected a batch of matrices without gaps in device memory where the plan packs products}}
  kami.gemm ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>) accumulator(f32) plan(#plan)
  return
}
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @shared(%a: memref<4x4xf32>, %b: memref<20x4x4xf32>, %c: memref<20x4x4xf32>) {
  // expected-error@+1 {{expected a batch of matrices without gaps in device memory where the plan packs products}}
  kami.gemm ins(%a, %b : memref<4x4xf32>, memref<20x4x4xf32>) outs(%c : memref<20x4x4xf32>) accumulator(f32) plan(#plan)
  return
}
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @repeated(%a: memref<1x4x4xf32>, %b: memref<20x4x4xf32>, %c: memref<20x4x4xf32>) {
  // expected-error@+1 {{expected a batch of matrices without gaps in device memory where the plan packs products}}
  kami.gemm ins(%a, %b : memref<1x4x4xf32>, memref<20x4x4xf32>) outs(%c : memref<20x4x4xf32>) accumulator(f32) plan(#plan)
  return
}
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @gaps(%a: memref<20x4x4xf32, strided<[64, 8, 1]>>, %b: memref<20x4x4xf32>, %c: memref<20x4x4xf32>) {
  // expected-error@+1 {{expected a batch of matrices without gaps in device memory where the plan packs products}}
  kami.gemm ins(%a, %b : memref<20x4x4xf32, strided<[64, 8, 1]>>, memref<20x4x4xf32>) outs(%c : memref<20x4x4xf32>) accumulator(f32) plan(#plan)
  return
}
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @size(%a: memref<20x5x4xf32>, %b: memref<20x4x4xf32>, %c: memref<20x5x4xf32>) {
  // expected-error@+1 {{expected products of the plan's tile where it packs them, but got 5x4x4}}
  kami.gemm ins(%a, %b : memref<20x5x4xf32>, memref<20x4x4xf32>) outs(%c : memref<20x5x4xf32>) accumulator(f32) plan(#plan)
  return
}
}

// -----

#lane = #kami.mma_atom<fma 1x1x1, f32, f32, f32, ["lane.1x1.b32", "lane.1x1.b32", "lane.1x1.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = lane, atom = #lane, tile = 4x4x4, transport = copied, slices = {k = 1, shared = [0, 0]}, teams = 8, output = relayed>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @type(%a: memref<20x4x4xf64>, %b: memref<20x4x4xf64>, %c: memref<20x4x4xf64>) {
  // expected-error@+1 {{expected a product of the plan's atom 'fma.m1n1k1.f32.f32', but got f64 into f64}}
  kami.gemm ins(%a, %b : memref<20x4x4xf64>, memref<20x4x4xf64>) outs(%c : memref<20x4x4xf64>) accumulator(f64) plan(#plan)
  return
}
}
