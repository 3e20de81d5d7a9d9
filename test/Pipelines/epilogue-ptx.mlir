// RUN: kami-compile %S/../Integration/sim/bias-gelu.mlir --target=sm_80 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: kami-compile %S/../Integration/sim/bias-gelu.mlir --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx

// No function of a vendor's library is called, and none approximated by the
// device.
// CHECK-NOT: .extern .func
// CHECK:     mma.sync
// CHECK:     fma.rn.f32
// CHECK-NOT: .approx
