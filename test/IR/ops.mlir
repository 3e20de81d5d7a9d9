// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s
// RUN: kami-opt %s --emit-bytecode | kami-opt | FileCheck %s

#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                       ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#dmma = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64,
                       ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
#imma = #kami.mma_atom<mma_sync 16x8x32, ui8, i8, i32,
                       ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#tf32x3 = #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32,
                         ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"], products = 3>
#plan_1d = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #hmma,
                      tile = 64x64x64, transport = staged,
                      slices = {k = 16, shared = [0, 0]}>
#plan_3d = #kami.plan<three_d, grid = [2, 2, 2], unit = warp, atom = #dmma,
                      tile = 32x32x64, transport = gathered,
                      slices = {k = 16, shared = [1, 1]}>
!a = !kami.fragment<32x16xf16, a, #hmma>
!b = !kami.fragment<16x64xf16, b, #hmma>
!c = !kami.fragment<32x64xf32, c, #hmma>
!workgroup = memref<32768xi8, #gpu.address_space<workgroup>>

// Attributes have an alias each, so that a kernel stays readable.

// CHECK-DAG: #[[HMMA:m16n8k16_f16_f32]] = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// CHECK-DAG: #[[DMMA:m16n8k8_f64_f64]] = #kami.mma_atom<mma_sync 16x8x8, f64, f64, f64, ["nv.a.16x8.b64", "nv.b.8x8.b64", "nv.c.16x8.b64"]>
// CHECK-DAG: #kami.mma_atom<mma_sync 16x8x32, ui8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
// CHECK-DAG: #kami.mma_atom<mma_sync 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"], products = 3>
// CHECK-DAG: #[[PLAN_1D:plan[0-9]*]] = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #[[HMMA]], tile = 64x64x64, transport = staged, slices = {k = 16, shared = [0, 0]}>
// CHECK-DAG: #[[PLAN_3D:plan[0-9]*]] = #kami.plan<three_d, grid = [2, 2, 2], unit = warp, atom = #[[DMMA]], tile = 32x32x64, transport = gathered, slices = {k = 16, shared = [1, 1]}>
// CHECK-DAG: !a32x16 = !kami.fragment<32x16xf16, a, #[[HMMA]]>
// CHECK-DAG: !b16x64 = !kami.fragment<16x64xf16, b, #[[HMMA]]>
// CHECK-DAG: !c32x64 = !kami.fragment<32x64xf32, c, #[[HMMA]]>

