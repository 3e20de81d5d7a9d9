// RUN: kami-opt %s --kami-to-warps=chip=sm_90 | FileCheck %s
// RUN: kami-opt %s --kami-to-warps=chip=sm_90 | kami-opt --kami-to-warps | FileCheck %s
// RUN: not kami-opt %s --kami-to-warps 2>&1 | FileCheck %s --check-prefix=NO-TARGET
// RUN: not kami-opt %s --kami-to-warps=chip=sm_1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not kami-opt %s --kami-to-warps=warp=4 2>&1 | FileCheck %s --check-prefix=NO-OPTION

// A plan by hand goes through the pipeline as it is.

// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    %[[A:.+]]: memref<64x64xf16>, %[[B:.+]]: memref<64x64xf16>, %[[C:.+]]: memref<64x64xf32>
// CHECK:         %[[BYTES:.+]] = arith.constant 2048 : i32
// CHECK:         gpu.launch_func @{{.+}}::@gemm_64x64x64_f16 {{.*}} dynamic_shared_memory_size %[[BYTES]] args(%[[A]] : {{.+}}, %[[B]] : {{.+}}, %[[C]] : {{.+}})
// CHECK-LABEL: gpu.func @gemm_64x64x64_f16
// CHECK-COUNT-4: kami.broadcast in [4, 1, 1]
// CHECK-NOT:     kami.broadcast
// CHECK:         kami.store %{{.+}} row_in_bounds column_in_bounds

// NO-TARGET: error: 'builtin.module' op expected a module with a 'kami.target'; kami-attach-target sets it
// UNKNOWN: error: unknown target 'sm_1', expected one of: sm_80,
// NO-OPTION: no such option warp

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma,
                   tile = 64x64x64, transport = staged,
                   slices = {k = 16, shared = [0, 0]}>
func.func @matmul(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = kami.gemm ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>)
       accumulator(f32) plan(#plan) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
