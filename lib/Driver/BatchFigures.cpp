//===- BatchFigures.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BatchFigures.h"
#include "Csv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <set>

using namespace kami;

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  return std::move(*file);
}

llvm::Expected<RowsKind> kami::findRowsKind(llvm::StringRef path) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  llvm::StringRef text = (*file)->getBuffer();
  while (text.starts_with("#"))
    text = text.split('\n').second;
  std::vector<std::string> names = takeCsvLine(text);
  if (llvm::is_contained(names, "max_mn"))
    return RowsKind::Grouped;
  if (llvm::is_contained(names, "algorithm"))
    return RowsKind::Batch;
  // Whose reader says what it misses.
  return RowsKind::Block;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Of each n, the row with the fastest kernel of kami's.
using RowsBySize = std::map<int64_t, const BenchmarkRow *>;

static Chart makeShareChart(int64_t batch, const RowsBySize &rows) {
  Chart chart;
  chart.title = llvm::formatv("{0} products a launch", batch);
  chart.kind = ChartKind::Lines;
  chart.xLabel = "n, of n×n×n";
  chart.yLabel = "% of the speed of light";
  chart.reference = 100;
  chart.series = {
      {"kami", {}}, {"cuBLAS", {}}, {"Triton", {}}, {"torch.bmm", {}}};
  for (auto [n, row] : rows) {
    chart.categories.push_back(llvm::itostr(n));
    double times[] = {row->kami.median, row->cublas.median, row->triton.median,
                      row->torch};
    for (auto [series, time] : llvm::zip_equal(chart.series, times)) {
      double share = 100 * row->ofLight(time);
      series.values.push_back(share > 0 ? std::optional<double>(share)
                                        : std::nullopt);
    }
  }
  dropEmptySeries(chart);
  return chart;
}

std::vector<NamedFigure> kami::makeBatchFigures(const BenchmarkRows &rows) {
  std::map<ElementKind, std::map<int64_t, RowsBySize>> sorted;
  for (const BenchmarkRow &row : rows.rows) {
    if (row.light.microseconds() <= 0)
      continue;
    const BenchmarkRow *&best = sorted[row.type][row.batch][row.n];
    bool isFaster =
        row.kami.median > 0 && best &&
        (best->kami.median <= 0 || row.kami.median < best->kami.median);
    if (!best || isFaster)
      best = &row;
  }
  std::vector<NamedFigure> figures;
  for (const auto &[type, batches] : sorted) {
    NamedFigure named;
    named.name = "batch-" + name(type).str();
    Figure &figure = named.figure;
    figure.title =
        llvm::formatv("Batches of {0} products from device memory", name(type));
    std::string versions = rows.device.name + ", measured by kami-bench";
    if (!rows.device.cublas.empty())
      versions += ", cuBLAS " + rows.device.cublas;
    if (!rows.device.triton.empty())
      versions += ", Triton " + rows.device.triton;
    figure.notes = {versions,
                    "the speed of light: reading A and B and writing C in the "
                    "same run, or the operations at the chip's rate"};
    for (const auto &[batch, bySize] : batches)
      figure.charts.push_back(makeShareChart(batch, bySize));
    bool hasTorch = llvm::any_of(figure.charts, [](const Chart &chart) {
      return llvm::any_of(chart.series, [](const Series &series) {
        return series.name == "torch.bmm";
      });
    });
    if (hasTorch)
      figure.notes.push_back("torch.bmm: in a process of its own just before");
    figures.push_back(std::move(named));
  }
  return figures;
}

//===----------------------------------------------------------------------===//
// Grouped products
//===----------------------------------------------------------------------===//

namespace {
/// The bounds of m and n, and of k.
using Bounds = std::pair<int64_t, int64_t>;

/// Of one type and multiple: the fastest peer's time relative to kami's, by
/// number of products and bounds.
using Ratios = std::map<int64_t, std::map<Bounds, double>>;
} // namespace

