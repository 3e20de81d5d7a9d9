// Rows that are copied come as the words of 16 bytes that hold them where pieces
// that all of them consist of would be narrow.

// RUN: kami-opt %s --pass-pipeline='builtin.module(kami-attach-target{chip=sm_90},func.func(kami-assign-plan))' | FileCheck %s
// The planner's own command says the same of matrices without gaps.
// RUN: kami-plan --gemm=129x129x129 --batch=1000 --type=f16 --output-type=f16 --target=sm_90 --format=json | FileCheck %s --check-prefix=SKEWED
// RUN: kami-plan --gemm=100x100x100 --batch=1000 --type=f16 --output-type=f16 --target=sm_90 --format=json | FileCheck %s --check-prefix=STRAIGHT
// SKEWED:       "skewed": true
// STRAIGHT-NOT: "skewed": true

// Plans stand in the order of the functions.
// CHECK:     #plan = {{.+}} rows = skewed
// CHECK:     #plan1 = {{.+}} output = relayed>{{$}}
// CHECK:     #plan2 = {{.+}} output = relayed>{{$}}
// CHECK:     #plan3 = {{.+}} rows = skewed
// CHECK:     #plan4 =
// CHECK-NOT: skewed

func.func @odd(%a: memref<1000x129x129xf16>, %c: memref<1000x129x129xf16>) {
  kami.gemm ins(%a, %a : memref<1000x129x129xf16>, memref<1000x129x129xf16>) outs(%c : memref<1000x129x129xf16>) accumulator(f32)
  return
}

// Pieces of 8 bytes are wide enough.
func.func @pieces_of_eight_bytes(%a: memref<1000x100x100xf16>, %c: memref<1000x100x100xf16>) {
  kami.gemm ins(%a, %a : memref<1000x100x100xf16>, memref<1000x100x100xf16>) outs(%c : memref<1000x100x100xf16>) accumulator(f32)
  return
}

func.func @aligned(%a: memref<1000x128x128xf16>, %c: memref<1000x128x128xf16>) {
  kami.gemm ins(%a, %a : memref<1000x128x128xf16>, memref<1000x128x128xf16>) outs(%c : memref<1000x128x128xf16>) accumulator(f32)
  return
}

// Nobody knows where rows begin whose distance is known only at run time.
func.func @unknown(%a: memref<?x?x?xf16>, %c: memref<?x?x?xf16>) {
  kami.gemm ins(%a, %a : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%c : memref<?x?x?xf16>) accumulator(f32)
  return
}

// What is as wide as a piece, or what lanes read, is not skewed.
func.func @double(%a: memref<1000x129x129xf64>, %c: memref<1000x129x129xf64>) {
  kami.gemm ins(%a, %a : memref<1000x129x129xf64>, memref<1000x129x129xf64>) outs(%c : memref<1000x129x129xf64>) accumulator(f64)
  return
}
