//===- CuteWgmmaOdd.cu - Low rank and extents that need padding -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CuteWgmma.cuh"

using namespace kami::peers;

static AtLoad load([] {
  addCuteWgmmaBoth<F16, Extents<64, 64, 16>, 1, 1>();
  addCuteWgmmaBoth<F16, Extents<64, 64, 32>, 1, 1>();
  addCuteWgmmaBoth<F16, Extents<128, 128, 16>, 2, 1>();
  addCuteWgmmaBoth<F16, Extents<128, 128, 32>, 2, 1>();
  addCuteWgmma<F16, Extents<40, 40, 40, 64, 64, 48>, 1, 1, true>();
  addCuteWgmma<F16, Extents<72, 72, 72, 128, 96, 80>, 2, 1, true>();
  addCuteWgmma<F16, Extents<100, 100, 100, 128, 128, 112>, 2, 1, true>();
  addCuteWgmma<F16, Extents<120, 120, 120, 128, 128, 128>, 2, 1, true>();
});
