//===- CuteWgmmaF16.cu - Warp-group products of 16-bit floats -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CuteWgmma.cuh"

using namespace kami::peers;

namespace {
template <class Type> void squares() {
  addCuteWgmmaBoth<Type, Extents<64, 64, 64>, 1, 1>();
  addCuteWgmma<Type, Extents<64, 64, 64>, 1, 2, true>();
  addCuteWgmmaBoth<Type, Extents<128, 128, 128>, 2, 1>();
  addCuteWgmma<Type, Extents<128, 128, 128>, 2, 2, true>();
  // A and C at once are more registers than 384 threads have.
  addCuteWgmma<Type, Extents<192, 192, 192>, 3, 1, false>();
  addCuteWgmma<Type, Extents<192, 192, 192>, 3, 2, false>();
}
} // namespace

static AtLoad load([] {
  squares<F16>();
  squares<F16F16>();
  squares<BF16>();
});
