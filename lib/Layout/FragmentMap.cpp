//===- FragmentMap.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/FragmentMap.h"
#include "FragmentTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <numeric>
#include <vector>

using namespace kami;

Coordinate FragmentMap::at(unsigned lane, unsigned value) const {
  Coordinate place;
  auto add = [&](unsigned index, llvm::ArrayRef<Coordinate> steps) {
    for (auto [bit, step] : llvm::enumerate(steps)) {
      if (index >> bit & 1) {
        place.row += step.row;
        place.column += step.column;
      }
    }
  };
  add(lane, laneSteps);
  add(value, valueSteps);
  return place;
}

unsigned FragmentMap::adjacentValues(bool alongRows) const {
  unsigned count = 1;
  for (Coordinate step : valueSteps) {
    Coordinate next = alongRows ? Coordinate{count, 0} : Coordinate{0, count};
    if (!(step == next))
      break;
    count *= 2;
  }
  return count;
}

std::optional<unsigned> FragmentMap::valueAt(unsigned lane,
                                             Coordinate place) const {
  for (unsigned value = 0; value != valuesPerLane(); ++value)
    if (at(lane, value) == place)
      return value;
  return std::nullopt;
}

std::optional<TileRegister> kami::registerOf(const FragmentMap &from,
                                             const FragmentMap &to, int64_t row,
                                             int64_t column, unsigned value) {
  std::optional<TileRegister> found;
  if (from.lanes() != to.lanes())
    return std::nullopt;
  for (unsigned lane = 0; lane != to.lanes(); ++lane) {
    Coordinate at = to.at(lane, value);
    int64_t i = row + at.row, j = column + at.column;
    std::optional<unsigned> has = from.valueAt(
        lane, {unsigned(i % from.rows), unsigned(j % from.columns)});
    if (!has)
      return std::nullopt;
    TileRegister place{i / from.rows, j / from.columns, *has};
    if (found &&
        (found->tileRow != place.tileRow ||
         found->tileColumn != place.tileColumn || found->value != place.value))
      return std::nullopt;
    found = place;
  }
  return found;
}

bool kami::staysInLanes(const FragmentMap &from, const FragmentMap &to) {
  // Tiles of both begin together after as many rows and columns as both divide.
  for (unsigned row = 0; row < std::lcm(from.rows, to.rows); row += to.rows)
    for (unsigned column = 0; column < std::lcm(from.columns, to.columns);
         column += to.columns)
      for (unsigned value = 0; value != to.valuesPerLane(); ++value)
        if (!registerOf(from, to, row, column, value))
          return false;
  return true;
}

unsigned FragmentMap::replicaMask() const {
  unsigned mask = 0;
  for (auto [bit, step] : llvm::enumerate(laneSteps))
    if (step == Coordinate())
      mask |= 1u << bit;
  return mask;
}

static constexpr llvm::StringLiteral lane =
    "one element of a lane that works alone";

static constexpr FragmentMap laneMaps[] = {
    {"lane.1x1.b8", 1, 1, 1, {}, {}, lane},
    {"lane.1x1.b16", 1, 1, 2, {}, {}, lane},
    {"lane.1x1.b32", 1, 1, 4, {}, {}, lane},
    {"lane.1x1.b64", 1, 1, 8, {}, {}, lane},
};

llvm::ArrayRef<FragmentMap> kami::allFragmentMaps() {
  static const std::vector<FragmentMap> maps = [] {
    std::vector<FragmentMap> all;
    for (llvm::ArrayRef<FragmentMap> table :
         {nvidiaFragments(), amdFragments(),
          llvm::ArrayRef<FragmentMap>(laneMaps)})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return maps;
}

const FragmentMap *kami::findFragmentMap(llvm::StringRef name) {
  // The planner asks for each candidate: in order, a quarter of its time was
  // comparing names.
  static const llvm::StringMap<const FragmentMap *> byName = [] {
    llvm::StringMap<const FragmentMap *> maps;
    for (const FragmentMap &map : allFragmentMaps())
      maps.try_emplace(map.name, &map);
    return maps;
  }();
  return byName.lookup(name);
}

int64_t kami::replicasOf(llvm::StringRef name) {
  const FragmentMap *map = findFragmentMap(name);
  return map ? map->replicas() : 1;
}
