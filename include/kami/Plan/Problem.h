//===- Problem.h - What a planner is asked ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_PROBLEM_H
#define KAMI_PLAN_PROBLEM_H

#include "kami/Layout/SharedMatrix.h"
#include "kami/Plan/Plan.h"

namespace kami {

struct Chip;

/// C += A·B, `batch` times, and what of the plan is settled already. Nothing
/// has to be a multiple of anything; every extent is from 1 to 2^31.
struct Problem {
  Extents extents;
  /// Type of A's elements, and of B's unless `otherOperand` says something
  /// else; and of the sums.
  ElementKind operand = ElementKind::F16;
  ElementKind accumulator = ElementKind::F32;
  int64_t batch = 1;
  /// `Block`: one block's product, over and over, of operands that are
  /// distributed over it; `Memory`: of operands that it loads first.
  Source source = Source::Memory;

  std::optional<Algorithm> algorithm;
  /// Warps of a block.
  std::optional<int64_t> warps;
  std::optional<Transport> transport;
  /// Tiles along k that have room at a time; of several, operands are copied.
  std::optional<int64_t> stages;
  /// What executes instructions; without it, whatever is fastest.
  std::optional<Unit> unit;
  std::optional<WarpGrid> grid;
  /// What a block multiplies at once, as in `Plan`.
  std::optional<Extents> tile;
  /// Whether the copy engine brings copied operands, where it can.
  std::optional<bool> bulk;
  /// Of blocks in turn, how many of the last turns of tiles they take as they
  /// are done with others; fewer where there is no room.
  std::optional<int64_t> taken;

  /// Type of B's elements where it is not A's.
  std::optional<ElementKind> otherOperand;

  /// Type of C's elements in memory where it is not the sums'.
  std::optional<ElementKind> output;

  /// Along which dimension A's and B's elements are adjacent in device memory;
  /// nothing where that is not known, or they lie elsewhere.
  std::optional<Major> majorA = Major::K;
  std::optional<Major> majorB = Major::MN;

  /// Whether warps multiply the operands' elements as they lie in device
  /// memory, so that these can be copied from there.
  bool isCopyable = true;

  /// Whether rows in device memory may begin anywhere, so that copies of them
  /// had better be skewed.
  bool isSkewed = false;

  /// Whether all lines of A and B are known to begin at multiples of 16 bytes,
  /// as those do that the copy engine brings.
  bool isAligned = false;

  /// Whether a C of 32 or 64 bits goes back through shared memory, where it
  /// can; where nothing is said, the planner knows of some that had better.
  std::optional<bool> relaysWide;

  /// Whether the addresses of some matrix's elements are not a constant apart.
  bool hasRuntimeStrides = false;

  /// Registers that a thread of a block with copied operands takes at least:
  /// what is known only at run time is kept in some.
  int64_t leastRegisters = 0;
  /// Whether blocks that take tiles in turn may prefetch the next one.
  bool mayPrefetch = true;

  /// How many products follow each other along the last dimension of the batch,
  /// in A, B and C, in matrices whose elements have no gaps, so that several
  /// are copied as one; 0 where none are. It divides the batch.
  int64_t packable = 0;

  /// Whether a plan's sums must not depend on how many products there are.
  bool isReproducible = false;
  /// How sums are to be added up.
  std::optional<SumOrder> order;

  /// Whether sums have as many layers as is known at run time, one after the
  /// other in a block, which holds one of them and the sum of those before.
  bool hasLayers = false;

  /// Elements are complex numbers of such parts: every block takes four real
  /// products, and holds two of its C, unless parts are interleaved.
  bool isComplex = false;
  /// Of complex numbers, whether rows of A, B and C have parts beside each
  /// other, and scales are real, so that they may be multiplied as reals.
  bool mayInterleaveParts = false;
  /// Whether this is such a product of reals: see `ofInterleavedParts`.
  bool interleavesParts = false;

  ElementKind operandB() const { return otherOperand.value_or(operand); }
  /// Real matrices of sums that a block holds at once.
  int64_t sums() const { return isComplex || hasLayers ? 2 : 1; }
};

/// The product of m × 2n × 2k reals that a complex one is, of which B has half
/// the rows, or columns.
Problem ofInterleavedParts(const Problem &problem);
/// Whether the chip may multiply it so.
bool mayInterleaveParts(const Problem &problem, const Chip &chip);

/// "f16", or "complex<f32>".
std::string elementName(ElementKind kind, bool isComplex);

/// The largest extent and the largest batch of a problem.
constexpr int64_t maxExtent = int64_t(1) << 31;

} // namespace kami

#endif // KAMI_PLAN_PROBLEM_H
