// RUN: kami-opt %s --canonicalize | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
!a = !kami.fragment<32x16xf16, a, #hmma>
!b = !kami.fragment<16x64xf16, b, #hmma>
!c = !kami.fragment<32x64xf32, c, #hmma>
!workgroup = memref<32768xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func @neutral_scales
// CHECK-NOT:     arith.constant
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : {{.*}}) outs(%{{.+}} : memref<8x8xf32>) accumulator(f32)
func.func @neutral_scales(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<8x8xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>)
            alpha(%one : f32) beta(%zero : f32) accumulator(f32)
  return
}

// CHECK-LABEL: func @neutral_complex_scales
// CHECK-NEXT:    %[[I:.+]] = complex.constant [1.000000e+00 : f32, 1.000000e+00 : f32]
// CHECK-NEXT:    kami.gemm {{.*}} outs(%{{.+}} : memref<8x8xcomplex<f32>>) accumulator(complex<f32>)
// CHECK:         kami.gemm {{.*}} alpha(%[[I]] : complex<f32>) accumulator(complex<f32>)
func.func @neutral_complex_scales(%a: memref<8x8xcomplex<f32>>, %b: memref<8x8xcomplex<f32>>, %c: memref<8x8xcomplex<f32>>, %d: memref<8x8xcomplex<f32>>) {
  %one = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  kami.gemm ins(%a, %b : memref<8x8xcomplex<f32>>, memref<8x8xcomplex<f32>>) outs(%c : memref<8x8xcomplex<f32>>)
            alpha(%one : complex<f32>) beta(%zero : complex<f32>) accumulator(complex<f32>)
  %other = complex.constant [1.0 : f32, 1.0 : f32] : complex<f32>
  kami.gemm ins(%a, %b : memref<8x8xcomplex<f32>>, memref<8x8xcomplex<f32>>) outs(%d : memref<8x8xcomplex<f32>>)
            alpha(%other : complex<f32>) accumulator(complex<f32>)
  return
}

// CHECK-LABEL: func @other_scales
// CHECK-SAME:    %[[ALPHA:[^ ]+]]: f64)
// CHECK:         %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK:         kami.gemm {{.*}} alpha(%[[ALPHA]] : f64) beta(%[[ONE]] : f64) accumulator(f64)
func.func @other_scales(%a: memref<8x8xf64>, %b: memref<8x8xf64>, %c: memref<8x8xf64>, %alpha: f64) {
  %one = arith.constant 1.0 : f64
  kami.gemm ins(%a, %b : memref<8x8xf64>, memref<8x8xf64>) outs(%c : memref<8x8xf64>)
            alpha(%alpha : f64) beta(%one : f64) accumulator(f64)
  return
}

// β = 0 on tensors, one scale of two: segments stay right.

// CHECK-LABEL: func @beta_alone
// CHECK-SAME:    %[[ALPHA:[^ ]+]]: f32)
// CHECK:         %[[D:.+]] = kami.gemm {{.*}} alpha(%[[ALPHA]] : f32) accumulator(f32) -> tensor<8x8xf32>
// CHECK:         return %[[D]]
func.func @beta_alone(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>, %alpha: f32) -> tensor<8x8xf32> {
  %zero = arith.constant -0.0 : f32
  %d = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>)
                 alpha(%alpha : f32) beta(%zero : f32) accumulator(f32) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// Sizes that casts hide are known of the product.

// CHECK-LABEL: func @tensor_casts
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<8x16xf16>, %[[B:[^ ]+]]: tensor<16x24xf16>, %[[C:[^ ]+]]: tensor<8x24xf32>)
// CHECK-NEXT:    %[[D:.+]] = kami.gemm ins(%[[A]], %[[B]] : tensor<8x16xf16>, tensor<16x24xf16>) outs(%[[C]] : tensor<8x24xf32>) accumulator(f32) -> tensor<8x24xf32>
// CHECK-NEXT:    %[[CAST:.+]] = tensor.cast %[[D]] : tensor<8x24xf32> to tensor<?x24xf32>
// CHECK-NEXT:    return %[[CAST]]
func.func @tensor_casts(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>) -> tensor<?x24xf32> {
  %x = tensor.cast %a : tensor<8x16xf16> to tensor<?x?xf16>
  %y = tensor.cast %b : tensor<16x24xf16> to tensor<?x24xf16>
  %z = tensor.cast %c : tensor<8x24xf32> to tensor<?x24xf32>
  %d = kami.gemm ins(%x, %y : tensor<?x?xf16>, tensor<?x24xf16>) outs(%z : tensor<?x24xf32>) accumulator(f32) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}

// CHECK-LABEL: func @tensor_casts_of_a_region
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<8x16xf16>, %{{[^ ]+}}: tensor<16x24xf16>, %{{[^ ]+}}: tensor<8x24xf32>, %[[BIAS:[^ ]+]]: tensor<24xf32>)
// CHECK-NEXT:    kami.gemm ins(%[[A]], {{.*}} epilogue (%{{.+}}: f32, %{{.+}} = %[[BIAS]] : tensor<24xf32> at
func.func @tensor_casts_of_a_region(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %c: tensor<8x24xf32>, %bias: tensor<24xf32>) -> tensor<8x24xf32> {
  %x = tensor.cast %a : tensor<8x16xf16> to tensor<?x16xf16>
  %y = tensor.cast %bias : tensor<24xf32> to tensor<?xf32>
  %d = kami.gemm ins(%x, %b : tensor<?x16xf16>, tensor<16x24xf16>) outs(%c : tensor<8x24xf32>) accumulator(f32)
    epilogue (%value: f32, %term = %y : tensor<?xf32> at affine_map<(d0, d1) -> (d1)>) {
      %sum = arith.addf %value, %term : f32
      kami.yield %sum : f32
    } -> tensor<8x24xf32>
  return %d : tensor<8x24xf32>
}

