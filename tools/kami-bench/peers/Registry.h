//===- Registry.h - Where each file's peers come together -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TOOLS_KAMI_BENCH_PEERS_REGISTRY_H
#define KAMI_TOOLS_KAMI_BENCH_PEERS_REGISTRY_H

#include "KamiPeers.h"
#include <cuda_runtime_api.h>
#include <string>

namespace kami::peers {
/// What every kernel of this library takes; strides in elements. Block i has
/// operands i mod sets.
struct Operands {
  const void *a;
  const void *b;
  void *c;
  int64_t strideA, strideB, strideC;
  int sets;
};

using Kernel = void (*)(Operands operands, int repeats);

struct Peer {
  std::string name, variant, type, accumulator;
  KamiPeerKind kind = KAMI_PEER_PRODUCT;
  int m = 0, n = 0, k = 0;
  int threads = 0;
  int sharedBytes = 0;
  int work = 1;
  bool chained = false;
  Kernel kernel = nullptr;
};

/// Called while the library is loaded, by a static object of each file.
void add(Peer peer);

/// Calls a function while the library is loaded.
struct AtLoad {
  explicit AtLoad(void (*function)()) { function(); }
};
} // namespace kami::peers

#endif // KAMI_TOOLS_KAMI_BENCH_PEERS_REGISTRY_H
