//===- TileOrder.h - Where a fragment's tiles lie -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment is cut into tiles of the instruction's shape. Plainly, one tile
// lies beside the other. But a product does not care in which order the terms
// of its sum come, nor in which order rows and columns are computed, as long as
// A, B and C agree. So the tiles of a group may share their elements out such
// that what one lane holds of all of them is adjacent in memory: elements of 2
// bytes, of which an instruction wants two beside each other, are then loaded
// 8 at a time.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_TILEORDER_H
#define KAMI_LAYOUT_TILEORDER_H

#include "kami/Layout/FragmentMap.h"

namespace kami {

/// Tiles of a group along m, n and k, in whose elements lanes find theirs side
/// by side; 0 where one tile lies beside the other.
struct Interleave {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;

  bool isPlain() const { return m == 0 && n == 0 && k == 0; }
};

inline bool operator==(const Interleave &a, const Interleave &b) {
  return a.m == b.m && a.n == b.n && a.k == b.k;
}

/// The maps of an instruction's operands.
struct OperandMaps {
  const FragmentMap *a;
  const FragmentMap *b;
};

/// One dimension of a fragment.
class TileOrder {
public:
  /// Tile after tile of `extent` elements.
  explicit TileOrder(int64_t extent) : extent(extent) {}

  /// The orders of dimensions m, n and k for groups of so many tiles. m is what
  /// A's lanes make of it, n what B's do; C follows them.
  static TileOrder alongM(const OperandMaps &maps, int64_t group);
  static TileOrder alongN(const OperandMaps &maps, int64_t group);
  static TileOrder alongK(const OperandMaps &maps, int64_t group);

  /// The same order of so many tiles, the second half of which begins so far
  /// behind the first; beside it if that is 0.
  TileOrder withHalves(int64_t tiles, int64_t apart) const;

  bool isPlain() const { return group == 0; }
  /// Where element `at` of a tile lies, counted from the fragment's first.
  int64_t position(int64_t tile, int64_t at) const;
  /// Adjacent elements that a lane of the operand has of a group; 0 if plain.
  int64_t run() const { return group * held; }

private:
  TileOrder(int64_t extent, int64_t group, unsigned heldBits);

  int64_t extent;
  int64_t group = 0;
  /// The bits of an element's number in its tile in which one lane's differ,
  /// and how many elements that makes.
  unsigned heldBits = 0;
  int64_t held = 1;
  /// Tiles of the first half, and elements between the halves.
  int64_t half = 0;
  int64_t gap = 0;
};

/// Whether A's and B's lanes hold the same terms of a sum, so that its order
/// can be changed for both.
bool canInterleaveK(const OperandMaps &maps);

} // namespace kami

#endif // KAMI_LAYOUT_TILEORDER_H
