// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))' | FileCheck %s

#bmma = #kami.mma_atom<mma_sync 16x8x16, bf16, bf16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#dmma16 = #kami.mma_atom<mma_sync 16x8x16, f64, f64, f64, ["nv.a.16x16.b64", "nv.b.16x8.b64", "nv.c.16x8.b64"]>

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

}

// A target that is there stays.

// CHECK-LABEL: gpu.module @with_target [#nvvm.target<chip = "sm_80", features = "+ptx80">]
gpu.module @with_target [#nvvm.target<chip = "sm_80", features = "+ptx80">] {
}

}
