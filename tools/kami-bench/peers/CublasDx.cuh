//===- CublasDx.cuh - Products by cuBLASDx ----------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BLAS().execute on operands in shared memory with the accumulator in
// registers: what the library's guide asks for where a block multiplies (the
// register interface, 16-byte alignment, suggested layouts). Of 0.4 and later
// alike, execute is mma.sync on Hopper; wgmma is only in the later pipelines
// that stream operands from device memory, which is another problem.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TOOLS_KAMI_BENCH_PEERS_CUBLASDX_CUH
#define KAMI_TOOLS_KAMI_BENCH_PEERS_CUBLASDX_CUH

#include "CuteTypes.cuh"
#include <cublasdx.hpp>

#if CUBLASDX_VERSION < 400 || CUBLASDX_VERSION >= 500
#error "expected cuBLASDx 0.4 (from 0.5 on the partitioner is an accumulator)"
#endif
#ifndef KAMI_PEERS_SM
#error "expected KAMI_PEERS_SM, for example 900"
#endif

namespace kami::peers {
/// Where the operands lie in shared memory.
enum class Shared {
  /// As the library suggests, both along k.
  Suggested,
  /// As the library suggests, B along n, as it comes.
  SuggestedRowMajor,
  /// Dense, both along k.
  Dense
};

/// The library takes CUDA's own types.
template <class Element> struct Native {
  using type = Element;
};
template <> struct Native<cutlass::half_t> {
  using type = __half;
};
template <> struct Native<cutlass::bfloat16_t> {
  using type = __nv_bfloat16;
};
template <> struct Native<cutlass::tfloat32_t> {
  using type = cublasdx::tfloat32_t;
};
template <> struct Native<cutlass::float_e4m3_t> {
  using type = __nv_fp8_e4m3;
};

/// Threads of 0 lets the library choose.
template <class Type, class Extents, int Threads, Shared Where>
struct CublasDx {
  using Types = Type;
  using Problem = Extents;
  using Operand = typename Native<typename Type::Operand>::type;
  using Accumulator = typename Native<typename Type::Accumulator>::type;
  static constexpr auto arrangementB = Where == Shared::SuggestedRowMajor
                                           ? cublasdx::row_major
                                           : cublasdx::col_major;
  using Described =
      decltype(cublasdx::Size<Extents::paddedM, Extents::paddedN,
                              Extents::paddedK>() +
               cublasdx::Precision<Operand, Operand, Accumulator>() +
               cublasdx::Type<cublasdx::type::real>() +
               cublasdx::Function<cublasdx::function::MM>() +
               cublasdx::Arrangement<cublasdx::row_major, arrangementB,
                                     cublasdx::row_major>() +
               cublasdx::MaxAlignment() + cublasdx::SM<KAMI_PEERS_SM>() +
               cublasdx::Block());
  static constexpr auto blas() {
    if constexpr (Threads == 0)
      return Described();
    else
      return Described() + cublasdx::BlockDim<Threads>() +
             cublasdx::experimental::StaticBlockDim();
  }
  using Blas = decltype(blas());
  static constexpr int threads = Blas::max_threads_per_block;
  static constexpr bool suggested = Where != Shared::Dense;
  // The library uses ldmatrix where type, layout and extents allow.
  static constexpr bool mayLoadPlainly =
      !suggested || sizeof(Operand) == 8 || Extents::paddedM % 16 != 0 ||
      Extents::paddedN % 16 != 0 || Extents::paddedK % 16 != 0;

