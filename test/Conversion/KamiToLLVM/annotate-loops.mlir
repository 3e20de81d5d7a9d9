// RUN: kami-opt %s --pass-pipeline='builtin.module(convert-scf-to-cf,convert-to-llvm,kami-annotate-loops)' | FileCheck %s

// CHECK-LABEL: llvm.func @rolled
// CHECK:         llvm.br ^[[LOOP:.+]](%{{.+}} : i64)
// CHECK:         llvm.br ^[[LOOP]](%{{.+}} : i64) {loop_annotation = #{{.+}}}
#disabled = #llvm.loop_unroll<disable = true>
#rolled = #llvm.loop_annotation<unroll = #disabled>
func.func @rolled(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %m[%i] : memref<?xf32>
  } {llvm.loop_annotation = #rolled}
  return
}

// CHECK-LABEL: llvm.func @plain
// CHECK-NOT:     loop_annotation
func.func @plain(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  return
}
