//===- Flags.h - kami-bench's command line ----------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TOOLS_KAMI_BENCH_FLAGS_H
#define KAMI_TOOLS_KAMI_BENCH_FLAGS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace kami {

struct Flags {
  explicit Flags(llvm::cl::OptionCategory &category)
      : mode(llvm::cl::Positional,
             llvm::cl::desc("batch|grouped|block|regret|calibrate|plot"),
             llvm::cl::init("batch"), llvm::cl::cat(category)),
        sizes("sizes",
              llvm::cl::desc("n of n x n x n, MxNxK (block), or MN/K, the "
                             "bounds of extents (grouped)"),
              llvm::cl::CommaSeparated,
              llvm::cl::list_init<std::string>({"16", "32", "64", "128"}),
              llvm::cl::cat(category)),
        all("all",
            llvm::cl::desc("Every candidate of the planner (block, batch)"),
            llvm::cl::cat(category)),
        batches("batches", llvm::cl::desc("Numbers of products (grouped)"),
                llvm::cl::CommaSeparated,
                llvm::cl::list_init<int64_t>({8, 64, 256, 4096}),
                llvm::cl::cat(category)),
        multiples("multiples",
                  llvm::cl::desc("What extents are multiples of (grouped)"),
                  llvm::cl::CommaSeparated,
                  llvm::cl::list_init<int64_t>({1, 16}),
                  llvm::cl::cat(category)),
        top("top",
            llvm::cl::desc("Of each transport so many of the planner's "
                           "candidates, best first (batch)"),
            llvm::cl::init(0), llvm::cl::cat(category)),
        blocks("blocks", llvm::cl::desc("Blocks of a launch (block)"),
               llvm::cl::init(16384), llvm::cl::cat(category)),
        products(
            "products",
            llvm::cl::desc("Products that each block repeats (block); 0 for as "
                           "many as take 3 ms"),
            llvm::cl::init(1000), llvm::cl::cat(category)),
        slower(
            "slower",
            llvm::cl::desc("With --all: leave out what the model thinks this "
                           "much slower than its choice"),
            llvm::cl::init(0), llvm::cl::cat(category)),
        types("types", llvm::cl::desc("f16, bf16, tf32, f32, f64 ..."),
              llvm::cl::CommaSeparated,
              llvm::cl::list_init<std::string>({"f16", "f64"}),
              llvm::cl::cat(category)),
        algorithms("algorithms", llvm::cl::desc("auto, 1d, 2d or 3d"),
                   llvm::cl::CommaSeparated,
                   llvm::cl::list_init<std::string>({"auto", "1d", "2d", "3d"}),
                   llvm::cl::cat(category)),
        tiles("tiles",
              llvm::cl::desc("What a block computes, instead of the planner's "
                             "choice (batch, grouped)"),
              llvm::cl::value_desc("MxNxK,..."), llvm::cl::CommaSeparated,
              llvm::cl::list_init<std::string>({""}), llvm::cl::cat(category)),
        stages("stages",
               llvm::cl::desc("Tiles along k that have room at a time, or 0 to "
                              "choose (batch, grouped)"),
               llvm::cl::CommaSeparated, llvm::cl::list_init<int64_t>({0}),
               llvm::cl::cat(category)),
        taken("taken",
              llvm::cl::desc("The last turns of tiles that blocks take as they "
                             "are done with others, 0 to choose, or -1 for "
                             "none (batch, grouped)"),
              llvm::cl::CommaSeparated, llvm::cl::list_init<int64_t>({0}),
              llvm::cl::cat(category)),
        warps("warps",
              llvm::cl::desc("Warps a block, or 0 to choose "
                             "(batch, grouped)"),
              llvm::cl::CommaSeparated, llvm::cl::list_init<int64_t>({0}),
              llvm::cl::cat(category)),
        units("units",
              llvm::cl::desc("auto, warp, warpgroup or lane "
                             "(batch, grouped)"),
              llvm::cl::CommaSeparated,
              llvm::cl::list_init<std::string>({"auto"}),
              llvm::cl::cat(category)),
        copies("copies",
               llvm::cl::desc("auto, threads or bulk: what brings copied "
                              "operands (batch, grouped)"),
               llvm::cl::CommaSeparated,
               llvm::cl::list_init<std::string>({"auto"}),
               llvm::cl::cat(category)),
        batch("batch", llvm::cl::desc("Products of a launch"),
              llvm::cl::init(10000), llvm::cl::cat(category)),
        repeats("repeats", llvm::cl::desc("Replays"), llvm::cl::init(20),
                llvm::cl::cat(category)),
        format("format",
               llvm::cl::desc("text (batch), csv (block) or markdown"),
               llvm::cl::cat(category)),
        output("o", llvm::cl::desc("File"), llvm::cl::init("-"),
               llvm::cl::cat(category)),
        peers("peers",
              llvm::cl::desc("The library of peers (block); without it, "
                             "libkami-peers.so where it is found"),
              llvm::cl::value_desc("FILE"), llvm::cl::cat(category)),
        triton("triton",
               llvm::cl::desc("A folder of scripts/peers/triton-batch.py "
                              "--triton: its kernels are timed, too (batch)"),
               llvm::cl::value_desc("DIR"), llvm::cl::cat(category)),
        torch("torch",
              llvm::cl::desc("A file of scripts/peers/triton-batch.py --torch, "
                             "measured just before: its times become a column "
                             "(batch)"),
              llvm::cl::value_desc("FILE"), llvm::cl::cat(category)),
        vulkan("vulkan",
               llvm::cl::desc("Time SPIR-V on the device's Vulkan driver, too "
                              "(batch)"),
               llvm::cl::cat(category)),
        calibration(
            "calibration",
            llvm::cl::desc("What the device was measured to do: a file of "
                           "kami-bench calibrate (batch, block, regret)"),
            llvm::cl::value_desc("FILE"), llvm::cl::cat(category)),
        rows(
            "rows",
            llvm::cl::desc("Files of rows (regret, plot, batch with --report); "
                           "what regret measures is appended to the first"),
            llvm::cl::value_desc("FILE"), llvm::cl::CommaSeparated,
            llvm::cl::cat(category)),
        shard("shard", llvm::cl::desc("Measure the i-th of n parts (regret)"),
              llvm::cl::value_desc("i/n"), llvm::cl::init("0/1"),
              llvm::cl::cat(category)),
        report("report",
               llvm::cl::desc(
                   "Measure nothing, print what the rows say (regret, batch)"),
               llvm::cl::cat(category)),
        device("device", llvm::cl::desc("Number of the device"),
               llvm::cl::init(0), llvm::cl::cat(category)),
        figure("figure",
               llvm::cl::desc("8, 9, 10, 11, 14 or 15 (plot); all of them into "
                              "a folder without it"),
               llvm::cl::init(0), llvm::cl::cat(category)) {}

