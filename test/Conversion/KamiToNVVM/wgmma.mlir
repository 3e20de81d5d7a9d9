// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm,canonicalize,cse))' | FileCheck %s

#wgmma = #kami.mma_atom<wgmma 16x8x16, f16, f16, f32, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
#half = #kami.mma_atom<wgmma 16x8x16, f16, f16, f16, ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b16"]>
#tf32 = #kami.mma_atom<wgmma 16x8x8, f32, f32, f32, ["nv.a.16x8.b32", "nv.b.8x8.b32", "nv.c.16x8.b32"]>
#f8 = #kami.mma_atom<wgmma 16x8x32, f8E4M3FN, f8E5M2, f32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#i8 = #kami.mma_atom<wgmma 16x8x32, i8, i8, i32, ["nv.a.16x32.b8", "nv.b.32x8.b8", "nv.c.16x8.b32"]>
#a = #kami.shared_matrix<64x64xf16, a, mn_major, swizzle = 128>
#b = #kami.shared_matrix<64x64xf16, b, k_major, swizzle = 128>
#bt = #kami.shared_matrix<64x64xf16, b, mn_major, swizzle = 64>
#b32 = #kami.shared_matrix<32x8xf32, b, k_major, swizzle = 128>
#b8 = #kami.shared_matrix<32x8xf8E5M2, b, k_major, swizzle = 32>
#bi8 = #kami.shared_matrix<32x8xi8, b, k_major, swizzle = 32>
!shared = memref<8192xi8, #gpu.address_space<workgroup>>

