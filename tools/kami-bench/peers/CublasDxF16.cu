//===- CublasDxF16.cu - cuBLASDx products of f16 into f32 -----------------===//
//---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasDx.cuh"

using namespace kami::peers;

static AtLoad load([] {
  addCublasDxThreads<F16, Extents<16, 16, 16>, 0, 32>();
  addCublasDxThreads<F16, Extents<32, 32, 32>, 0, 32, 64>();
  addCublasDxThreads<F16, Extents<64, 64, 64>, 0, 64, 128, 256>();
  addCublasDxThreads<F16, Extents<128, 128, 128>, 0, 128, 256>();
  addCublasDxThreads<F16, Extents<192, 192, 192>, 0, 256, 512>();
});

// How much the layouts matter.
static AtLoad layouts([] {
  using Medium = Extents<64, 64, 64>;
  addCublasDx<F16, Medium, 128, Shared::SuggestedRowMajor>();
  addCublasDx<F16, Medium, 128, Shared::Dense>();
});
