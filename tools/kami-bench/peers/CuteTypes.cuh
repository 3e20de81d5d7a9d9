//===- CuteTypes.cuh - Element types and how operands are loaded *- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TOOLS_KAMI_BENCH_PEERS_CUTETYPES_CUH
#define KAMI_TOOLS_KAMI_BENCH_PEERS_CUTETYPES_CUH

#include "Registry.h"
#include <cute/tensor.hpp>
#include <cutlass/numeric_types.h>
#include <cutlass/version.h>

namespace kami::peers {
using cute::_1;
using cute::Int;

inline std::string cuteName(const char *instruction) {
  return "cute " + std::to_string(CUTLASS_MAJOR) + "." +
         std::to_string(CUTLASS_MINOR) + "." + std::to_string(CUTLASS_PATCH) +
         " " + instruction;
}

/// A and B's type with C's, and their names.
struct F16 {
  using Operand = cutlass::half_t;
  using Accumulator = float;
  static constexpr const char *type = "f16", *accumulator = "f32";
};
struct F16F16 {
  using Operand = cutlass::half_t;
  using Accumulator = cutlass::half_t;
  static constexpr const char *type = "f16", *accumulator = "f16";
};
struct BF16 {
  using Operand = cutlass::bfloat16_t;
  using Accumulator = float;
  static constexpr const char *type = "bf16", *accumulator = "f32";
};
struct TF32 {
  using Operand = cutlass::tfloat32_t;
  using Accumulator = float;
  static constexpr const char *type = "tf32", *accumulator = "f32";
};
struct E4M3 {
  using Operand = cutlass::float_e4m3_t;
  using Accumulator = float;
  static constexpr const char *type = "f8E4M3FN", *accumulator = "f32";
};
struct I8 {
  using Operand = int8_t;
  using Accumulator = int32_t;
  static constexpr const char *type = "i8", *accumulator = "i32";
};
struct F64 {
  using Operand = double;
  using Accumulator = double;
  static constexpr const char *type = "f64", *accumulator = "f64";
};

/// What is given, m x n x k, and what the instructions compute.
template <int M, int N, int K, int PaddedM = M, int PaddedN = N,
          int PaddedK = K>
struct Extents {
  static constexpr int m = M, n = N, k = K;
  static constexpr int paddedM = PaddedM, paddedN = PaddedN, paddedK = PaddedK;
  static_assert(M <= PaddedM && N <= PaddedN && K <= PaddedK);
};

inline std::string padding(int m, int n, int k, int paddedM, int paddedN,
                           int paddedK) {
  if (m == paddedM && n == paddedN && k == paddedK)
    return "";
  return ", as " + std::to_string(paddedM) + "x" + std::to_string(paddedN) +
         "x" + std::to_string(paddedK);
}

/// The whole block copies Rows x Columns elements of a row-major matrix, rows
/// `Leading` apart, from device memory to `shared` (rows x columns, or columns
/// x rows where Transposed), whose extents may be larger and are then filled
/// with zeros.
template <int Rows, int Columns, int Leading, bool Transposed, class Element,
          class Tensor>
__device__ void loadPadded(const Element *global, Tensor &&shared) {
  using Layout = typename cute::remove_cvref_t<Tensor>::layout_type;
  constexpr int rows = cute::size<Transposed ? 1 : 0>(Layout{});
  constexpr int columns = cute::size<Transposed ? 0 : 1>(Layout{});
  for (int i = threadIdx.x; i < rows * columns; i += blockDim.x) {
    int row = i / columns, column = i % columns;
    Element value(0.f);
    if (row < Rows && column < Columns)
      value = global[row * Leading + column];
    if constexpr (Transposed)
      shared(column, row) = value;
    else
      shared(row, column) = value;
  }
}

/// 0 in every run, which the compiler cannot know.
__device__ inline uint32_t nothing(const Operands &operands) {
  return static_cast<uint32_t>(operands.strideC >> 63);
}

/// Shared memory may have changed, as far as the compilers can tell: every
/// repeat reads it again, as a product of new data would. Plain loads need a
/// store that might happen, or ptxas takes them out of the loop; ldmatrix stays
/// where it is.
template <bool PlainLoads>
__device__ void forget(void *shared, uint32_t nothing) {
  asm volatile("" : : "l"(shared) : "memory");
  if constexpr (PlainLoads)
    asm volatile("{\n"
                 "  .reg .pred happens;\n"
                 "  setp.ne.u32 happens, %1, 0;\n"
                 "  @happens st.shared.u32 [%0], %1;\n"
                 "}\n"
                 :
                 : "r"(cute::cast_smem_ptr_to_uint(shared)), "r"(nothing)
                 : "memory");
}

/// Each thread writes what it holds of C, less the padding.
template <int M, int N, class ThreadMma, class Fragment, class Element,
          class Shape>
__device__ void storeUnpadded(const ThreadMma &thread, const Fragment &fragment,
                              Element *global, Shape padded) {
  auto where = thread.partition_C(cute::make_identity_tensor(padded));
  CUTE_UNROLL
  for (int i = 0; i < cute::size(fragment); ++i) {
    int row = cute::get<0>(where(i)), column = cute::get<1>(where(i));
    if (row < M && column < N)
      global[row * N + column] = Element(fragment(i));
  }
}
} // namespace kami::peers

#endif // KAMI_TOOLS_KAMI_BENCH_PEERS_CUTETYPES_CUH