module attributes {kami.target = #kami.target<"sm_90">} {

// Other generations do not have it: the chip's own variant.

// CHECK-LABEL: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a">]
gpu.module @kernels {

// The buffer's address and the window's place in 16 bytes, which are added; 64 of
// them are the stride, bit 62 the swizzle, 1 the leading offset that is not used:
// 2^62 + 64 * 2^32 + 2^16, whose low word is added, too.

// CHECK-LABEL: gpu.func @descriptor
// CHECK-SAME:    %[[S:.+]]: memref<8192xi8, {{.*}}>, %[[M:.+]]: memref<i64>, %[[K:.+]]: index
// CHECK-DAG:     %[[HIGH:.+]] = arith.constant 4611686293305294848 : i64
// CHECK-DAG:     %[[LOW:.+]] = arith.constant 65536 : i32
// CHECK-DAG:     %[[DROP:.+]] = arith.constant 4 : i32
// CHECK:         %[[BYTES:.+]] = arith.muli %[[K]], %c2
// CHECK:         %[[BLOCK:.+]] = arith.divui %[[BYTES]], %c128
// CHECK:         %[[REST:.+]] = arith.remui %[[BYTES]], %c128
// CHECK:         %[[BLOCKS:.+]] = arith.muli %[[BLOCK]], %c8192
// CHECK:         %[[LINES:.+]] = arith.addi %[[BLOCKS]], %c1024
// CHECK:         %[[START:.+]] = arith.addi %[[LINES]], %[[REST]]
// CHECK:         %[[BASE:.+]] = memref.extract_aligned_pointer_as_index %[[S]]
// CHECK:         %[[ADDRESS:.+]] = arith.index_cast %[[BASE]] : index to i32
// CHECK:         %[[FIELD:.+]] = arith.shrui %[[ADDRESS]], %[[DROP]]
// CHECK:         %[[FIRST:.+]] = arith.addi %[[FIELD]], %[[LOW]]
// CHECK:         %[[PIECES:.+]] = arith.divui %[[START]], %c16
// CHECK:         %[[PLACE:.+]] = arith.index_cast %[[PIECES]] : index to i32
// CHECK:         %[[WORD:.+]] = arith.addi %[[FIRST]], %[[PLACE]]
// CHECK:         %[[WIDE:.+]] = arith.extui %[[WORD]] : i32 to i64
// CHECK:         %[[D:.+]] = arith.ori %[[WIDE]], %[[HIGH]]
// CHECK:         llvm.inline_asm has_side_effects {{.*}}wgmma{{.*}}, %[[D]] :
gpu.func @descriptor(%s: !shared, %m: memref<i64>, %k: index, %a: vector<8xf16>, %c: vector<4xf32>, %out: memref<vector<4xf32>>) kernel {
  %c8 = arith.constant 8 : index
  %b = kami.matrix_descriptor %s[%k, %c8] : !shared -> !kami.matrix_descriptor<#b>
  %d = kami.wgmma %a, %b, [%c] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  memref.store %d, %out[] : memref<vector<4xf32>>
  gpu.return
}

// Registers pass through empty assembly before the fence and after the wait, and
// the accumulators are tied.

// Steps that add to each other are one assembly, whose inputs follow each other.

// CHECK-LABEL: gpu.func @steps
// CHECK:         llvm.inline_asm
// CHECK-SAME:      "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$13, $14, $15, $16}, $17, p, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,r,r,r,r,l,~{memory}"
// CHECK-NOT:     llvm.inline_asm
// CHECK:         gpu.return
gpu.func @steps(%s: !shared, %out: memref<vector<4xf32>>, %a: vector<4xf32>, %other: vector<4xf32>, %c: vector<4xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %b0 = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b32>
  %d = kami.wgmma %a, %b0, [%c] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  %b1 = kami.matrix_descriptor %s[%c8, %c0] : !shared -> !kami.matrix_descriptor<#b32>
  %e = kami.wgmma %other, %b1, [%d] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  memref.store %e, %out[] : memref<vector<4xf32>>
  gpu.return
}

// What something else reads, too, ends a chain, and so does what must not move.

// CHECK-LABEL: gpu.func @apart
// CHECK-COUNT-4: "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1; }"
// CHECK:         gpu.return
gpu.func @apart(%s: !shared, %out: memref<vector<4xf32>>, %a: vector<4xf32>, %c: vector<4xf32>) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b32>
  %d = kami.wgmma %a, %b, [%c] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  %e = kami.wgmma %a, %b, [%d] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  %unread = kami.wgmma %a, %b, [%d] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  gpu.barrier
  %f = kami.wgmma %a, %b, [%e] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  memref.store %f, %out[] : memref<vector<4xf32>>
  gpu.return
}

// CHECK-LABEL: gpu.func @f16
// CHECK:         %[[IN:.+]] = llvm.inline_asm has_side_effects "", "=r,=r,=r,=r,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}"
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         %[[D:.+]] = llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1, 0; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,~{memory}" %{{.+}} : (f32, f32, f32, f32, i32, i32, i32, i32, i64) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:         llvm.inline_asm has_side_effects "", "=f,=f,=f,=f,0,1,2,3,~{memory}"
// CHECK:         memref.store
gpu.func @f16(%s: !shared, %a: vector<8xf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b>
  %r:2 = kami.wgmma_fence %a, %c : vector<8xf16>, vector<4xf32>
  %d = kami.wgmma %r#0, %b, [%r#1] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
  %g = kami.wgmma_commit [%d] : vector<4xf32>
  %e = kami.wgmma_wait [%g] : vector<4xf32>
  memref.store %e, %m[] : memref<vector<4xf32>>
  gpu.return
}

// Both operands in shared memory, adjacent along m and n: two more bits.

// CHECK-LABEL: gpu.func @transposed
// CHECK:         m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, p, 1, 1, 1, 1; }", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,~{memory}"
gpu.func @transposed(%s: !shared, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %c0 = arith.constant 0 : index
  %a = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#a>
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#bt>
  %d:2 = kami.wgmma %a, %b, [%c, %c] atom #wgmma : !kami.matrix_descriptor<#a>, !kami.matrix_descriptor<#bt>, vector<4xf32>
  memref.store %d#1, %m[] : memref<vector<4xf32>>
  gpu.return
}

// Two accumulators of f16 are a register.

// CHECK-LABEL: gpu.func @half
// CHECK:         m64n8k16.f16.f16.f16 {$0, $1}, {$4, $5, $6, $7}, $8, p, 1, 1, 0; }", "=r,=r,0,1,r,r,r,r,l,~{memory}"
gpu.func @half(%s: !shared, %a: vector<8xf16>, %c: vector<4xf16>, %m: memref<vector<4xf16>>) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b>
  %d = kami.wgmma %a, %b, [%c] atom #half : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf16>
  memref.store %d, %m[] : memref<vector<4xf16>>
  gpu.return
}

