// RUN: not kami-opt %s --kami-assign-plan=algorithm=4d 2>&1 | FileCheck %s --check-prefix=ALGORITHM
// RUN: not kami-opt %s --kami-assign-plan=model=guess 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not kami-opt %s --kami-assign-plan=warps=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not kami-opt %s --kami-assign-plan=warps=33 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not kami-opt %s --kami-assign-plan="algorithm=2d warps=1" 2>&1 | FileCheck %s --check-prefix=NO-GRID
// RUN: not kami-opt %s --kami-assign-plan=unit=block 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not kami-opt %s --kami-assign-plan=copies=engine 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not kami-opt %s --kami-assign-plan=taken=1025 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not kami-opt %s --kami-assign-plan=taken=-2 2>&1 | FileCheck %s --check-prefix=LESS

// TAKEN: error: expected up to 1024 turns, or -1 for none, but got 1025
// LESS: error: expected up to 1024 turns, or -1 for none, but got -2
// COPIES: error: expected copies auto, threads or bulk, but got 'engine'
// UNIT: error: expected unit auto, warp, warpgroup or lane, but got 'block'
// ALGORITHM: error: expected algorithm auto, 1d, 2d or 3d, but got '4d'
// MODEL: error: expected model calibrated or paper, but got 'guess'
// NEGATIVE: error: expected a positive number of warps, but got -3
// MANY: error: 'kami.gemm' op expected 1 to 32 warps, but got 33
// NO-GRID: error: 'kami.gemm' op no 2d grid of 1 warps meets the constraints

module attributes {kami.target = #kami.target<"sm_90">} {
func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  kami.gemm ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32)
  return
}
}
