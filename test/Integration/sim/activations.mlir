// RUN: split-file %s %t
// RUN: kami-run --device=sim %t/gelu-tanh.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/silu.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/silu-f64.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/relu.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/relu.mlir --inputs=integers --algorithm=3d --warps=8 | FileCheck %s
// RUN: kami-run --device=sim %t/beta.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/beta.mlir | FileCheck %s
// RUN: kami-run --device=sim %t/scales.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/batch.mlir --inputs=integers | FileCheck %s
// RUN: kami-run --device=sim %t/batch.mlir | FileCheck %s

// CHECK: verdict right

// gelu's form with tanh.
//--- gelu-tanh.mlir
func.func @main(%a: memref<37x23xbf16>, %b: memref<23x29xbf16>, %c: memref<37x29xf32>) {
  kami.gemm ins(%a, %b : memref<37x23xbf16>, memref<23x29xbf16>) outs(%c : memref<37x29xf32>) accumulator(f32)
      epilogue(%x: f32) {
        %half = arith.constant 0.5 : f32
        %one = arith.constant 1.0 : f32
        %c0 = arith.constant 0.044715 : f32
        %c1 = arith.constant 0.79788456 : f32
        %x2 = arith.mulf %x, %x : f32
        %x3 = arith.mulf %x2, %x : f32
        %p = arith.mulf %x3, %c0 : f32
        %q = arith.addf %x, %p : f32
        %r = arith.mulf %q, %c1 : f32
        %t = math.tanh %r : f32
        %u = arith.addf %t, %one : f32
        %h = arith.mulf %x, %half : f32
        %y = arith.mulf %h, %u : f32
        kami.yield %y : f32
      }
  return
}

// x / (1 + e^-x), of a product plus a residual with strides of its own.
//--- silu.mlir
func.func @main(%a: memref<37x23xf16>, %b: memref<23x29xf16>, %r: memref<37x29xf16, strided<[1, 40], offset: 3>>,
                %c: memref<37x29xf16, strided<[80, 2], offset: 5>>) {
  kami.gemm ins(%a, %b : memref<37x23xf16>, memref<23x29xf16>)
            outs(%c : memref<37x29xf16, strided<[80, 2], offset: 5>>) accumulator(f32)
      epilogue(%x: f32, %old = %r : memref<37x29xf16, strided<[1, 40], offset: 3>> at affine_map<(m, n) -> (m, n)>) {
        %one = arith.constant 1.0 : f32
        %o = arith.extf %old : f16 to f32
        %v = arith.addf %x, %o : f32
        %n = arith.negf %v : f32
        %e = math.exp %n : f32
        %d = arith.addf %e, %one : f32
        %y = arith.divf %v, %d : f32
        %t = arith.truncf %y : f32 to f16
        kami.yield %t : f16
      }
  return
}

//--- silu-f64.mlir
func.func @main(%a: memref<19x23xf64>, %b: memref<23x13xf64>, %c: memref<19x13xf64>) {
  kami.gemm ins(%a, %b : memref<19x23xf64>, memref<23x13xf64>) outs(%c : memref<19x13xf64>) accumulator(f64)
      epilogue(%x: f64) {
        %one = arith.constant 1.0 : f64
        %n = arith.negf %x : f64
        %e = math.exp %n : f64
        %d = arith.addf %e, %one : f64
        %y = arith.divf %x, %d : f64
        kami.yield %y : f64
      }
  return
}

// A bias of rows, a scale by a power of two, relu: exact.
//--- relu.mlir
func.func @main(%a: memref<37x53xf16>, %b: memref<53x29xf16>, %bias: memref<37xf32>, %c: memref<37x29xf32>) {
  kami.gemm ins(%a, %b : memref<37x53xf16>, memref<53x29xf16>) outs(%c : memref<37x29xf32>) accumulator(f32)
      epilogue(%x: f32, %r = %bias : memref<37xf32> at affine_map<(m, n) -> (m)>) {
        %zero = arith.constant 0.0 : f32
        %quarter = arith.constant 0.25 : f32
        %y = arith.addf %x, %r : f32
        %s = arith.mulf %y, %quarter : f32
        %positive = arith.cmpf ogt, %s, %zero : f32
        %z = arith.select %positive, %s, %zero : f32
        kami.yield %z : f32
      }
  return
}

// alpha and beta come before the epilogue; C is f16, which holds these integers.
//--- beta.mlir
func.func @main(%a: memref<21x23xf16>, %b: memref<23x29xf16>, %c: memref<21x29xf16>, %alpha: f32, %beta: f32) {
  kami.gemm ins(%a, %b : memref<21x23xf16>, memref<23x29xf16>) outs(%c : memref<21x29xf16>)
            alpha(%alpha : f32) beta(%beta : f32) accumulator(f32)
      epilogue(%x: f32) {
        %zero = arith.constant 0.0 : f32
        %z = arith.maximumf %x, %zero : f32
        %t = arith.truncf %z : f32 to f16
        kami.yield %t : f16
      }
  return
}

// alpha and beta in memory, read in the kernel, without an epilogue.
//--- scales.mlir
func.func @main(%a: memref<21x23xf16>, %b: memref<23x29xf16>, %c: memref<21x29xf32>, %alpha: memref<f32>, %beta: memref<f32>) {
  kami.gemm ins(%a, %b : memref<21x23xf16>, memref<23x29xf16>) outs(%c : memref<21x29xf32>)
            alpha(%alpha : memref<f32>) beta(%beta : memref<f32>) accumulator(f32)
  return
}

// A batch with a bias for all of it, and one scale for each product.
//--- batch.mlir
func.func @main(%a: memref<3x37x23xf16>, %b: memref<23x29xf16>, %bias: memref<1x29xf32>, %scale: memref<3xf32>, %c: memref<3x37x29xf32>) {
  kami.gemm ins(%a, %b : memref<3x37x23xf16>, memref<23x29xf16>) outs(%c : memref<3x37x29xf32>) accumulator(f32)
      epilogue(%x: f32, %r = %bias : memref<1x29xf32> at affine_map<(b, m, n) -> (0, n)>,
               %s = %scale : memref<3xf32> at affine_map<(b, m, n) -> (b)>) {
        %y = arith.addf %x, %r : f32
        %z = arith.mulf %y, %s : f32
        kami.yield %z : f32
      }
  return
}
