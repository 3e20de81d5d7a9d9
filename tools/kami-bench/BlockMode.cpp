//===- BlockMode.cpp - Products inside a block ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/BlockBenchmark.h"
#include "kami/Driver/Regret.h"
#include "kami/Driver/Run.h"
#include "kami/Plan/Request.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;

static llvm::Error parseSizes(Flags &flags, std::vector<Extents> &sizes) {
  sizes.clear();
  for (const std::string &text : flags.sizes) {
    llvm::Expected<Extents> extents = parseBlockSize(text);
    if (!extents)
      return extents.takeError();
    sizes.push_back(*extents);
  }
  return llvm::Error::success();
}

static llvm::Error parseTypes(Flags &flags, std::vector<ElementKind> &types) {
  types.clear();
  for (const std::string &spelling : flags.types) {
    llvm::Expected<ElementKind> type = parseType("types", spelling);
    if (!type)
      return type.takeError();
    types.push_back(*type);
  }
  return llvm::Error::success();
}

static llvm::Error checkCounts(Flags &flags) {
  for (auto [name, value, least] :
       {std::tuple("blocks", flags.blocks.getValue(), int64_t(1)),
        std::tuple("products", flags.products.getValue(), int64_t(0)),
        std::tuple("repeats", flags.repeats.getValue(), int64_t(1)),
        std::tuple("device", flags.device.getValue(), int64_t(0))})
    if (llvm::Error error = checkRange(name, value, least))
      return error;
  return llvm::Error::success();
}

static llvm::Expected<BlockBenchmarkOptions> parseBlock(Flags &flags) {
  BlockBenchmarkOptions options;
  options.blocks = flags.blocks;
  options.repeats = flags.products;
  options.launches = flags.repeats;
  options.allCandidates = flags.all;
  options.slower = flags.slower;
  options.device = flags.device;
  options.peers = flags.peers;
  options.calibration = flags.calibration;
  if (!flags.format.empty()) {
    std::optional<TableFormat> format = parseTableFormat(flags.format);
    if (!format)
      return llvm::createStringError(
          "expected --format=text, csv or markdown, but got '" + flags.format +
          "'");
    options.format = *format;
  }
  if (llvm::Error error = parseSizes(flags, options.sizes))
    return error;
  if (llvm::Error error = parseTypes(flags, options.types))
    return error;
  if (llvm::Error error = checkCounts(flags))
    return error;
  return options;
}

llvm::Expected<bool> kami::runBlockMode(Flags &flags) {
  llvm::Expected<BlockBenchmarkOptions> options = parseBlock(flags);
  if (!options)
    return options.takeError();
  if (llvm::Error error = probeCuda())
    return error;
  std::error_code code;
  llvm::raw_fd_ostream os(flags.output, code);
  if (code)
    return cannotWrite(flags.output, code);
  return runBlockBenchmark(*options, os, llvm::errs());
}

static llvm::Expected<RegretOptions> parseRegret(Flags &flags) {
  RegretOptions options;
  options.rows = flags.rows;
  if (options.rows.empty())
    return llvm::createStringError("expected --rows=FILE, but got none");
  if (llvm::Error error = checkCounts(flags))
    return error;
  // The list decides, unless somebody wants less of it.
  if (flags.sizes.getNumOccurrences() > 0)
    if (llvm::Error error = parseSizes(flags, options.sizes))
      return error;
  if (flags.types.getNumOccurrences() > 0)
    if (llvm::Error error = parseTypes(flags, options.types))
      return error;
  if (llvm::Error error = parseShard(flags.shard, options))
    return error;
  options.blocks = flags.blocks;
  options.slower = flags.slower;
  options.device = flags.device;
  options.calibration = flags.calibration;
  if (flags.repeats.getNumOccurrences() > 0)
    options.launches = flags.repeats;
  return options;
}

llvm::Expected<bool> kami::runRegretMode(Flags &flags) {
  llvm::Expected<RegretOptions> options = parseRegret(flags);
  if (!options)
    return options.takeError();
  if (!flags.report)
    return measureRegret(*options, llvm::errs());
  std::string text;
  llvm::raw_string_ostream report(text);
  if (llvm::Error error = reportRegret(*options, report))
    return error;
  std::error_code code;
  llvm::raw_fd_ostream os(flags.output, code);
  if (code)
    return cannotWrite(flags.output, code);
  os << text;
  return true;
}