// A cast to what is known is left: the product has that from it.

// CHECK-LABEL: func @memref_casts
// CHECK-SAME:    %[[A:[^ ]+]]: memref<8x16xf16>, %[[B:[^ ]+]]: memref<?x?xf16>, %[[C:[^ ]+]]: memref<8x24xf32>)
// CHECK-NEXT:    %[[Y:.+]] = memref.cast %[[B]]
// CHECK-NEXT:    kami.gemm ins(%[[A]], %[[Y]] : memref<8x16xf16>, memref<16x24xf16>) outs(%[[C]] : memref<8x24xf32>) accumulator(f32)
func.func @memref_casts(%a: memref<8x16xf16>, %b: memref<?x?xf16>, %c: memref<8x24xf32>) {
  %x = memref.cast %a : memref<8x16xf16> to memref<8x?xf16, strided<[?, 1], offset: ?>>
  %y = memref.cast %b : memref<?x?xf16> to memref<16x24xf16>
  %z = memref.cast %c : memref<8x24xf32> to memref<?x?xf32>
  kami.gemm ins(%x, %y : memref<8x?xf16, strided<[?, 1], offset: ?>>, memref<16x24xf16>) outs(%z : memref<?x?xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func @empty_batch_tensor
// CHECK-SAME:    %[[C:[^ ]+]]: tensor<0x8x8xf32>)
// CHECK-NEXT:    return %[[C]]
func.func @empty_batch_tensor(%a: tensor<0x8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<0x8x8xf32>) -> tensor<0x8x8xf32> {
  %d = kami.gemm ins(%a, %b : tensor<0x8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<0x8x8xf32>)
                 accumulator(f32) -> tensor<0x8x8xf32>
  return %d : tensor<0x8x8xf32>
}

// CHECK-LABEL: func @empty_batch_memref
// CHECK-NEXT:    return
func.func @empty_batch_memref(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %c: memref<3x0x8x8xf32>) {
  kami.gemm ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<3x0x8x8xf32>) accumulator(f32)
  return
}

// Without rows or columns, too; without terms, C changes.

// CHECK-LABEL: func @empty_matrices
// CHECK-NEXT:    kami.gemm {{.*}} outs(%arg4 : memref<8x8xf32>)
// CHECK-NEXT:    return
func.func @empty_matrices(%a: memref<0x8xf16>, %b: memref<8x8xf16>, %c: memref<0x8xf32>,
                          %d: memref<8x0xf16>, %e: memref<8x8xf32>, %f: memref<0x8xf16>) {
  kami.gemm ins(%a, %b : memref<0x8xf16>, memref<8x8xf16>) outs(%c : memref<0x8xf32>) accumulator(f32)
  kami.gemm ins(%d, %f : memref<8x0xf16>, memref<0x8xf16>) outs(%e : memref<8x8xf32>) accumulator(f32)
  return
}

// A product that nobody uses.

// CHECK-LABEL: func @dead_tensor
// CHECK-NEXT:    return
func.func @dead_tensor(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
  %d = kami.gemm ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) accumulator(f32) -> tensor<8x8xf32>
  return
}

// A row of one warp has its fragment; a column of four still needs its own.

// CHECK-LABEL: func @lonely_message
// CHECK-SAME:    %[[A:.+]]: !a32x16, %[[B:.+]]: !b16x64, %[[BUFFER:.+]]: memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    %[[R:.+]] = kami.broadcast in [4, 1, 1]
// CHECK-NEXT:      %[[B]] : !b16x64 along column from 2 via %[[BUFFER]] : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    return %[[A]], %[[R]]
func.func @lonely_message(%a: !a, %b: !b, %buffer: !workgroup) -> (!a, !b) {
  %a1, %b1 = kami.broadcast in [4, 1, 1]
      %a : !a along row from 0 via %buffer : !workgroup,
      %b : !b along column from 2 via %buffer : !workgroup
  return %a1, %b1 : !a, !b
}

// One warp never goes through shared memory.

// CHECK-LABEL: func @one_warp
// CHECK-SAME:    %[[A:.+]]: !a32x16, %[[B:.+]]: !b16x64
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @one_warp(%a: !a, %b: !b, %buffer: !workgroup) -> (!a, !b) {
  %a1, %b1 = kami.broadcast in [1, 1, 1]
      %a : !a along row from 0 via %buffer : !workgroup,
      %b : !b along column from 0 via %buffer : !workgroup
  return %a1, %b1 : !a, !b
}

// CHECK-LABEL: func @one_layer
// CHECK-SAME:    %[[C:.+]]: !c32x64
// CHECK-NEXT:    return %[[C]]
func.func @one_layer(%c: !c, %buffer: !workgroup) -> !c {
  %0 = kami.reduce in [2, 2, 1] %c via %buffer : !c, !workgroup
  return %0 : !c
}

// CHECK-LABEL: func @two_layers
// CHECK:         kami.reduce in [2, 2, 2]
func.func @two_layers(%c: !c, %buffer: !workgroup) -> !c {
  %0 = kami.reduce in [2, 2, 2] %c via %buffer : !c, !workgroup
  return %0 : !c
}

// Nobody uses what is received, but all warps wait for each other.

// CHECK-LABEL: func @unused_results
// CHECK:         kami.broadcast
// CHECK:         kami.reduce
func.func @unused_results(%a: !a, %c: !c, %buffer: !workgroup) {
  %0 = kami.broadcast in [1, 2, 1] %a : !a along row from 0 via %buffer : !workgroup
  %1 = kami.reduce in [2, 2, 2] %c via %buffer : !c, !workgroup
  return
}
