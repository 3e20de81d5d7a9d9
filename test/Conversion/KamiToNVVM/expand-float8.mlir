// RUN: kami-opt %s --split-input-file --kami-expand-float8 --verify-diagnostics | FileCheck %s

// That the results are right, for every f8 and for the neighbourhood of every
// rounding boundary, is a test of the simulator's.

// CHECK-LABEL: func @e5m2
// CHECK-SAME:    %[[X:.+]]: f8E5M2
// CHECK:         %[[BYTE:.+]] = arith.bitcast %[[X]] : f8E5M2 to i8
// CHECK:         %[[WORD:.+]] = arith.extui %[[BYTE]] : i8 to i16
// CHECK:         %[[SHIFTED:.+]] = arith.shli %[[WORD]], %c8_i16
// CHECK:         %[[HALF:.+]] = arith.bitcast %[[SHIFTED]] : i16 to f16
// CHECK:         %[[WIDE:.+]] = arith.extf %[[HALF]] : f16 to f32
// CHECK-NEXT:    return %[[WIDE]]
func.func @e5m2(%x: f8E5M2) -> f32 {
  %0 = arith.extf %x : f8E5M2 to f32
  return %0 : f32
}

// CHECK-LABEL: func @from_f64
// CHECK-NOT:     arith.truncf
// CHECK:         arith.trunci %{{.+}} : i64 to i8
func.func @from_f64(%x: f64) -> f8E4M3FN {
  %0 = arith.truncf %x : f64 to f8E4M3FN
  return %0 : f8E4M3FN
}

// CHECK-LABEL: func @to_f16
// CHECK:         arith.mulf %{{.+}}, %cst{{.*}} : f16
// CHECK-NOT:     f32
func.func @to_f16(%x: f8E4M3FN) -> f16 {
  %0 = arith.extf %x : f8E4M3FN to f16
  return %0 : f16
}

// Other conversions stay.

// CHECK-LABEL: func @other
// CHECK-NEXT:    arith.truncf %{{.+}} : f32 to f16
func.func @other(%x: f32) -> f16 {
  %0 = arith.truncf %x : f32 to f16
  return %0 : f16
}

// -----

// Pairs, where the chip has an instruction for them; the last of an odd number
// is both of its pair.

module attributes {kami.target = #kami.target<"sm_90">} {
// CHECK-LABEL: func @pairs
// CHECK:         %[[FIRST:.+]] = vector.from_elements %{{.+}}, %{{.+}} : vector<2xi8>
// CHECK:         nvvm.convert.f8x2.to.f16x2 %[[FIRST]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK:         %[[LAST:.+]] = vector.from_elements %[[X:.+]], %[[X]] : vector<2xi8>
// CHECK:         nvvm.convert.f8x2.to.f16x2 %[[LAST]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK:         vector.from_elements %{{.+}}, %{{.+}}, %{{.+}} : vector<3xf16>
func.func @pairs(%x: vector<3xf8E4M3FN>) -> vector<3xf16> {
  %0 = arith.extf %x : vector<3xf8E4M3FN> to vector<3xf16>
  return %0 : vector<3xf16>
}

// CHECK-LABEL: func @pairs_wider
// CHECK:         nvvm.convert.f8x2.to.f16x2 %{{.+}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
// CHECK:         arith.extf %{{.+}} : f16 to f64
func.func @pairs_wider(%x: f8E5M2) -> f64 {
  %0 = arith.extf %x : f8E5M2 to f64
  return %0 : f64
}
}

// -----

module attributes {kami.target = #kami.target<"sm_80">} {
// CHECK-LABEL: func @no_pairs
// CHECK-NOT:     nvvm
func.func @no_pairs(%x: vector<2xf8E5M2>) -> vector<2xf16> {
  %0 = arith.extf %x : vector<2xf8E5M2> to vector<2xf16>
  return %0 : vector<2xf16>
}
}

// -----

func.func @downward(%x: f32) -> f8E5M2 {
  // expected-error @+1 {{'arith.truncf' op expected rounding to the nearest even number}}
  %0 = arith.truncf %x downward : f32 to f8E5M2
  return %0 : f8E5M2
}