// CHECK-LABEL: gpu.func @tf32
// CHECK:         m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,~{memory}"
gpu.func @tf32(%s: !shared, %a: vector<4xf32>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b32>
  %d = kami.wgmma %a, %b, [%c] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}

// CHECK-LABEL: gpu.func @f8
// CHECK:         m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1; }"
gpu.func @f8(%s: !shared, %a: vector<16xf8E4M3FN>, %c: vector<4xf32>, %m: memref<vector<4xf32>>) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b8>
  %d = kami.wgmma %a, %b, [%c] atom #f8 : vector<16xf8E4M3FN>, !kami.matrix_descriptor<#b8>, vector<4xf32>
  memref.store %d, %m[] : memref<vector<4xf32>>
  gpu.return
}

// CHECK-LABEL: gpu.func @i8
// CHECK:         m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p; }", "=r,=r,=r,=r,0,1,2,3,r,r,r,r,l,~{memory}"
gpu.func @i8(%s: !shared, %a: vector<16xi8>, %c: vector<4xi32>, %m: memref<vector<4xi32>>) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#bi8>
  %d = kami.wgmma %a, %b, [%c] atom #i8 : vector<16xi8>, !kami.matrix_descriptor<#bi8>, vector<4xi32>
  memref.store %d, %m[] : memref<vector<4xi32>>
  gpu.return
}

// Whether the first instruction of a chain adds to C is a predicate of its own.

// CHECK-LABEL: gpu.func @accumulates
// CHECK-SAME:    %[[IS:[^:]+]]: i1
// CHECK:         llvm.inline_asm
// CHECK-SAME:      m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, $13, 1, 1; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$14, $15, $16, $17}, $18, p, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,b,r,r,r,r,l,~{memory}"
gpu.func @accumulates(%s: !shared, %out: memref<vector<4xf32>>, %a: vector<4xf32>, %c: vector<4xf32>, %is: i1) kernel {
  %c0 = arith.constant 0 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b32>
  %d = kami.wgmma %a, %b, [%c] if %is atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  %e = kami.wgmma %a, %b, [%d] atom #tf32 : vector<4xf32>, !kami.matrix_descriptor<#b32>, vector<4xf32>
  memref.store %e, %out[] : memref<vector<4xf32>>
  gpu.return
}

// A sum that begins at zero is not set to zero: the loop's first turn does not
// add to what its registers hold. Without a turn it is.

// CHECK-LABEL: gpu.func @from_zero
// CHECK-SAME:    %[[N:[^:]+]]: index
// CHECK-DAG:     %[[NOTHING:.+]] = llvm.mlir.undef : vector<4xf32>
// CHECK:         %[[ANY:.+]] = arith.cmpi sgt, %[[N]], %c0 : index
// CHECK:         scf.if %[[ANY]]
// CHECK:           scf.for %[[K:.+]] = %c0 to %[[N]] step %c16 iter_args(%{{.+}} = %[[NOTHING]])
// CHECK:             %[[LATER:.+]] = arith.cmpi ne, %[[K]], %c0 : index
// CHECK:             nvvm.wgmma.fence.aligned
// CHECK:             m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, $10, 1, 1, 1, 0; }"{{.*}}, %[[LATER]] :
// CHECK:         } else {
// CHECK:           llvm.inline_asm has_side_effects "", "=f,=f,=f,=f,0,1,2,3,~{memory}"
gpu.func @from_zero(%s: !shared, %m: memref<vector<4xf32>>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %sum = scf.for %k = %c0 to %n step %c16 iter_args(%c = %zero) -> vector<4xf32> {
    %a = kami.matrix_descriptor %s[%c0, %k] : !shared -> !kami.matrix_descriptor<#a>
    %b = kami.matrix_descriptor %s[%k, %c0] : !shared -> !kami.matrix_descriptor<#b>
    %r = kami.wgmma_fence %c : vector<4xf32>
    %d = kami.wgmma %a, %b, [%r] atom #wgmma : !kami.matrix_descriptor<#a>, !kami.matrix_descriptor<#b>, vector<4xf32>
    %g = kami.wgmma_commit [%d] : vector<4xf32>
    %e = kami.wgmma_wait [%g] : vector<4xf32>
    scf.yield %e : vector<4xf32>
  }
  memref.store %sum, %m[] : memref<vector<4xf32>>
  gpu.return
}

