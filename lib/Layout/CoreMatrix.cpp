//===- CoreMatrix.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/CoreMatrix.h"
#include <utility>

using namespace kami;

static constexpr unsigned registerBytes = 4;
static constexpr unsigned warpSize = 32;

/// The element of a core matrix that a lane has as the `value`-th of its
/// register: its line, as the row, and its position in it.
static Coordinate laneElement(unsigned lane, unsigned value,
                              unsigned elementBytes, CoreOrder order) {
  unsigned neighbour = lane % 4 * (registerBytes / elementBytes) + value;
  unsigned other = lane / 4;
  if (order == CoreOrder::Plain)
    return {other, neighbour};
  return {neighbour, other};
}

/// Whether all values of all lanes are where `order` has them, and all lines
/// begin at multiples of their length from the tile's corner on.
static bool isInOrder(const FragmentMap &map, unsigned elementBytes,
                      unsigned along, CoreOrder order) {
  unsigned perRegister = registerBytes / elementBytes;
  unsigned perLine = coreLineBytes / elementBytes;
  for (unsigned value = 0; value != map.valuesPerLane(); ++value) {
    unsigned position = value % perRegister;
    Coordinate corner = map.at(0, value - position);
    if ((along == 0 ? corner.row : corner.column) % perLine != 0)
      return false;
    for (unsigned lane = 0; lane != warpSize; ++lane) {
      Coordinate in = laneElement(lane, position, elementBytes, order);
      if (along == 0)
        std::swap(in.row, in.column);
      if (!(map.at(lane, value) ==
            Coordinate{corner.row + in.row, corner.column + in.column}))
        return false;
    }
  }
  return true;
}

std::optional<CoreOrder> kami::coreOrderOf(const FragmentMap &map,
                                           unsigned elementBytes,
                                           unsigned along) {
  if (elementBytes > registerBytes || map.lanes() != warpSize ||
      map.valuesPerLane() * elementBytes % registerBytes != 0)
    return std::nullopt;
  // The next tile's lines begin at multiples of their length, too.
  unsigned extent = along == 0 ? map.rows : map.columns;
  if (extent % (coreLineBytes / elementBytes) != 0)
    return std::nullopt;
  if (isInOrder(map, elementBytes, along, CoreOrder::Plain))
    return CoreOrder::Plain;
  if (elementBytes == 2 &&
      isInOrder(map, elementBytes, along, CoreOrder::Transposed))
    return CoreOrder::Transposed;
  return std::nullopt;
}
