// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))' | FileCheck %s

#bmma = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#dmma16 = #kami.mma_atom<mma_sync 16x8x16, f64, f64, f64, ["nv.a.16x16.b64", "nv.b.16x8.b64", "nv.c.16x8.b64"]>
#imma = #kami.mma_atom<mma_sync 16x8x32, ui8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#qmma = #kami.mma_atom<mma_sync 16x8x32, f8E4M3FN, f8E5M2, f32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>

module attributes {kami.target = #kami.target<"sm_90">} {

// The surrounding module's chip becomes what upstream serializes for.

// CHECK-LABEL: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90">]
gpu.module @kernels {

// Two bf16 are one 32-bit register.

// CHECK-LABEL: gpu.func @bf16
// CHECK-SAME:    %[[A:.+]]: vector<8xbf16>, %[[B:.+]]: vector<4xbf16>, %[[C:.+]]: vector<4xf32>
// CHECK:         %[[PAIRS_A:.+]] = vector.bitcast %[[A]] : vector<8xbf16> to vector<4xi32>
// CHECK:         %[[A0:.+]] = vector.extract %[[PAIRS_A]][0]
// CHECK:         %[[A3:.+]] = vector.extract %[[PAIRS_A]][3]
// CHECK:         %[[PAIRS_B:.+]] = vector.bitcast %[[B]] : vector<4xbf16> to vector<2xi32>
// CHECK:         %[[B0:.+]] = vector.extract %[[PAIRS_B]][0]
// CHECK:         %[[B1:.+]] = vector.extract %[[PAIRS_B]][1]
// CHECK:         %[[C0:.+]] = vector.extract %[[C]][0]
// CHECK:         %[[C3:.+]] = vector.extract %[[C]][3]
// CHECK:         %[[D:.+]] = nvvm.mma.sync A[%[[A0]], %{{.+}}, %{{.+}}, %[[A3]]] B[%[[B0]], %[[B1]]] C[%[[C0]], %{{.+}}, %{{.+}}, %[[C3]]]
// CHECK-SAME:      multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK-SAME:      shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK:         %[[D0:.+]] = llvm.extractvalue %[[D]][0]
// CHECK:         %[[D3:.+]] = llvm.extractvalue %[[D]][3]
// CHECK:         %[[ALL:.+]] = vector.from_elements %[[D0]], %{{.+}}, %{{.+}}, %[[D3]] : vector<4xf32>
// CHECK:         memref.store %[[ALL]]
gpu.func @bf16(%a: vector<8xbf16>, %b: vector<4xbf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %d = kami.mma_sync %a, %b, %c atom #bmma : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}

// CHECK-LABEL: gpu.func @f64
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"(%{{.+}}) : (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) -> !llvm.struct<(f64, f64, f64, f64)>
gpu.func @f64(%a: vector<4xf64>, %b: vector<2xf64>, %c: vector<4xf64>, %m: memref<vector<4xf64>>) kernel {
  %d = kami.mma_sync %a, %b, %c atom #dmma : vector<4xf64>, vector<2xf64>, vector<4xf64>
  memref.store %d, %m[] : memref<vector<4xf64>>
  gpu.return
}

// CHECK-LABEL: gpu.func @f64_deep
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f64"
gpu.func @f64_deep(%a: vector<8xf64>, %b: vector<4xf64>, %c: vector<4xf64>, %m: memref<vector<4xf64>>) kernel {
  %d = kami.mma_sync %a, %b, %c atom #dmma16 : vector<8xf64>, vector<4xf64>, vector<4xf64>
  memref.store %d, %m[] : memref<vector<4xf64>>
  gpu.return
}

// Four integers are a register. Sums wrap.

// CHECK-LABEL: gpu.func @integers
// CHECK:         vector.bitcast %{{.+}} : vector<16xi8> to vector<4xi32>
// CHECK:         nvvm.mma.sync A[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] B[%{{.+}}, %{{.+}}] C[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-SAME:      intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>
// CHECK-SAME:      multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>
// CHECK-SAME:      shape = #nvvm.shape<m = 16, n = 8, k = 32>
gpu.func @integers(%a: vector<16xi8>, %b: vector<8xi8>, %c: vector<4xi32>, %m: memref<vector<4xi32>>) kernel {
  %d = kami.mma_sync %a, %b, %c atom #imma : vector<16xi8>, vector<8xi8>, vector<4xi32>
  memref.store %d, %m[] : memref<vector<4xi32>>
  gpu.return
}

// One instruction, where upstream would call a library.

// CHECK-LABEL: gpu.func @fma
// CHECK:         llvm.call_intrinsic "llvm.fma"(%{{.+}}, %{{.+}}, %{{.+}}) : (f32, f32, f32) -> f32
gpu.func @fma(%x: f32, %m: memref<f32>) kernel {
  %d = math.fma %x, %x, %x : f32
  memref.store %d, %m[] : memref<f32>
  gpu.return
}

}

// Floats of 8 bits came with PTX 8.4; sm_90's lowest version is 7.8.

// CHECK-LABEL: gpu.module @float8 [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx84">]
// CHECK:         vector.bitcast %{{.+}} : vector<16xf8E4M3FN> to vector<4xi32>
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"(%{{.+}}) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
gpu.module @float8 {
gpu.func @float8(%a: vector<16xf8E4M3FN>, %b: vector<8xf8E5M2>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %d = kami.mma_sync %a, %b, %c atom #qmma : vector<16xf8E4M3FN>, vector<8xf8E5M2>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}
}

// A target that is there stays.

// CHECK-LABEL: gpu.module @with_target [#nvvm.target<chip = "sm_80", features = "+ptx80">]
gpu.module @with_target [#nvvm.target<chip = "sm_80", features = "+ptx80">] {
}

}