// CHECK: module attributes {kami.target = #kami.target<"sm_90">}
module attributes {kami.target = #kami.target<"sm_90">} {

// CHECK-LABEL: func @gemm_memref
// CHECK-SAME:    %[[A:.+]]: memref<64x32xf16>, %[[B:.+]]: memref<32x48xf16>, %[[C:.+]]: memref<64x48xf32>
// CHECK-NEXT:    kami.gemm ins(%[[A]], %[[B]] : memref<64x32xf16>, memref<32x48xf16>) outs(%[[C]] : memref<64x48xf32>) accumulator(f32)
// CHECK-NEXT:    return
func.func @gemm_memref(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
            outs(%c : memref<64x48xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func @gemm_layers
// CHECK-SAME:    %{{.+}}: memref<64x32xf16>, %{{.+}}: memref<32x48xf16>, %{{.+}}: memref<64x48xf32>, %[[LAYERS:.+]]: index, %[[SPAN:.+]]: index
// CHECK-NEXT:    kami.gemm {{.+}} accumulator(f32) layers(%[[LAYERS]], %[[SPAN]]){{$}}
func.func @gemm_layers(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %layers: index, %span: index) {
  kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
            outs(%c : memref<64x48xf32>) accumulator(f32) layers(%layers, %span)
  return
}

// CHECK-LABEL: func @gemm_everything
// CHECK-SAME:    %[[A:.+]]: tensor<8x32x64xf16>, %[[B:.+]]: tensor<48x32xf16>, %[[C:.+]]: tensor<8x64x48xf16>, %[[ALPHA:.+]]: f32, %[[BETA:.+]]: f32
// CHECK-NEXT:    %[[D:.+]] = kami.gemm ins(%[[A]], %[[B]] : tensor<8x32x64xf16>, tensor<48x32xf16>) outs(%[[C]] : tensor<8x64x48xf16>) alpha(%[[ALPHA]] : f32) beta(%[[BETA]] : f32) transpose_a transpose_b accumulator(f32) plan(#[[PLAN_1D]]) {note = "mine"} -> tensor<8x64x48xf16>
// CHECK-NEXT:    return %[[D]]
func.func @gemm_everything(%a: tensor<8x32x64xf16>, %b: tensor<48x32xf16>, %c: tensor<8x64x48xf16>, %alpha: f32, %beta: f32) -> tensor<8x64x48xf16> {
  %d = kami.gemm ins(%a, %b : tensor<8x32x64xf16>, tensor<48x32xf16>)
                 outs(%c : tensor<8x64x48xf16>) alpha(%alpha : f32) beta(%beta : f32)
                 transpose_a transpose_b accumulator(f32) plan(#plan_1d) {note = "mine"} -> tensor<8x64x48xf16>
  return %d : tensor<8x64x48xf16>
}

// Batches broadcast as in NumPy: A's second dimension is repeated, B has only
// the last of the three.

// CHECK-LABEL: func @gemm_broadcast
// CHECK:         kami.gemm ins(%{{.+}}, %{{.+}} : memref<2x1x4x?x?xf64, strided<[?, ?, ?, ?, ?], offset: ?>>, memref<4x?x?xf64>) outs(%{{.+}} : memref<2x3x4x?x?xf64>) accumulator(f64) plan(#[[PLAN_3D]])
func.func @gemm_broadcast(%a: memref<2x1x4x?x?xf64, strided<[?, ?, ?, ?, ?], offset: ?>>, %b: memref<4x?x?xf64>, %c: memref<2x3x4x?x?xf64>) {
  kami.gemm ins(%a, %b : memref<2x1x4x?x?xf64, strided<[?, ?, ?, ?, ?], offset: ?>>, memref<4x?x?xf64>)
            outs(%c : memref<2x3x4x?x?xf64>) accumulator(f64) plan(#plan_3d)
  return
}

// CHECK-LABEL: func @gemm_types
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xf32>, memref<32x48xf32>) outs({{.+}}) accumulator(f32) precision<tf32>{{$}}
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xf32>, memref<32x48xf32>) outs({{.+}}) accumulator(f32) precision<tf32x3>{{$}}
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xi8>, memref<32x48xi8>) outs({{.+}}) alpha(%{{.+}} : i32) beta(%{{.+}} : i32) accumulator(i32) unsigned_a{{$}}
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xi8>, memref<32x48xi8>) outs({{.+}}) accumulator(i32) unsigned_a unsigned_b{{$}}
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xf8E4M3FN>, memref<32x48xf8E5M2>) outs({{.+}} : memref<64x48xf8E4M3FN>) accumulator(f32){{$}}
// CHECK:         kami.gemm ins({{.+}} : memref<64x32xf8E4M3FN>, memref<32x48xf16>) outs({{.+}} : memref<64x48xf32>) accumulator(f32){{$}}
func.func @gemm_types(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>,
                      %i: memref<64x32xi8>, %j: memref<32x48xi8>, %k: memref<64x48xi32>, %s: i32,
                      %e: memref<64x32xf8E4M3FN>, %f: memref<32x48xf8E5M2>, %g: memref<64x48xf8E4M3FN>,
                      %h: memref<32x48xf16>) {
  kami.gemm ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) accumulator(f32) precision<tf32>
  kami.gemm ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) accumulator(f32) precision<tf32x3>
  kami.gemm ins(%i, %j : memref<64x32xi8>, memref<32x48xi8>) outs(%k : memref<64x48xi32>) alpha(%s : i32) beta(%s : i32) accumulator(i32) unsigned_a
  kami.gemm ins(%i, %j : memref<64x32xi8>, memref<32x48xi8>) outs(%k : memref<64x48xi32>) accumulator(i32) unsigned_a unsigned_b
  kami.gemm ins(%e, %f : memref<64x32xf8E4M3FN>, memref<32x48xf8E5M2>) outs(%g : memref<64x48xf8E4M3FN>) accumulator(f32)
  kami.gemm ins(%e, %h : memref<64x32xf8E4M3FN>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) accumulator(f32)
  return
}

