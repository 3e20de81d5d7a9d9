//===- CublasDxOdd.cu - Low rank and extents that are no powers of 2 ------===//
//----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasDx.cuh"

using namespace kami::peers;

namespace {
/// As they are, and as the next multiple of 16.
template <int N> void square() {
  constexpr int padded = (N + 15) / 16 * 16;
  using Padded = Extents<N, N, N, padded, padded, padded>;
  addCublasDx<F16, Extents<N, N, N>, 0>();
  addCublasDx<F16, Extents<N, N, N>, 128>();
  addCublasDx < F16, Padded, N<64 ? 32 : 128>();
}
} // namespace

static AtLoad lowRank([] {
  addCublasDxThreads<F16, Extents<64, 64, 16>, 64, 128>();
  addCublasDxThreads<F16, Extents<64, 64, 32>, 64, 128>();
  addCublasDxThreads<F16, Extents<128, 128, 16>, 128, 256>();
  addCublasDxThreads<F16, Extents<128, 128, 32>, 128, 256>();
});

static AtLoad odd([] {
  square<24>();
  square<40>();
  square<72>();
  square<100>();
  square<120>();
  addCublasDx<F16, Extents<100, 100, 100, 128, 128, 128>, 256>();
  addCublasDx<F16, Extents<120, 120, 120, 128, 128, 128>, 256>();
});
