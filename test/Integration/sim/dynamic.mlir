// RUN: kami-run --device=sim --inputs=integers %s | FileCheck %s

// A function whose sizes are known only at run time, called with 50 x 23 x 37.
// CHECK: blocks by size
// CHECK: verdict right
func.func @main(%a: memref<50x23xf16>, %b: memref<23x37xf16>, %c: memref<50x37xf32>) {
  %ad = memref.cast %a : memref<50x23xf16> to memref<?x?xf16>
  %bd = memref.cast %b : memref<23x37xf16> to memref<?x?xf16>
  %cd = memref.cast %c : memref<50x37xf32> to memref<?x?xf32>
  func.call @product(%ad, %bd, %cd) : (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>) -> ()
  return
}
func.func private @product(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>)
  return
}
