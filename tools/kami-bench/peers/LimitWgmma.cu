//===- LimitWgmma.cu - How fast warp-group instructions can be ------------===//
//--------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of wgmma with B in shared memory and A in registers or shared memory:
// the product of CuteWgmma.cuh over four steps of k, several times in one group
// of instructions, by one to four warp groups that share B.
//
//===----------------------------------------------------------------------===//

#include "CuteWgmma.cuh"

using namespace kami::peers;

namespace {
template <class Type, int N, int Groups, bool RegistersA> void addLoop() {
  constexpr int products = 4;
  constexpr int k = 128 / sizeof(typename Type::Operand);
  using P = CuteWgmma<Type, Extents<64 * Groups, N, k>, Groups, 1, RegistersA,
                      products>;
  Peer peer = describeWgmma<Type, P>();
  peer.name = "instruction";
  peer.variant =
      "wgmma " + peer.variant + ", " + std::to_string(Groups) + " warp groups";
  peer.kind = KAMI_PEER_LIMIT;
  peer.work = products;
  peer.chained = true;
  add(std::move(peer));
}

template <class Type> void addLoops() {
  addLoop<Type, 64, 1, true>();
  addLoop<Type, 64, 2, true>();
  addLoop<Type, 128, 1, true>();
  addLoop<Type, 128, 2, true>();
  addLoop<Type, 192, 2, true>();
  addLoop<Type, 128, 2, false>();
}
} // namespace

static AtLoad load([] {
  addLoops<F16>();
  addLoop<F16, 16, 2, true>();
  addLoop<F16, 32, 2, true>();
  addLoop<F16, 256, 2, true>();
  addLoops<F16F16>();
  addLoops<BF16>();
  addLoops<TF32>();
  addLoops<E4M3>();
  addLoops<I8>();
});
