// Lanes of warp groups that compute the transpose of C have two adjacent elements of its
// rows, and store both at once, at edges, too, where the rows have an even number.

// RUN: kami-run %s --device=sim --inputs=integers | FileCheck %s
// RUN: kami-run %s --device=sim --inputs=random | FileCheck %s
// RUN: sed 's/54/55/g' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/3x41x54xf32/&, strided<[2542, 62, 1], offset: 1>/g' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/3x32x54xf32/&, strided<[1728, 1, 32]>/g' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/stages = 2/stages = 2, blocks = 2, next = prefetched/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/54/56/g; s/stages = 2/stages = 2, blocks = 2, next = prefetched, copies = bulk/; s/ plan(/ aligned_rows plan(/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// RUN: sed 's/54/56/g; s/3x32x56xf32/&, strided<[1792, 1, 32]>/g; s/stages = 2/stages = 2, blocks = 2, next = prefetched, copies = bulk/; s/ plan(/ aligned_rows plan(/' %s | kami-run - --device=sim --inputs=integers | FileCheck %s
// CHECK: verdict   right

// RUN: kami-compile %s --emit=warp -o - | FileCheck %s --check-prefix=WARP
// WARP: ["adjacent.a.16x8.b32", "nv.b.8x8.b32", "adjacent.c.16x8.b32"]
// RUN: sed 's/54/55/g' %s | kami-compile - --emit=warp -o - | FileCheck %s --check-prefix=ODD
// ODD-NOT: adjacent

// RUN: kami-compile --gemm=300x300x300 --batch=1000 --type=tf32 --target=sm_90 --alignment=16 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-NOT: st.global.b32
// PTX: st.global.v2.b32
// PTX-NOT: st.global.b32

#wgmma = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 4, 1], unit = warpgroup, atom = #wgmma, tile = 32x64x16, transport = copied,
                   slices = {k = 8, shared = [0, 0]}, stages = 2>
func.func @main(%a: memref<3x41x32xf32>, %b: memref<3x32x54xf32>, %c: memref<3x41x54xf32>) {
  kami.gemm ins(%a, %b : memref<3x41x32xf32>, memref<3x32x54xf32>) outs(%c : memref<3x41x54xf32>) accumulator(f32) precision<tf32> plan(#plan)
  return
}
