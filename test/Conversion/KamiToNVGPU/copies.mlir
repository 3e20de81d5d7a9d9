// Pieces of 16 bytes where rows are aligned for sure, a test at run time where they
// may be, and single elements of 16 bits where they are not.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu,canonicalize,cse)))' | FileCheck %s

!tile = memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
!buffer = memref<64x40xf16, #gpu.address_space<workgroup>>
!wide = memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>

gpu.module @kernels {
  // 64 lines of 4 pieces for 128 threads: two each, all there. The second lies as
  // far behind the first in both as is known here.
  // CHECK-LABEL: gpu.func @aligned
  // CHECK-NOT:     scf.if
  // CHECK:         nvgpu.device_async_copy %{{.+}}[%[[LINE:.+]], %[[COLUMN:.+]]], %{{.+}}[%[[LINE]], %[[COLUMN]]], 8 {bypassL1} : memref<64x32xf16, strided<[512, 1]>> to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  // CHECK:         nvgpu.device_async_copy %{{.+}}[%[[LINE]], %[[COLUMN]]], %{{.+}}[%[[LINE]], %[[COLUMN]]], 8 {bypassL1} : memref<32x32xf16, strided<[512, 1], offset: 16384>> to memref<32x32xf16, strided<[40, 1], offset: 1280>, #gpu.address_space<workgroup>>
  // CHECK-NOT:     nvgpu.device_async_copy
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         nvvm.cp.async.wait.group 1
  gpu.func @aligned(%a: memref<64x32xf16, strided<[512, 1]>> {llvm.align = 16 : i64}) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_async %a to %t by 128 : memref<64x32xf16, strided<[512, 1]>> to !tile
    kami.copy_commit
    kami.copy_wait 1
    gpu.return
  }

  // Somebody promises what strides do not tell.
  // CHECK-LABEL: gpu.func @promised
  // CHECK-NOT:     scf.if
  // CHECK:         nvgpu.device_async_copy {{.+}}, 8{{.*}} {bypassL1}
  // CHECK-NOT:     memref.load
  // CHECK:         gpu.return
  gpu.func @promised(%a: memref<64x32xf16, strided<[?, 1], offset: ?>>) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_async %a to %t by 128 aligned_rows : memref<64x32xf16, strided<[?, 1], offset: ?>> to !tile
    gpu.return
  }

  // To where the matrix unit reads: in each line of 128 bytes, the piece's number is
  // permuted by the line's; a fence makes what arrives visible to the unit.
  // CHECK-LABEL: gpu.func @placed
  // CHECK:         %[[LINE:.+]] = arith.divui %{{.+}}, %c8
  // CHECK:         %[[COLUMN:.+]] = arith.muli %{{.+}}, %c8
  // CHECK:         %[[CHUNK:.+]] = arith.divui %{{.+}}, %c8
  // CHECK:         arith.xori %[[CHUNK]], %{{.+}}
  // CHECK:         nvgpu.device_async_copy {{.+}}, 8 {bypassL1} : memref<64x64xf16, strided<[512, 1]>> to memref<4096xf16, #gpu.address_space<workgroup>>
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK-NEXT:    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
  gpu.func @placed(%a: memref<64x64xf16, strided<[512, 1]>> {llvm.align = 16 : i64}) workgroup(%s: memref<8192xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.place_async %a to %s in #kami.shared_matrix<64x64xf16, a, k_major, swizzle = 128> by 128 : memref<64x64xf16, strided<[512, 1]>>, memref<8192xi8, #gpu.address_space<workgroup>>
    kami.copy_commit
    kami.copy_wait 0 for_matrix_unit
    gpu.return
  }

  // A thread rounds the pieces that it copied, where they lie, and fences what it
  // stores.
  // CHECK-LABEL: gpu.func @rounded
  // CHECK:         nvgpu.device_async_copy {{.+}}, %{{.+}}[%[[AT:.+]]], 4 {bypassL1} : memref<64x32xf32, strided<[512, 1]>> to memref<2048xf32, #gpu.address_space<workgroup>>
  // CHECK-COUNT-4: vector.load {{.+}} {alignment = 16 : i64} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK:         math.fma
  // CHECK:         vector.store {{.+}} {alignment = 16 : i64} : memref<2048xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
  gpu.func @rounded(%a: memref<64x32xf32, strided<[512, 1]>> {llvm.align = 16 : i64}) workgroup(%s: memref<8192xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.place_async %a to %s in #kami.shared_matrix<64x32xf32, a, k_major, swizzle = 128> by 128 : memref<64x32xf32, strided<[512, 1]>>, memref<8192xi8, #gpu.address_space<workgroup>>
    kami.copy_commit
    kami.copy_wait 0
    kami.round_placed %a to %s in #kami.shared_matrix<64x32xf32, a, k_major, swizzle = 128> by 128 : memref<64x32xf32, strided<[512, 1]>>, memref<8192xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Where rows may begin anywhere, a test at run time tells what was copied in
  // pieces of 16 bytes, and is rounded so, from what was copied one by one.
  // CHECK-LABEL: gpu.func @rounded_anywhere
  // CHECK:         %[[RIGHT:.+]] = arith.cmpi eq
  // CHECK:         scf.if %[[RIGHT]]
  // CHECK:           vector.load {{.+}} vector<4xf32>
  // CHECK:         } else {
  // CHECK:           vector.load {{.+}} vector<1xf32>
  gpu.func @rounded_anywhere(%a: memref<64x32xf32, strided<[?, 1], offset: ?>>) workgroup(%s: memref<8192xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.round_placed %a to %s in #kami.shared_matrix<64x32xf32, a, k_major, swizzle = 128> by 128 : memref<64x32xf32, strided<[?, 1], offset: ?>>, memref<8192xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Rows of 200 bytes that are promised to begin at multiples of 8 are copied,
  // rounded and stored in pieces of 8.
  // CHECK-LABEL: gpu.func @eight_bytes
  // CHECK-COUNT-4: nvgpu.device_async_copy {{.+}}, 4 : memref<{{[0-9]+}}x32xf16, strided<[100, 1]
  // CHECK-NOT:     nvgpu.device_async_copy
  // CHECK:         vector.store {{.+}} {alignment = 8 : i64} : memref<64x32xf16, strided<[100, 1]>>, vector<4xf16>
  // CHECK-NOT:     memref.store
  gpu.func @eight_bytes(%a: memref<64x32xf16, strided<[100, 1]>> {llvm.align = 16 : i64}, %c: memref<64x32xf16, strided<[100, 1]>> {llvm.align = 16 : i64}) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_async %a to %t by 128 : memref<64x32xf16, strided<[100, 1]>> to !tile
    kami.copy_commit
    kami.copy_wait 0
    gpu.barrier
    kami.copy_out %t to %c by 128 : !tile to memref<64x32xf16, strided<[100, 1]>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rounded_eight_bytes
  // CHECK:         vector.load {{.+}} vector<2xf32>
  // CHECK-NOT:     vector<4xf32>
  gpu.func @rounded_eight_bytes(%a: memref<64x32xf32, strided<[50, 1]>> {llvm.align = 16 : i64}) workgroup(%s: memref<8192xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.round_placed %a to %s in #kami.shared_matrix<64x32xf32, a, k_major, swizzle = 128> by 128 : memref<64x32xf32, strided<[50, 1]>>, memref<8192xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // What is beyond the matrix is filled with zeros, by the count of what is read.
  // CHECK-LABEL: gpu.func @ragged
  // CHECK:         scf.if
  // CHECK:           %[[NARROW:.+]] = arith.select {{.+}} : i32
  // CHECK:           %[[COUNT:.+]] = arith.index_castui %[[NARROW]]
  // CHECK:           nvgpu.device_async_copy {{.+}}, 8, %[[COUNT]] {bypassL1}
  // CHECK:         else
  // CHECK:           vector.store {{.+}} {alignment = 16 : i64} : memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>, vector<8xf16>
  gpu.func @ragged(%a: memref<?x?xf16, strided<[512, 1]>>) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_async %a to %t by 128 : memref<?x?xf16, strided<[512, 1]>> to !tile
    gpu.return
  }

  // Rows of 33 elements begin at odd addresses: of those that do, a piece's first
  // and last element are loaded by themselves, and words of those between; all are
  // shifted by half a word.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-NOT:     nvgpu.device_async_copy
  // CHECK:         %[[PLACE:.+]] = memref.extract_aligned_pointer_as_index
  // CHECK:         %[[ODD:.+]] = arith.cmpi ne
  // CHECK:         scf.if %[[ODD]] -> (i32)
  // CHECK:           memref.load {{.+}} : memref<{{.+}}xf16
  // CHECK:         } else {
  // CHECK:           vector.load {{.+}} {alignment = 4 : i64} : {{.+}}, vector<2xf16>
  // CHECK-COUNT-3: vector.load {{.+}} {alignment = 4 : i64} : {{.+}}, vector<2xf16>
  // CHECK:         scf.if %[[ODD]] -> (i32)
  // CHECK:           memref.load
  // CHECK:         llvm.intr.fshr
  // CHECK:         vector.store {{.+}} {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  gpu.func @odd(%a: memref<64x32xf16, strided<[33, 1]>>) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_async %a to %t by 128 : memref<64x32xf16, strided<[33, 1]>> to !tile
    gpu.return
  }

  // Back in words.
  // CHECK-LABEL: gpu.func @out
  // CHECK:         vector.load {{.+}} {alignment = 16 : i64} : memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>, vector<8xf16>
  // CHECK:         vector.store {{.+}} {alignment = 16 : i64} : memref<64x32xf16, strided<[512, 1]>>, vector<8xf16>
  gpu.func @out(%c: memref<64x32xf16, strided<[512, 1]>> {llvm.align = 16 : i64}) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_out %t to %c by 128 : !tile to memref<64x32xf16, strided<[512, 1]>>
    gpu.return
  }

  // 1089 pieces of one line for 64 threads: 17 times all threads have one, and the
  // last time one thread.
  // CHECK-LABEL: gpu.func @rest_out
  // CHECK-NOT:     scf.
  // CHECK-COUNT-17: vector.store {{.+}} vector<2xf64>
  // CHECK-NOT:     scf.for
  // CHECK:         scf.if
  // CHECK-NEXT:      vector.load
  // CHECK-NEXT:      vector.store
  // CHECK-NOT:     vector.store
  gpu.func @rest_out(%c: memref<1x2178xf64> {llvm.align = 16 : i64}) workgroup(%s: memref<1x2178xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    kami.copy_out %s to %c by 64 : memref<1x2178xf64, #gpu.address_space<workgroup>> to memref<1x2178xf64>
    gpu.return
  }

  // 33 times all of them: 16 in each turn of a loop that asks nothing, and two
  // behind it.
  // CHECK-LABEL: gpu.func @long_out
  // CHECK:         scf.for {{.+}} to %c32{{.*}} step %c16
  // CHECK-NOT:       scf.if
  // CHECK-COUNT-16:  vector.store
  // CHECK:         }
  // CHECK-NOT:     scf.
  // CHECK:         vector.store
  // CHECK:         scf.if
  // CHECK:           vector.store
  // CHECK-NOT:     vector.store
  gpu.func @long_out(%c: memref<1x4240xf64> {llvm.align = 16 : i64}) workgroup(%s: memref<1x4240xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    kami.copy_out %s to %c by 64 : memref<1x4240xf64, #gpu.address_space<workgroup>> to memref<1x4240xf64>
    gpu.return
  }

  // Of lines of 27 elements, three pieces as a whole; 64 times the three elements
  // behind them by a thread each, in a loop that nobody unrolls.
  // CHECK-LABEL: gpu.func @ends
  // CHECK:         scf.if
  // CHECK:           vector.store {{.+}} vector<8xf16>
  // CHECK-NOT:       memref.store
  // CHECK:         scf.for %{{.+}} = %c0{{.*}} to %c192{{.*}} step %c128
  // CHECK:           scf.if
  // CHECK:             arith.divui %{{.+}}, %c3
  // CHECK:             arith.remui %{{.+}}, %c3
  // CHECK:             memref.store
  // CHECK-NOT:         memref.store
  // CHECK:         llvm.loop_annotation
  gpu.func @ends(%c: memref<64x27xf16, strided<[512, 1]>> {llvm.align = 16 : i64}) workgroup(%s: !buffer {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_out %t to %c by 128 : !tile to memref<64x27xf16, strided<[512, 1]>>
    gpu.return
  }

  // Rows that begin anywhere leave element by element: a warp has a line, four
  // lines at once of 32 elements and one behind them, which one lane stores; what
  // of the 37 lines is left behind the last 16 goes one by one.
  // CHECK-LABEL: gpu.func @odd_out
  // CHECK:         %[[LAST:.+]] = arith.minui %{{.+}}, %c35
  // CHECK:         %[[ONE:.+]] = arith.cmpi slt, %{{.+}}, %c33_i32
  // CHECK:         %[[REST:.+]] = scf.for %[[LINE:.+]] = %{{.+}} to %c25 step %c16 iter_args
  // CHECK:           memref.load %{{.+}}[%[[LINE]], %[[LANE:.+]]] :
  // CHECK-COUNT-3:   memref.load %{{.+}}[%{{.+}}, %[[LANE]]]
  // CHECK-COUNT-4:   memref.load %{{.+}}[%{{.+}}, %[[LAST]]]
  // CHECK-COUNT-4:   memref.store %{{.+}}[%{{.+}}, %[[LANE]]]
  // CHECK:           scf.if %[[ONE]]
  // CHECK-COUNT-4:     memref.store
  // CHECK:         llvm.loop_annotation
  // CHECK:         scf.for %{{.+}} = %[[REST]] to %c37 step %c4
  // CHECK-COUNT-2:   memref.load
  // CHECK-COUNT-2:   memref.store
  // CHECK:         llvm.loop_annotation
  gpu.func @odd_out(%c: memref<37x33xf32>) workgroup(%s: memref<40x36xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.copy_out %s to %c by 128 : memref<40x36xf32, #gpu.address_space<workgroup>> to memref<37x33xf32>
    gpu.return
  }

  // Where strides are known only at run time, so do words: lines have 8, and a
  // thread's are 16 lines apart.
  // CHECK-LABEL: gpu.func @strided_out
  // CHECK:         scf.if
  // CHECK:           scf.for {{.+}} step %c64
  // CHECK-COUNT-4:     vector.load {{.+}} vector<4xf32>
  // CHECK:             scf.if
  // CHECK-COUNT-4:       vector.store {{.+}} vector<4xf32>
  gpu.func @strided_out(%c: memref<?x?xf32, strided<[?, 1]>> {llvm.align = 16 : i64}) workgroup(%s: memref<64x32xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    kami.copy_out %s to %c by 128 : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<?x?xf32, strided<[?, 1]>>
    gpu.return
  }

  // Rows begin anywhere: 64 lines of 4 pieces for 128 threads, which are two each,
  // come as the 16 bytes that hold them, and of each line the fifth into the tails.
  // CHECK-LABEL: gpu.func @skewed
  // CHECK-DAG:     %[[STRIDE:.+]] = memref.extract_strided_metadata
  // CHECK:         %[[FLAT:.+]] = memref.reinterpret_cast %{{.+}} to offset: [0], {{.+}} to memref<?xf16>
  // CHECK:         arith.remui %{{.+}}, %c8
  // CHECK:         nvgpu.device_async_copy %[[FLAT]][%{{.+}}], %{{.+}}[%{{.+}}, %{{.+}}], 8, %{{.+}} {bypassL1} : memref<?xf16> to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
  // CHECK:         scf.if
  // CHECK:           nvgpu.device_async_copy %[[FLAT]][%{{.+}}], %{{.+}}[%{{.+}}], 8, %{{.+}} {bypassL1} : memref<?xf16> to memref<512xf16, #gpu.address_space<workgroup>>
  // CHECK:         nvvm.cp.async.wait.group 0
  // Then each lane puts two adjacent pieces together of three words, the last of
  // which is a tail or another lane's first, all of a warp's before any is written.
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-2: vector.load {{.+}} memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>, vector<8xf16>
  // CHECK:         scf.if
  // CHECK:           vector.load {{.+}} memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  // CHECK:         else
  // CHECK:           vector.load {{.+}} memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>, vector<8xf16>
  // CHECK-NOT:     vector.load
  // CHECK-COUNT-11: arith.select
  // CHECK-COUNT-4: llvm.intr.fshr
  // CHECK-COUNT-8: arith.select
  // CHECK-COUNT-4: llvm.intr.fshr
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-2: vector.store {{.+}} vector<8xf16>
  // CHECK-NOT:     gpu.barrier
  gpu.func @skewed(%a: memref<?x32xf16, strided<[?, 1], offset: ?>>) workgroup(%s: !buffer {llvm.align = 16 : i64}, %tails: memref<1024xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = memref.subview %s[0, 0] [64, 32] [1, 1] : !buffer to !tile
    kami.copy_async %a to %t by 128 skewed %tails : memref<?x32xf16, strided<[?, 1], offset: ?>> to !tile, memref<1024xi8, #gpu.address_space<workgroup>>
    kami.copy_commit
    kami.copy_wait 0
    kami.deskew %a to %t by 128 tails %tails : memref<?x32xf16, strided<[?, 1], offset: ?>> to !tile, memref<1024xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // 128 lines of 8 pieces for 128 threads, eight each: four adjacent ones at a time,
  // of five words. Where threads have few registers, and only a register says how
  // far lines are apart, two.
  // CHECK-LABEL: gpu.func @deep
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-4: vector.load {{.+}} strided<[36, 1]>,
  // CHECK:         scf.if
  // CHECK:         else
  // CHECK-COUNT-5: vector.load {{.+}} strided<[36, 1]>,
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-8: vector.store
  // CHECK-NOT:     vector.store
  gpu.func @deep(%a: memref<?x32xf32, strided<[?, 1], offset: ?>>) workgroup(%s: memref<128x36xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %tails: memref<2048xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, kami.resident_blocks = 3 : i64} {
    %t = memref.subview %s[0, 0] [128, 32] [1, 1] : memref<128x36xf32, #gpu.address_space<workgroup>> to memref<128x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>>
    kami.deskew %a to %t by 128 tails %tails : memref<?x32xf32, strided<[?, 1], offset: ?>> to memref<128x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>>, memref<2048xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @few_registers
  // CHECK:         scf.for
  // CHECK-COUNT-2: vector.load {{.+}} strided<[36, 1]>,
  // CHECK:         scf.if
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-2: vector.store
  // CHECK-NOT:     vector.store
  gpu.func @few_registers(%a: memref<?x32xf32, strided<[?, 1], offset: ?>>) workgroup(%s: memref<128x36xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %tails: memref<2048xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, kami.resident_blocks = 4 : i64} {
    %t = memref.subview %s[0, 0] [128, 32] [1, 1] : memref<128x36xf32, #gpu.address_space<workgroup>> to memref<128x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>>
    kami.deskew %a to %t by 128 tails %tails : memref<?x32xf32, strided<[?, 1], offset: ?>> to memref<128x32xf32, strided<[36, 1]>, #gpu.address_space<workgroup>>, memref<2048xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Elements of 8 bytes are shifted by words alone. What the matrix unit reads needs
  // a fence behind.
  // CHECK-LABEL: gpu.func @skewed_words
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-4: arith.select
  // CHECK-NOT:     arith.select
  // CHECK-NOT:     llvm.intr.fshr
  // CHECK:         nvvm.fence.proxy
  gpu.func @skewed_words(%a: memref<?x8xf64, strided<[?, 1], offset: ?>>) workgroup(%s: memref<64x8xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %tails: memref<1024xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    kami.deskew %a to %s by 256 tails %tails for_matrix_unit : memref<?x8xf64, strided<[?, 1], offset: ?>> to memref<64x8xf64, #gpu.address_space<workgroup>>, memref<1024xi8, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Lines that stay skewed: 64 lines of 8 pieces for 128 threads, four each, and
  // of each line the ninth behind them. Lanes read elements as many further as
  // their lines are skewed, which is one of them at most.
  // CHECK-LABEL: gpu.func @keeps_skew
  // CHECK-COUNT-4: nvgpu.device_async_copy {{.+}}, 2, %{{.+}} {bypassL1} : memref<?xf64> to memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
  // CHECK:         scf.if
  // CHECK:           nvgpu.device_async_copy {{.+}}, %{{.+}}[%{{.+}}, %c16], 2, %{{.+}} {bypassL1}
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK-NOT:     nvvm.bar.warp.sync
  // CHECK:         gpu.barrier
  // CHECK:         %[[LINE:.+]] = arith.remui %{{.+}}, %c2
  // CHECK-NEXT:    %[[BEHIND:.+]] = arith.muli %[[LINE]],
  // CHECK-NEXT:    %[[FIRST:.+]] = arith.addi %{{.+}}, %[[BEHIND]]
  // CHECK-NEXT:    %[[SKEW:.+]] = arith.remui %[[FIRST]], %c2
  // CHECK-NEXT:    %[[AT:.+]] = arith.addi %{{.+}}, %[[SKEW]]
  // CHECK-NEXT:    memref.load %{{.+}}[%{{.+}}, %[[AT]]] : memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
  // CHECK-NOT:     vector.load
  gpu.func @keeps_skew(%a: memref<?x16xf64, strided<[?, 1], offset: ?>>, %out: memref<64x8xf64>, %row: index) workgroup(%s: memref<64x20xf64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = memref.subview %s[0, 0] [64, 18] [1, 1] : memref<64x20xf64, #gpu.address_space<workgroup>> to !wide
    kami.copy_async %a to %t by 128 keeps_skew : memref<?x16xf64, strided<[?, 1], offset: ?>> to !wide
    kami.copy_commit
    kami.copy_wait 0
    gpu.barrier
    %f = kami.load %t[%row, %c0] row_in_bounds column_in_bounds skewed_as %a : memref<?x16xf64, strided<[?, 1], offset: ?>> : !wide -> !kami.fragment<32x8xf64, a, #dmma>
    %g = kami.load %t[%c0, %c0] row_in_bounds column_in_bounds skewed_as %a : memref<?x16xf64, strided<[?, 1], offset: ?>> : !wide -> !kami.fragment<8x8xf64, b, #dmma>
    %zero = arith.constant 0.0 : f64
    %zeros = kami.fill %zero : f64 -> !kami.fragment<32x8xf64, c, #dmma>
    %c = kami.mma %f, %g, %zeros : !kami.fragment<32x8xf64, a, #dmma>, !kami.fragment<8x8xf64, b, #dmma>, !kami.fragment<32x8xf64, c, #dmma>
    kami.store %c, %out[%row, %c0] row_in_bounds column_in_bounds : !kami.fragment<32x8xf64, c, #dmma>, memref<64x8xf64>
    gpu.return
  }
}
