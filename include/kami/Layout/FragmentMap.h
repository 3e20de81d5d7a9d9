//===- FragmentMap.h - Which lane holds which element ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment map says where the operand tile of one matrix instruction lies in
// the registers of a warp: (lane, value) → (row, column).
//
// Every such map that vendors document is linear over the bits of the lane and
// of the value index: each bit, if set, adds a fixed (row, column) step. A map
// is therefore two short lists of steps, which a simulator evaluates, a
// conversion turns into shifts and masks, and a reader compares with the
// vendor's figure.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_FRAGMENTMAP_H
#define KAMI_LAYOUT_FRAGMENTMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace kami {

/// An element's place in an operand tile.
struct Coordinate {
  unsigned row = 0;
  unsigned column = 0;
};

inline bool operator==(Coordinate a, Coordinate b) {
  return a.row == b.row && a.column == b.column;
}

/// One operand tile of one instruction, spread over the lanes of a warp.
struct FragmentMap {
  /// The name under which IR and tables refer to the map: "nv.a.16x16.b16".
  llvm::StringRef name;
  /// Extents of the tile in elements.
  unsigned rows;
  unsigned columns;
  /// Bytes of an element; a map is for one width.
  unsigned elementBytes;
  /// `laneSteps[i]` is added where bit i of the lane is set. Its size is the
  /// binary logarithm of the warp's width. A step of (0, 0) makes replicas:
  /// lanes that differ in such bits only hold the same elements.
  llvm::ArrayRef<Coordinate> laneSteps;
  /// The same for the bits of the value index within a lane.
  llvm::ArrayRef<Coordinate> valueSteps;
  /// Where the map is documented.
  llvm::StringRef source;

  unsigned lanes() const { return 1u << laneSteps.size(); }
  unsigned valuesPerLane() const { return 1u << valueSteps.size(); }
  unsigned bytesPerLane() const { return valuesPerLane() * elementBytes; }
  /// The lane bits that make replicas.
  unsigned replicaMask() const;
  /// Lanes that hold the same elements as another one, itself counted.
  unsigned replicas() const {
    return lanes() * valuesPerLane() / (rows * columns);
  }

  /// The element that `lane` holds as its `value`-th.
  Coordinate at(unsigned lane, unsigned value) const;
  /// How many values of a lane, from any multiple of their number on, are
  /// adjacent along rows, or columns.
  unsigned adjacentValues(bool alongRows) const;
  /// Which of its values `lane` holds that element as; nothing where it does
  /// not hold it.
  std::optional<unsigned> valueAt(unsigned lane, Coordinate place) const;
};

/// A register that every lane has in a fragment of tiles.
struct TileRegister {
  int64_t tileRow, tileColumn;
  unsigned value;
};

/// Where lanes that hold the matrix in tiles of `from` have what they hold as
/// `value` in a tile of `to` whose first element is at `row`, `column`. Nothing
/// where a lane would need another's register, or not the same one as all.
std::optional<TileRegister> registerOf(const FragmentMap &from,
                                       const FragmentMap &to, int64_t row,
                                       int64_t column, unsigned value);

/// Whether a matrix in tiles of `from` lies in tiles of `to` without any lane
/// giving anything away.
bool staysInLanes(const FragmentMap &from, const FragmentMap &to);

/// Every known map.
llvm::ArrayRef<FragmentMap> allFragmentMaps();

/// The map of that name, or null.
const FragmentMap *findFragmentMap(llvm::StringRef name);
/// Lanes that hold each element of a fragment by the map of that name; 1 where
/// there is none, since the fragment is opaque.
int64_t replicasOf(llvm::StringRef name);

} // namespace kami

#endif // KAMI_LAYOUT_FRAGMENTMAP_H
