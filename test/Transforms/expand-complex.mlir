// RUN: kami-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(kami-expand-complex,canonicalize,cse)))' --verify-diagnostics | FileCheck %s

// The parts are views; what is subtracted is computed first and negated. Nothing
// goes through memory before the end.

// CHECK-LABEL: gpu.func @plain
// CHECK-SAME:    %[[A:.+]]: memref<40x20xcomplex<f32>>, %[[B:.+]]: memref<20x24xcomplex<f32>>, %[[C:.+]]: memref<40x24xcomplex<f32>>)
// CHECK-DAG:     %[[P:.+]] = kami.complex_part %[[A]] real
// CHECK-DAG:     %[[Q:.+]] = kami.complex_part %[[A]] imaginary
// CHECK-DAG:     %[[R:.+]] = kami.complex_part %[[B]] real
// CHECK-DAG:     %[[S:.+]] = kami.complex_part %[[B]] imaginary
// CHECK-DAG:     %[[CRE:.+]] = kami.complex_part %[[C]] real
// CHECK-DAG:     %[[CIM:.+]] = kami.complex_part %[[C]] imaginary
// CHECK:         %[[ZERO:.+]] = kami.splat
// CHECK:         %[[QS:.+]] = kami.gemm ins(%[[Q]], %[[S]] : {{.+}}) outs(%[[ZERO]] : {{.+}}) accumulator(f32)
// CHECK:         %[[MINUS:.+]] = kami.combine (%[[X:.+]] = %[[QS]]
// CHECK:           arith.negf %[[X]]
// CHECK:         %[[REAL:.+]] = kami.gemm ins(%[[P]], %[[R]] : {{.+}}) outs(%[[MINUS]] : {{.+}}) beta(%{{.+}} : f32) accumulator(f32)
// CHECK:         %[[PS:.+]] = kami.gemm ins(%[[P]], %[[S]] : {{.+}}) outs(%[[ZERO]] : {{.+}}) accumulator(f32)
// CHECK:         %[[IMAGINARY:.+]] = kami.gemm ins(%[[Q]], %[[R]] : {{.+}}) outs(%[[PS]] : {{.+}}) beta(%{{.+}} : f32) accumulator(f32)
// CHECK:         kami.collect %[[REAL]], %[[CRE]] :
// CHECK:         kami.collect %[[IMAGINARY]], %[[CIM]] :

// A conjugate changes signs: Re = PR + QS, Im = QR - PS.

// CHECK-LABEL: gpu.func @conjugate
// CHECK:         %[[QS:.+]] = kami.gemm ins(%[[Q:.+]], %[[S:.+]] : {{.+}}) outs(%[[ZERO:.+]] : {{.+}}) transpose_a accumulator(f32)
// CHECK-NOT:     kami.combine
// CHECK:         kami.gemm ins(%[[P:.+]], %[[R:.+]] : {{.+}}) outs(%[[QS]] :
// CHECK:         %[[PS:.+]] = kami.gemm ins(%[[P]], %[[S]] : {{.+}}) outs(%[[ZERO]] :
// CHECK:         %[[MINUS:.+]] = kami.combine (%{{.+}} = %[[PS]]
// CHECK:         kami.gemm ins(%[[Q]], %[[R]] : {{.+}}) outs(%[[MINUS]] :
// CHECK:         kami.collect %{{.+}}, %{{.+}} alpha(%[[TWO:.+]] : f32) :

// With both, Im = -(PS + QR).

// CHECK-LABEL: gpu.func @conjugates
// CHECK:         %[[QS:.+]] = kami.gemm
// CHECK-NEXT:    kami.combine (%{{.+}} = %[[QS]]
// CHECK:         kami.gemm
// CHECK:         %[[PS:.+]] = kami.gemm
// CHECK-NEXT:    %[[SUM:.+]] = kami.gemm ins({{.+}}) outs(%[[PS]] :
// CHECK-NEXT:    %[[MINUS:.+]] = kami.combine (%{{.+}} = %[[SUM]]
// CHECK:         kami.collect %[[MINUS]],

// Complex scales need both parts of the old C, unless β is 0.

