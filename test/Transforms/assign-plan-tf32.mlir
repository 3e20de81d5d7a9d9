// Batches of tf32 go to warp groups, which stand in a row where it is A that is
// adjacent along k, and in a column where it is B; not where strides are known only
// at run time.

// RUN: kami-opt %s --kami-assign-plan | FileCheck %s

module attributes {kami.target = #kami.target<"sm_90">} {

// CHECK-DAG: #[[ROW:.+]] = #kami.plan<one_d, grid = [1, {{[0-9]+}}, 1], unit = warpgroup, {{.+}} transport = copied
// CHECK-DAG: #[[COLUMN:.+]] = #kami.plan<one_d, grid = [{{[0-9]+}}, 1, 1], unit = warpgroup, {{.+}} transport = copied
// CHECK-DAG: #[[WARPS:.+]] = #kami.plan<{{.+}} unit = warp, {{.+}} transport = copied

// CHECK-LABEL: func @row
// CHECK:         kami.gemm {{.*}} plan(#[[ROW]])
func.func @row(%a: memref<10000x192x192xf32>, %c: memref<10000x192x192xf32>) {
  kami.gemm ins(%a, %a : memref<10000x192x192xf32>, memref<10000x192x192xf32>) outs(%c : memref<10000x192x192xf32>) accumulator(f32) precision<tf32>
  return
}

// CHECK-LABEL: func @column
// CHECK:         kami.gemm {{.*}} plan(#[[COLUMN]])
func.func @column(%a: memref<10000x192x192xf32>, %c: memref<10000x192x192xf32>) {
  kami.gemm ins(%a, %a : memref<10000x192x192xf32>, memref<10000x192x192xf32>) outs(%c : memref<10000x192x192xf32>) transpose_a transpose_b accumulator(f32) precision<tf32>
  return
}

// CHECK-LABEL: func @any_stride
// CHECK:         kami.gemm {{.*}} plan(#[[WARPS]])
func.func @any_stride(%a: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  kami.gemm ins(%a, %a : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>) accumulator(f32) precision<tf32>
  return
}

}
