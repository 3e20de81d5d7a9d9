//===- Draw.h - Random numbers for problems --------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_DRAW_H
#define KAMI_LIB_DRIVER_DRAW_H

#include "kami/Plan/Problem.h"
#include "kami/Target/Chip.h"
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace kami {

/// The same numbers from any standard library: its distributions may differ.
class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}

  uint64_t bits() { return random(); }
  int64_t below(int64_t bound) { return int64_t(random() % uint64_t(bound)); }
  /// True for one of so many.
  bool oneIn(int64_t several) { return below(several) == 0; }
  template <typename T> T pick(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }

  /// An extent of up to `largest`: now and then 0, often a prime or what tiles
  /// divide.
  int64_t extent(int64_t largest) {
    if (oneIn(25))
      return 0;
    switch (below(4)) {
    case 0:
      return std::min(
          largest, pick<int64_t>({1, 2, 3, 5, 7, 11, 13, 17, 31, 61, 97, 127}));
    case 1:
      return std::min(largest, pick<int64_t>({8, 16, 24, 32, 48, 64, 96, 128}));
    case 2:
      return 1 + below(std::min<int64_t>(largest, 40));
    default:
      return 1 + below(largest);
    }
  }

private:
  std::mt19937_64 random;
};

/// Of copied operands: depths and numbers of tiles, and whether blocks in turn
/// copy ahead, as far as memory allows.
void drawStages(Draw &draw, Plan &plan, const Problem &problem,
                const Chip &chip);

/// Of groups' copied operands: whether one stays in registers, and how much of
/// the other passes by at a time, as far as there is room.
void drawStationary(Draw &draw, Plan &plan, const Problem &problem,
                    const Chip &chip);

} // namespace kami

#endif // KAMI_LIB_DRIVER_DRAW_H
