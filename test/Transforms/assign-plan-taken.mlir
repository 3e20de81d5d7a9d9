// Tiles are taken where somebody asks for it, if there is room for as many blocks
// as without, and of many deep products of f64 in odd rows, by chips that number
// their launches.

// RUN: kami-opt %s --kami-assign-plan=taken=2 | FileCheck %s --check-prefix=TAKEN
// RUN: kami-opt %s --kami-assign-plan=taken=-1 | FileCheck %s --check-prefix=DEALT
// RUN: sed 's/sm_90/gfx942/' %s | kami-opt --kami-assign-plan=taken=2 | FileCheck %s --check-prefix=DEALT

// Blocks of f64 fill shared memory.
// TAKEN: #plan = {{.*}}tile = 128x128x32,{{.*}} blocks = 264,{{.*}} taken = 2>
// TAKEN: #plan1 = {{.*}}tile = 32x32x16,{{.*}} blocks = 792, rows = skewed>
// TAKEN: #plan2 = {{.*}}tile = 64x64x16,{{.*}} blocks = 396, rows = skewed, taken = 2>
// RUN: kami-opt %s --kami-assign-plan | FileCheck %s --check-prefix=DEEP
// DEEP-NOT: taken =
// DEEP: tile = 64x64x16, {{.*}} blocks = 396, rows = skewed, taken = 6>
// DEEP-NOT: taken =
// DEALT-NOT: taken =
// DEALT: kami.grouped_gemm
// DEALT: kami.grouped_gemm

!i64s = memref<?xi64>
!i32s = memref<?xi32>
module attributes {kami.target = #kami.target<"sm_90">} {
func.func @large(%a: memref<?xf16>, %at: !i64s, %m: !i32s) {
  kami.grouped_gemm ins(%a, %a : memref<?xf16>, memref<?xf16>) outs(%a : memref<?xf16>) at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f32) typical [256, 256, 256]
  return
}
func.func @small(%a: memref<?xf64>, %at: !i64s, %m: !i32s) {
  kami.grouped_gemm ins(%a, %a : memref<?xf64>, memref<?xf64>) outs(%a : memref<?xf64>) at(%at, %at, %at : !i64s, !i64s, !i64s) sizes(%m, %m, %m : !i32s, !i32s, !i32s) accumulator(f64) typical [64, 64, 64]
  return
}
func.func @deep(%a: memref<?xf64>, %at: memref<256xi64>, %m: memref<256xi32>) {
  kami.grouped_gemm ins(%a, %a : memref<?xf64>, memref<?xf64>) outs(%a : memref<?xf64>) at(%at, %at, %at : memref<256xi64>, memref<256xi64>, memref<256xi64>) sizes(%m, %m, %m : memref<256xi32>, memref<256xi32>, memref<256xi32>) accumulator(f64) typical [257, 257, 257]
  return
}
}
