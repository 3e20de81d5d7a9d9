//===- GroupedBenchmark.h - Products of many sizes, timed ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products whose m and n are drawn from 1 to one bound and k from 1 to another,
// each on its own, dense, row-major and one behind the other; kami's one kernel
// beside cuBLAS's grouped call, and beside its products one by one on 16
// streams, all in graphs that take several sets of operands in turn.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_GROUPEDBENCHMARK_H
#define KAMI_DRIVER_GROUPEDBENCHMARK_H

#include "kami/Driver/Benchmark.h"

namespace kami {

struct GroupedSizes {
  /// Bounds of m and n, and of k.
  int64_t mostMN = 128;
  int64_t mostK = 128;

  /// "512/128"
  static llvm::Expected<GroupedSizes> parse(llvm::StringRef text);
};

struct GroupedBenchmarkOptions {
  std::vector<GroupedSizes> sizes = {
      {128, 128}, {256, 128}, {512, 128}, {512, 512}};
  std::vector<ElementKind> types = {ElementKind::F16, ElementKind::TF32,
                                    ElementKind::F32, ElementKind::F64};
  std::vector<int64_t> batches = {8, 64, 256, 4096};
  /// All extents are multiples of one of these.
  std::vector<int64_t> multiples = {1, 16};
  /// What a block computes, "MxNxK"; empty for the planner's choice.
  std::vector<std::string> tiles = {""};
  /// Tiles of k that have room at a time, or 0 to choose.
  std::vector<int64_t> stages = {0};
  /// Warps of a block, or 0 to choose.
  std::vector<int64_t> warps = {0};
  /// What executes instructions: auto, warp, warpgroup or lane.
  std::vector<std::string> units = {"auto"};
  /// What brings copied operands: auto, threads or bulk.
  std::vector<std::string> copies = {"auto"};
  /// The last turns of tiles that blocks take as they are done with others; 0
  /// to choose, -1 for none.
  std::vector<int64_t> taken = {0};
  int64_t repeats = 20;
};

/// Writes a table as CSV, a row as it comes. True if every kernel was built and
/// right; what was not is said on `log`. A device that fails ends the run with
/// an error.
llvm::Expected<bool> runGroupedBenchmark(const GroupedBenchmarkOptions &options,
                                         llvm::raw_ostream &os,
                                         llvm::raw_ostream &log);

} // namespace kami

#endif // KAMI_DRIVER_GROUPEDBENCHMARK_H
