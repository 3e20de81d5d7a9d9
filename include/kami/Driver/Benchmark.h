//===- Benchmark.h - Batched products beside the vendor's library ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times batches of products from device memory on CUDA device 0, and in the
// same run, on the same operands, cuBLAS's, those of kernels that Triton has
// compiled, and what reading A and B and writing C takes without any products;
// also, on operands like these, kami's SPIR-V on the device's Vulkan driver.
// The operands' sets are so many that nothing stays in the L2 cache between two
// uses, launches are replayed from a graph so that the host's cost does not
// show, and all contestants take turns, so that the clock and the temperature
// are the same for all.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_BENCHMARK_H
#define KAMI_DRIVER_BENCHMARK_H

#include "kami/Driver/TableFormat.h"
#include "kami/Layout/ElementKind.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <string>
#include <vector>

namespace kami {

struct BenchmarkOptions {
  /// Each product is n × n × n, dense and row-major, with α = 1 and β = 0.
  std::vector<int64_t> sizes = {16, 32, 64, 128};
  /// Of A, B and C; below f64 the sums are f32.
  std::vector<ElementKind> types = {ElementKind::F16, ElementKind::F64};
  /// Products of a launch.
  int64_t batch = 10000;
  std::vector<std::string> algorithms = {"auto", "1d", "2d", "3d"};
  /// What a block computes, "MxNxK"; empty for the planner's choice.
  std::vector<std::string> tiles = {""};
  /// What executes instructions: auto, warp, warpgroup or lane.
  std::vector<std::string> units = {"auto"};
  /// Tiles along k that have room at a time; 0 for the planner's choice.
  std::vector<int64_t> stages = {0};
  /// What brings copied operands: auto, threads or bulk.
  std::vector<std::string> copies = {"auto"};
  /// The last turns of tiles that blocks take as they are done with others; 0
  /// for the planner's choice, -1 for none.
  std::vector<int64_t> taken = {0};
  /// Warps a block; 0 for the planner's choice.
  std::vector<int64_t> warps = {0};
  /// Of each transport so many of the planner's candidates, best first, instead
  /// of its choices; 0 for these.
  int64_t candidates = 0;
  /// A file of `kami-bench calibrate` for the planner, or empty.
  std::string calibration;
  /// Timed replays of the graph.
  int64_t repeats = 20;
  /// A folder of scripts/peers/triton-batch.py --triton, or empty.
  std::string triton;
  /// A file of scripts/peers/triton-batch.py --torch, or empty.
  std::string torch;
  /// Whether kami's SPIR-V is timed on the device's Vulkan driver, too.
  bool vulkan = false;
};

/// The type of that name, if it is one that can be measured.
llvm::Expected<ElementKind> parseBenchmarkType(llvm::StringRef spelling);

/// Whether every option is one that can be measured.
llvm::Error checkOptions(const BenchmarkOptions &options);
/// Names of what executes instructions, as `BenchmarkOptions::units`.
llvm::Error checkUnits(llvm::ArrayRef<std::string> units);

/// Where a table was measured.
struct BenchmarkDevice {
  std::string name;
  /// "sm_90".
  std::string chip;
  /// "13.0": the newest CUDA that the driver supports.
  std::string driver;
  /// "13.1.0", or empty without cuBLAS, in which case `withoutCublas` says why.
  std::string cublas;
  std::string withoutCublas;
  /// "3.5.0", or empty without kernels of Triton.
  std::string triton;
};

/// Microseconds of one launch, over the replays; all 0 where there are none.
struct LaunchTime {
  double median = 0;
  double least = 0;
  double most = 0;
};
/// Of times that were measured.
LaunchTime summarize(std::vector<double> times);

/// What no kernel can do without, in microseconds of a launch; 0 where nothing
/// is known.
struct LightTime {
  /// The fastest kernel that was found to read A and B and to write C and to
  /// multiply nothing, measured in the same run, and what it is.
  double bytes = 0;
  std::string kernel;
  /// The operations at the chip's rate, which its tables know.
  double operations = 0;

  /// The longer of both, if the first is known.
  double microseconds() const {
    return bytes > 0 ? std::max(bytes, operations) : 0;
  }
};

struct BenchmarkRow {
  ElementKind type = ElementKind::F16;
  int64_t n = 0;
  int64_t batch = 0;
  std::string algorithm;
  /// The one that was asked for, or empty.
  std::string tile;
  /// The plan in one line; where nothing was timed, the reason in parentheses.
  std::string plan;
  LaunchTime kami, cublas;
  /// The fastest of Triton's kernels, and its setting.
  LaunchTime triton;
  std::string tritonSetting;
  /// The median of torch.bmm, of another process.
  double torch = 0;
  /// kami's SPIR-V for the same device, and its plan.
  LaunchTime vulkan;
  std::string vulkanPlan;
  LightTime light;
  /// What the model says, in microseconds, where the planner was asked.
  double predicted = 0;
  /// 32-bit registers of a thread, as loaded; 0 where nothing was.
  int64_t registers = 0;

  /// Times cuBLAS.
  double speedup() const;
  /// The median of the fastest peer; 0 without any.
  double bestPeer() const;
  /// The share of the speed of light that a time of this row is.
  double ofLight(double microseconds) const {
    return microseconds > 0 ? light.microseconds() / microseconds : 0;
  }
  /// A, B and C once each, in 10^9 bytes a second.
  double gigabytesPerSecond() const;
  double teraflops() const;
};

/// Rows as they come, as CSV (RFC 4180), in columns, or as Markdown for
/// readers.
class BenchmarkTable {
public:
  BenchmarkTable(llvm::raw_ostream &os, TableFormat format)
      : os(os), format(format) {}

  void begin(const BenchmarkDevice &device, const BenchmarkOptions &options);
  void add(const BenchmarkRow &row);

private:
  void addCells(llvm::ArrayRef<std::string> cells);
  void addMarkdown(const BenchmarkRow &row);

  llvm::raw_ostream &os;
  TableFormat format;
  BenchmarkDevice device;
};

/// Rows of a CSV file, and where they were measured.
struct BenchmarkRows {
  BenchmarkDevice device;
  std::vector<BenchmarkRow> rows;
};

/// Errors name the line.
llvm::Expected<BenchmarkRows> parseBenchmarkRows(llvm::StringRef text,
                                                 llvm::StringRef where);
llvm::Expected<BenchmarkRows> loadBenchmarkRows(llvm::StringRef path);

/// Measures every type × size × algorithm. True if every kernel that has a plan
/// was built and right; what was not is said on `log`. A device that fails
/// ends the run with an error, after the rows that were complete.
llvm::Expected<bool> runBenchmark(const BenchmarkOptions &options,
                                  BenchmarkTable &table,
                                  llvm::raw_ostream &log);

} // namespace kami

#endif // KAMI_DRIVER_BENCHMARK_H
