//===- CuteWgmmaOther.cu - Warp-group products of tf32, f8 and i8 ---------===//
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
  addCuteWgmmaBoth<Type, Extents<128, 128, 128>, 2, 1>();
  addCuteWgmma<Type, Extents<128, 128, 128>, 2, 2, true>();
}
} // namespace

static AtLoad load([] {
  squares<TF32>();
  squares<E4M3>();
  addCuteWgmmaBoth<E4M3, Extents<192, 192, 192>, 3, 1>();
  // C of 256 x 256 would take every register of a multiprocessor.
  squares<I8>();
});
