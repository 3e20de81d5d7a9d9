//===- WarpClocks.h - What barriers order ---------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector clock for each warp of a block. A warp's time grows by one with each
// barrier that it passes, and at a barrier it learns what those it meets there
// know of everybody's time. What one warp did at a time of its own comes before
// what another does now if that other has heard of the time's end.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_WARPCLOCKS_H
#define KAMI_LIB_SIMULATOR_WARPCLOCKS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace kami::sim {

/// Times grow from block to block; 0 is before all of them.
class WarpClocks {
public:
  /// A new block, after all that the blocks before have done.
  void startBlock(size_t warps);
  /// The block's first time.
  uint32_t start() const { return first; }

  uint32_t now(int warp) const { return times[warp]; }
  /// Barriers that the warp has passed in the block, with other warps.
  uint32_t passed(int warp) const { return times[warp] - first - alone[warp]; }
  /// The most that any has.
  uint32_t mostPassed() const;

  /// Whether what `other` did at `time` comes before what `warp` does now. Of
  /// its own, that is what lies behind its last barrier.
  bool isBefore(int other, uint32_t time, int warp) const {
    return time <= known[size_t(warp) * times.size() + other];
  }

  /// These warps pass a barrier together.
  void meet(llvm::ArrayRef<int> warps);
  /// The lanes of one warp do.
  void meetAlone(int warp);
  /// What the warp knows, and what it has done until now, who takes `word` over
  /// later will know.
  void release(int warp, std::vector<uint32_t> &word);
  void acquire(int warp, llvm::ArrayRef<uint32_t> word);

private:
  uint32_t first = 0;
  std::vector<uint32_t> times;
  /// Times of each warp that end without other warps.
  std::vector<uint32_t> alone;
  /// For each warp, the last time of each warp that it knows to be over.
  std::vector<uint32_t> known;
};

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_WARPCLOCKS_H
