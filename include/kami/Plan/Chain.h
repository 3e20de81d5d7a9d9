//===- Chain.h - Products that follow each other ---------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A·B·C in one kernel: a block makes a tile of D from its rows of the
// intermediate, which never leave it.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_CHAIN_H
#define KAMI_PLAN_CHAIN_H

#include "kami/Plan/Planner.h"

namespace kami {

/// Whether C of the first product can be A of the second without leaving the
/// registers: each warp has the rows that it needs, all of them, in lanes that
/// keep their elements.
bool keepsRegisters(const Plan &first, const Plan &second);

/// A matrix, row by row, in shared memory, on its way from one product to the
/// next. Rows begin 16 bytes apart modulo the banks, so that lanes of several
/// rows meet no conflicts.
struct RelayShape {
  RelayShape(int64_t rows, int64_t columns, int64_t elementBytes);
  int64_t rows, columns, elementBytes;
  /// Elements from one row to the next.
  int64_t stride;
  int64_t bytes() const { return rows * stride * elementBytes; }
};

/// Which two matrices are multiplied first.
enum class ChainOrder { Left, Right };

llvm::StringRef name(ChainOrder order);

/// D = A·B·C, `batch` times: m × k, k × n, n × q.
struct ChainProblem {
  int64_t m, k, n, q;
  ElementKind operand = ElementKind::F16;
  ElementKind accumulator = ElementKind::F32;
  int64_t batch = 1;
  std::optional<ChainOrder> order;
  /// Warps of a block.
  std::optional<int64_t> warps;

  /// The problem whose left order is this one's right order: of Dᵀ.
  ChainProblem transposed() const;
};

/// Two plans of warps in rows: of the product that comes first, a tile of the
/// intermediate, and of the one that it is used in, whose tile has its n as k.
/// In right order they are plans of Dᵀ = (Cᵀ·Bᵀ)·Aᵀ.
struct ChainPlan {
  ChainOrder order = ChainOrder::Left;
  Plan first, second;
};

struct ChainCandidate {
  ChainPlan plan;
  /// Of both products, padding included.
  double operations = 0;
  /// Of a thread at most, and of a block.
  int64_t registers = 0;
  int64_t sharedBytes = 0;
  bool keepsRegisters = false;
  /// The whole problem, in cycles.
  double cycles = 0;
};

/// Candidates, fastest first; none does not fit the chip. Errors: extents out
/// of range, types without an atom, and a problem that no tile of fits.
llvm::Expected<std::vector<ChainCandidate>>
chooseChain(const ChainProblem &problem, const Chip &chip,
            const PlannerOptions &options = {});

/// Why the chip cannot execute it.
llvm::Error verifyChain(const ChainPlan &plan, const ChainProblem &problem,
                        const Chip &chip);

} // namespace kami

#endif // KAMI_PLAN_CHAIN_H
