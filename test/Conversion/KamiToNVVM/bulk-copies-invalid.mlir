// RUN: kami-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))'

#matrix = #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @place(%b: memref<?x?xf32, strided<[1, ?], offset: ?>>, %maps: memref<256xi8, #gpu.address_space<workgroup>>, %i: index) kernel {
  // expected-error@+1 {{expected maps at a known place of dynamic shared memory}}
  kami.tensor_map %b as #matrix in %maps[%i] : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  gpu.return
}
}
}

// -----

#matrix = #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128>
#other = #kami.shared_matrix<32x64xf32, b, k_major, swizzle = 128>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @alike(%b: memref<?x?xf32, strided<[1, ?], offset: ?>>, %i: index) kernel {
  %c0 = arith.constant 0 : index
  %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %maps = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi8, #gpu.address_space<workgroup>>
  kami.tensor_map %b as #matrix in %maps[%i] : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  // expected-error@+1 {{expected all maps in one place to be alike}}
  kami.tensor_map %b as #other in %maps[%i] : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  gpu.return
}
}
}

// -----

#matrix = #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128>
module attributes {kami.target = #kami.target<"sm_80">} {
gpu.module @kernels {
gpu.func @chip(%b: memref<?x?xf32, strided<[1, ?], offset: ?>>, %i: index) kernel {
  %c0 = arith.constant 0 : index
  %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %maps = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi8, #gpu.address_space<workgroup>>
  // expected-error@+1 {{expected a target with warpgroup instructions (sm_90), but got sm_80}}
  kami.tensor_map %b as #matrix in %maps[%i] : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
  gpu.return
}
}
}

// -----

#matrix = #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128>
module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
gpu.func @product(%b: memref<7x32x256xf32, strided<[8192, 1, 32]>>, %i: index) kernel {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %maps = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256xi8, #gpu.address_space<workgroup>>
  %barriers = memref.view %shared[%c256][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi64, #gpu.address_space<workgroup>>
  %buffer = memref.view %shared[%c1024][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16384xi8, #gpu.address_space<workgroup>>
  kami.tensor_map %b as #matrix in %maps[%i] : memref<7x32x256xf32, strided<[8192, 1, 32]>>, memref<256xi8, #gpu.address_space<workgroup>>
  // expected-error@+1 {{expected the number of a matrix where, and only where, maps are of a batch}}
  kami.place_bulk %maps[%i] at[%c0, %c0] to %buffer in #matrix arrive %barriers[%i] : memref<256xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, memref<2xi64, #gpu.address_space<workgroup>>
  gpu.return
}
}
}
