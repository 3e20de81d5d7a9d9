// The same branches as upstream's pass makes, for whichever op is converted first.

// RUN: kami-opt %s --convert-scf-to-cf -o %t.expected
// RUN: kami-opt %s --kami-lower-control-flow | diff %t.expected -
// RUN: kami-opt %s --kami-lower-control-flow | FileCheck %s
// CHECK-LABEL: func.func @many
// CHECK-NOT:     scf.
// CHECK-LABEL: func.func @loops
// CHECK-NOT:     scf.

#loop = #llvm.loop_annotation<unroll = <disable = true>>
func.func @many(%a: memref<?xf32>, %c: i1, %d: i1, %x: f32, %i: index, %j: index) -> f32 {
  scf.if %c {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  %0 = scf.if %d -> f32 {
    %1 = memref.load %a[%j] : memref<?xf32>
    %2 = scf.if %c -> f32 {
      scf.yield %1 : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %2 : f32
  } else {
    scf.yield %x : f32
  }
  scf.if %d {
    memref.store %0, %a[%j] : memref<?xf32>
  }
  return %0 : f32
}

func.func @loops(%a: memref<?xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> f32 {
    %1 = memref.load %a[%i] : memref<?xf32>
    %2 = arith.cmpf olt, %1, %x : f32
    %3 = scf.if %2 -> f32 {
      %4 = arith.addf %sum, %1 : f32
      scf.yield %4 : f32
    } else {
      scf.yield %sum : f32
    }
    scf.yield %3 : f32
  } {llvm.loop_annotation = #loop}
  %5 = scf.while (%y = %0) : (f32) -> f32 {
    %6 = arith.cmpf olt, %y, %x : f32
    scf.condition(%6) %y : f32
  } do {
  ^bb0(%y: f32):
    %7 = arith.cmpf ogt, %y, %x : f32
    scf.if %7 {
      memref.store %y, %a[%c0] : memref<?xf32>
    }
    %8 = arith.mulf %y, %y : f32
    scf.yield %8 : f32
  }
  return %5 : f32
}
