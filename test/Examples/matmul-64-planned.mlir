// The same product with a plan by hand: one block of four warps, each with a
// quarter of A's rows and of B's, which it sends to the others in its stage.

// RUN: kami-opt %s --kami-to-warps=chip=sm_90 | FileCheck %s
// RUN: kami-run %s --target=sm_90 --device=sim | FileCheck %s --check-prefix=VERDICT

// CHECK:      kami.broadcast in [4, 1, 1]
// CHECK-NEXT:   %[[OWN:.+]] : !b16x64 along column from 0 via
// CHECK:      kami.broadcast in [4, 1, 1]
// CHECK-NEXT:   %[[OWN]] : !b16x64 along column from 1 via
// CHECK:      kami.broadcast in [4, 1, 1]
// CHECK-NEXT:   %[[OWN]] : !b16x64 along column from 2 via
// CHECK:      kami.broadcast in [4, 1, 1]
// CHECK-NEXT:   %[[OWN]] : !b16x64 along column from 3 via
// VERDICT: verdict right

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom,
                   tile = 64x64x64, transport = staged,
                   slices = {k = 16, shared = [0, 0]}>
func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>,
                  %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %one = arith.constant 1.0 : f32
  %d = kami.gemm ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>)
                 outs(%c : tensor<64x64xf32>) beta(%one : f32)
                 accumulator(f32) plan(#plan) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
