//===- BlockRows.h - Measured products inside a block, as a table -*- C++
//-*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row for every kernel that was timed: the product, the plan, what the model
// said and what the device did. Files of rows are comma-separated values (RFC
// 4180): a line `# NVIDIA H200, sm_90, ...` that says where they come from, the
// names of the columns, a line for each kernel. Readers go by the names, so
// that columns may be added.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_BLOCKROWS_H
#define KAMI_DRIVER_BLOCKROWS_H

#include "kami/Plan/Planner.h"
#include "llvm/Support/raw_ostream.h"

namespace kami {

/// The fastest variant of somebody else's library, in the same run.
struct PeerResult {
  double teraflops = 0;
  std::string variant;
};

struct BlockRow {
  ElementKind type = ElementKind::F16;
  ElementKind accumulator = ElementKind::F32;
  Plan plan;
  /// Whether it was the planner's choice.
  bool isChoice = false;
  /// What the model said.
  double residentBlocks = 0;
  int64_t modelRegisters = 0, sharedBytes = 0;
  BlockCost predicted;
  /// What the assembler made of it.
  int64_t registers = 0, spillBytes = 0;
  int64_t repeats = 0;
  /// Microseconds of a launch.
  double median = 0, least = 0, most = 0;
  double teraflops = 0;
  /// Cycles of one multiprocessor for one product, at the documented clock.
  double cycles = 0;
  PeerResult cublasDx, cute, limit;
  /// Why it was not timed; empty if it was.
  std::string reason;

  const Extents &extents() const { return plan.tile; }
  bool wasTimed() const { return reason.empty() && cycles > 0; }
  /// The product as a planner is asked for it.
  Problem problem() const;
};

/// The row of a candidate, without the device's part.
BlockRow rowOf(const Problem &problem, const Candidate &candidate,
               bool isChoice);

/// "f16 64x32x16".
std::string productName(const BlockRow &row);
/// Equal for the same plan of the same product, and only then.
std::string rowKey(const BlockRow &row);

/// Where rows were measured: the line before the names, without `# `.
std::string describeRun(llvm::StringRef device, llvm::StringRef chip,
                        int driverVersion, int64_t blocks);

void printHeader(llvm::StringRef run, llvm::raw_ostream &os);
void print(const BlockRow &row, llvm::raw_ostream &os);

struct BlockRows {
  /// "NVIDIA H200" and its chip; all rows have to be of one.
  std::string device;
  const Chip *chip = nullptr;
  std::vector<BlockRow> rows;
};

/// Adds a file's rows; a later row replaces an earlier one of the same key.
/// Errors name the line. A last line without an end is left out: somebody is
/// still writing, or was interrupted.
llvm::Error parseRows(llvm::StringRef text, llvm::StringRef where,
                      BlockRows &rows);
llvm::Error loadRows(llvm::StringRef path, BlockRows &rows);

} // namespace kami

#endif // KAMI_DRIVER_BLOCKROWS_H
