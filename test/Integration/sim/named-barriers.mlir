// Barriers that hold up a row, a column or a layer: products whose other operand
// is resident, one after the other, and of another plan after them.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=5 | FileCheck %s
// RUN: kami-compile %s --emit=target -o - | FileCheck %s --check-prefix=LOWERED
// CHECK: verdict   right
// LOWERED: nvvm.barrier id

#atom = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#rows = #kami.plan<two_d, grid = [2, 4, 1], unit = warp, atom = #atom, tile = 50x37x70, transport = staged, slices = {k = 8, shared = [0, 6]}>
#columns = #kami.plan<two_d, grid = [4, 2, 1], unit = warp, atom = #atom, tile = 50x37x70, transport = double_buffered, slices = {k = 8, shared = [6, 0]}>
#layers = #kami.plan<three_d, grid = [2, 2, 2], unit = warp, atom = #atom, tile = 50x37x70, transport = staged, slices = {k = 8, shared = [0, 0]}>
!rows_a = !kami.distributed<50x70xf64, a, #rows>
!rows_b = !kami.distributed<70x37xf64, b, #rows>
!columns_a = !kami.distributed<50x70xf64, a, #columns>
!columns_b = !kami.distributed<70x37xf64, b, #columns>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sums(%a: memref<50x70xf64>, %b: memref<70x37xf64>, %c: memref<50x37xf64>, %d: memref<50x37xf64>, %e: memref<50x37xf64>)
        kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %one = arith.constant 1.0 : f64
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %a0 = kami.distribute %a : memref<50x70xf64> -> !rows_a
      %b0 = kami.distribute %b : memref<70x37xf64> -> !rows_b
      %a1 = kami.distribute %a : memref<50x70xf64> -> !columns_a
      %b1 = kami.distribute %b : memref<70x37xf64> -> !columns_b
      scf.for %i = %c0 to %c3 step %c1 {
        kami.gemm ins(%a0, %b0 : !rows_a, !rows_b) outs(%c : memref<50x37xf64>) beta(%one : f64) accumulator(f64) plan(#rows)
        kami.gemm ins(%a1, %b1 : !columns_a, !columns_b) outs(%d : memref<50x37xf64>) beta(%one : f64) accumulator(f64) plan(#columns)
        kami.gemm ins(%a, %b : memref<50x70xf64>, memref<70x37xf64>) outs(%e : memref<50x37xf64>) beta(%one : f64) accumulator(f64) plan(#layers)
      }
      gpu.return
    }
  }
  func.func private @three_times(%a: memref<50x70xf64>, %b: memref<70x37xf64>, %c: memref<50x37xf64>, %d: memref<50x37xf64>, %e: memref<50x37xf64>) {
    %one = arith.constant 1.0 : f64
    %three = arith.constant 3.0 : f64
    kami.gemm ins(%a, %b : memref<50x70xf64>, memref<70x37xf64>) outs(%c : memref<50x37xf64>) alpha(%three : f64) beta(%one : f64) accumulator(f64)
    kami.gemm ins(%a, %b : memref<50x70xf64>, memref<70x37xf64>) outs(%d : memref<50x37xf64>) alpha(%three : f64) beta(%one : f64) accumulator(f64)
    kami.gemm ins(%a, %b : memref<50x70xf64>, memref<70x37xf64>) outs(%e : memref<50x37xf64>) alpha(%three : f64) beta(%one : f64) accumulator(f64)
    return
  }
  func.func @main(%a: memref<50x70xf64>, %b: memref<70x37xf64>, %c: memref<50x37xf64>, %d: memref<50x37xf64>, %e: memref<50x37xf64>)
      attributes {kami.reference = @three_times} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%a : memref<50x70xf64>, %b : memref<70x37xf64>, %c : memref<50x37xf64>, %d : memref<50x37xf64>, %e : memref<50x37xf64>)
    return
  }
}