static Chart makeRatioChart(int64_t multiple, const Ratios &ratios) {
  Chart chart;
  chart.title =
      multiple == 1
          ? "any extents"
          : llvm::formatv("extents that are multiples of {0}", multiple).str();
  chart.xLabel = "m and n / k up to";
  chart.yLabel = "the faster peer's time / kami's";
  chart.reference = 1;
  std::set<Bounds> all;
  for (const auto &[batch, byBounds] : ratios)
    for (const auto &[bounds, ratio] : byBounds)
      all.insert(bounds);
  for (auto [mostMN, mostK] : all)
    chart.categories.push_back(llvm::formatv("{0}/{1}", mostMN, mostK));
  for (const auto &[batch, byBounds] : ratios) {
    Series series;
    series.name = llvm::formatv("{0} products", batch);
    for (const Bounds &bounds : all) {
      auto found = byBounds.find(bounds);
      series.values.push_back(found == byBounds.end()
                                  ? std::nullopt
                                  : std::optional<double>(found->second));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// The ratio of a row; 0 where something was not timed.
static llvm::Expected<double> readRatio(const CsvTable::Row &row) {
  double kami = 0, grouped = 0, streams = 0;
  for (auto [name, member] :
       {std::pair("kami_us", &kami), std::pair("grouped_us", &grouped),
        std::pair("streams_us", &streams)}) {
    llvm::Expected<double> value = row.number(name);
    if (!value)
      return value.takeError();
    *member = *value;
  }
  double peer = grouped > 0 && streams > 0 ? std::min(grouped, streams)
                                           : std::max(grouped, streams);
  return kami > 0 ? peer / kami : 0;
}

llvm::Expected<std::vector<NamedFigure>>
kami::makeGroupedFigures(llvm::StringRef text, llvm::StringRef where) {
  llvm::Expected<CsvTable> table = CsvTable::parse(text, where);
  if (!table)
    return table.takeError();
  if (llvm::Error error =
          table->require({"type", "max_mn", "max_k", "multiple", "batch",
                          "kami_us", "grouped_us", "streams_us"}))
    return error;
  std::map<ElementKind, std::map<int64_t, Ratios>> sorted;
  std::string device;
  for (const CsvTable::Row &row : table->rows()) {
    llvm::Expected<ElementKind> type = row.type();
    if (!type)
      return type.takeError();
    int64_t mostMN, mostK, multiple, batch;
    for (auto [name, member] :
         {std::pair("max_mn", &mostMN), std::pair("max_k", &mostK),
          std::pair("multiple", &multiple), std::pair("batch", &batch)}) {
      llvm::Expected<int64_t> value = row.count(name);
      if (!value)
        return value.takeError();
      *member = *value;
    }
    llvm::Expected<double> ratio = readRatio(row);
    if (!ratio)
      return ratio.takeError();
    device = row.text("device").str();
    if (*ratio <= 0)
      continue;
    // Of several tiles, the fastest.
    double &best = sorted[*type][multiple][batch][{mostMN, mostK}];
    best = std::max(best, *ratio);
  }
  std::vector<NamedFigure> figures;
  for (const auto &[type, multiples] : sorted) {
    NamedFigure named;
    named.name = "grouped-" + name(type).str();
    named.figure.title = llvm::formatv(
        "{0} products of sizes of their own, from device memory", name(type));
    named.figure.notes = {
        device + ", measured by kami-bench",
        "peers: cuBLAS's grouped call, and its products on 16 streams; above 1 "
        "kami is faster than both"};
    for (const auto &[multiple, ratios] : multiples)
      named.figure.charts.push_back(makeRatioChart(multiple, ratios));
    figures.push_back(std::move(named));
  }
  return figures;
}

llvm::Expected<std::vector<NamedFigure>>
kami::loadGroupedFigures(llvm::StringRef path) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  return makeGroupedFigures((*file)->getBuffer(), path);
}
