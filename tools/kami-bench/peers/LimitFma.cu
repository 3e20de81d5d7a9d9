//===- LimitFma.cu - How fast the scalar multiply-add can be --------------===//
//----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of fma(a, b, c) in registers. Rounding after each step leaves the
// compiler nothing to fold.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

using namespace kami::peers;

namespace {
constexpr int chains = 16;

__device__ float multiplyAdd(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ double multiplyAdd(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

constexpr int mostThreads = 512;

template <class Element>
__global__ void __launch_bounds__(mostThreads)
    limitFma(Operands operands, int repeats) {
  int64_t block = blockIdx.x, set = block % operands.sets;
  Element a =
      static_cast<const Element *>(operands.a)[set * operands.strideA];
  Element b =
      static_cast<const Element *>(operands.b)[set * operands.strideB];
  // Zeros; but equal chains, known to be so, would be computed once.
  Element c[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain)
    c[chain] = repeats < 0 ? chain : 0;
#pragma unroll 4
  for (int repeat = 0; repeat < repeats; ++repeat) {
#pragma unroll
    for (int chain = 0; chain < chains; ++chain)
      c[chain] = multiplyAdd(a, b, c[chain]);
  }
  Element result = c[0];
#pragma unroll
  for (int chain = 1; chain < chains; ++chain)
    if (!(c[chain] == c[0]))
      result = -1;
  static_cast<Element *>(operands.c)[block * operands.strideC] = result;
}

template <class Element>
void addLoops(const char *type, const char *instruction) {
  for (int threads : {256, 512}) {
    Peer peer;
    peer.name = "instruction";
    peer.variant = std::string(instruction) + ", " + std::to_string(chains) +
                   " chains, " + std::to_string(threads) + " threads";
    peer.type = peer.accumulator = type;
    peer.kind = KAMI_PEER_LIMIT;
    peer.m = peer.n = peer.k = 1;
    peer.threads = threads;
    peer.work = chains * threads;
    peer.kernel = limitFma<Element>;
    add(std::move(peer));
  }
}
} // namespace

static AtLoad load([] {
  addLoops<float>("f32", "fma.rn.f32");
  addLoops<double>("f64", "fma.rn.f64");
});