// CHECK-LABEL: gpu.func @scales
// CHECK-SAME:    %[[T:[^:]+]]: memref<complex<f32>>)
// CHECK:         %[[TRE:.+]] = kami.complex_part %[[T]] real
// CHECK:         %[[TIM:.+]] = kami.complex_part %[[T]] imaginary
// CHECK:         %[[BRE:.+]] = memref.load %[[TRE]][]
// CHECK:         %[[BIM:.+]] = memref.load %[[TIM]][]
// CHECK-DAG:     %[[NRE:.+]] = arith.cmpf une, %[[BRE]]
// CHECK-DAG:     %[[NIM:.+]] = arith.cmpf une, %[[BIM]]
// CHECK:         %[[READS:.+]] = arith.ori %[[NRE]], %[[NIM]]
// CHECK:         %[[OLD:.+]]:2 = scf.if %[[READS]]
// CHECK:           kami.distribute
// CHECK:           kami.distribute
// CHECK:         } else {
// CHECK:         kami.combine (%[[X:.+]] = %[[OLD]]#0 : {{.+}}, %[[Y:.+]] = %[[OLD]]#1 : {{.+}}, %[[V:.+]] = %{{.+}}, %[[W:.+]] = %{{.+}}) -> {{.+}} {
// CHECK:           %[[VX:.+]] = arith.mulf %[[V]], %[[X]]
// CHECK:           %[[WY:.+]] = arith.mulf %[[W]], %[[Y]]
// CHECK:           arith.subf %[[VX]], %[[WY]]
// CHECK:         kami.collect %{{.+}}, %{{[^ ]+}} :

#atom = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #atom, tile = 40x24x16, transport = staged, slices = {k = 4, shared = [0, 0]}>
!a = memref<40x20xcomplex<f32>>
!at = memref<20x40xcomplex<f32>>
!b = memref<20x24xcomplex<f32>>
!c = memref<40x24xcomplex<f32>>
gpu.module @kernels {
gpu.func @plain(%a: !a, %b: !b, %c: !c) kernel {
  kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) accumulator(complex<f32>) plan(#plan)
  gpu.return
}
gpu.func @conjugate(%a: !at, %b: !b, %c: !c) kernel {
  %s = complex.constant [2.0 : f32, 0.0 : f32] : complex<f32>
  kami.gemm ins(%a, %b : !at, !b) outs(%c : !c) alpha(%s : complex<f32>) transpose_a conjugate_b accumulator(complex<f32>) plan(#plan)
  gpu.return
}
gpu.func @conjugates(%a: !a, %b: !b, %c: !c) kernel {
  kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) conjugate_a conjugate_b accumulator(complex<f32>) plan(#plan)
  gpu.return
}
gpu.func @scales(%a: !a, %b: !b, %c: !c, %t: memref<complex<f32>>) kernel {
  %s = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
  kami.gemm ins(%a, %b : !a, !b) outs(%c : !c) alpha(%s : complex<f32>) beta(%t : memref<complex<f32>>) accumulator(complex<f32>) plan(#plan)
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @no_plan(%a: memref<8x8xcomplex<f32>>, %c: memref<8x8xcomplex<f32>>) kernel {
  // expected-error@+1 {{'kami.gemm' op expected a plan; kami-assign-plan chooses one}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f32>>, memref<8x8xcomplex<f32>>) outs(%c : memref<8x8xcomplex<f32>>) accumulator(complex<f32>)
  gpu.return
}
}

// -----

#atom = #kami.mma_atom<fma 16x8x1, f32, f32, f32, ["nv.a.16x1.b32", "nv.b.1x8.b32", "nv.c.16x8.b32"]>
#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #atom, tile = 8x8x8, transport = staged, slices = {k = 4, shared = [0, 0]}>
gpu.module @kernels {
gpu.func @other_sums(%a: memref<8x8xcomplex<f64>>, %c: memref<8x8xcomplex<f64>>) kernel {
  // expected-error@+1 {{'kami.gemm' op expected a plan whose sums are of 'f64', but got 'f32'}}
  kami.gemm ins(%a, %a : memref<8x8xcomplex<f64>>, memref<8x8xcomplex<f64>>) outs(%c : memref<8x8xcomplex<f64>>) accumulator(complex<f64>) plan(#plan)
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @batch(%a: memref<2x8x8xcomplex<f32>>, %c: memref<2x8x8xcomplex<f32>>) kernel {
  // expected-error@+1 {{'kami.gemm' op expected one product inside a kernel, but got a batch}}
  kami.gemm ins(%a, %a : memref<2x8x8xcomplex<f32>>, memref<2x8x8xcomplex<f32>>) outs(%c : memref<2x8x8xcomplex<f32>>) accumulator(complex<f32>)
  gpu.return
}
}
