//===- BenchmarkTable.cpp - Times as CSV or in columns --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csv.h"
#include "SpeedOfLight.h"
#include "kami/Driver/Benchmark.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;

double BenchmarkRow::speedup() const {
  return kami.median > 0 ? cublas.median / kami.median : 0;
}

double BenchmarkRow::bestPeer() const {
  double best = 0;
  for (double peer : {cublas.median, triton.median, torch})
    if (peer > 0 && (best == 0 || peer < best))
      best = peer;
  return best;
}

double BenchmarkRow::gigabytesPerSecond() const {
  double bytes = 3.0 * n * n * byteWidth(type) * batch;
  return kami.median > 0 ? bytes / kami.median / 1e3 : 0;
}

double BenchmarkRow::teraflops() const {
  double operations = 2.0 * n * n * n * batch;
  return kami.median > 0 ? operations / kami.median / 1e6 : 0;
}

namespace {
struct Column {
  const char *name;
  /// In the text table; 0 for one that only the CSV has.
  int width;
};

enum : size_t { planColumn = 4 };
/// In the order of `cells`.
constexpr Column columns[] = {{"type", 4},
                              {"n", 4},
                              {"batch", 6},
                              {"algorithm", 9},
                              {"plan", -1},
                              {"kami_us", 9},
                              {"kami_min", 9},
                              {"kami_max", 9},
                              {"cublas_us", 9},
                              {"triton_us", 9},
                              {"torch_us", 9},
                              {"light_us", 9},
                              {"speedup", 7},
                              {"best_peer", 9},
                              {"of_light", 8},
                              {"GB/s", 6},
                              {"TFLOPS", 6},
                              {"registers", 9},
                              {"vulkan_us", 9},
                              {"vulkan", 6},
                              {"cublas_min", 0},
                              {"cublas_max", 0},
                              {"triton_min", 0},
                              {"triton_max", 0},
                              {"triton_setting", 0},
                              {"light_bytes_us", 0},
                              {"light_operations_us", 0},
                              {"light_kernel", 0},
                              {"device", 0},
                              {"cublas_version", 0},
                              {"triton_version", 0},
                              {"predicted_us", 0},
                              {"vulkan_min", 0},
                              {"vulkan_max", 0},
                              {"vulkan_plan", 0}};
} // namespace

