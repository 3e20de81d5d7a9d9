// A kernel that somebody wrote, with kami as its building block: two products of
// operands that are distributed over the block, the second of a matrix in
// workgroup memory as well. It is compared with the function that its entry
// names.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --seed=7 | FileCheck %s
// CHECK: verdict   right

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<three_d, grid = [2, 1, 2], unit = warp, atom = #atom, tile = 50x37x23, transport = staged, slices = {k = 16, shared = [1, 0]}>
!a = !kami.distributed<50x23xf16, a, #plan>
!b = !kami.distributed<23x37xf16, b, #plan>
!c = !kami.distributed<50x37xf32, c, #plan>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sums(%a: memref<50x23xf16>, %b: memref<23x37xf16>, %d: memref<50x23xf16>, %c: memref<50x37xf32>, %count: index)
        workgroup(%copy : memref<50x23xf16, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c50 = arith.constant 50 : index
      %c23 = arith.constant 23 : index
      %one = arith.constant 1.0 : f32
      %zero = arith.constant 0.0 : f32
      // The user's own copy into workgroup memory.
      %thread = gpu.thread_id x
      %has_row = arith.cmpi ult, %thread, %c50 : index
      scf.if %has_row {
        scf.for %column = %c0 to %c23 step %c1 {
          %x = memref.load %d[%thread, %column] : memref<50x23xf16>
          memref.store %x, %copy[%thread, %column] : memref<50x23xf16, #gpu.address_space<workgroup>>
        }
      }
      gpu.barrier
      %left = kami.distribute %a : memref<50x23xf16> -> !a
      %right = kami.distribute %b : memref<23x37xf16> -> !b
      %start = kami.splat %zero : f32 -> !c
      %sum = scf.for %i = %c0 to %count step %c1 iter_args(%partial = %start) -> (!c) {
        %next = kami.gemm ins(%left, %right : !a, !b) outs(%partial : !c) beta(%one : f32) accumulator(f32) -> !c
        scf.yield %next : !c
      }
      %all = kami.gemm ins(%copy, %right : memref<50x23xf16, #gpu.address_space<workgroup>>, !b)
                       outs(%sum : !c) beta(%one : f32) accumulator(f32) -> !c
      kami.collect %all, %c : !c, memref<50x37xf32>
      gpu.return
    }
  }
  func.func private @twice_and_once(%a: memref<50x23xf16>, %b: memref<23x37xf16>, %d: memref<50x23xf16>, %c: memref<50x37xf32>) {
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    kami.gemm ins(%a, %b : memref<50x23xf16>, memref<23x37xf16>) outs(%c : memref<50x37xf32>) alpha(%two : f32) accumulator(f32)
    kami.gemm ins(%d, %b : memref<50x23xf16>, memref<23x37xf16>) outs(%c : memref<50x37xf32>) beta(%one : f32) accumulator(f32)
    return
  }
  func.func @main(%a: memref<50x23xf16>, %b: memref<23x37xf16>, %d: memref<50x23xf16>, %c: memref<50x37xf32>)
      attributes {kami.reference = @twice_and_once} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%a : memref<50x23xf16>, %b : memref<23x37xf16>, %d : memref<50x23xf16>, %c : memref<50x37xf32>, %c2 : index)
    return
  }
}