// CHECK-LABEL: func @coordinates
// CHECK:         %{{.+}}, %{{.+}}, %{{.+}} = kami.warp_coordinates [2, 2, 2]
func.func @coordinates() -> (index, index, index) {
  %row, %column, %layer = kami.warp_coordinates [2, 2, 2]
  return %row, %column, %layer : index, index, index
}

// CHECK-LABEL: func @load
// CHECK-SAME:    %[[A:.+]]: memref<50x23xf16>, %[[I:.+]]: index
// CHECK:         kami.load %[[A]][%[[I]], %[[I]]] : memref<50x23xf16> -> !a32x16
// CHECK:         kami.load %[[A]][%[[I]], %[[I]]] row_in_bounds : memref<50x23xf16> -> !a32x16
// CHECK:         kami.load %[[A]][%[[I]], %[[I]]] column_in_bounds : memref<50x23xf16> -> !a32x16
// CHECK:         kami.load %[[A]][%[[I]], %[[I]]] row_in_bounds column_in_bounds : memref<50x23xf16> -> !a32x16
func.func @load(%a: memref<50x23xf16>, %i: index) -> (!a, !a, !a, !a) {
  %0 = kami.load %a[%i, %i] : memref<50x23xf16> -> !a
  %1 = kami.load %a[%i, %i] row_in_bounds : memref<50x23xf16> -> !a
  %2 = kami.load %a[%i, %i] column_in_bounds : memref<50x23xf16> -> !a
  %3 = kami.load %a[%i, %i] row_in_bounds column_in_bounds : memref<50x23xf16> -> !a
  return %0, %1, %2, %3 : !a, !a, !a, !a
}

// CHECK-LABEL: func @load_widened
// CHECK:         kami.load %{{.+}} : memref<50x23xf8E4M3FN> -> !a32x16
func.func @load_widened(%a: memref<50x23xf8E4M3FN>, %i: index) -> !a {
  %0 = kami.load %a[%i, %i] : memref<50x23xf8E4M3FN> -> !a
  return %0 : !a
}

// CHECK-LABEL: func @store
// CHECK-SAME:    %[[ACC:.+]]: !c32x64, %[[C:.+]]: memref<?x?xf16>, %[[I:.+]]: index, %[[S:.+]]: f32
// CHECK-NEXT:    kami.store %[[ACC]], %[[C]][%[[I]], %[[I]]] : !c32x64, memref<?x?xf16>
// CHECK-NEXT:    kami.store %[[ACC]], %[[C]][%[[I]], %[[I]]] beta(%[[S]] : f32) : !c32x64, memref<?x?xf16>
// CHECK-NEXT:    kami.store %[[ACC]], %[[C]][%[[I]], %[[I]]] alpha(%[[S]] : f32) row_in_bounds column_in_bounds : !c32x64, memref<?x?xf16>
// CHECK-NEXT:    kami.store %[[ACC]], %[[C]][%[[I]], %[[I]]] alpha(%[[S]] : f32) via %{{.+}} : memref<2304xi8, #gpu.address_space<workgroup>> row_in_bounds : !c32x64, memref<?x?xf16>
func.func @store(%acc: !c, %c: memref<?x?xf16>, %i: index, %s: f32, %buffer: memref<2304xi8, #gpu.address_space<workgroup>>) {
  kami.store %acc, %c[%i, %i] : !c, memref<?x?xf16>
  kami.store %acc, %c[%i, %i] beta(%s : f32) : !c, memref<?x?xf16>
  kami.store %acc, %c[%i, %i] alpha(%s : f32) row_in_bounds column_in_bounds : !c, memref<?x?xf16>
  kami.store %acc, %c[%i, %i] alpha(%s : f32) via %buffer : memref<2304xi8, #gpu.address_space<workgroup>> row_in_bounds : !c, memref<?x?xf16>
  return
}

// A fragment has the atom's signs; memory and registers have none.

