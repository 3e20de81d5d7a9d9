//===- Registry.cu - The C interface over all registered peers ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registry.h"
#include <deque>

using namespace kami::peers;

namespace {
struct Registered {
  Peer peer;
  KamiPeerInfo info;
};
} // namespace

// In a function: files register in whatever order the linker gives them. A
// deque does not move what its strings are pointed into.
static std::deque<Registered> &registered() {
  static std::deque<Registered> all;
  return all;
}

void kami::peers::add(Peer peer) {
  Registered &entry = registered().emplace_back();
  entry.peer = std::move(peer);
  const Peer &kept = entry.peer;
  entry.info = {kept.name.c_str(),
                kept.variant.c_str(),
                kept.type.c_str(),
                kept.accumulator.c_str(),
                kept.kind,
                kept.m,
                kept.n,
                kept.k,
                kept.threads,
                kept.sharedBytes,
                kept.work,
                kept.chained};
}

static const Registered *find(int index) {
  if (index < 0 || static_cast<size_t>(index) >= registered().size())
    return nullptr;
  return &registered()[index];
}

extern "C" int kami_peers_version(void) { return KAMI_PEERS_VERSION; }

extern "C" int kami_peer_count(void) {
  return static_cast<int>(registered().size());
}

extern "C" const KamiPeerInfo *kami_peer(int index) {
  const Registered *entry = find(index);
  return entry ? &entry->info : nullptr;
}

extern "C" int kami_peer_run(int index, const void *a, int64_t strideA,
                             const void *b, int64_t strideB, void *c,
                             int64_t strideC, int sets, int blocks,
                             int repeats, void *stream) {
  const Registered *entry = find(index);
  if (!entry || sets <= 0 || blocks <= 0 || repeats < 0)
    return cudaErrorInvalidValue;
  const Peer &peer = entry->peer;
  const void *kernel = reinterpret_cast<const void *>(peer.kernel);
  // 48 KiB are granted unasked. Asking is a look-up in the host's memory; no
  // launch of one peer is told from the next by it.
  if (peer.sharedBytes > 48 * 1024)
    if (cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            peer.sharedBytes))
      return error;
  Operands operands{a, b, c, strideA, strideB, strideC, sets};
  void *arguments[] = {&operands, &repeats};
  return cudaLaunchKernel(kernel, dim3(blocks), dim3(peer.threads), arguments,
                          peer.sharedBytes, static_cast<cudaStream_t>(stream));
}

extern "C" int kami_peer_resources(int index, int *registers, int *localBytes) {
  const Registered *entry = find(index);
  if (!entry || !registers || !localBytes)
    return cudaErrorInvalidValue;
  cudaFuncAttributes attributes;
  if (cudaError_t error = cudaFuncGetAttributes(
          &attributes, reinterpret_cast<const void *>(entry->peer.kernel)))
    return error;
  *registers = attributes.numRegs;
  *localBytes = static_cast<int>(attributes.localSizeBytes);
  return cudaSuccess;
}
