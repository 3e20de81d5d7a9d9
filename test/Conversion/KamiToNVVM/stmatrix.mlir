// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm,kami-expand-float8,convert-nvgpu-to-nvvm,convert-gpu-to-nvvm,reconcile-unrealized-casts,canonicalize,cse))' | FileCheck %s

!m = memref<64x64xf16, #gpu.address_space<workgroup>>
!m8 = memref<64x64xf8E4M3FN, #gpu.address_space<workgroup>>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {

// CHECK-LABEL: llvm.func @store
// CHECK:         %[[AT:.+]] = llvm.getelementptr {{.*}} : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f16
// CHECK:         %[[R0:.+]] = llvm.bitcast %{{.+}} : vector<2xf16> to i32
// CHECK:         %[[R1:.+]] = llvm.bitcast %{{.+}} : vector<2xf16> to i32
// CHECK:         nvvm.stmatrix %[[AT]], %[[R0]], %[[R1]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK:         nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<col>
gpu.func @store(%i: index, %r: vector<2x2xf16>) workgroup(%m: !m) kernel {
  kami.stmatrix %r, %m[%i, %i] : vector<2x2xf16>, !m
  kami.stmatrix %r, %m[%i, %i] transpose : vector<2x2xf16>, !m
  gpu.return
}

// LLVM has no floats of 8 bits.

// CHECK-LABEL: llvm.func @load8
// CHECK:         %[[AT:.+]] = llvm.getelementptr {{.*}} : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
// CHECK:         nvvm.ldmatrix %[[AT]] {{.*}}num = 4 : i32
// CHECK:         llvm.bitcast %{{.+}} : i32 to vector<4xi8>
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         llvm.return
gpu.func @load8(%i: index, %out: memref<1xf8E4M3FN>) workgroup(%m: !m8) kernel {
  %c0 = arith.constant 0 : index
  %r = nvgpu.ldmatrix %m[%i, %c0] {numTiles = 4 : i32, transpose = false} : !m8 -> vector<4x4xf8E4M3FN>
  %x = vector.extract %r[3, 1] : f8E4M3FN from vector<4x4xf8E4M3FN>
  memref.store %x, %out[%c0] : memref<1xf8E4M3FN>
  gpu.return
}
}
}
