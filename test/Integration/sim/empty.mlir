// A product whose sizes turn out to be 0 at run time: without terms it leaves β·C,
// without rows nothing happens.

// RUN: kami-run %s --device=sim | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=integers --target=sm_80 | FileCheck %s
// CHECK: verdict   right

!a = memref<?x?xf16, strided<[8, 1]>>
!b = memref<?x?xf16, strided<[17, 1]>>
!c = memref<?x?xf32, strided<[17, 1]>>

func.func private @product(%a: !a, %b: !b, %c: !c) {
  %half = arith.constant 0.5 : f32
  kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) beta(%half : f32) accumulator(f32)
  return
}

func.func @main(%a: memref<20x8xf16>, %b: memref<8x17xf16>, %c: memref<20x17xf32>, %d: memref<20x17xf32>,
                %sizes: memref<2xindex> {kami.contents = dense<[0, 20]> : tensor<2xindex>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c17 = arith.constant 17 : index
  %none = memref.load %sizes[%c0] : memref<2xindex>
  %rows = memref.load %sizes[%c1] : memref<2xindex>
  %a0 = memref.subview %a[0, 0] [%rows, %none] [1, 1] : memref<20x8xf16> to !a
  %b0 = memref.subview %b[0, 0] [%none, %c17] [1, 1] : memref<8x17xf16> to !b
  %c20 = memref.subview %c[0, 0] [%rows, %c17] [1, 1] : memref<20x17xf32> to !c
  func.call @product(%a0, %b0, %c20) : (!a, !b, !c) -> ()
  %a1 = memref.subview %a[0, 0] [%none, %c8] [1, 1] : memref<20x8xf16> to !a
  %b1 = memref.subview %b[0, 0] [%c8, %c17] [1, 1] : memref<8x17xf16> to !b
  %d0 = memref.subview %d[0, 0] [%none, %c17] [1, 1] : memref<20x17xf32> to !c
  func.call @product(%a1, %b1, %d0) : (!a, !b, !c) -> ()
  return
}
