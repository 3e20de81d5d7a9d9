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

#include "kami/Driver/BlockRows.h"
#include "kami/Driver/TableFormat.h"
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
  /// The number of the device.
  int64_t device = 0;
  /// A library of peers; empty for the one that is found, if any.
  std::string peers;
  /// A file of `kami-bench calibrate`; empty for what is built in.
  std::string calibration;
  TableFormat format = TableFormat::CSV;
};

/// `64` or `64x32x16`.
llvm::Expected<Extents> parseBlockSize(llvm::StringRef text);

/// Measures, and writes a line for each kernel. True if all were right.
llvm::Expected<bool> runBlockBenchmark(const BlockBenchmarkOptions &options,
                                       llvm::raw_ostream &os,
                                       llvm::raw_ostream &log);

/// Writes rows as they come: CSV for other programs, or a table for a reader,
/// of which Markdown's is the one of docs/Performance.md.
class BlockTable {
public:
  BlockTable(llvm::raw_ostream &os, TableFormat format)
      : os(os), format(format) {}

  /// `run` says where; `peers`, who is compared with.
  void begin(llvm::StringRef run, llvm::StringRef peers);
  void add(const BlockRow &row);

private:
  llvm::raw_ostream &os;
  TableFormat format;
};

} // namespace kami

#endif // KAMI_DRIVER_BLOCKBENCHMARK_H
