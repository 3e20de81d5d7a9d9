//===- CublasDxOther.cu - cuBLASDx products of tf32, f8, i8 and f64 -------===//
//-----------===//
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
}
} // namespace

static AtLoad load([] {
  squares<TF32>();
  squares<E4M3>();
  addCublasDxThreads<E4M3, Extents<192, 192, 192>, 256>();
  squares<I8>();
});

// 128 x 128 x 128 do not fit in shared memory.
static AtLoad doubles([] {
  addCublasDxThreads<F64, Extents<16, 16, 16>, 32>();
  addCublasDxThreads<F64, Extents<32, 32, 32>, 32, 64>();
  addCublasDxThreads<F64, Extents<64, 64, 64>, 64, 128, 256>();
});
