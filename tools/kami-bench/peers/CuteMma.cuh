//===- CuteMma.cuh - Products by warp-level instructions --------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CuTe over mma.sync: A and B swizzled in shared memory, both along k, read
// with ldmatrix (f64: with plain loads) one step of k ahead of the instruction.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TOOLS_KAMI_BENCH_PEERS_CUTEMMA_CUH
#define KAMI_TOOLS_KAMI_BENCH_PEERS_CUTEMMA_CUH

#include "CuteTypes.cuh"
#include <cute/atom/copy_atom.hpp>
#include <cute/atom/mma_atom.hpp>

namespace kami::peers {
/// Rows of Columns elements, such that neither ldmatrix nor the 8-byte loads of
/// a double fragment meet one bank twice: chunks of 16 bytes (f64: of 4
/// elements, what one row of a fragment spans) are exchanged by the row.
template <class Element, int Rows, int Columns> constexpr auto swizzled() {
  constexpr int bytes = Columns * sizeof(Element);
  constexpr int span = bytes % 128 == 0 ? 128 : bytes % 64 == 0 ? 64 : 32;
  static_assert(bytes % 32 == 0, "rows of whole sectors");
  constexpr int chunk = sizeof(Element) == 8 ? 32 : 16;
  constexpr int elements = span / sizeof(Element);
  constexpr int chunkBits = cute::log_2(unsigned(chunk / sizeof(Element)));
  constexpr int lineBits = cute::log_2(unsigned(128 / chunk));
  constexpr int bits = cute::log_2(unsigned(span / chunk));
  auto atom =
      cute::composition(cute::Swizzle<bits, chunkBits, lineBits>{},
                        cute::Layout<cute::Shape<Int<8>, Int<elements>>,
                                     cute::Stride<Int<elements>, _1>>{});
  return cute::tile_to_shape(atom, cute::Shape<Int<Rows>, Int<Columns>>{});
}

/// A product of WarpsM x WarpsN warps. Of A, the first `ResidentSteps` steps of
/// k stay in registers over all repeats; if these are not all, they take no
/// shared memory either.
template <class Type, class Instruction, class Extents, int WarpsM, int WarpsN,
          int ResidentSteps>
struct CuteMma {
  using Types = Type;
  using Problem = Extents;
  using Operand = typename Type::Operand;
  using Accumulator = typename Type::Accumulator;
  static constexpr int m = Extents::paddedM, n = Extents::paddedN,
                       k = Extents::paddedK;
  static constexpr int threads = 32 * WarpsM * WarpsN;

  using AtomShape = typename cute::MMA_Traits<Instruction>::Shape_MNK;
  static constexpr int atomM = cute::size<0>(AtomShape{}),
                       atomN = cute::size<1>(AtomShape{}),
                       atomK = cute::size<2>(AtomShape{});
  // Two atoms of a warp side by side: four matrices of B for one ldmatrix.
  static constexpr int pair = n % (2 * atomN * WarpsN) == 0 ? 2 : 1;
  static_assert(m % (atomM * WarpsM) == 0 && n % (atomN * WarpsN) == 0 &&
                k % atomK == 0);
  using Mma = decltype(cute::make_tiled_mma(
      Instruction{}, cute::Layout<cute::Shape<Int<WarpsM>, Int<WarpsN>, _1>>{},
      cute::Tile<Int<atomM * WarpsM>, Int<pair * atomN * WarpsN>,
                 Int<atomK>>{}));

  static constexpr int steps = k / atomK;
  static constexpr int resident = ResidentSteps;
  static_assert(resident <= steps);
  static constexpr bool partly = 0 < resident && resident < steps;
  // Columns of A before those that shared memory keeps.
  static constexpr int passing = partly ? resident * atomK : 0;
  static_assert(passing <= k - passing, "they pass through the others' place");

  using LayoutA = decltype(swizzled<Operand, m, k - passing>());
  using LayoutB = decltype(swizzled<Operand, n, k>());
  static constexpr int bytesA = cute::cosize_v<LayoutA> * sizeof(Operand);
  static constexpr int sharedBytes =
      bytesA + cute::cosize_v<LayoutB> * sizeof(Operand);

