//===- SharedOrder.h - Fragments in shared memory -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragment order: how a warp's fragment lies in shared memory while other warps
// fetch it. A lane's registers are cut into words of up to 16 bytes; all lanes'
// first words come first, then all second words, and so on, tile after tile.
// Each access of a warp is then one contiguous run of words, which is free of
// bank conflicts on any machine whose banks are interleaved, and a reader needs
// no knowledge of the fragment map.
//
// Of lanes that hold the same elements (replicas) one writes, and all read its
// words, which shared memory delivers to all of them at once. A fragment so
// takes the bytes of its elements, however often registers hold them.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_SHAREDORDER_H
#define KAMI_LAYOUT_SHAREDORDER_H

#include "kami/Layout/FragmentMap.h"
#include "llvm/ADT/bit.h"
#include <cstdint>

namespace kami {

/// The widest access a lane makes to shared memory, in bytes.
constexpr unsigned maxSharedWordBytes = 16;

/// How the tiles of one fragment map lie in shared memory.
struct SharedOrder {
  explicit SharedOrder(const FragmentMap &map);

  /// Bytes of one access of one lane.
  unsigned wordBytes;
  /// Elements in a word, and words in a lane's part of a tile.
  unsigned valuesPerWord;
  unsigned wordsPerLane;
  /// Lanes that write, and the bits of a lane's number that tell replicas
  /// apart.
  unsigned lanes;
  unsigned replicaMask;

  /// Lanes in all, replicas counted.
  unsigned warpSize() const { return lanes << llvm::popcount(replicaMask); }
  /// Whether the lane writes: the first of its replicas does.
  bool writes(unsigned lane) const { return (lane & replicaMask) == 0; }
  /// The lane's number among those that write; replicas have one number.
  unsigned writer(unsigned lane) const;
  /// Index, in words, of `lane`'s `word`-th word of the `tile`-th tile.
  int64_t wordIndex(int64_t tile, unsigned word, unsigned lane) const {
    return (tile * wordsPerLane + word) * lanes + writer(lane);
  }
  /// Words that one tile takes.
  int64_t wordsPerTile() const { return int64_t(wordsPerLane) * lanes; }
};

} // namespace kami

#endif // KAMI_LAYOUT_SHAREDORDER_H
