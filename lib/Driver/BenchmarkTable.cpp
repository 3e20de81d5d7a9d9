//===- BenchmarkTable.cpp - Times as CSV or in columns -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Benchmark.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace kami;

double BenchmarkRow::speedup() const {
  return kami.median > 0 ? cublas.median / kami.median : 0;
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
constexpr Column columns[] = {{"type", 4},           {"n", 4},
                              {"batch", 6},          {"algorithm", 9},
                              {"plan", -1},          {"kami_us", 9},
                              {"kami_min", 9},       {"kami_max", 9},
                              {"cublas_us", 9},      {"speedup", 7},
                              {"GB/s", 6},           {"TFLOPS", 6},
                              {"registers", 9},      {"cublas_min", 0},
                              {"cublas_max", 0},     {"device", 0},
                              {"cublas_version", 0}, {"predicted_us", 0}};
} // namespace

/// Empty for 0: nothing was measured.
static std::string number(const char *format, double value) {
  std::string text;
  if (value > 0)
    llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

void BenchmarkTable::begin(const BenchmarkDevice &where,
                           const BenchmarkOptions &options) {
  device = where;
  if (format == Format::Text) {
    os << device.name << " (" << device.chip << "), driver of CUDA "
       << device.driver << ", "
       << (device.cublas.empty() ? device.withoutCublas
                                 : "cuBLAS " + device.cublas)
       << "\nmicroseconds of a launch: median, least and most of "
       << options.repeats
       << " replays of a graph; GB/s count A, B and C once\n\n";
  }
  llvm::SmallVector<std::string> names;
  for (const Column &column : columns)
    names.push_back(column.name);
  addCells(names);
}

void BenchmarkTable::add(const BenchmarkRow &row) {
  addCells({name(row.type).str(), std::to_string(row.n),
            std::to_string(row.batch), row.algorithm, row.plan,
            number("%.3f", row.kami.median), number("%.3f", row.kami.least),
            number("%.3f", row.kami.most), number("%.3f", row.cublas.median),
            number("%.2f", row.speedup()),
            number("%.0f", row.gigabytesPerSecond()),
            number("%.2f", row.teraflops()),
            row.registers ? std::to_string(row.registers) : "",
            number("%.3f", row.cublas.least), number("%.3f", row.cublas.most),
            device.name, device.cublas, number("%.3f", row.predicted)});
}

/// A field as RFC 4180 wants it.
static std::string quoted(llvm::StringRef cell) {
  if (cell.find_first_of(",\"\n") == llvm::StringRef::npos)
    return cell.str();
  std::string text = "\"";
  for (char character : cell)
    text += character == '"' ? "\"\"" : std::string(1, character);
  return text + "\"";
}

void BenchmarkTable::addCells(llvm::ArrayRef<std::string> cells) {
  if (format == Format::CSV) {
    llvm::ListSeparator comma(",");
    for (const std::string &cell : cells)
      os << comma << quoted(cell);
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
