//===- CuteMmaOdd.cu - Low rank and extents that are no powers of two -----===//
//-------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CuteMma.cuh"

using namespace kami::peers;

static AtLoad load([] {
  using Instruction = cute::SM80_16x8x16_F32F16F16F32_TN;
  addCuteMmaBoth<F16, Instruction, Extents<64, 64, 16>, 2, 1>();
  addCuteMma<F16, Instruction, Extents<64, 64, 16>, 2, 2, 1>();
  addCuteMmaBoth<F16, Instruction, Extents<64, 64, 32>, 2, 1>();
  addCuteMma<F16, Instruction, Extents<64, 64, 32>, 2, 2, 2>();
  addCuteMmaBoth<F16, Instruction, Extents<128, 128, 16>, 4, 2>();
  addCuteMma<F16, Instruction, Extents<128, 128, 16>, 2, 2, 1>();
  addCuteMmaBoth<F16, Instruction, Extents<128, 128, 32>, 4, 2>();
  addCuteMma<F16, Instruction, Extents<128, 128, 32>, 2, 2, 2>();
  // As many warps as there are rows of fragments, or as divides them.
  addCuteMmaBoth<F16, Instruction, Extents<24, 24, 24, 32, 24, 32>, 1, 1>();
  addCuteMma<F16, Instruction, Extents<24, 24, 24, 32, 24, 32>, 2, 1, 2>();
  addCuteMmaBoth<F16, Instruction, Extents<40, 40, 40, 48, 40, 48>, 1, 1>();
  addCuteMma<F16, Instruction, Extents<40, 40, 40, 48, 40, 48>, 3, 1, 3>();
  addCuteMmaBoth<F16, Instruction, Extents<72, 72, 72, 80, 72, 80>, 5, 1>();
  addCuteMma<F16, Instruction, Extents<72, 72, 72, 80, 80, 80>, 1, 5>();
  addCuteMmaBoth<F16, Instruction, Extents<100, 100, 100, 112, 104, 112>, 7,
                 1>();
  addCuteMma<F16, Instruction, Extents<100, 100, 100, 128, 112, 112>, 4, 1>();
  addCuteMmaBoth<F16, Instruction, Extents<120, 120, 120, 128, 120, 128>, 4,
                 1>();
  addCuteMma<F16, Instruction, Extents<120, 120, 120, 128, 128, 128>, 4, 2>();
});
