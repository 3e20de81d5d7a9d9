// A kernel for all sizes whose threads have 128 sums, blocks in turn: ptxas spills
// none, since positions are computed anew for each tile, sums do not live on while
// C is stored, and C's parts share their way to memory.

// REQUIRES: ptxas
// RUN: kami-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx.json
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK: "spill_bytes": 0

// PTX-COUNT-1:  wgmma.commit_group
// PTX-NOT:      wgmma.commit_group
// PTX-COUNT-16: stmatrix.sync.aligned.m8n8.x4
// PTX-COUNT-5:  st.global.v4
// PTX-NOT:      st.global.v4
#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [8, 1, 1], unit = warpgroup, atom = #wgmma, tile = 128x256x64, transport = copied,
                   slices = {k = 16, shared = [0, 0]}, stages = 4, output = relayed, blocks = 132, next = prefetched, copies = bulk, taken = 1024>
func.func @gemm(%a: memref<?x?x?xf16> {kami.aligned_rows}, %b: memref<?x?x?xf16> {kami.aligned_rows}, %c: memref<?x?x?xf16>) {
  %0 = memref.assume_alignment %a, 16 : memref<?x?x?xf16>
  %1 = memref.assume_alignment %b, 16 : memref<?x?x?xf16>
  %2 = memref.assume_alignment %c, 16 : memref<?x?x?xf16>
  kami.gemm ins(%0, %1 : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%2 : memref<?x?x?xf16>) accumulator(f32) aligned_rows plan(#plan)
  return
}
