//===- CuteWgmma.cuh - Products by warp-group instructions ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CuTe over wgmma (sm_90a only): B stays in shared memory, along k and swizzled
// as the instruction wants it; A stays there too or in registers. A repeat's
// instructions are one group, and the next group is issued before it ends.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TOOLS_KAMI_BENCH_PEERS_CUTEWGMMA_CUH
#define KAMI_TOOLS_KAMI_BENCH_PEERS_CUTEWGMMA_CUH

#include "CuteTypes.cuh"
#include <cute/arch/mma_sm90.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cutlass/arch/barrier.h>

namespace kami::peers {
/// The widest swizzle that rows of Columns elements are a multiple of.
template <class Element, int Rows, int Columns> constexpr auto alongK() {
  constexpr int bytes = Columns * sizeof(Element);
  using Shape = cute::Shape<Int<Rows>, Int<Columns>>;
  using namespace cute::GMMA;
  if constexpr (bytes % 128 == 0)
    return cute::tile_to_shape(Layout_K_SW128_Atom<Element>{}, Shape{});
  else if constexpr (bytes % 64 == 0)
    return cute::tile_to_shape(Layout_K_SW64_Atom<Element>{}, Shape{});
  else
    return cute::tile_to_shape(Layout_K_SW32_Atom<Element>{}, Shape{});
}

/// A product of GroupsM x GroupsN warp groups. `Products` times the product in
/// one group of instructions, for limits.
template <class Type, class Extents, int GroupsM, int GroupsN, bool RegistersA,
          int Products = 1>
struct CuteWgmma {
  using Problem = Extents;
  using Operand = typename Type::Operand;
  using Accumulator = typename Type::Accumulator;
  static constexpr int m = Extents::paddedM, n = Extents::paddedN,
                       k = Extents::paddedK;
  static constexpr int threads = 128 * GroupsM * GroupsN;
  static constexpr bool registersA = RegistersA;
  static constexpr int products = Products;
  static_assert(m % (64 * GroupsM) == 0 && n % GroupsN == 0);

  using Tile = cute::Shape<Int<64>, Int<n / GroupsN>, Int<k>>;
  static constexpr auto instruction() {
    if constexpr (RegistersA)
      return cute::SM90::GMMA::rs_op_selector<Operand, Operand, Accumulator,
                                              Tile>();
    else
      return cute::SM90::GMMA::ss_op_selector<Operand, Operand, Accumulator,
                                              Tile>();
  }
  using Instruction = decltype(instruction());
  using Mma = decltype(cute::make_tiled_mma(
      Instruction{},
      cute::Layout<cute::Shape<Int<GroupsM>, Int<GroupsN>, _1>>{}));
  using AtomShape = typename cute::MMA_Traits<Instruction>::Shape_MNK;

  using LayoutA = decltype(alongK<Operand, m, k>());
  using LayoutB = decltype(alongK<Operand, n, k>());
  static constexpr int bytesA =
      (cute::cosize_v<LayoutA> * sizeof(Operand) + 1023) / 1024 * 1024;
  static constexpr int sharedBytes =
      bytesA + cute::cosize_v<LayoutB> * sizeof(Operand);
};

template <class P>
__global__ void __launch_bounds__(P::threads)
    cuteWgmma(Operands operands, int repeats) {
  using Operand = typename P::Operand;
  using Accumulator = typename P::Accumulator;
  using Problem = typename P::Problem;
  // The widest swizzle repeats every 1024 bytes.
  extern __shared__ __align__(1024) unsigned char shared[];
  auto a = cute::make_tensor(
      cute::make_smem_ptr(reinterpret_cast<Operand *>(shared)),
      typename P::LayoutA{});
  auto b = cute::make_tensor(
      cute::make_smem_ptr(reinterpret_cast<Operand *>(shared + P::bytesA)),
      typename P::LayoutB{});
  int64_t block = blockIdx.x, set = block % operands.sets;
  loadPadded<Problem::m, Problem::k, Problem::k, false>(
      static_cast<const Operand *>(operands.a) + set * operands.strideA, a);
  loadPadded<Problem::k, Problem::n, Problem::n, true>(
      static_cast<const Operand *>(operands.b) + set * operands.strideB, b);
  // wgmma reads shared memory by another path than the stores above took.
  cutlass::arch::fence_view_async_shared();
  __syncthreads();

  typename P::Mma mma;
  auto thread = mma.get_slice(threadIdx.x);
  auto fragmentA = [&] {
    if constexpr (P::registersA) {
      auto mine = thread.partition_A(a);
      auto registers = thread.make_fragment_A(mine);
      cute::copy(mine, registers);
      return registers;
    } else {
      return thread.make_fragment_A(thread.partition_A(a));
    }
  }();
  auto fragmentB = thread.make_fragment_B(thread.partition_B(b));
  using Whole = cute::Shape<Int<P::m>, Int<P::n>>;
  auto c = cute::partition_fragment_C(mma, Whole{});
  cute::clear(c);

  if constexpr (P::registersA)
    cute::warpgroup_fence_operand(fragmentA);
  cute::warpgroup_fence_operand(c);
#pragma unroll 1
  for (int repeat = 0; repeat < repeats; ++repeat) {
    cute::warpgroup_arrive();
    CUTE_UNROLL
    for (int product = 0; product < P::products; ++product)
      cute::gemm(mma, fragmentA, fragmentB, c);
    cute::warpgroup_commit_batch();
    cute::warpgroup_wait<1>();
  }
  cute::warpgroup_wait<0>();
  cute::warpgroup_fence_operand(c);
  storeUnpadded<Problem::m, Problem::n>(thread, c,
                                        static_cast<Accumulator *>(operands.c) +
                                            block * operands.strideC,
                                        Whole{});
}

template <class Type, class P> Peer describeWgmma() {
  using Extents = typename P::Problem;
  Peer peer;
  peer.name = cuteName("wgmma");
  peer.variant = "m64n" +
                 std::to_string(cute::size<1>(typename P::AtomShape{})) + "k" +
                 std::to_string(cute::size<2>(typename P::AtomShape{})) +
                 (P::registersA ? ", A in registers" : ", A in shared memory");
  peer.type = Type::type;
  peer.accumulator = Type::accumulator;
  peer.m = Extents::m;
  peer.n = Extents::n;
  peer.k = Extents::k;
  peer.threads = P::threads;
  peer.sharedBytes = P::sharedBytes;
  peer.kernel = cuteWgmma<P>;
  return peer;
}

/// Registers one variant.
template <class Type, class Extents, int GroupsM, int GroupsN, bool RegistersA>
void addCuteWgmma() {
  using P = CuteWgmma<Type, Extents, GroupsM, GroupsN, RegistersA>;
  Peer peer = describeWgmma<Type, P>();
  peer.variant = std::to_string(GroupsM) + "x" + std::to_string(GroupsN) +
                 " warp groups, " + peer.variant +
                 padding(Extents::m, Extents::n, Extents::k, P::m, P::n, P::k);
  add(std::move(peer));
}

template <class Type, class Extents, int GroupsM, int GroupsN>
void addCuteWgmmaBoth() {
  addCuteWgmma<Type, Extents, GroupsM, GroupsN, false>();
  addCuteWgmma<Type, Extents, GroupsM, GroupsN, true>();
}
} // namespace kami::peers

#endif // KAMI_TOOLS_KAMI_BENCH_PEERS_CUTEWGMMA_CUH
