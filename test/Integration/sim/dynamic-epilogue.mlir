// RUN: kami-run --device=sim --inputs=integers %s | FileCheck %s

// A bias whose length is known only at run time.
// CHECK: blocks by size
// CHECK: verdict right
func.func @main(%a: memref<50x23xf16>, %b: memref<23x37xf16>, %bias: memref<37xf32>, %c: memref<50x37xf32>) {
  %ad = memref.cast %a : memref<50x23xf16> to memref<?x?xf16>
  %bd = memref.cast %b : memref<23x37xf16> to memref<?x?xf16>
  %cd = memref.cast %c : memref<50x37xf32> to memref<?x?xf32>
  %xd = memref.cast %bias : memref<37xf32> to memref<?xf32>
  func.call @product(%ad, %bd, %xd, %cd) : (memref<?x?xf16>, memref<?x?xf16>, memref<?xf32>, memref<?x?xf32>) -> ()
  return
}
func.func private @product(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %x: memref<?xf32>, %c: memref<?x?xf32>) {
  kami.gemm ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>) accumulator(f32)
    epilogue(%s: f32, %t = %x : memref<?xf32> at affine_map<(m, n) -> (n)>) {
      %m = arith.maxnumf %s, %t : f32
      kami.yield %m : f32
    }
  return
}