  // ldmatrix counts in rows of 16 bytes: a fragment's step is one or two.
  static constexpr int matricesA = (atomM / 8) * (atomK * sizeof(Operand) / 16);
  static constexpr int matricesB = pair * (atomK * sizeof(Operand) / 16);
  template <int Matrices>
  using Ldmatrix = cute::conditional_t<
      Matrices % 4 == 0, cute::SM75_U32x4_LDSM_N,
      cute::conditional_t<Matrices % 2 == 0, cute::SM75_U32x2_LDSM_N,
                          cute::SM75_U32x1_LDSM_N>>;
  static constexpr bool plain = sizeof(Operand) == 8;
  using CopyA = cute::conditional_t<plain, cute::UniversalCopy<Operand>,
                                    Ldmatrix<matricesA>>;
  using CopyB = cute::conditional_t<plain, cute::UniversalCopy<Operand>,
                                    Ldmatrix<matricesB>>;
  // One step is multiplied while the next is loaded; an odd number of steps has
  // no pair of places to take turns in. A that stays needs a place each.
  static constexpr int places = steps % 2 == 0 ? 2 : steps;
  static constexpr int placesA = resident == steps ? steps : resident + places;
  static_assert(!partly || ((steps - resident) % 2 == 0 && places == 2));
  /// Where step `step` of A goes.
  static constexpr int placeA(int step) {
    return step < resident ? step : resident + (step - resident) % places;
  }
};

template <class P>
__global__ void __launch_bounds__(P::threads)
    cuteMma(Operands operands, int repeats) {
  using Operand = typename P::Operand;
  using Accumulator = typename P::Accumulator;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto a = cute::make_tensor(
      cute::make_smem_ptr(reinterpret_cast<Operand *>(shared)),
      typename P::LayoutA{});
  auto b = cute::make_tensor(
      cute::make_smem_ptr(reinterpret_cast<Operand *>(shared + P::bytesA)),
      typename P::LayoutB{});
  int64_t block = blockIdx.x, set = block % operands.sets;
  using Problem = typename P::Problem;
  auto globalA =
      static_cast<const Operand *>(operands.a) + set * operands.strideA;
  auto globalB =
      static_cast<const Operand *>(operands.b) + set * operands.strideB;
  loadPadded<Problem::m, P::partly ? P::passing : Problem::k, Problem::k,
             false>(globalA, a);
  loadPadded<Problem::k, Problem::n, Problem::n, true>(globalB, b);
  __syncthreads();

  typename P::Mma mma;
  auto thread = mma.get_slice(threadIdx.x);
  // Only the extents matter: fragments of as many steps as there are places.
  auto fragmentA = thread.partition_fragment_A(cute::make_tensor(
      cute::make_smem_ptr(reinterpret_cast<Operand *>(shared)),
      cute::Layout<cute::Shape<Int<P::m>, Int<P::placesA * P::atomK>>>{}));
  auto fragmentB = thread.partition_fragment_B(cute::make_tensor(
      cute::make_smem_ptr(reinterpret_cast<Operand *>(shared)),
      cute::Layout<cute::Shape<Int<P::n>, Int<P::places * P::atomK>>>{}));
  using Whole = cute::Shape<Int<P::m>, Int<P::n>>;
  auto c = cute::partition_fragment_C(mma, Whole{});
  cute::clear(c);
  auto copyA = cute::make_tiled_copy_A(
      cute::Copy_Atom<typename P::CopyA, Operand>{}, mma);
  auto copyB = cute::make_tiled_copy_B(
      cute::Copy_Atom<typename P::CopyB, Operand>{}, mma);
  auto sourceA = copyA.get_slice(threadIdx.x).partition_S(a);
  auto sourceB = copyB.get_slice(threadIdx.x).partition_S(b);
  auto targetA = copyA.get_slice(threadIdx.x).retile_D(fragmentA);
  auto targetB = copyB.get_slice(threadIdx.x).retile_D(fragmentB);
  auto loadA = [&](auto step, auto second) {
    constexpr bool late = decltype(second)::value;
    constexpr int place = P::placeA(decltype(step)::value);
    constexpr int from = decltype(step)::value - (late ? P::resident : 0);
    cute::copy(copyA, sourceA(cute::_, cute::_, Int<from>{}),
               targetA(cute::_, cute::_, Int<place>{}));
  };
  auto load = [&](auto step) {
    constexpr int number = decltype(step)::value;
    if constexpr (number >= P::resident)
      loadA(step, cute::bool_constant<P::partly>{});
    cute::copy(copyB, sourceB(cute::_, cute::_, step),
               targetB(cute::_, cute::_, Int<number % P::places>{}));
  };
  cute::for_each(cute::make_int_sequence<P::resident>{},
                 [&](auto step) { loadA(step, cute::false_type{}); });
  if constexpr (P::partly) {
    __syncthreads();
    loadPadded<Problem::m, Problem::k - P::passing, Problem::k, false>(
        globalA + P::passing, a);
    __syncthreads();
  }
  load(Int<0>{});
  // Short products several times over, so that the next one's loads can be
  // scheduled between this one's instructions.
  constexpr int unrolled = P::steps >= 4 ? 1 : 4 / P::steps;
  uint32_t never = nothing(operands);
#pragma unroll unrolled
  for (int repeat = 0; repeat < repeats; ++repeat) {
    forget<P::plain>(shared, never);
    cute::for_each(cute::make_int_sequence<P::steps>{}, [&](auto step) {
      constexpr int now = decltype(step)::value;
      if constexpr (P::steps > 1)
        load(Int<(now + 1) % P::steps>{});
      cute::gemm(mma, fragmentA(cute::_, cute::_, Int<P::placeA(now)>{}),
                 fragmentB(cute::_, cute::_, Int<now % P::places>{}), c);
      if constexpr (P::steps == 1)
        load(Int<0>{});
    });
  }
  storeUnpadded<Problem::m, Problem::n>(thread, c,
                                        static_cast<Accumulator *>(operands.c) +
                                            block * operands.strideC,
                                        Whole{});
}

/// Registers one variant.
template <class Type, class Instruction, class Extents, int WarpsM, int WarpsN,
          int ResidentSteps = 0>
void addCuteMma() {
  using P = CuteMma<Type, Instruction, Extents, WarpsM, WarpsN, ResidentSteps>;
  Peer peer;
  peer.name = cuteName("mma");
  peer.variant = std::to_string(WarpsM) + "x" + std::to_string(WarpsN) +
                 " warps, m" + std::to_string(P::atomM) + "n" +
                 std::to_string(P::atomN) + "k" + std::to_string(P::atomK);
  if (ResidentSteps == P::steps)
    peer.variant += ", A in registers";
  else if (ResidentSteps > 0)
    peer.variant += ", " + std::to_string(ResidentSteps * P::atomK) +
                    " columns of A in registers";
  peer.variant += padding(Extents::m, Extents::n, Extents::k, P::m, P::n, P::k);
  peer.type = Type::type;
  peer.accumulator = Type::accumulator;
  peer.m = Extents::m;
  peer.n = Extents::n;
  peer.k = Extents::k;
  peer.threads = P::threads;
  peer.sharedBytes = P::sharedBytes;
  peer.kernel = cuteMma<P>;
  add(std::move(peer));
}

/// From shared memory each time, and with A in registers.
template <class Type, class Instruction, class Extents, int WarpsM, int WarpsN>
void addCuteMmaBoth() {
  using P = CuteMma<Type, Instruction, Extents, WarpsM, WarpsN, 0>;
  addCuteMma<Type, Instruction, Extents, WarpsM, WarpsN, 0>();
  addCuteMma<Type, Instruction, Extents, WarpsM, WarpsN, P::steps>();
}
} // namespace kami::peers

#endif // KAMI_TOOLS_KAMI_BENCH_PEERS_CUTEMMA_CUH
