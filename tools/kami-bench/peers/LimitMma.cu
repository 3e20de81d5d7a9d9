//===- LimitMma.cu - How fast warp-level instructions can be --------------===//
//----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of one mma.sync with all operands in registers. Each warp keeps several
// chains of accumulators going, so that no instruction waits for the one
// before. All chains of all warps of a block compute one product of the
// instruction's shape; it is checked at the end that they agree.
//
//===----------------------------------------------------------------------===//

#include "CuteTypes.cuh"
#include <cute/arch/mma_sm89.hpp>
#include <cute/arch/mma_sm90.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>

using namespace kami::peers;

namespace {
template <class Type, class Instruction> struct Loop {
  using Types = Type;
  using Atom = Instruction;
  using Shape = typename cute::MMA_Traits<Instruction>::Shape_MNK;
  static constexpr int m = cute::size<0>(Shape{}), n = cute::size<1>(Shape{}),
                       k = cute::size<2>(Shape{});
  static constexpr int mostThreads = 256;
  static constexpr int chains = 8;
};

template <class P>
__global__ void __launch_bounds__(P::mostThreads)
    limitMma(Operands operands, int repeats) {
  using Operand = typename P::Types::Operand;
  using Accumulator = typename P::Types::Accumulator;
  int64_t block = blockIdx.x, set = block % operands.sets;
  // CuTe's B is n x k.
  auto a = cute::make_tensor(
      cute::make_gmem_ptr(static_cast<const Operand *>(operands.a) +
                          set * operands.strideA),
      cute::Layout<cute::Shape<Int<P::m>, Int<P::k>>,
                   cute::Stride<Int<P::k>, _1>>{});
  auto b = cute::make_tensor(
      cute::make_gmem_ptr(static_cast<const Operand *>(operands.b) +
                          set * operands.strideB),
      cute::Layout<cute::Shape<Int<P::n>, Int<P::k>>,
                   cute::Stride<_1, Int<P::n>>>{});
  auto mma = cute::make_tiled_mma(typename P::Atom{});
  auto thread = mma.get_slice(threadIdx.x % 32);
  auto fragmentA = thread.partition_fragment_A(a);
  auto fragmentB = thread.partition_fragment_B(b);
  cute::copy(thread.partition_A(a), fragmentA);
  cute::copy(thread.partition_B(b), fragmentB);
  using Chains = cute::Shape<Int<P::m>, Int<P::n * P::chains>>;
  auto c = cute::partition_fragment_C(mma, Chains{});
  cute::clear(c);
  uint32_t never = nothing(operands);
#pragma unroll 4
  for (int repeat = 0; repeat < repeats; ++repeat) {
    CUTE_UNROLL
    for (int chain = 0; chain < P::chains; ++chain) {
      // sm_90 has no e4m3 of this kind: ptxas multiplies as f16 from a zero and
      // adds, and would do A·B once for all, were B known to stay.
      if constexpr (cute::is_same_v<Operand, cutlass::float_e4m3_t>) {
        auto words = cute::recast<uint32_t>(fragmentB);
        CUTE_UNROLL
        for (int i = 0; i < cute::size(words); ++i)
          words(i) += never;
      }
      cute::gemm(mma, fragmentA(cute::_, 0, 0), fragmentB(cute::_, 0, 0),
                 c(cute::_, 0, chain));
    }
  }
  auto first = c(cute::_, 0, 0);
  CUTE_UNROLL
  for (int i = 0; i < cute::size(c); ++i)
    if (!(c(i) == first(i % cute::size(first))))
      first(i % cute::size(first)) = Accumulator(-1);
  auto global =
      static_cast<Accumulator *>(operands.c) + block * operands.strideC;
  auto where = thread.partition_C(
      cute::make_identity_tensor(cute::Shape<Int<P::m>, Int<P::n>>{}));
  CUTE_UNROLL
  for (int i = 0; i < cute::size(first); ++i)
    global[cute::get<0>(where(i)) * P::n + cute::get<1>(where(i))] = first(i);
}

template <class Type, class Instruction> void addLoops() {
  using P = Loop<Type, Instruction>;
  for (int warps : {4, 8}) {
    Peer peer;
    peer.name = "instruction";
    peer.variant = "mma.sync m" + std::to_string(P::m) + "n" +
                   std::to_string(P::n) + "k" + std::to_string(P::k) + ", " +
                   std::to_string(P::chains) + " chains, " +
                   std::to_string(warps) + " warps";
    peer.type = Type::type;
    peer.accumulator = Type::accumulator;
    peer.kind = KAMI_PEER_LIMIT;
    peer.m = P::m;
    peer.n = P::n;
    peer.k = P::k;
    peer.threads = 32 * warps;
    peer.work = P::chains * warps;
    peer.kernel = limitMma<P>;
    add(std::move(peer));
  }
}
} // namespace

static AtLoad load([] {
  addLoops<F16, cute::SM80_16x8x16_F32F16F16F32_TN>();
  addLoops<F16, cute::SM80_16x8x8_F32F16F16F32_TN>();
  addLoops<F16F16, cute::SM80_16x8x16_F16F16F16F16_TN>();
  addLoops<BF16, cute::SM80_16x8x16_F32BF16BF16F32_TN>();
  addLoops<TF32, cute::SM80_16x8x8_F32TF32TF32F32_TN>();
#if KAMI_PEERS_SM >= 890
  addLoops<E4M3, cute::SM89_16x8x32_F32E4M3E4M3F32_TN>();
#endif
  addLoops<I8, cute::SM80_16x8x16_S32S8S8S32_TN>();
  addLoops<I8, cute::SM80_16x8x32_S32S8S8S32_TN>();
  addLoops<F64, cute::SM80_8x8x4_F64F64F64F64_TN>();
#if KAMI_PEERS_SM >= 900
  addLoops<F64, cute::SM90_16x8x4_F64F64F64F64_TN>();
  addLoops<F64, cute::SM90_16x8x8_F64F64F64F64_TN>();
  addLoops<F64, cute::SM90_16x8x16_F64F64F64F64_TN>();
#endif
});
