//===- BatchMode.cpp - Batches beside other libraries ---------------------===//
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
  options.units = flags.units;
  options.stages = flags.stages;
  options.copies = flags.copies;
  options.taken = flags.taken;
  options.warps = flags.warps;
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
  options.triton = flags.triton;
  options.torch = flags.torch;
  options.vulkan = flags.vulkan;
  if (llvm::Error error = checkRange("top", flags.top, 0))
    return error;
  if (llvm::Error error = checkOptions(options))
    return error;
  return options;
}

/// Prints what a file of rows says, without a device.
static llvm::Error report(const Flags &flags, TableFormat format) {
  if (flags.rows.size() != 1)
    return llvm::createStringError("expected --rows=FILE, one, but got " +
                                   llvm::Twine(flags.rows.size()));
  llvm::Expected<BenchmarkRows> rows = loadBenchmarkRows(flags.rows.front());
  if (!rows)
    return rows.takeError();
  std::error_code code;
  llvm::raw_fd_ostream os(flags.output, code);
  if (code)
    return cannotWrite(flags.output, code);
  BenchmarkTable table(os, format);
  table.begin(rows->device, BenchmarkOptions());
  for (const BenchmarkRow &row : rows->rows)
    table.add(row);
  return llvm::Error::success();
}

llvm::Expected<bool> kami::runBatchMode(Flags &flags) {
  std::optional<TableFormat> format = parseTableFormat(
      flags.format.empty() ? llvm::StringRef("text") : flags.format);
  if (!format)
    return llvm::createStringError(
        "expected --format=text, csv or markdown, but got '" + flags.format +
        "'");
  if (flags.report) {
    if (llvm::Error error = report(flags, *format))
      return error;
    return true;
  }
  llvm::Expected<BenchmarkOptions> options = parse(flags);
  if (!options)
    return options.takeError();
  return writeTable(flags.output, [&](llvm::raw_ostream &os) {
    BenchmarkTable table(os, *format);
    return runBenchmark(*options, table, llvm::errs());
  });
}
