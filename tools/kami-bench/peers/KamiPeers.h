/*===- KamiPeers.h - What the library of peers offers ------------*- C -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of libkami-peers.so, which scripts/build-peers.sh builds with
// nvcc and kami-bench opens at run time: products of one thread block as other
// libraries do them, and loops of bare instructions. Both sides include this
// file, and nothing else is shared.
//
// What a peer computes, each block for itself, with operands A (m x k), B
// (k x n) and C (m x n) row-major and dense in device memory:
//
//   bring A and B to where the peer likes them;  C = 0
//   repeat R times:  C = C + A·B                 (what is timed)
//   write C
//
// so that C = R·A·B. Every repeat reads what is not in registers again.
// TFLOPS = 2·m·n·k·work·R·blocks / time / 1e12.
//
//===----------------------------------------------------------------------===*/

#ifndef KAMI_TOOLS_KAMI_BENCH_PEERS_KAMIPEERS_H
#define KAMI_TOOLS_KAMI_BENCH_PEERS_KAMIPEERS_H

#include <stdint.h>

/* The interface's version: another number, another interface. */
#define KAMI_PEERS_VERSION 2

#ifdef __cplusplus
extern "C" {
#endif

enum KamiPeerKind {
  /* A product that a user of the peer could ask for. */
  KAMI_PEER_PRODUCT = 0,
  /* A loop of one instruction with operands where it is fastest; its rate
     bounds every product of the same type on this device. */
  KAMI_PEER_LIMIT = 1
};

/* One way of doing one product. The strings live as long as the library. */
typedef struct KamiPeerInfo {
  /* Who: "cublasdx 0.4.0", "cute 4.2.0 mma", "cute 4.2.0 wgmma",
     "instruction". */
  const char *peer;
  /* How: "128 threads, suggested layouts", "2x2 warps, A in registers". Of the
     variants of one peer and product, the fastest is the peer's. */
  const char *variant;
  /* Of A and B, and of C, as kami's --type spells them: f16, bf16, tf32, f32,
     f64, f8E4M3FN, i8, i32. tf32 is 32 bits wide in memory. */
  const char *type;
  const char *accumulator;
  /* A KamiPeerKind. */
  int32_t kind;
  /* The useful extents. A peer that needs larger ones pads with zeros. */
  int32_t m, n, k;
  int32_t threads;
  int32_t sharedBytes;
  /* Products of m x n x k in one repeat of one block: 1 for a product. A limit
     has C = R·A·B all the same, or C = work·R·A·B where chained is set. */
  int32_t work;
  int32_t chained;
} KamiPeerInfo;

/* KAMI_PEERS_VERSION of the library. */
int kami_peers_version(void);

/* How many there are. */
int kami_peer_count(void);

/* Number `index`, or null past the last. */
const KamiPeerInfo *kami_peer(int index);

/* Launches number `index` on `stream` (a cudaStream_t or CUstream) in the
   current context and returns at once. There are `sets` operands: block i takes
   A at a + (i mod sets)·strideA and B alike, and writes C at c + i·strideC.
   Strides are in elements; 0 for C lets all blocks write to one place. Pointers
   are aligned to 16 bytes. Returns a cudaError_t: 0 is success, 1
   (cudaErrorInvalidValue) an index or count that makes no sense. */
int kami_peer_run(int index, const void *a, int64_t strideA, const void *b,
                  int64_t strideB, void *c, int64_t strideC, int sets,
                  int blocks, int repeats, void *stream);

/* Registers and bytes of local memory (spills) a thread of number `index`
   takes, by the driver. Returns a cudaError_t. */
int kami_peer_resources(int index, int *registers, int *localBytes);

#ifdef __cplusplus
}
#endif

#endif /* KAMI_TOOLS_KAMI_BENCH_PEERS_KAMIPEERS_H */