// CHECK-LABEL: func @integers
// CHECK:         kami.load %{{.+}} : memref<50x23xi8> -> !a16x32
// CHECK:         kami.fill %{{.+}} : i32 -> !c16x8
// CHECK:         kami.store %{{.+}}, %{{.+}} alpha(%{{.+}} : i32) : !c16x8, memref<?x?xi32>
// CHECK:         kami.mma_sync {{.+}} : vector<16xi8>, vector<8xi8>, vector<4xi32>
func.func @integers(%a: memref<50x23xi8>, %c: memref<?x?xi32>, %i: index, %s: i32, %x: vector<16xi8>, %y: vector<8xi8>, %z: vector<4xi32>) -> !kami.fragment<16x32xui8, a, #imma> {
  %0 = kami.load %a[%i, %i] : memref<50x23xi8> -> !kami.fragment<16x32xui8, a, #imma>
  %1 = kami.fill %s : i32 -> !kami.fragment<16x8xi32, c, #imma>
  kami.store %1, %c[%i, %i] alpha(%s : i32) : !kami.fragment<16x8xi32, c, #imma>, memref<?x?xi32>
  %2 = kami.mma_sync %x, %y, %z atom #imma : vector<16xi8>, vector<8xi8>, vector<4xi32>
  return %0 : !kami.fragment<16x32xui8, a, #imma>
}

// CHECK-LABEL: func @split
func.func @split(%f: !kami.fragment<16x8xf32, a, #tf32x3>) {
  return
}

// CHECK-LABEL: func @fill
// CHECK-SAME:    %[[X:.+]]: f32
// CHECK-NEXT:    kami.fill %[[X]] : f32 -> !c32x64
func.func @fill(%x: f32) -> !c {
  %0 = kami.fill %x : f32 -> !c
  return %0 : !c
}

// CHECK-LABEL: func @broadcast
// CHECK-SAME:    %[[A:.+]]: !a32x16, %[[B:.+]]: !b16x64, %[[BUFFER:.+]]: memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    %[[R:.+]]:2 = kami.broadcast in [2, 2, 1]
// CHECK-NEXT:      %[[A]] : !a32x16 along row from 0 via %[[BUFFER]] : memref<32768xi8, #gpu.address_space<workgroup>>,
// CHECK-NEXT:      %[[B]] : !b16x64 along column from 1 via %[[BUFFER]] : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    %{{.+}} = kami.broadcast in [1, 4, 1]
// CHECK-NEXT:      %[[R]]#0 : !a32x16 along row from 3 via %[[BUFFER]] : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    %{{.+}} = kami.broadcast in [2, 4, 1] within row no_trailing_barrier
// CHECK-NEXT:      %[[R]]#0 : !a32x16 along row from 3 via %[[BUFFER]] : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    kami.barrier in [2, 4, 1] within column
func.func @broadcast(%a: !a, %b: !b, %buffer: !workgroup) -> (!a, !b) {
  %a1, %b1 = kami.broadcast in [2, 2, 1]
      %a : !a along row from 0 via %buffer : !workgroup,
      %b : !b along column from 1 via %buffer : !workgroup
  %a2 = kami.broadcast in [1, 4, 1] %a1 : !a along row from 3 via %buffer : !workgroup
  %a3 = kami.broadcast in [2, 4, 1] within row no_trailing_barrier %a1 : !a along row from 3 via %buffer : !workgroup
  kami.barrier in [2, 4, 1] within column
  return %a2, %b1 : !a, !b
}

// CHECK-LABEL: func @share_and_fetch
// CHECK-SAME:    %[[B:.+]]: !b16x64, %[[BUFFER:.+]]: memref<32768xi8, #gpu.address_space<workgroup>>, %[[I:.+]]: index
// CHECK-NEXT:    kami.share %[[B]], %[[BUFFER]][%[[I]]] : !b16x64, memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    kami.fetch %[[BUFFER]][%[[I]]] : memref<32768xi8, #gpu.address_space<workgroup>> -> !b16x64
func.func @share_and_fetch(%b: !b, %buffer: !workgroup, %i: index) -> !b {
  kami.share %b, %buffer[%i] : !b, !workgroup
  gpu.barrier
  %0 = kami.fetch %buffer[%i] : !workgroup -> !b
  return %0 : !b
}

