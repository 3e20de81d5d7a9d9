//===- CuteMmaOther.cu - Warp-level products of 8, 32 and 64 bits ---------===//
//-------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CuteMma.cuh"
#include <cute/arch/mma_sm89.hpp>
#include <cute/arch/mma_sm90.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>

using namespace kami::peers;

static AtLoad tf32([] {
  using Instruction = cute::SM80_16x8x8_F32TF32TF32F32_TN;
  addCuteMmaBoth<TF32, Instruction, Extents<16, 16, 16>, 1, 1>();
  addCuteMmaBoth<TF32, Instruction, Extents<32, 32, 32>, 1, 1>();
  addCuteMmaBoth<TF32, Instruction, Extents<64, 64, 64>, 2, 1>();
  addCuteMma<TF32, Instruction, Extents<64, 64, 64>, 2, 2>();
  addCuteMma<TF32, Instruction, Extents<128, 128, 128>, 2, 2>();
  addCuteMmaBoth<TF32, Instruction, Extents<128, 128, 128>, 4, 2>();
});

#if KAMI_PEERS_SM >= 890
static AtLoad e4m3([] {
  using Instruction = cute::SM89_16x8x32_F32E4M3E4M3F32_TN;
  addCuteMmaBoth<E4M3, Instruction, Extents<16, 16, 16, 16, 16, 32>, 1, 1>();
  addCuteMmaBoth<E4M3, Instruction, Extents<32, 32, 32>, 1, 1>();
  addCuteMmaBoth<E4M3, Instruction, Extents<64, 64, 64>, 2, 1>();
  addCuteMma<E4M3, Instruction, Extents<64, 64, 64>, 2, 2>();
  addCuteMmaBoth<E4M3, Instruction, Extents<128, 128, 128>, 4, 2>();
  addCuteMma<E4M3, Instruction, Extents<192, 192, 192>, 4, 2>();
});
#endif

static AtLoad i8([] {
  addCuteMmaBoth<I8, cute::SM80_16x8x16_S32S8S8S32_TN,
                 Extents<16, 16, 16, 16, 16, 32>, 1, 1>();
  using Instruction = cute::SM80_16x8x32_S32S8S8S32_TN;
  addCuteMmaBoth<I8, Instruction, Extents<32, 32, 32>, 1, 1>();
  addCuteMmaBoth<I8, Instruction, Extents<64, 64, 64>, 2, 1>();
  addCuteMma<I8, Instruction, Extents<64, 64, 64>, 2, 2>();
  addCuteMma<I8, Instruction, Extents<128, 128, 128>, 2, 2>();
  addCuteMmaBoth<I8, Instruction, Extents<128, 128, 128>, 4, 2>();
});

#if KAMI_PEERS_SM >= 900
static AtLoad f64([] {
  using Step4 = cute::SM90_16x8x4_F64F64F64F64_TN;
  using Step8 = cute::SM90_16x8x8_F64F64F64F64_TN;
  using Step16 = cute::SM90_16x8x16_F64F64F64F64_TN;
  addCuteMmaBoth<F64, Step4, Extents<16, 16, 16>, 1, 1>();
  addCuteMmaBoth<F64, Step16, Extents<16, 16, 16>, 1, 1>();
  addCuteMma<F64, Step16, Extents<32, 32, 32>, 1, 1>();
  addCuteMmaBoth<F64, Step16, Extents<32, 32, 32>, 2, 1>();
  addCuteMma<F64, Step8, Extents<32, 32, 32>, 2, 2>();
  addCuteMma<F64, Step4, Extents<64, 64, 64>, 2, 2>();
  addCuteMma<F64, Step8, Extents<64, 64, 64>, 2, 2>();
  addCuteMma<F64, Step16, Extents<64, 64, 64>, 2, 2>();
  addCuteMma<F64, Step8, Extents<64, 64, 64>, 4, 1, 8>();
  addCuteMma<F64, Step8, Extents<64, 64, 64>, 4, 2>();
});
#endif
