// RUN: kami-opt %s | kami-opt | FileCheck %s
// RUN: kami-opt %s --mlir-print-op-generic | kami-opt | FileCheck %s
// RUN: kami-opt %s --emit-bytecode | kami-opt | FileCheck %s

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32,
                        ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#f8 = #kami.mma_atom<wgmma 16x8x32, f8E4M3FN, f8E5M2, f32,
                     ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#along_m = #kami.shared_matrix<128x32xf32, a, mn_major, swizzle = 128>
#a = #kami.shared_matrix<64x128xf16, a, mn_major, swizzle = 64>
#b = #kami.shared_matrix<128x64xf16, b, k_major, swizzle = 128>
#b8 = #kami.shared_matrix<32x8xf8E5M2, b, k_major, swizzle = 16>
!a = !kami.fragment<16x64xf16, a, #wgmma>
!b = !kami.fragment<64x16xf16, b, #wgmma>
!c = !kami.fragment<16x64xf32, c, #wgmma>
!workgroup = memref<16384xi8, #gpu.address_space<workgroup>>

// CHECK-DAG: #[[WGMMA:m16n8k16_f16_f32]] = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
// CHECK-DAG: #[[F8:m16n8k32_f8E4M3FN_f32]] = #kami.mma_atom<wgmma 16x8x32, f8E4M3FN, f8E5M2, f32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
// CHECK-DAG: #[[A:shared_a64x128]] = #kami.shared_matrix<64x128xf16, a, mn_major, swizzle = 64>
// CHECK-DAG: #[[B:shared_b128x64]] = #kami.shared_matrix<128x64xf16, b, k_major, swizzle = 128>
// CHECK-DAG: #[[B8:shared_b32x8]] = #kami.shared_matrix<32x8xf8E5M2, b, k_major, swizzle = 16>

// CHECK-LABEL: func @warp_level
// CHECK-SAME:    %[[FA:.+]]: !a16x64, %[[FB:.+]]: !b64x16, %[[FC:.+]]: !c16x64, %[[S:.+]]: memref<16384xi8, #gpu.address_space<workgroup>>, %[[I:.+]]: index, %[[J:.+]]: index
// CHECK-NEXT:    kami.place %[[FB]], %[[S]][%[[I]], %[[J]]] in #[[B]] : !b64x16, memref<16384xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:    %[[D:.+]] = kami.group_mma %[[FA]], %[[S]][%[[I]], %[[J]]] in #[[B]], %[[FC]] : !a16x64, memref<16384xi8, #gpu.address_space<workgroup>>, !c16x64
// CHECK-NEXT:    kami.group_mma %[[S]][%[[I]], %[[J]]] in #[[A]], %[[S]][%[[J]], %[[I]]] in #[[B]], %[[D]] depth 128 : memref<16384xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, !c16x64
func.func @warp_level(%a: !a, %b: !b, %c: !c, %s: !workgroup, %i: index, %j: index) -> !c {
  kami.place %b, %s[%i, %j] in #b : !b, !workgroup
  %d = kami.group_mma %a, %s[%i, %j] in #b, %c : !a, !workgroup, !c
  %e = kami.group_mma %s[%i, %j] in #a, %s[%j, %i] in #b, %d depth 128 : !workgroup, !workgroup, !c
  return %e : !c
}

// CHECK-LABEL: func @load_placed
// CHECK:         kami.load_placed %{{.+}}[%{{.+}}, %{{.+}}] in #{{.+}} : memref<16384xi8, #gpu.address_space<workgroup>> -> !a32x32
func.func @load_placed(%s: !workgroup, %i: index) -> !kami.fragment<32x32xf32, a, #tf32> {
  %a = kami.load_placed %s[%i, %i] in #along_m : !workgroup -> !kami.fragment<32x32xf32, a, #tf32>
  return %a : !kami.fragment<32x32xf32, a, #tf32>
}