  llvm::cl::opt<std::string> mode;
  llvm::cl::list<std::string> sizes;
  llvm::cl::opt<bool> all;
  llvm::cl::list<int64_t> batches, multiples;
  llvm::cl::opt<int64_t> top, blocks, products;
  llvm::cl::opt<double> slower;
  llvm::cl::list<std::string> types, algorithms, tiles;
  llvm::cl::list<int64_t> stages;
  llvm::cl::list<int64_t> taken;
  llvm::cl::list<int64_t> warps;
  llvm::cl::list<std::string> units;
  llvm::cl::list<std::string> copies;
  llvm::cl::opt<int64_t> batch, repeats;
  llvm::cl::opt<std::string> format, output;
  llvm::cl::opt<std::string> peers, triton, torch;
  llvm::cl::opt<bool> vulkan;
  llvm::cl::opt<std::string> calibration;
  llvm::cl::list<std::string> rows;
  llvm::cl::opt<std::string> shard;
  llvm::cl::opt<bool> report;
  llvm::cl::opt<int64_t> device;
  llvm::cl::opt<int> figure;
};

/// Each parses what concerns it and runs. False: something was wrong, and said.
llvm::Expected<bool> runBatchMode(Flags &flags);
llvm::Expected<bool> runGroupedMode(Flags &flags);
llvm::Expected<bool> runBlockMode(Flags &flags);
llvm::Expected<bool> runRegretMode(Flags &flags);
llvm::Expected<bool> runCalibrateMode(Flags &flags);
llvm::Expected<bool> runPlotMode(Flags &flags);

/// Opens the output once there is a device, so that without one an old table
/// stays, and lets `write` fill it.
llvm::Expected<bool>
writeTable(llvm::StringRef path,
           llvm::function_ref<llvm::Expected<bool>(llvm::raw_ostream &)> write);

/// A value between bounds, or an error that names the flag.
llvm::Error checkRange(llvm::StringRef flag, int64_t value, int64_t least);
/// The error of a file that cannot be written.
llvm::Error cannotWrite(llvm::StringRef path, std::error_code code);

} // namespace kami

#endif // KAMI_TOOLS_KAMI_BENCH_FLAGS_H
