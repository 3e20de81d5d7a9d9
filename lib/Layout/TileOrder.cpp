//===- TileOrder.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/TileOrder.h"
#include "llvm/ADT/bit.h"

using namespace kami;

/// The bits of the coordinate that a lane's own values have.
static unsigned heldBits(const FragmentMap &map, unsigned Coordinate::*along) {
  unsigned bits = 0;
  for (Coordinate step : map.valueSteps)
    bits |= step.*along;
  return bits;
}

/// The bits of `value` at the places that `mask` has, moved together.
static int64_t gather(int64_t value, unsigned mask) {
  int64_t result = 0;
  for (unsigned bit = 0; mask; mask &= mask - 1)
    result |= (value >> llvm::countr_zero(mask) & 1) << bit++;
  return result;
}

TileOrder::TileOrder(int64_t extent, int64_t group, unsigned heldBits)
    : extent(extent), group(group), heldBits(heldBits),
      held(int64_t(1) << llvm::popcount(heldBits)) {}

TileOrder TileOrder::alongM(const OperandMaps &maps, int64_t group) {
  return {maps.a->rows, group, ::heldBits(*maps.a, &Coordinate::row)};
}

TileOrder TileOrder::alongN(const OperandMaps &maps, int64_t group) {
  return {maps.b->columns, group, ::heldBits(*maps.b, &Coordinate::column)};
}

TileOrder TileOrder::alongK(const OperandMaps &maps, int64_t group) {
  return {maps.a->columns, group, ::heldBits(*maps.a, &Coordinate::column)};
}

TileOrder TileOrder::withHalves(int64_t tiles, int64_t apart) const {
  TileOrder order = *this;
  order.half = tiles / 2;
  order.gap = apart ? apart - order.half * extent : 0;
  return order;
}

int64_t TileOrder::position(int64_t tile, int64_t at) const {
  int64_t skipped = tile >= half ? gap : 0;
  if (isPlain())
    return tile * extent + at + skipped;
  unsigned others = unsigned(extent - 1) & ~heldBits;
  int64_t lanes = gather(at, others), own = gather(at, heldBits);
  int64_t first = tile / group * group * extent;
  return first + (lanes * group + tile % group) * held + own + skipped;
}

bool kami::canInterleaveK(const OperandMaps &maps) {
  return heldBits(*maps.a, &Coordinate::column) ==
         heldBits(*maps.b, &Coordinate::row);
}