// CHECK-LABEL: func @pending
// CHECK:         %[[SUM:.+]] = kami.group_mma {{.+}} depth 128 pending :
// CHECK:         kami.group_wait %[[SUM]] : !c16x64
func.func @pending(%s: !workgroup, %c: !c, %i: index, %j: index) -> !c {
  %d = kami.group_mma %s[%i, %j] in #a, %s[%j, %i] in #b, %c depth 128 pending : !workgroup, !workgroup, !c
  %e = kami.group_wait %d : !c
  return %e : !c
}

// CHECK-LABEL: func @target_level
// CHECK-SAME:    %[[VA:.+]]: vector<8xf16>, %[[VC:.+]]: vector<4xf32>, %[[S:.+]]: memref<16384xi8, #gpu.address_space<workgroup>>, %[[I:.+]]: index
// CHECK-NEXT:    %[[DA:.+]] = kami.matrix_descriptor %[[S]][%[[I]], %[[I]]] : memref<16384xi8, #gpu.address_space<workgroup>> -> <#[[A]]>
// CHECK-NEXT:    %[[DB:.+]] = kami.matrix_descriptor %[[S]][%[[I]], %[[I]]] : memref<16384xi8, #gpu.address_space<workgroup>> -> <#[[B]]>
// CHECK-NEXT:    %[[R:.+]]:3 = kami.wgmma_fence %[[VA]], %[[VC]], %[[VC]] : vector<8xf16>, vector<4xf32>, vector<4xf32>
// CHECK-NEXT:    %[[T:.+]]:2 = kami.wgmma %[[R]]#0, %[[DB]], [%[[R]]#1, %[[R]]#2] atom #[[WGMMA]] : vector<8xf16>, <#[[B]]>, vector<4xf32>
// CHECK-NEXT:    %[[U:.+]]:2 = kami.wgmma %[[DA]], %[[DB]], [%[[T]]#0, %[[T]]#1] atom #[[WGMMA]] : !kami.matrix_descriptor<#[[A]]>, <#[[B]]>, vector<4xf32>
// CHECK-NEXT:    %[[V:.+]]:2 = kami.wgmma_commit[%[[U]]#0, %[[U]]#1] : vector<4xf32>
// CHECK-NEXT:    kami.wgmma_wait[%[[V]]#0, %[[V]]#1] : vector<4xf32>
func.func @target_level(%a: vector<8xf16>, %c: vector<4xf32>, %s: !workgroup, %i: index) -> vector<4xf32> {
  %da = kami.matrix_descriptor %s[%i, %i] : !workgroup -> !kami.matrix_descriptor<#a>
  %db = kami.matrix_descriptor %s[%i, %i] : !workgroup -> !kami.matrix_descriptor<#b>
  %r:3 = kami.wgmma_fence %a, %c, %c : vector<8xf16>, vector<4xf32>, vector<4xf32>
  %t:2 = kami.wgmma %r#0, %db, [%r#1, %r#2] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  %u:2 = kami.wgmma %da, %db, [%t#0, %t#1] atom #wgmma : !kami.matrix_descriptor<#a>, !kami.matrix_descriptor<#b>, vector<4xf32>
  %v:2 = kami.wgmma_commit [%u#0, %u#1] : vector<4xf32>
  %w:2 = kami.wgmma_wait [%v#0, %v#1] : vector<4xf32>
  return %w#1 : vector<4xf32>
}

// CHECK-LABEL: func @mixed_types
// CHECK-SAME:    %[[IS:[^ :]+]]: i1
// CHECK:         kami.wgmma %{{.+}}, %{{.+}}, [%{{.+}}] if %[[IS]] atom #[[F8]] : vector<16xf8E4M3FN>, <#[[B8]]>, vector<4xf32>
func.func @mixed_types(%a: vector<16xf8E4M3FN>, %b: !kami.matrix_descriptor<#b8>, %c: vector<4xf32>, %is: i1) -> vector<4xf32> {
  %d = kami.wgmma %a, %b, [%c] if %is atom #f8 : vector<16xf8E4M3FN>, !kami.matrix_descriptor<#b8>, vector<4xf32>
  return %d : vector<4xf32>
}
