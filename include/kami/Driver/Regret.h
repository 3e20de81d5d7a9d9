//===- Regret.h - How good the planner's choices are -----------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is as good as what it chooses: its regret is the time of the chosen
// plan over that of the fastest of all candidates. Measuring that takes
// thousands of kernels, so that the work can be cut into shards, interrupted
// and taken up again: every row is appended to a file as it comes, and what is
// in the file is not measured again.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_REGRET_H
#define KAMI_DRIVER_REGRET_H

#include "kami/Driver/BlockRows.h"

namespace kami {

/// A product of the list.
struct RegretProblem {
  ElementKind type;
  Extents extents;

  Problem problem() const;
};

/// The list: squares, low rank, tall, wide and deep products of f16, f64, tf32
/// and f8E4M3FN.
llvm::ArrayRef<RegretProblem> regretProblems();

struct RegretOptions {
  /// Of the list, those of these types and extents; all where it is empty.
  std::vector<ElementKind> types;
  std::vector<Extents> sizes;
  /// Files of rows. What is measured is appended to the first.
  std::vector<std::string> rows;
  /// Measure every `shards`-th candidate, from number `shard` on.
  int64_t shard = 0, shards = 1;
  int64_t device = 0;
  int64_t blocks = 16384;
  double milliseconds = 3;
  int64_t launches = 5;
  /// Candidates that the model thinks this much slower than its choice are left
  /// out; 0 for none.
  double slower = 0;
  std::string calibration;
};

/// `2/8`: the third of eight.
llvm::Error parseShard(llvm::StringRef text, RegretOptions &options);

/// Measures what is missing in the files. Processes that run at the same time
/// need a first file each. True if all kernels were right.
llvm::Expected<bool> measureRegret(const RegretOptions &options,
                                   llvm::raw_ostream &log);

/// What the rows of one product say about the planner as it is now.
struct ProblemRegret {
  RegretProblem problem;
  /// Candidates that fit, and those of them that were timed.
  int64_t candidates = 0, timed = 0;
  /// Of the timed, those whose predicted cycles are within a fifth of the
  /// measured.
  int64_t close = 0;
  /// Null where the choice, or everything, was not timed.
  const BlockRow *choice = nullptr, *fastest = nullptr;
  /// Why there is no choice; empty where there is one.
  std::string reason;

  /// At least 1; 0 where it is not known.
  double regret() const {
    return choice && fastest ? choice->cycles / fastest->cycles : 0;
  }
};

/// Judges the planner, with this calibration or with what is built in, by
/// measured rows: every product of which there is a row, in the order of the
/// rows, and the rest of the list if `all`. Rows of plans that the planner does
/// not offer any more play no part.
std::vector<ProblemRegret> judgeRegret(const BlockRows &rows, bool all,
                                       const Calibration *calibration);

/// The table and its summary, in Markdown.
void printRegret(llvm::ArrayRef<ProblemRegret> problems, const BlockRows &rows,
                 llvm::raw_ostream &os);

/// Both, of the files in the options. Needs no device.
llvm::Error reportRegret(const RegretOptions &options, llvm::raw_ostream &os);

} // namespace kami

#endif // KAMI_DRIVER_REGRET_H
