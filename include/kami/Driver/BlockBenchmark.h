//===- BlockBenchmark.h - Products inside a block, timed ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's protocol: many blocks, each of which repeats one product inside
// the kernel, of operands that it holds. Every kernel is first compared with
// exact sums of small integers, then timed on random numbers.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_BLOCKBENCHMARK_H
#define KAMI_DRIVER_BLOCKBENCHMARK_H

#include "kami/Driver/Compile.h"
#include "kami/Plan/Planner.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace kami {

struct BlockBenchmarkOptions {
  std::vector<Extents> sizes = {{16, 16, 16},
                                {32, 32, 32},
                                {64, 64, 64},
                                {128, 128, 128},
                                {192, 192, 192}};
  std::vector<ElementKind> types = {ElementKind::F16, ElementKind::F64};
  /// Without it, each type's default.
  std::optional<ElementKind> accumulator;
  int64_t blocks = 16384;
  /// Products of a block; 0 for as many as take about `milliseconds`.
  int64_t repeats = 1000;
  double milliseconds = 3;
  /// Timed launches, after one that is not.
  int64_t launches = 5;
  /// Time every candidate, not only the planner's choice.
  bool allCandidates = false;
  /// Of all candidates, those that the model thinks this much slower than its
  /// choice are left out; 0 for none.
  double slower = 0;
};

/// `64` or `64x32x16`.
llvm::Expected<Extents> parseBlockSize(llvm::StringRef text);

struct BlockRow {
  ElementKind type = ElementKind::F16;
  Extents extents;
  Candidate candidate;
  /// Whether it is the planner's choice.
  bool isChoice = false;
  int64_t registers = 0;
  int64_t spillBytes = 0;
  int64_t repeats = 0;
  /// Microseconds of a launch.
  double median = 0, least = 0, most = 0;
  double teraflops = 0;
  /// Cycles of one multiprocessor for one product, at the documented clock.
  double cycles = 0;
  /// Why it was not timed; empty if it was.
  std::string reason;
};

/// Measures, and writes a line of comma-separated values (RFC 4180) for each
/// kernel. True if all were right.
llvm::Expected<bool> runBlockBenchmark(const BlockBenchmarkOptions &options,
                                       llvm::raw_ostream &os,
                                       llvm::raw_ostream &log);

} // namespace kami

#endif // KAMI_DRIVER_BLOCKBENCHMARK_H