  static constexpr __host__ __device__ auto layoutA() {
    if constexpr (suggested)
      return Blas::suggest_layout_smem_a();
    else
      return Blas::get_layout_smem_a();
  }
  static constexpr __host__ __device__ auto layoutB() {
    if constexpr (suggested)
      return Blas::suggest_layout_smem_b();
    else
      return Blas::get_layout_smem_b();
  }
  static __device__ auto partitioner() {
    if constexpr (suggested)
      return Blas::suggest_partitioner();
    else
      return Blas::get_partitioner();
  }
  static constexpr int bytes(int elements) {
    return (elements * int(sizeof(Operand)) + 127) / 128 * 128;
  }
  static constexpr int bytesA = bytes(cute::cosize(layoutA().layout));
  static constexpr int sharedBytes =
      bytesA + bytes(cute::cosize(layoutB().layout));
};

template <class P>
__global__ void __launch_bounds__(P::threads)
    cublasDx(Operands operands, int repeats) {
  using Operand = typename P::Operand;
  using Accumulator = typename P::Accumulator;
  using Problem = typename P::Problem;
  extern __shared__ __align__(1024) unsigned char shared[];
  auto a =
      cublasdx::make_tensor(reinterpret_cast<Operand *>(shared), P::layoutA());
  auto b = cublasdx::make_tensor(
      reinterpret_cast<Operand *>(shared + P::bytesA), P::layoutB());
  int64_t block = blockIdx.x, set = block % operands.sets;
  loadPadded<Problem::m, Problem::k, Problem::k, false>(
      static_cast<const Operand *>(operands.a) + set * operands.strideA, a);
  loadPadded<Problem::k, Problem::n, Problem::n, false>(
      static_cast<const Operand *>(operands.b) + set * operands.strideB, b);
  __syncthreads();

  auto partitioner = P::partitioner();
  auto c = partitioner.make_accumulator_fragment();
  cublasdx::clear(c);
  uint32_t never = nothing(operands);
#pragma unroll 1
  for (int repeat = 0; repeat < repeats; ++repeat) {
    forget<P::mayLoadPlainly>(shared, never);
    typename P::Blas().execute(a, b, c);
  }
  auto global =
      static_cast<Accumulator *>(operands.c) + block * operands.strideC;
  if (!partitioner.is_thread_active())
    return;
  CUTE_UNROLL
  for (int i = 0; i < cute::size(c); ++i) {
    auto where = partitioner.map_fragment_index(i);
    int row = cute::get<0>(where), column = cute::get<1>(where);
    if (row < Problem::m && column < Problem::n)
      global[row * Problem::n + column] = Accumulator(c(i));
  }
}

/// Registers one variant.
template <class Type, class Extents, int Threads,
          Shared Where = Shared::Suggested>
void addCublasDx() {
  using P = CublasDx<Type, Extents, Threads, Where>;
  static_assert(P::sharedBytes <= 227 * 1024);
  Peer peer;
  peer.name = "cublasdx " + std::to_string(CUBLASDX_VERSION_MAJOR) + "." +
              std::to_string(CUBLASDX_VERSION_MINOR) + "." +
              std::to_string(CUBLASDX_VERSION_PATCH);
  peer.variant = std::to_string(P::threads) + " threads" +
                 (Threads == 0 ? " by default, " : ", ") +
                 (Where == Shared::Dense ? "dense" : "suggested layouts") +
                 (Where == Shared::SuggestedRowMajor ? ", B along n" : "");
  peer.variant += padding(Extents::m, Extents::n, Extents::k, Extents::paddedM,
                          Extents::paddedN, Extents::paddedK);
  peer.type = Type::type;
  peer.accumulator = Type::accumulator;
  peer.m = Extents::m;
  peer.n = Extents::n;
  peer.k = Extents::k;
  peer.threads = P::threads;
  peer.sharedBytes = P::sharedBytes;
  peer.kernel = cublasDx<P>;
  add(std::move(peer));
}

/// With each of the given numbers of threads.
template <class Type, class Extents, int... Threads> void addCublasDxThreads() {
  (addCublasDx<Type, Extents, Threads>(), ...);
}
} // namespace kami::peers

#endif // KAMI_TOOLS_KAMI_BENCH_PEERS_CUBLASDX_CUH
