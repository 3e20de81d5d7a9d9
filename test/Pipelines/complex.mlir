// A complex product as far as PTX: the parts are addresses, and nothing is a
// complex number any more.

// RUN: kami-opt %s --kami-to-nvvm=chip=sm_90 --gpu-module-to-binary=format=isa | FileCheck %s

// CHECK: gpu.binary @gemm_16x8x16_complex_f64_module
// CHECK: mma.sync.aligned.m16n8k8.row.col.f64
func.func @f(%a: memref<16x16xcomplex<f64>>, %b: memref<16x8xcomplex<f64>, strided<[?, ?], offset: ?>>, %c: memref<16x8xcomplex<f64>>, %s: complex<f64>) {
  %i = complex.constant [0.0 : f64, 1.0 : f64] : complex<f64>
  kami.gemm ins(%a, %b : memref<16x16xcomplex<f64>>, memref<16x8xcomplex<f64>, strided<[?, ?], offset: ?>>) outs(%c : memref<16x8xcomplex<f64>>)
      alpha(%s : complex<f64>) beta(%i : complex<f64>) accumulator(complex<f64>)
  return
}