/// Empty for 0: nothing was measured.
static std::string number(const char *format, double value) {
  std::string text;
  if (value > 0)
    llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

/// A quotient of times; 0 where one is missing.
static double ratio(double peer, double own) {
  return peer > 0 && own > 0 ? peer / own : 0;
}

/// "NVIDIA H200 (sm_90), driver of CUDA 13.0, cuBLAS 13.1.0, Triton 3.5.0".
static std::string describe(const BenchmarkDevice &device) {
  std::string text = device.name;
  if (!device.chip.empty())
    text += " (" + device.chip + ")";
  if (!device.driver.empty())
    text += ", driver of CUDA " + device.driver;
  if (!device.cublas.empty())
    text += ", cuBLAS " + device.cublas;
  else if (!device.withoutCublas.empty())
    text += ", " + device.withoutCublas;
  if (!device.triton.empty())
    text += ", Triton " + device.triton;
  return text;
}

/// What `light_us` is; the rates where the chip is known.
static std::string describeLight(const BenchmarkDevice &device,
                                 llvm::ArrayRef<ElementKind> types) {
  std::string text =
      "light: the fastest kernel found that reads A and B and writes C and "
      "multiplies nothing, in the same run; where it is longer, the time of "
      "the operations at the chip's rate";
  llvm::Expected<const Chip *> chip = findChip(device.chip);
  if (!chip) {
    llvm::consumeError(chip.takeError());
    return text;
  }
  llvm::ListSeparator comma(", ");
  text += " (";
  for (ElementKind type : types)
    if (std::optional<OperationRate> rate = operationRate(**chip, type))
      text +=
          llvm::formatv("{0}{1} {2:F1} TFLOPS, {3}", llvm::StringRef(comma),
                        name(type), rate->teraflops, name(rate->provenance));
  return text + ")";
}

void BenchmarkTable::begin(const BenchmarkDevice &where,
                           const BenchmarkOptions &options) {
  device = where;
  if (format == TableFormat::Markdown) {
    os << describe(device) << "; µs: the median of a launch (fastest–slowest "
       << "replay); × the fastest peer counts those in the table; "
       << describeLight(device, options.types) << "\n\n";
    printMarkdownNames({"type", "n", "batch", "plan", "kami µs", "cuBLAS µs",
                        "Triton µs", "torch µs", "light µs", "× cuBLAS",
                        "× the fastest peer", "of light", "registers"},
                       os);
    os.flush();
    return;
  }
  if (format == TableFormat::Text)
    os << describe(device)
       << "\nmicroseconds of a launch: median, least and most of "
       << options.repeats << " replays of a graph (torch: of a process of its "
       << "own; vulkan: of dispatches in one submission, and kami's time over "
          "it); GB/s count A, "
       << "B and C once\n"
       << describeLight(device, options.types) << "\n\n";
  llvm::SmallVector<std::string> names;
  for (const Column &column : columns)
    names.push_back(column.name);
  addCells(names);
}

void BenchmarkTable::add(const BenchmarkRow &row) {
  if (format == TableFormat::Markdown)
    return addMarkdown(row);
  addCells({name(row.type).str(),
            std::to_string(row.n),
            std::to_string(row.batch),
            row.algorithm,
            row.plan,
            number("%.3f", row.kami.median),
            number("%.3f", row.kami.least),
            number("%.3f", row.kami.most),
            number("%.3f", row.cublas.median),
            number("%.3f", row.triton.median),
            number("%.3f", row.torch),
            number("%.3f", row.light.microseconds()),
            number("%.2f", row.speedup()),
            number("%.2f", ratio(row.bestPeer(), row.kami.median)),
            number("%.3f", row.ofLight(row.kami.median)),
            number("%.0f", row.gigabytesPerSecond()),
            number("%.2f", row.teraflops()),
            row.registers ? std::to_string(row.registers) : "",
            number("%.3f", row.vulkan.median),
            number("%.2f", ratio(row.kami.median, row.vulkan.median)),
            number("%.3f", row.cublas.least),
            number("%.3f", row.cublas.most),
            number("%.3f", row.triton.least),
            number("%.3f", row.triton.most),
            row.tritonSetting,
            number("%.3f", row.light.bytes),
            number("%.3f", row.light.operations),
            row.light.kernel,
            device.name,
            device.cublas,
            device.triton,
            number("%.3f", row.predicted),
            number("%.3f", row.vulkan.least),
            number("%.3f", row.vulkan.most),
            row.vulkanPlan});
}

/// A cell of a table for readers: a dash for nothing.
static std::string orDash(std::string text) {
  return text.empty() ? "–" : text;
}

void BenchmarkTable::addMarkdown(const BenchmarkRow &row) {
  auto time = [](double microseconds) {
    return orDash(number(microseconds < 10 ? "%.2f" : "%.1f", microseconds));
  };
  std::string kami = time(row.kami.median);
  if (row.kami.median > 0)
    kami += " (" + time(row.kami.least) + "–" + time(row.kami.most) + ")";
  double share = 100 * row.ofLight(row.kami.median);
  // How much is read at once is a detail to who compares times.
  llvm::StringRef plan = row.plan;
  if (row.kami.median > 0)
    plan = plan.split(", slices").first;
  printMarkdownLine(
      {name(row.type).str(), std::to_string(row.n), std::to_string(row.batch),
       plan.str(), kami, time(row.cublas.median), time(row.triton.median),
       time(row.torch), time(row.light.microseconds()),
       orDash(number("%.2f", row.speedup())),
       orDash(number("%.2f", ratio(row.bestPeer(), row.kami.median))),
       share > 0 ? number("%.0f", share) + " %" : "–",
       row.registers ? std::to_string(row.registers) : "–"},
      os);
  os.flush();
}

void BenchmarkTable::addCells(llvm::ArrayRef<std::string> cells) {
  if (format == TableFormat::CSV) {
    llvm::ListSeparator comma(",");
    for (const std::string &cell : cells)
      os << comma << csvCell(cell);
  } else {
    for (auto [column, cell] : llvm::zip_equal(columns, cells))
      if (column.width > 0)
        os << llvm::right_justify(cell, column.width) << "  ";
    // Last, since it has no width of its own.
    os << cells[planColumn];
  }
  os << "\n";
  // A run takes minutes: what is there should be seen, and survive its end.
  os.flush();
}
