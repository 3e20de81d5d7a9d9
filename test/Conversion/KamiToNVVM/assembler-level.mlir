// How much ptxas optimizes: what warp groups multiply, and small matrices of
// f64, need less of it than what has extents or strides that only a launch
// knows.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm))' | FileCheck %s

module attributes {kami.target = #kami.target<"sm_90">} {

// CHECK: gpu.module @groups [#nvvm.target<O = 3, chip = "sm_90a", flags = {"ptxas-cmd-options" = ["-O1"]}>]
gpu.module @groups {
  gpu.func @kernel(%a: memref<?x96x256xf16, strided<[?, 256, 1], offset: ?>>, %d: vector<4xf32>) kernel {
    %g = kami.wgmma_commit [%d] : vector<4xf32>
    gpu.return
  }
}

// CHECK: gpu.module @any_rows [#nvvm.target<O = 3, chip = "sm_90a">]
gpu.module @any_rows {
  gpu.func @kernel(%a: memref<?x96x256xf16, strided<[?, ?, 1], offset: ?>>, %d: vector<4xf32>) kernel {
    %g = kami.wgmma_commit [%d] : vector<4xf32>
    gpu.return
  }
}

// CHECK: gpu.module @any_extents [#nvvm.target<O = 3, chip = "sm_90a">]
gpu.module @any_extents {
  gpu.func @kernel(%a: memref<?x256xf16>, %b: memref<256x64xf16>, %d: vector<4xf32>) kernel {
    %g = kami.wgmma_commit [%d] : vector<4xf32>
    gpu.return
  }
}

// Arrays of sizes are no matrices.

// CHECK: gpu.module @sizes [#nvvm.target<O = 3, chip = "sm_90a">]
gpu.module @sizes {
  gpu.func @kernel(%a: memref<73437xf16>, %sizes: memref<3xi32>, %d: vector<4xf32>) kernel {
    %g = kami.wgmma_commit [%d] : vector<4xf32>
    gpu.return
  }
}

// CHECK: gpu.module @small_doubles [#nvvm.target<O = 3, chip = "sm_90", flags = {"ptxas-cmd-options" = ["-O2"]}>]
gpu.module @small_doubles {
  gpu.func @kernel(%a: memref<1000x128x17xf64>, %b: memref<1000x17x8xf64>, %alpha: f64) kernel {
    gpu.return
  }
}

// CHECK: gpu.module @deep_doubles [#nvvm.target<O = 3, chip = "sm_90">]
gpu.module @deep_doubles {
  gpu.func @kernel(%a: memref<1000x8x129xf64>, %b: memref<1000x129x8xf64>) kernel {
    gpu.return
  }
}

// CHECK: gpu.module @floats [#nvvm.target<O = 3, chip = "sm_90">]
gpu.module @floats {
  gpu.func @kernel(%a: memref<1000x8x19xf32>, %b: memref<1000x19x8xf32>) kernel {
    gpu.return
  }
}

}
