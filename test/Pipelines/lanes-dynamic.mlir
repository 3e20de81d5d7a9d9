// Where strides are known only at run time, lanes have the registers that their
// addresses take, whatever the plan counts on.

// RUN: kami-compile %s --target=sm_90 --emit=planned -o - | FileCheck %s --check-prefix=PLAN
// RUN: kami-compile %s --target=sm_90 --emit=ptx -o - | FileCheck %s
// PLAN:  #[[ATOM:.+]] = #kami.mma_atom<fma 16x16x4, f32, f32, f32,
// PLAN:  #kami.plan<{{.+}}, atom = #[[ATOM]], {{.+}}, transport = copied,
// CHECK: .maxntid
// CHECK: .minnctapersm 1{{$}}
// CHECK: fma.rn.f32
func.func @main(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
  return
}
