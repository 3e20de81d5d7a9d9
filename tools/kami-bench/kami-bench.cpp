//===- kami-bench.cpp - Time products beside cuBLAS ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Benchmark.h"
#include "kami/Driver/BlockBenchmark.h"
#include "kami/Driver/InputFlags.h"
#include "kami/Driver/Run.h"
#include "kami/Plan/Request.h"
#include "llvm/Support/InitLLVM.h"
#include <climits>

using namespace kami;
namespace cl = llvm::cl;

namespace {
struct Flags {
  explicit Flags(cl::OptionCategory &category)
      : mode(cl::Positional, cl::desc("batched|block"), cl::init("batched"),
             cl::cat(category)),
        sizes("sizes", cl::desc("n of n x n x n, or MxNxK (block)"),
              cl::CommaSeparated,
              cl::list_init<std::string>({"16", "32", "64", "128"}),
              cl::cat(category)),
        all("all", cl::desc("Every candidate of the planner (block)"),
            cl::cat(category)),
        blocks("blocks", cl::desc("Blocks of a launch (block)"),
               cl::init(16384), cl::cat(category)),
        products("products",
                 cl::desc("Products that each block repeats (block); 0 for as "
                          "many as take 3 ms"),
                 cl::init(1000), cl::cat(category)),
        slower("slower",
               cl::desc("With --all: leave out what the model thinks this "
                        "much slower than its choice"),
               cl::init(0), cl::cat(category)),
        types("types", cl::desc("f16, bf16 or f64"), cl::CommaSeparated,
              cl::list_init<std::string>({"f16", "f64"}), cl::cat(category)),
        algorithms("algorithms", cl::desc("auto, 1d, 2d or 3d"),
                   cl::CommaSeparated,
                   cl::list_init<std::string>({"auto", "1d", "2d", "3d"}),
                   cl::cat(category)),
        batch("batch", cl::desc("Products of a launch"), cl::init(10000),
              cl::cat(category)),
        repeats("repeats", cl::desc("Replays"), cl::init(20),
                cl::cat(category)),
        format("format", cl::desc("text or csv"), cl::init("text"),
               cl::cat(category)),
        output("o", cl::desc("File"), cl::init("-"), cl::cat(category)) {}

  cl::opt<std::string> mode;
  cl::list<std::string> sizes;
  cl::opt<bool> all;
  cl::opt<int64_t> blocks, products;
  cl::opt<double> slower;
  cl::list<std::string> types, algorithms;
  cl::opt<int64_t> batch, repeats;
  cl::opt<std::string> format, output;
};
} // namespace

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
  options.batch = flags.batch;
  options.repeats = flags.repeats;
  options.types.clear();
  for (const std::string &spelling : flags.types) {
    llvm::Expected<ElementKind> type = parseBenchmarkType(spelling);
    if (!type)
      return type.takeError();
    options.types.push_back(*type);
  }
  if (flags.format != "text" && flags.format != "csv")
    return llvm::createStringError("expected --format=text or csv, but got '" +
                                   flags.format + "'");
  if (llvm::Error error = checkOptions(options))
    return error;
  return options;
}

static llvm::Expected<BlockBenchmarkOptions> parseBlock(Flags &flags) {
  BlockBenchmarkOptions options;
  options.blocks = flags.blocks;
  options.repeats = flags.products;
  options.launches = flags.repeats;
  options.allCandidates = flags.all;
  options.slower = flags.slower;
  options.sizes.clear();
  for (const std::string &text : flags.sizes) {
    llvm::Expected<Extents> extents = parseBlockSize(text);
    if (!extents)
      return extents.takeError();
    options.sizes.push_back(*extents);
  }
  options.types.clear();
  for (const std::string &spelling : flags.types) {
    llvm::Expected<ElementKind> type = parseType("types", spelling);
    if (!type)
      return type.takeError();
    options.types.push_back(*type);
  }
  for (auto [name, value, least] :
       {std::tuple("blocks", options.blocks, int64_t(1)),
        std::tuple("products", options.repeats, int64_t(0)),
        std::tuple("repeats", options.launches, int64_t(1))})
    if (value < least || value > INT_MAX)
      return llvm::createStringError(
          "expected --" + llvm::Twine(name) + " from " + llvm::Twine(least) +
          " to " + llvm::Twine(INT_MAX) + ", but got " + llvm::Twine(value));
  return options;
}

static llvm::Expected<bool> runBlock(Flags &flags) {
  llvm::Expected<BlockBenchmarkOptions> options = parseBlock(flags);
  if (!options)
    return options.takeError();
  if (llvm::Error error = probeCuda())
    return error;
  std::error_code code;
  llvm::raw_fd_ostream os(flags.output, code);
  if (code)
    return llvm::createStringError("cannot write '" + flags.output +
                                   "': " + code.message());
  return runBlockBenchmark(*options, os, llvm::errs());
}

static llvm::Expected<bool> run(Flags &flags) {
  if (flags.mode == "block")
    return runBlock(flags);
  if (flags.mode != "batched")
    return llvm::createStringError("expected batched or block, but got '" +
                                   flags.mode + "'");
  llvm::Expected<BenchmarkOptions> options = parse(flags);
  if (!options)
    return options.takeError();
  // Before the output is opened: without a device an old table stays.
  if (llvm::Error error = probeCuda())
    return error;
  std::error_code code;
  llvm::raw_fd_ostream os(flags.output, code);
  auto cannotWrite = [&] {
    return llvm::createStringError("cannot write '" + flags.output +
                                   "': " + code.message());
  };
  if (code)
    return cannotWrite();
  using Format = BenchmarkTable::Format;
  BenchmarkTable table(os, flags.format == "csv" ? Format::CSV : Format::Text);
  llvm::Expected<bool> right = runBenchmark(*options, table, llvm::errs());
  code = os.error();
  os.clear_error();
  if (right && code)
    return cannotWrite();
  return right;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("kami-bench options");
  Flags flags(category);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "kami benchmarks beside cuBLAS\n");
  llvm::Expected<bool> right = run(flags);
  if (!right)
    return reportError("kami-bench", right.takeError());
  return *right ? 0 : 1;
}
