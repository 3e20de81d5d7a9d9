// A product whose operands and result lie in workgroup memory, as somebody else put
// them there: A, B and C in either order, sizes that end within a tile, alignment
// that is promised or asked for.

// RUN: kami-run %s --target=sm_90 --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/\[72, 1\]/[1, 72]/g' %s | kami-run - --target=sm_90 --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/_view, 16/_view, 2/' %s | kami-run - --target=sm_90 --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/f16/bf16/g;s/\[72, 1\]/[1, 72]/' %s | kami-run - --target=sm_90 --device=sim --seed=3 | FileCheck %s
// RUN: kami-run %s --target=sm_80 --device=sim --seed=4 | FileCheck %s
// RUN: sed 's/72/66/g' %s | kami-run - --target=sm_90 --device=sim --seed=5 | FileCheck %s
// CHECK: verdict   right

#atom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<two_d, grid = [2, 2, 1], unit = warp, atom = #atom, tile = 50x37x41, transport = staged, slices = {k = 16, shared = [0, 0]}>
!memory = memref<64x72xf16, #gpu.address_space<workgroup>>
!a = memref<50x41xf16, strided<[72, 1]>, #gpu.address_space<workgroup>>
!b = memref<41x37xf16, strided<[72, 1]>, #gpu.address_space<workgroup>>
!c = memref<50x37xf16, strided<[72, 1]>, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<50x41xf16>, %b: memref<41x37xf16>, %c: memref<50x37xf16>)
        workgroup(%a_memory : !memory {llvm.align = 16 : i64}, %b_memory : !memory {llvm.align = 16 : i64}, %c_memory : !memory {llvm.align = 16 : i64})
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %left_view = memref.reinterpret_cast %a_memory to offset: [0], sizes: [50, 41], strides: [72, 1] : !memory to !a
      %left = memref.assume_alignment %left_view, 16 : !a
      %right_view = memref.reinterpret_cast %b_memory to offset: [0], sizes: [41, 37], strides: [72, 1] : !memory to !b
      %right = memref.assume_alignment %right_view, 16 : !b
      %result_view = memref.reinterpret_cast %c_memory to offset: [0], sizes: [50, 37], strides: [72, 1] : !memory to !c
      %result = memref.assume_alignment %result_view, 16 : !c
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c37 = arith.constant 37 : index
      %c41 = arith.constant 41 : index
      %c50 = arith.constant 50 : index
      %thread = gpu.thread_id x
      %is_row = arith.cmpi ult, %thread, %c50 : index
      scf.if %is_row {
        scf.for %k = %c0 to %c41 step %c1 {
          %x = memref.load %a[%thread, %k] : memref<50x41xf16>
          memref.store %x, %left[%thread, %k] : !a
        }
      }
      %is_depth = arith.cmpi ult, %thread, %c41 : index
      scf.if %is_depth {
        scf.for %n = %c0 to %c37 step %c1 {
          %x = memref.load %b[%thread, %n] : memref<41x37xf16>
          memref.store %x, %right[%thread, %n] : !b
        }
      }
      gpu.barrier
      kami.gemm ins(%left, %right : !a, !b) outs(%result : !c) accumulator(f32) plan(#plan)
      gpu.barrier
      scf.if %is_row {
        scf.for %n = %c0 to %c37 step %c1 {
          %x = memref.load %result[%thread, %n] : !c
          memref.store %x, %c[%thread, %n] : memref<50x37xf16>
        }
      }
      gpu.return
    }
  }
  func.func private @reference(%a: memref<50x41xf16>, %b: memref<41x37xf16>, %c: memref<50x37xf16>) {
    kami.gemm ins(%a, %b : memref<50x41xf16>, memref<41x37xf16>) outs(%c : memref<50x37xf16>) accumulator(f32)
    return
  }
  func.func @main(%a: memref<50x41xf16>, %b: memref<41x37xf16>, %c: memref<50x37xf16>)
      attributes {kami.reference = @reference} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
        args(%a : memref<50x41xf16>, %b : memref<41x37xf16>, %c : memref<50x37xf16>)
    return
  }
}
