//===- CuteMmaF64Large.cu - 128 x 128 x 128 doubles -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A and B are 256 KiB, more than a block's shared memory. All of B and three
// quarters of A fit; the first 32 columns of A live in registers only. They
// pass through the place of the columns that come after them.
//
//===----------------------------------------------------------------------===//

#include "CuteMma.cuh"
#include <cute/arch/mma_sm90.hpp>
#include <cute/atom/mma_traits_sm90.hpp>

using namespace kami::peers;

static AtLoad load([] {
  using Step4 = cute::SM90_16x8x4_F64F64F64F64_TN;
  addCuteMma<F64, Step4, Extents<128, 128, 128>, 4, 2, 8>();
  addCuteMma<F64, Step4, Extents<128, 128, 128>, 8, 1, 8>();
});
