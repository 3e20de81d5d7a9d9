// Kernels that somebody else wrote are converted as upstream's pass does, with what
// upstream writes as simpler ops first.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(kami-convert-gpu-to-nvvm))' | FileCheck %s
// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-nvvm))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @global_id
  // CHECK-DAG:     nvvm.read.ptx.sreg.ctaid.x
  // CHECK-DAG:     nvvm.read.ptx.sreg.ntid.x
  // CHECK-DAG:     nvvm.read.ptx.sreg.tid.x
  // CHECK:         llvm.store {{.*}} : f32, !llvm.ptr<1>
  gpu.func @global_id(%out: memref<?xf32, #gpu.address_space<global>>, %value: f32) kernel {
    %i = gpu.global_id x
    memref.store %value, %out[%i] : memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }

  // Registers of 32 bits are what lanes exchange.
  // CHECK-LABEL: llvm.func @shuffle
  // CHECK-COUNT-2: nvvm.shfl.sync
  // CHECK-NOT:     nvvm.shfl.sync
  // CHECK:         llvm.return
  gpu.func @shuffle(%out: memref<?xf64, #gpu.address_space<global>>, %value: f64) kernel {
    %c0 = arith.constant 0 : index
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %other, %valid = gpu.shuffle xor %value, %offset, %width : f64
    memref.store %other, %out[%c0] : memref<?xf64, #gpu.address_space<global>>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @all_reduce
  // CHECK:         nvvm.shfl.sync
  // CHECK:         nvvm.barrier
  gpu.func @all_reduce(%out: memref<?xf32, #gpu.address_space<global>>, %value: f32) kernel {
    %c0 = arith.constant 0 : index
    %sum = gpu.all_reduce add %value uniform {} : (f32) -> f32
    memref.store %sum, %out[%c0] : memref<?xf32, #gpu.address_space<global>>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @vectors
  // CHECK:         llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK:         llvm.fmul
  // CHECK:         llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
  gpu.func @vectors(%in: memref<?xf32, #gpu.address_space<global>>)
      workgroup(%shared: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %x = gpu.thread_id x
    %four = vector.load %in[%x] : memref<?xf32, #gpu.address_space<global>>, vector<4xf32>
    %squares = arith.mulf %four, %four : vector<4xf32>
    vector.store %squares, %shared[%x] : memref<128xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    gpu.return
  }
}
