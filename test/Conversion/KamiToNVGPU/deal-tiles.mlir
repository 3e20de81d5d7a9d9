// What each thread counts and lists of a block's tiles.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(convert-kami-to-nvgpu,canonicalize,cse)))' | FileCheck %s

gpu.module @kernels attributes {kami.target = #kami.target<"sm_90">} {
  // Threads count the tiles of their products by depth, a column each, 132 words
  // from one class to the next; add up 32 counts each, warps what theirs have; and
  // list those of their tiles that are the block's. Every second turn goes the
  // other way round.
  // CHECK-LABEL: gpu.func @deal
  // CHECK:         %[[THREAD:.+]] = gpu.thread_id x
  // CHECK:         scf.for %{{.+}} = %c0_i32 to %c32_i32
  // CHECK:           memref.store %c0_i32
  // CHECK:         scf.for {{.+}} step %c4_i32
  // CHECK:           %[[FETCHED:.+]] = arith.minui %{{.+}}, %c4_i32
  // CHECK:           scf.for %{{.+}} = %c0_i32 to %[[FETCHED]]
  // CHECK:             %[[EXISTS:.+]] = arith.cmpi ult
  // CHECK:             %[[COUNT:.+]] = arith.index_castui %[[EXISTS]] : i1 to index
  // CHECK-NEXT:        nvgpu.device_async_copy %{{.+}}[%{{.+}}], %{{.+}}[%{{.+}}, %[[THREAD]]], 1, %[[COUNT]] : memref<?xi32> to memref<4x128xi32
  // CHECK:             nvgpu.device_async_copy {{.+}} : memref<?xi64> to memref<4x128xi64
  // CHECK:             nvgpu.device_async_copy {{.+}} : memref<?xi32> to memref<4x128xi32
  // CHECK:           nvvm.cp.async.commit.group
  // CHECK:           nvvm.cp.async.wait.group 0
  // CHECK:           scf.for %{{.+}} = %c0_i32 to %[[FETCHED]]
  // CHECK-COUNT-3:     memref.load %{{.+}}[%{{.+}}, %[[THREAD]]]
  // CHECK:             %[[FLOAT:.+]] = arith.uitofp
  // CHECK:           %[[BITS:.+]] = arith.bitcast %[[FLOAT]]
  // CHECK:           arith.shrui %[[BITS]], %c21_i32
  // CHECK:           arith.muli %{{.+}}, %c132
  // CHECK:           memref.store
  // CHECK:         gpu.barrier
  // CHECK:         arith.muli %{{.+}}, %c33
  // CHECK-COUNT-5: gpu.shuffle up
  // CHECK:         gpu.barrier
  // CHECK-COUNT-4: memref.load
  // CHECK:         scf.for %{{.+}} = %c0 to %c32
  // CHECK:           memref.store
  // CHECK:         gpu.barrier
  // Sizes of four turns are there still.
  // CHECK:         scf.for {{.+}} step %c4_i32
  // CHECK:           %[[MORE:.+]] = arith.cmpi ugt, %{{.+}}, %c4_i32
  // CHECK:           scf.if %[[MORE]]
  // CHECK:             nvgpu.device_async_copy
  // CHECK:           scf.for
  // CHECK:             scf.for
  // CHECK:             %[[ODD:.+]] = arith.trunci %{{.+}} : i32 to i1
  // CHECK:             arith.select %[[ODD]]
  // CHECK:             scf.if
  // CHECK-COUNT-2:       memref.store {{.+}} : memref<32x2xi32, #gpu.address_space<workgroup>>
  // CHECK-NOT:     gpu.barrier
  gpu.func @deal(%i: index, %m: memref<?xi32>, %n: memref<?xi64>, %k: memref<?xi32>, %out: memref<1xindex>) workgroup(%dealt: memref<32x2xi32, #gpu.address_space<workgroup>>, %s: memref<29200xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %count, %left = kami.deal_tiles %i of 264 from %c0 in %m, %n, %k by [64, 32, 16] to %dealt through %s by 128
        : memref<?xi32>, memref<?xi64>, memref<?xi32>, memref<32x2xi32, #gpu.address_space<workgroup>>, memref<29200xi8, #gpu.address_space<workgroup>>
    memref.store %count, %out[%c0] : memref<1xindex>
    gpu.return
  }

  // Of more than 128 threads, the first ones count.
  // CHECK-LABEL: gpu.func @deal_by_some
  // CHECK:         %[[COUNTS:.+]] = arith.cmpi ult, %{{.+}}, %c128
  // CHECK:         scf.if %[[COUNTS]]
  // CHECK:         scf.if %[[COUNTS]] -> (i32)
  gpu.func @deal_by_some(%i: index, %m: memref<?xi32>, %out: memref<1xindex>) workgroup(%dealt: memref<32x2xi32, #gpu.address_space<workgroup>>, %s: memref<29200xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %count, %left = kami.deal_tiles %i of 264 from %c0 in %m, %m, %m by [64, 32, 16] to %dealt through %s by 256
        : memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<32x2xi32, #gpu.address_space<workgroup>>, memref<29200xi8, #gpu.address_space<workgroup>>
    memref.store %count, %out[%c0] : memref<1xindex>
    gpu.return
  }
}

gpu.module @of_any_chip {
  // CHECK-LABEL: gpu.func @deal_by_loads
  // CHECK-NOT:     async
  // CHECK-COUNT-3: memref.load %arg
  // CHECK:         gpu.return
  gpu.func @deal_by_loads(%i: index, %m: memref<?xi32>, %n: memref<?xi64>, %k: memref<?xi32>, %out: memref<1xindex>) workgroup(%dealt: memref<32x2xi32, #gpu.address_space<workgroup>>, %s: memref<29200xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %count, %left = kami.deal_tiles %i of 264 from %c0 in %m, %n, %k by [64, 32, 16] to %dealt through %s by 128
        : memref<?xi32>, memref<?xi64>, memref<?xi32>, memref<32x2xi32, #gpu.address_space<workgroup>>, memref<29200xi8, #gpu.address_space<workgroup>>
    memref.store %count, %out[%c0] : memref<1xindex>
    gpu.return
  }
}
