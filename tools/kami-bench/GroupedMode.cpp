//===- GroupedMode.cpp - kami-bench grouped -------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/Benchmark.h"
#include "kami/Driver/GroupedBenchmark.h"
#include "kami/Driver/Run.h"

using namespace kami;

static llvm::Expected<GroupedBenchmarkOptions> parse(Flags &flags) {
  GroupedBenchmarkOptions options;
  if (flags.sizes.getNumOccurrences() > 0) {
    options.sizes.clear();
    for (const std::string &text : flags.sizes) {
      llvm::Expected<GroupedSizes> sizes = GroupedSizes::parse(text);
      if (!sizes)
        return sizes.takeError();
      options.sizes.push_back(*sizes);
    }
  }
  if (flags.types.getNumOccurrences() > 0) {
    options.types.clear();
    for (const std::string &spelling : flags.types) {
      llvm::Expected<ElementKind> type = parseBenchmarkType(spelling);
      if (!type)
        return type.takeError();
      options.types.push_back(*type);
    }
  }
  options.batches.assign(flags.batches.begin(), flags.batches.end());
  options.multiples.assign(flags.multiples.begin(), flags.multiples.end());
  options.tiles = flags.tiles;
  options.stages = flags.stages;
  options.taken = flags.taken;
  options.warps = flags.warps;
  options.units = flags.units;
  options.copies = flags.copies;
  if (llvm::Error error = checkUnits(options.units))
    return error;
  options.repeats = flags.repeats;
  const struct {
    llvm::StringRef flag;
    llvm::ArrayRef<int64_t> values;
    int64_t least;
  } ranges[] = {
      {"batches", options.batches, 1}, {"multiples", options.multiples, 1},
      {"stages", options.stages, 0},   {"taken", options.taken, -1},
      {"warps", options.warps, 0},     {"repeats", options.repeats, 1}};
  for (const auto &range : ranges)
    for (int64_t value : range.values)
      if (llvm::Error error = checkRange(range.flag, value, range.least))
        return error;
  return options;
}

llvm::Expected<bool> kami::runGroupedMode(Flags &flags) {
  llvm::Expected<GroupedBenchmarkOptions> options = parse(flags);
  if (!options)
    return options.takeError();
  return writeTable(flags.output, [&](llvm::raw_ostream &os) {
    return runGroupedBenchmark(*options, os, llvm::errs());
  });
}