// What is no zero stays, what others read, and what is added to products of A in
// registers.

// CHECK-LABEL: gpu.func @from_others
// CHECK-NOT:     llvm.mlir.undef : vector
// CHECK:         gpu.return
gpu.func @from_others(%s: !shared, %left: vector<8xf16>, %m: memref<vector<4xf32>>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %one = arith.constant dense<1.0> : vector<4xf32>
  %sums:3 = scf.for %k = %c0 to %n step %c16 iter_args(%c = %zero, %o = %one, %p = %zero) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
    memref.store %c, %m[] : memref<vector<4xf32>>
    %a = kami.matrix_descriptor %s[%c0, %k] : !shared -> !kami.matrix_descriptor<#a>
    %b = kami.matrix_descriptor %s[%k, %c0] : !shared -> !kami.matrix_descriptor<#b>
    %r:4 = kami.wgmma_fence %left, %c, %o, %p : vector<8xf16>, vector<4xf32>, vector<4xf32>, vector<4xf32>
    %d = kami.wgmma %a, %b, [%r#1] atom #wgmma : !kami.matrix_descriptor<#a>, !kami.matrix_descriptor<#b>, vector<4xf32>
    %f = kami.wgmma %a, %b, [%r#2] atom #wgmma : !kami.matrix_descriptor<#a>, !kami.matrix_descriptor<#b>, vector<4xf32>
    %h = kami.wgmma %r#0, %b, [%r#3] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
    %g:3 = kami.wgmma_commit [%d, %f, %h] : vector<4xf32>
    %e:3 = kami.wgmma_wait [%g#0, %g#1, %g#2] : vector<4xf32>
    scf.yield %e#0, %e#1, %e#2 : vector<4xf32>, vector<4xf32>, vector<4xf32>
  }
  memref.store %sums#0, %m[] : memref<vector<4xf32>>
  gpu.return
}

// Descriptors may go through loops.

// CHECK-LABEL: gpu.func @carried
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (i64)
// CHECK-NOT:     unrealized_conversion_cast
gpu.func @carried(%s: !shared, %a: vector<8xf16>, %c: vector<4xf32>, %m: memref<vector<4xf32>>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = kami.matrix_descriptor %s[%c0, %c0] : !shared -> !kami.matrix_descriptor<#b>
  %last = scf.for %k = %c0 to %n step %c16 iter_args(%at = %b) -> !kami.matrix_descriptor<#b> {
    %d = kami.wgmma %a, %at, [%c] atom #wgmma : vector<8xf16>, !kami.matrix_descriptor<#b>, vector<4xf32>
    memref.store %d, %m[] : memref<vector<4xf32>>
    %next = kami.matrix_descriptor %s[%k, %c0] : !shared -> !kami.matrix_descriptor<#b>
    scf.yield %next : !kami.matrix_descriptor<#b>
  }
  gpu.return
}

}

// Without them the chip is the plain one.

// CHECK-LABEL: gpu.module @plain [#nvvm.target<O = 3, chip = "sm_90">]
gpu.module @plain {
}

}
