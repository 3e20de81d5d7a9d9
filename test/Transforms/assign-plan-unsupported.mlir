// RUN: kami-opt %s --split-input-file --verify-diagnostics --kami-assign-plan

module attributes {kami.target = #kami.target<"sm_89">} {
func.func @narrow_sums(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xbf16>) {
  // expected-error-re @+1 {{'kami.gemm' op target 'sm_89' has no atom that multiplies bf16 into bf16, it has: mma_sync.m16n8k16.f32.f16, {{.*}}mma_sync.m8n8k4.f64.f64}}
  kami.gemm ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xbf16>) accumulator(bf16)
  return
}
}

// -----

module attributes {kami.target = #kami.target<"sm_90">} {
func.func @unknown_type(%a: memref<64x64xi4>, %b: memref<64x64xi4>, %c: memref<64x64xi32>) {
  // expected-error @+1 {{'kami.gemm' op unsupported element type 'i4'}}
  kami.gemm ins(%a, %b : memref<64x64xi4>, memref<64x64xi4>) outs(%c : memref<64x64xi32>) accumulator(i32)
  return
}
}

// -----

func.func @no_target(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{'kami.gemm' op expected a module with a 'kami.target'; kami-attach-target sets it}}
  kami.gemm ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32)
  return
}

// -----

module attributes {kami.target = #kami.target<"sm_91">} {
func.func @unknown_target(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error @+1 {{unknown target 'sm_91', expected one of: sm_80, sm_89, sm_90,}}
  kami.gemm ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32)
  return
}
}

// -----

// Tables know chips whose instructions nothing lowers yet.

module attributes {kami.target = #kami.target<"xe2">} {
func.func @not_lowered(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error-re @+1 {{'kami.gemm' op {{.*}}xe2}}
  kami.gemm ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>) accumulator(f32)
  return
}
}
