//===- Peers.h - Other libraries' products inside a block ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_PEERS_H
#define KAMI_LIB_DRIVER_PEERS_H

#include "BlockTimer.h"
#include "kami/Driver/BlockRows.h"
#include "llvm/Support/DynamicLibrary.h"

struct KamiPeerInfo;

namespace kami {

/// What the peers make of one product.
struct PeerResults {
  PeerResult cublasDx, cute, limit;
  /// Numbers of the fastest variants; -1 for none.
  int cublasDxIndex = -1, cuteIndex = -1, limitIndex = -1;
};

/// A library of peers (tools/kami-bench/peers/KamiPeers.h), opened; or none.
class Peers {
public:
  /// The library at `path`. Where that is empty, `libkami-peers.so` beside the
  /// executable, in build-peers beside its build folder or in that of the
  /// working directory; finding none of these is no error.
  static llvm::Expected<Peers> open(llvm::StringRef path);

  bool isThere() const { return library.isValid(); }
  /// Where it was found.
  llvm::StringRef path() const { return file; }

  /// Times all variants of the product on the matrices, each held to exact sums
  /// first, and the loops of instructions of its types. What is wrong is said
  /// on `log` and left out.
  llvm::Expected<PeerResults>
  measure(BlockTimer &timer, BlockMatrices &matrices, const Problem &problem,
          const TimingOptions &options, llvm::raw_ostream &log) const;

  /// One variant, to be timed in turn with others, and the TFLOPS of its time.
  Rival rival(int index, BlockMatrices &matrices,
              const TimingOptions &options) const;
  /// The product that a variant computes, where `like` says the types.
  Problem problemOf(int index, const Problem &like) const;
  double rate(int index, const TimingOptions &options, int64_t repeats,
              double microseconds) const;

private:
  /// TFLOPS; 0 where it was wrong.
  llvm::Expected<double> measure(int index, BlockTimer &timer,
                                 BlockMatrices &matrices,
                                 const TimingOptions &options,
                                 llvm::raw_ostream &log) const;
  llvm::Expected<PeerResult> limit(BlockTimer &timer,
                                   mlir::MLIRContext &context,
                                   const Problem &problem,
                                   const TimingOptions &options,
                                   llvm::raw_ostream &log, int &fastest) const;

  llvm::sys::DynamicLibrary library;
  std::string file;
  int count = 0;
  const KamiPeerInfo *(*peer)(int index) = nullptr;
  int (*run)(int, const void *, int64_t, const void *, int64_t, void *, int64_t,
             int, int, int, void *) = nullptr;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_PEERS_H
