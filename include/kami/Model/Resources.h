//===- Resources.h - Registers and shared memory of a split -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a distribution over warps costs in registers and shared memory, which
// decides whether it fits a chip.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_RESOURCES_H
#define KAMI_MODEL_RESOURCES_H

#include "kami/Model/SharedLayout.h"
#include "kami/Target/Chip.h"
#include <algorithm>

namespace kami {

/// 32-bit registers of one thread, by what they hold.
struct Registers {
  /// Partial sums of C.
  int64_t accumulators = 0;
  /// Slices of A and B that stay in registers: those that are not parked, and,
  /// where operands are distributed already, those that a product gathers.
  int64_t heldA = 0;
  int64_t heldB = 0;
  /// What has been fetched from shared memory to be multiplied. A slice that
  /// was broadcast in stages is alive as a whole, because a barrier separates
  /// its arrival from its use. A parked slice is read on demand, fragment by
  /// fragment (see `onDemandAtoms`), or, for the lanes' own products, a few
  /// columns of A and rows of B at a time (`outerProductsAtOnce`).
  int64_t workingA = 0;
  int64_t workingB = 0;
  /// What is alive beside the held slices while operands are parked: a slice on
  /// its way from memory to shared memory. Where there are sums by then, ptxas
  /// 13.0 takes it there piece by piece.
  int64_t parking = 0;
  /// Addresses, indices, predicates.
  int64_t overhead = 0;
  /// Whether ptxas takes as many, so that what each partition of a
  /// multiprocessor has for its warps decides how many blocks there are. Where
  /// more are counted than it takes, all of a multiprocessor's do.
  bool isExact = false;

  int64_t total() const {
    return heldA + heldB +
           std::max(accumulators + workingA + workingB, parking) + overhead;
  }
};

/// Registers set aside for what is no fragment. ptxas 13.0 needs between 20 and
/// 40 of them, depending on how many addresses stay alive over the k loop.
constexpr int64_t registerOverhead = 40;

/// More of them for f64, whose registers have to be even and adjacent, and
/// where elements of the tile have to be told from padding. Below these, some
/// kernels of a sample of a thousand are spilled by ptxas 13.0; so many more
/// leave a few that would have fitted to others.
constexpr int64_t wideOverhead = 24;
constexpr int64_t raggedOverhead = 24;

/// Fragments of an operand read on demand that are alive at once: some in use,
/// some on their way. (An f64 product 128×128×128 on 8 warps, unrolled, with 4
/// of 16 slices of A and nothing of B in registers takes 190 registers by ptxas
/// 13.0, where this count predicts 248.)
constexpr int64_t onDemandAtoms = 4;

/// `warpSize`: lanes that share a fragment. `sums`: of so many products at once
/// are the partial sums alive.
Registers registersPerThread(const Atom &atom, const Partition &partition,
                             const Slicing &slicing, int64_t warpSize,
                             const Exchange &exchange = {}, int64_t sums = 1);

/// The widths of an atom's elements, and what a warp stages tiles of it in.
ElementBytes elementBytesOf(const Atom &atom);

struct Resources {
  int64_t warps = 0;
  int64_t threads = 0;
  Registers registers;
  SharedLayout shared;
};

Resources resourcesOf(const Atom &atom, const Partition &partition,
                      const Slicing &slicing, int64_t warpSize,
                      const Exchange &exchange = {}, int64_t sums = 1);

/// Blocks with these needs that one multiprocessor can hold at a time; at least
/// 1 if they fit at all.
int64_t residentBlocks(const Resources &resources, const Chip &chip);

} // namespace kami

#endif // KAMI_MODEL_RESOURCES_H
