//===- CuteMmaF16.cu - Warp-level products of 16-bit floats ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CuteMma.cuh"

using namespace kami::peers;

namespace {
template <class Type, class Instruction> void squares() {
  addCuteMmaBoth<Type, Instruction, Extents<16, 16, 16>, 1, 1>();
  addCuteMmaBoth<Type, Instruction, Extents<32, 32, 32>, 1, 1>();
  addCuteMmaBoth<Type, Instruction, Extents<64, 64, 64>, 2, 1>();
  addCuteMma<Type, Instruction, Extents<64, 64, 64>, 4, 1, 4>();
  addCuteMma<Type, Instruction, Extents<64, 64, 64>, 2, 2>();
  addCuteMma<Type, Instruction, Extents<128, 128, 128>, 2, 2>();
  addCuteMmaBoth<Type, Instruction, Extents<128, 128, 128>, 4, 2>();
  addCuteMma<Type, Instruction, Extents<192, 192, 192>, 4, 2>();
  addCuteMma<Type, Instruction, Extents<192, 192, 192>, 6, 2>();
}
} // namespace

static AtLoad load([] {
  squares<F16, cute::SM80_16x8x16_F32F16F16F32_TN>();
  squares<F16F16, cute::SM80_16x8x16_F16F16F16F16_TN>();
  squares<BF16, cute::SM80_16x8x16_F32BF16BF16F32_TN>();
});
