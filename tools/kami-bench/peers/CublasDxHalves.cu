//===- CublasDxHalves.cu - cuBLASDx products of f16 into f16, and bf16 ----===//
//--------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasDx.cuh"

using namespace kami::peers;

namespace {
template <class Type> void squares() {
  addCublasDxThreads<Type, Extents<16, 16, 16>, 32>();
  addCublasDxThreads<Type, Extents<32, 32, 32>, 32>();
  addCublasDxThreads<Type, Extents<64, 64, 64>, 64, 128>();
  addCublasDxThreads<Type, Extents<128, 128, 128>, 128, 256>();
  addCublasDxThreads<Type, Extents<192, 192, 192>, 256>();
}
} // namespace

static AtLoad load([] {
  squares<F16F16>();
  squares<BF16>();
});
