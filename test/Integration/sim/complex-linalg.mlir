// Complex products as linalg says them, of tensors and of buffers whose extents
// are known at run time only, and with scales from memory.

// RUN: split-file %s %t
// RUN: kami-run %t/linalg.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/linalg.mlir --device=sim --seed=3 --precision=tf32x3 | FileCheck %s
// RUN: kami-run %t/dynamic.mlir --device=sim --seed=4 | FileCheck %s
// RUN: kami-run %t/scales.mlir --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %t/block.mlir --device=sim --inputs=integers | FileCheck %s
// CHECK: verdict   right

//--- linalg.mlir
func.func @main(%a: tensor<3x20x33xcomplex<f32>>, %b: tensor<3x33x12xcomplex<f32>>, %c: tensor<3x20x12xcomplex<f32>>) -> (tensor<3x20x12xcomplex<f32>>, tensor<3x20x12xcomplex<f32>>) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<3x20x12xcomplex<f32>>
  %start = linalg.fill ins(%zero : complex<f32>) outs(%empty : tensor<3x20x12xcomplex<f32>>) -> tensor<3x20x12xcomplex<f32>>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x20x33xcomplex<f32>>, tensor<3x33x12xcomplex<f32>>) outs(%start : tensor<3x20x12xcomplex<f32>>) -> tensor<3x20x12xcomplex<f32>>
  %1 = linalg.batch_matmul ins(%a, %b : tensor<3x20x33xcomplex<f32>>, tensor<3x33x12xcomplex<f32>>) outs(%c : tensor<3x20x12xcomplex<f32>>) -> tensor<3x20x12xcomplex<f32>>
  return %0, %1 : tensor<3x20x12xcomplex<f32>>, tensor<3x20x12xcomplex<f32>>
}

//--- dynamic.mlir
func.func @main(%a: memref<37x53xcomplex<f64>>, %b: memref<53x19xcomplex<f64>>, %c: memref<37x19xcomplex<f64>>) {
  %da = memref.cast %a : memref<37x53xcomplex<f64>> to memref<?x?xcomplex<f64>, strided<[?, ?], offset: ?>>
  %db = memref.cast %b : memref<53x19xcomplex<f64>> to memref<?x?xcomplex<f64>>
  %dc = memref.cast %c : memref<37x19xcomplex<f64>> to memref<?x?xcomplex<f64>>
  linalg.matmul ins(%da, %db : memref<?x?xcomplex<f64>, strided<[?, ?], offset: ?>>, memref<?x?xcomplex<f64>>) outs(%dc : memref<?x?xcomplex<f64>>)
  return
}

//--- scales.mlir
func.func @main(%a: memref<20x33xcomplex<f32>>, %b: memref<33x12xcomplex<f32>>, %c: memref<20x12xcomplex<f32>>,
                %alpha: memref<complex<f32>>, %beta: memref<complex<f32>>) {
  kami.gemm ins(%a, %b : memref<20x33xcomplex<f32>>, memref<33x12xcomplex<f32>>) outs(%c : memref<20x12xcomplex<f32>>)
      alpha(%alpha : memref<complex<f32>>) beta(%beta : memref<complex<f32>>) conjugate_b accumulator(complex<f32>)
  return
}

// In a kernel that somebody wrote.

//--- block.mlir
!m = memref<16x16xcomplex<f64>>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @twice(%a: !m, %b: !m, %c: !m) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      kami.gemm ins(%a, %b : !m, !m) outs(%c : !m) accumulator(complex<f64>)
      %one = complex.constant [1.0 : f64, 0.0 : f64] : complex<f64>
      kami.gemm ins(%a, %b : !m, !m) outs(%c : !m) beta(%one : complex<f64>) accumulator(complex<f64>)
      gpu.return
    }
  }
  func.func @main(%a: !m, %b: !m, %c: !m) attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : !m, %b : !m, %c : !m)
    return
  }
  func.func private @reference(%a: !m, %b: !m, %c: !m) {
    %two = complex.constant [2.0 : f64, 0.0 : f64] : complex<f64>
    kami.gemm ins(%a, %b : !m, !m) outs(%c : !m) alpha(%two : complex<f64>) accumulator(complex<f64>)
    return
  }
}
