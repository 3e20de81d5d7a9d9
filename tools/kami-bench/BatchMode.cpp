//===- BatchMode.cpp - Batches beside other libraries
//----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/Benchmark.h"
#include "kami/Driver/Run.h"

using namespace kami;

static llvm::Expected<BenchmarkOptions> parse(Flags &flags) {
  BenchmarkOptions options;
  options.sizes.clear();
  for (const std::string &text : flags.sizes) {
    int64_t n;
    if (llvm::StringRef(text).getAsInteger(10, n))
      return llvm::createStringError("expected --sizes of numbers, but got '" +
                                     text + "'");
    options.sizes.push_back(n);
  }
  options.algorithms = flags.algorithms;
  options.tiles = flags.tiles;
  options.calibration = flags.calibration;
  options.candidates = flags.all ? INT64_MAX : flags.top;
  options.batch = flags.batch;
  options.repeats = flags.repeats;
  options.types.clear();
  for (const std::string &spelling : flags.types) {
    llvm::Expected<ElementKind> type = parseBenchmarkType(spelling);
    if (!type)
      return type.takeError();
    options.types.push_back(*type);
  }
  if (!flags.format.empty() && flags.format != "text" && flags.format != "csv")
    return llvm::createStringError("expected --format=text or csv, but got '" +
                                   flags.format + "'");
  if (llvm::Error error = checkRange("top", flags.top, 0))
    return error;
  if (llvm::Error error = checkOptions(options))
    return error;
  return options;
}

llvm::Expected<bool> kami::runBatchMode(Flags &flags) {
  llvm::Expected<BenchmarkOptions> options = parse(flags);
  if (!options)
    return options.takeError();
  return writeTable(flags.output, [&](llvm::raw_ostream &os) {
    using Format = BenchmarkTable::Format;
    BenchmarkTable table(os,
                         flags.format == "csv" ? Format::CSV : Format::Text);
    return runBenchmark(*options, table, llvm::errs());
  });
}
