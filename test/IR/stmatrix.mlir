// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s

!m = memref<64x64xf16, #gpu.address_space<workgroup>>

// CHECK-LABEL: func @stmatrix
// CHECK-SAME:    %[[R:.+]]: vector<4x2xf16>, %[[S:.+]]: vector<1x4xi8>, %[[M:.+]]: memref<64x64xf16, #gpu.address_space<workgroup>>, %[[N:.+]]: memref<?x?xi8, strided<[?, 1], offset: ?>, #gpu.address_space<workgroup>>, %[[I:.+]]: index
// CHECK-NEXT:    kami.stmatrix %[[R]], %[[M]][%[[I]], %[[I]]] : vector<4x2xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT:    kami.stmatrix %[[R]], %[[M]][%[[I]], %[[I]]] transpose : vector<4x2xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT:    kami.stmatrix %[[S]], %[[N]][%[[I]], %[[I]]] : vector<1x4xi8>, memref<?x?xi8, strided<[?, 1], offset: ?>, #gpu.address_space<workgroup>>
func.func @stmatrix(%r: vector<4x2xf16>, %s: vector<1x4xi8>, %m: !m,
                    %n: memref<?x?xi8, strided<[?, 1], offset: ?>, #gpu.address_space<workgroup>>, %i: index) {
  kami.stmatrix %r, %m[%i, %i] : vector<4x2xf16>, !m
  kami.stmatrix %r, %m[%i, %i] transpose : vector<4x2xf16>, !m
  kami.stmatrix %s, %n[%i, %i] : vector<1x4xi8>, memref<?x?xi8, strided<[?, 1], offset: ?>, #gpu.address_space<workgroup>>
  return
}
