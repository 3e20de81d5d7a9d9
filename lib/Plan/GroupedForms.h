//===- GroupedForms.h - Tiles for products of any size ----------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_PLAN_GROUPEDFORMS_H
#define KAMI_LIB_PLAN_GROUPEDFORMS_H

#include "kami/Plan/Planner.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace kami {

/// Registers that are left to a thread which copies from products whose strides
/// are known only at run time. With fewer ptxas 13.0 spills: f16 up to 128 a
/// side in 64 × 64 × 32 tiles takes 11.7 µs, with 128 registers and a block
/// more a multiprocessor 14.4, in odd rows 15.9 and 20.0 (256 products; H200,
/// 2026-11-23).
constexpr int64_t registersOfCopies = 168;

/// A tile that is known to be good, and what it takes: open where the planner
/// has the choice.
struct Form {
  Extents tile;
  std::optional<int64_t> warps = std::nullopt;
  std::optional<int64_t> stages = std::nullopt;
  int64_t registers = registersOfCopies;
  /// Whether the copy engine brings its operands; threads do unless it says so.
  bool isBulk = false;
  /// Quarters of a tile that typical products have along m and n, and tiles
  /// that a multiprocessor has, at least, if the form is for large ones.
  int64_t quarters = 6, tilesEach = 4;
};

/// Tiles of C that products have which are spread evenly from nothing to twice
/// the typical extents.
double tilesOfSpread(const Problem &problem, const Extents &tile);
/// Whether rows of typical products begin at multiples of 16 bytes.
bool areRowsAligned(const Problem &problem);
/// Whether k is what products take long for, not C.
bool isDeep(const Problem &problem);
/// Whether there are so few that a block has one or two tiles.
bool areFew(const Problem &problem, const Chip &chip);
/// Whether typical products are so small that a warp takes each.
bool areTiny(const Problem &problem);

/// What tiny products take, if these are and nothing is asked for: a warp loads
/// them into its registers.
std::optional<Form> tinyForm(const Problem &problem);
/// Forms for all others, in lists of those that compete: one list further on is
/// for problems that none before it fits.
llvm::SmallVector<llvm::SmallVector<Form>>
preferredForms(const Problem &problem, const Chip &chip);

} // namespace kami

#endif // KAMI_LIB_PLAN_GROUPEDFORMS_H
