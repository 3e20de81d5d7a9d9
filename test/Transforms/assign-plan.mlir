// RUN: kami-opt %s --kami-assign-plan | FileCheck %s
// RUN: kami-opt %s --kami-assign-plan="algorithm=1d warps=4" | FileCheck %s --check-prefix=FOUR
// RUN: kami-opt %s --kami-assign-plan=algorithm=2d | FileCheck %s --check-prefix=TWO
// RUN: kami-opt %s --kami-assign-plan="algorithm=3d model=paper" | FileCheck %s --check-prefix=THREE

// Which plan is best is the planner's business, and tested there; here it is
// that a product gets one, of the asked-for kind and with an atom of its types.

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#mine = #kami.plan<one_d, grid = [8, 1, 1], unit = warp, atom = #hmma,
                   tile = 128x64x64, transport = staged,
                   slices = {k = 16, shared = [0, 0]}>

// CHECK-DAG:  #[[F16:.+]] = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
// CHECK-DAG:  #[[BF16:.+]] = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32,
// CHECK-DAG:  #[[F64:.+]] = #kami.mma_atom<mma_sync 16x8x{{8|16}}, f64, f64, f64,
// CHECK-DAG:  #[[MINE:plan[0-9]*]] = #kami.plan<one_d, grid = [8, 1, 1], unit = warp, atom = #[[F16]], tile = 128x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>
// CHECK-DAG:  #[[PLAN_F16:plan[0-9]*]] = #kami.plan<{{.+}}, atom = #[[F16]],
// CHECK-DAG:  #[[PLAN_BF16:plan[0-9]*]] = #kami.plan<{{.+}}, atom = #[[BF16]],
// CHECK-DAG:  #[[PLAN_F64:plan[0-9]*]] = #kami.plan<{{.+}}, atom = #[[F64]],

// FOUR-COUNT-3: #kami.plan<one_d, grid = {{\[(4, 1|1, 4), 1\]}},
// TWO-COUNT-3: #kami.plan<two_d,
// THREE-COUNT-3: #kami.plan<three_d,

module attributes {kami.target = #kami.target<"sm_90">} {

// CHECK-LABEL: func @tensors
// CHECK:         kami.gemm {{.*}} accumulator(f32) plan(#plan{{[0-9]*}}) -> tensor<64x64xf32>
func.func @tensors(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = kami.gemm ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>)
       accumulator(f32) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// Several batch dimensions known at run time are no larger batch than one.

// CHECK-LABEL: func @batches
// CHECK:         kami.gemm {{.*}} plan(#plan{{[0-9]*}})
func.func @batches(%a: memref<?x?x?x?x?x?x64x64xf16>, %b: memref<64x64xf16>, %c: memref<?x?x?x?x?x?x64x64xf32>) {
  kami.gemm ins(%a, %b : memref<?x?x?x?x?x?x64x64xf16>, memref<64x64xf16>) outs(%c : memref<?x?x?x?x?x?x64x64xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func @bf16
// CHECK:         kami.gemm {{.*}} plan(#[[PLAN_BF16]])
func.func @bf16(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xbf16>) {
  kami.gemm ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xbf16>) accumulator(f32)
  return
}

// CHECK-LABEL: func @f64
// CHECK:         kami.gemm {{.*}} plan(#[[PLAN_F64]])
func.func @f64(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %c: memref<64x64xf64>) {
  kami.gemm ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%c : memref<64x64xf64>) accumulator(f64)
  return
}

// A plan that is there stays, whatever the planner would have chosen.

// CHECK-LABEL: func @by_hand
// CHECK:         kami.gemm {{.*}} plan(#[[MINE]])
func.func @by_hand(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  kami.gemm ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32) plan(#mine)
  return
}

}