// CHECK-LABEL: func @mma
// CHECK-SAME:    %[[A:.+]]: !a32x16, %[[B:.+]]: !b16x64, %[[C:.+]]: !c32x64
// CHECK-NEXT:    kami.mma %[[A]], %[[B]], %[[C]] : !a32x16, !b16x64, !c32x64
func.func @mma(%a: !a, %b: !b, %c: !c) -> !c {
  %0 = kami.mma %a, %b, %c : !a, !b, !c
  return %0 : !c
}

// CHECK-LABEL: func @reduce
// CHECK-SAME:    %[[C:.+]]: !c32x64, %[[BUFFER:.+]]: memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    kami.reduce in [2, 2, 2] %[[C]] via %[[BUFFER]] : !c32x64, memref<32768xi8, #gpu.address_space<workgroup>>
func.func @reduce(%c: !c, %buffer: !workgroup) -> !c {
  %0 = kami.reduce in [2, 2, 2] %c via %buffer : !c, !workgroup
  return %0 : !c
}

// CHECK-LABEL: func @mma_sync
// CHECK-SAME:    %[[A:.+]]: vector<4xf64>, %[[B:.+]]: vector<2xf64>, %[[C:.+]]: vector<4xf64>
// CHECK-NEXT:    kami.mma_sync %[[A]], %[[B]], %[[C]] atom #[[DMMA]] : vector<4xf64>, vector<2xf64>, vector<4xf64>
func.func @mma_sync(%a: vector<4xf64>, %b: vector<2xf64>, %c: vector<4xf64>) -> vector<4xf64> {
  %0 = kami.mma_sync %a, %b, %c atom #dmma : vector<4xf64>, vector<2xf64>, vector<4xf64>
  return %0 : vector<4xf64>
}

}

#blockAtom = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#blockPlan = #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #blockAtom, tile = 64x24x32, transport = resident, slices = {k = 16, shared = [0, 1]}>
!distA = !kami.distributed<64x32xf16, a, #blockPlan>
!distB = !kami.distributed<32x24xf16, b, #blockPlan>
!distC = !kami.distributed<64x24xf32, c, #blockPlan>

// CHECK-LABEL: func @block_level
// CHECK:         %[[A:.+]] = kami.distribute %{{.+}} : memref<64x32xf16> -> !block_a64x32
// CHECK:         %[[B:.+]] = kami.distribute %{{.+}} : memref<?x24xf16> -> !block_b32x24
// CHECK:         kami.distribute %{{.+}} : memref<64x32xf8E5M2> -> !block_a64x32
// CHECK:         %[[START:.+]] = kami.splat %{{.+}} : f32 -> !block_c64x24
// CHECK:         %[[C:.+]] = kami.gemm ins(%[[A]], %[[B]] : {{.+}}) outs(%[[START]] : {{.+}}) beta(%{{.+}} : f32) accumulator(f32) plan(#{{[a-z0-9]+}}) -> !block_c64x24
// CHECK:         kami.gemm ins(%{{.+}}, %[[B]] : memref<64x32xf16, {{.+}}>, !block_b32x24) outs(%{{.+}} : memref<64x24xf32>)
// CHECK:         kami.collect %[[C]], %{{.+}} alpha(%{{.+}} : f32) beta(%{{.+}} : f32) : !block_c64x24, memref<64x24xf16>
func.func @block_level(%ma: memref<64x32xf16>, %mb: memref<?x24xf16>, %mc: memref<64x24xf16>, %md: memref<64x24xf32>,
                       %s: memref<64x32xf16, #gpu.address_space<workgroup>>, %x: f32, %narrow: memref<64x32xf8E5M2>) {
  %a = kami.distribute %ma : memref<64x32xf16> -> !distA
  %b = kami.distribute %mb : memref<?x24xf16> -> !distB
  %widened = kami.distribute %narrow : memref<64x32xf8E5M2> -> !distA
  %start = kami.splat %x : f32 -> !distC
  %c = kami.gemm ins(%a, %b : !distA, !distB) outs(%start : !distC) beta(%x : f32) accumulator(f32) plan(#blockPlan) -> !distC
  kami.gemm ins(%s, %b : memref<64x32xf16, #gpu.address_space<workgroup>>, !distB) outs(%md : memref<64x24xf32>) accumulator(f32)
  kami.collect %c, %mc alpha(%x : f32) beta(%x : f32) : !distC, memref<64x24xf16>
  return
}
