// A launch's counter is in a table of the module, under the launch's number. The
// first thread of the last warp looks for it and takes tickets, without a branch;
// it tells them to the others, and frees the place with the last of all blocks.

// RUN: kami-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kami-to-nvvm,canonicalize,cse))' | FileCheck %s

module attributes {kami.target = #kami.target<"sm_90">} {
gpu.module @kernels {
// CHECK: llvm.mlir.global internal @take_tickets() {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<65536 x i8>
// CHECK-LABEL: gpu.func @take
gpu.func @take(%limit: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %words = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
  // CHECK: %[[TAKER:.+]] = arith.cmpi eq, %{{.+}}, %c96
  // CHECK: scf.if %[[TAKER]]
  // CHECK: %[[PLACE:.+]] = llvm.inline_asm {{.*}}%gridid;{{.*}}and.b32 s, s, 4095;{{.*}}atom.acq_rel.gpu.global.cas.b64
  // CHECK: memref.store %[[PLACE]], %[[WORDS:.+]][%c1]
  kami.open_tickets %words by 128 : memref<2xi32, #gpu.address_space<workgroup>>
  // CHECK: %[[AT:.+]] = memref.extract_aligned_pointer_as_index %[[WORDS]]
  // CHECK: %[[KNOWN:.+]] = arith.index_cast %[[AT]]
  // CHECK: %[[IS_TAKER:.+]] = arith.extui
  // CHECK-NOT: scf.if
  // CHECK: %[[TICKET:.+]] = llvm.inline_asm {{.*}}@p ld.shared.u32 s, [$2+4];{{.*}}@p atom.relaxed.gpu.global.add.u32 $0, [a], 1;{{.*}} %{{.+}}, %[[KNOWN]], %[[IS_TAKER]]
  %ticket = kami.take_ticket %words of 264 by 128 : memref<2xi32, #gpu.address_space<workgroup>>
  // CHECK: %[[ALL:.+]] = arith.addi %{{.+}}, %c264
  // CHECK: %[[LAST:.+]] = arith.index_cast %[[ALL]]
  // CHECK: scf.if
  // CHECK: %[[PLACED:.+]] = memref.load %[[WORDS]][%c1]
  // CHECK: llvm.inline_asm {{.*}}setp.ne.u32 p, s, $3;{{.*}}atom.release.gpu.global.and.b64{{.*}} %{{.+}}, %[[PLACED]], %[[TICKET]], %[[LAST]]
  // CHECK: memref.store %[[TICKET]], %[[WORDS]][%c0]
  kami.publish_ticket %ticket in %words up_to %limit of 264 by 128 : memref<2xi32, #gpu.address_space<workgroup>>
  gpu.return
}
}
}
