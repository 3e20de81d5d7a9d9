//===- Figures.cpp - The paper's figures from measured rows ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Figures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <functional>
#include <set>

using namespace kami;

using Rows = std::vector<const BlockRow *>;

static constexpr int numbers[] = {8, 9, 10, 11, 14, 15};
static constexpr Algorithm algorithms[] = {Algorithm::OneD, Algorithm::TwoD,
                                           Algorithm::ThreeD};

llvm::ArrayRef<int> kami::figureNumbers() { return numbers; }

//===----------------------------------------------------------------------===//
// Choosing rows
//===----------------------------------------------------------------------===//

template <typename Predicate>
static Rows select(const BlockRows &rows, Predicate predicate) {
  Rows selected;
  for (const BlockRow &row : rows.rows)
    if (row.wasTimed() && predicate(row))
      selected.push_back(&row);
  return selected;
}

template <typename Predicate>
static Rows select(const Rows &rows, Predicate predicate) {
  Rows selected;
  for (const BlockRow *row : rows)
    if (predicate(*row))
      selected.push_back(row);
  return selected;
}

/// The fastest, or null.
static const BlockRow *fastest(const Rows &rows) {
  const BlockRow *best = nullptr;
  for (const BlockRow *row : rows)
    if (!best || row->cycles < best->cycles)
      best = row;
  return best;
}

static bool isSquare(const BlockRow &row) {
  const Extents &extents = row.extents();
  return extents.m == extents.n && extents.n == extents.k;
}

static std::set<int64_t> ordersOf(const Rows &rows) {
  std::set<int64_t> orders;
  for (const BlockRow *row : rows)
    orders.insert(row->extents().m);
  return orders;
}

static std::set<ElementKind> typesOf(const Rows &rows) {
  std::set<ElementKind> types;
  for (const BlockRow *row : rows)
    types.insert(row->type);
  return types;
}

static std::string kamiName(Algorithm algorithm) {
  return "kami " + flag(algorithm).upper();
}

/// A value of the fastest row, or nothing.
template <typename Value>
static std::optional<double> ofFastest(const Rows &rows, Value value) {
  const BlockRow *best = fastest(rows);
  return best ? std::optional<double>(value(*best)) : std::nullopt;
}

static std::optional<double> teraflops(const Rows &rows) {
  return ofFastest(rows, [](const BlockRow &row) { return row.teraflops; });
}

/// Of the rows that were measured beside the peer.
static std::optional<double> peer(const Rows &rows,
                                  PeerResult BlockRow::*member) {
  double most = 0;
  for (const BlockRow *row : rows)
    most = std::max(most, (row->*member).teraflops);
  return most > 0 ? std::optional<double>(most) : std::nullopt;
}

namespace {
struct PeerSeries {
  llvm::StringLiteral name;
  PeerResult BlockRow::*member;
};
} // namespace

static constexpr PeerSeries peers[] = {{"cuBLASDx", &BlockRow::cublasDx},
                                       {"CuTe", &BlockRow::cute},
                                       {"instruction alone", &BlockRow::limit}};

/// A series of one value per category, which `value` gives for its rows.
template <typename Value>
static Series makeSeries(std::string name, llvm::ArrayRef<Rows> categories,
                         Value value) {
  Series series;
  series.name = std::move(name);
  for (const Rows &rows : categories)
    series.values.push_back(value(rows));
  return series;
}

static void addPeers(Chart &chart, llvm::ArrayRef<Rows> categories) {
  for (const PeerSeries &each : peers)
    chart.series.push_back(
        makeSeries(each.name.str(), categories,
                   [&](const Rows &rows) { return peer(rows, each.member); }));
}

/// The fastest of each algorithm.
static void addAlgorithms(Chart &chart, llvm::ArrayRef<Rows> categories) {
  for (Algorithm algorithm : algorithms)
    chart.series.push_back(
        makeSeries(kamiName(algorithm), categories, [&](const Rows &rows) {
          return teraflops(select(rows, [&](const BlockRow &row) {
            return row.plan.algorithm() == algorithm;
          }));
        }));
}

//===----------------------------------------------------------------------===//
// The figures
//===----------------------------------------------------------------------===//

/// Squares of each type: the fastest of each algorithm, and the peers.
static void addThroughput(const BlockRows &rows, Figure &figure) {
  figure.title = "Products inside a block: squares (as KAMI's figure 8)";
  Rows squares = select(rows, isSquare);
  for (ElementKind type : typesOf(squares)) {
    Rows typed =
        select(squares, [&](const BlockRow &row) { return row.type == type; });
    Chart chart;
    chart.title = name(type).str();
    chart.xLabel = "m = n = k";
    chart.yLabel = "TFLOPS";
    std::vector<Rows> categories;
    for (int64_t order : ordersOf(typed)) {
      chart.categories.push_back(llvm::itostr(order));
      categories.push_back(select(typed, [&](const BlockRow &row) {
        return row.extents().m == order;
      }));
    }
    addAlgorithms(chart, categories);
    addPeers(chart, categories);
    dropEmptySeries(chart);
    figure.charts.push_back(std::move(chart));
  }
}

/// f16 64³: the fastest of each algorithm by the warps of a block.
static void addWarps(const BlockRows &rows, Figure &figure) {
  figure.title = "f16 64×64×64 by the block's size (as KAMI's figure 9)";
  Rows products = select(rows, [](const BlockRow &row) {
    return row.type == ElementKind::F16 && row.extents() == Extents{64, 64, 64};
  });
  std::set<int64_t> warps;
  for (const BlockRow *row : products)
    warps.insert(row->plan.grid.warps());
  Chart chart;
  chart.xLabel = "threads of a block";
  chart.yLabel = "TFLOPS";
  std::vector<Rows> categories;
  for (int64_t count : warps) {
    chart.categories.push_back(llvm::itostr(count * rows.chip->warpSize));
    categories.push_back(select(products, [&](const BlockRow &row) {
      return row.plan.grid.warps() == count;
    }));
  }
  addAlgorithms(chart, categories);
  dropEmptySeries(chart);
  if (!products.empty())
    figure.charts.push_back(std::move(chart));
}

/// Quarters of A's and B's slices that stay in shared memory.
static int64_t sharedQuarters(const BlockRow &row) {
  Partition partition = row.plan.partition();
  Slicing slices = clampSlicing(partition, row.plan.slices);
  double held = partition.heldA() + partition.heldB();
  return std::lround(4 * (slices.sharedA + slices.sharedB) / held);
}

/// f16 squares by warps that keep a part of A and B in shared memory.
static void addSharedParts(const BlockRows &rows, Figure &figure) {
  figure.title = "f16 squares by the part of A and B in shared memory (as "
                 "KAMI's figure 10)";
  figure.notes.push_back("the fastest 1D plan of mma.sync with that part, in "
                         "quarters");
  Rows products = select(rows, [](const BlockRow &row) {
    return row.type == ElementKind::F16 && isSquare(row) &&
           row.plan.algorithm() == Algorithm::OneD &&
           row.plan.unit() == Unit::Warp;
  });
  Chart chart;
  chart.kind = ChartKind::Lines;
  chart.xLabel = "part in shared memory";
  chart.yLabel = "TFLOPS";
  std::vector<Rows> categories;
  for (int64_t quarter = 0; quarter <= 4; ++quarter) {
    chart.categories.push_back(llvm::itostr(25 * quarter) + " %");
    categories.push_back(select(products, [&](const BlockRow &row) {
      return sharedQuarters(row) == quarter;
    }));
  }
  for (int64_t order : ordersOf(products))
    chart.series.push_back(makeSeries(
        "n = " + llvm::itostr(order), categories, [&](const Rows &each) {
          return teraflops(select(each, [&](const BlockRow &row) {
            return row.extents().m == order;
          }));
        }));
  dropEmptySeries(chart);
  if (!products.empty())
    figure.charts.push_back(std::move(chart));
}

/// m = n with a short k, f16.
static void addLowRank(const BlockRows &rows, Figure &figure) {
  figure.title = "f16 products of low rank (as KAMI's figure 11)";
  for (int64_t rank : {8, 16, 32}) {
    Rows products = select(rows, [&](const BlockRow &row) {
      const Extents &extents = row.extents();
      return row.type == ElementKind::F16 && extents.m == extents.n &&
             extents.k == rank && extents.m > rank;
    });
    if (products.empty())
      continue;
    Chart chart;
    chart.title = "k = " + llvm::itostr(rank);
    chart.xLabel = "m = n";
    chart.yLabel = "TFLOPS";
    std::vector<Rows> categories;
    for (int64_t order : ordersOf(products)) {
      chart.categories.push_back(llvm::itostr(order));
      categories.push_back(select(products, [&](const BlockRow &row) {
        return row.extents().m == order;
      }));
    }
    addAlgorithms(chart, categories);
    addPeers(chart, categories);
    dropEmptySeries(chart);
    figure.charts.push_back(std::move(chart));
  }
}

/// For each algorithm a chart of f16 squares, of the fastest plan's values.
static void addByAlgorithm(
    const BlockRows &rows, llvm::StringRef yLabel, Figure &figure,
    llvm::ArrayRef<
        std::pair<std::string, std::function<double(const BlockRow &)>>>
        values) {
  for (Algorithm algorithm : algorithms) {
    Rows products = select(rows, [&](const BlockRow &row) {
      return row.type == ElementKind::F16 && isSquare(row) &&
             row.plan.algorithm() == algorithm;
    });
    if (products.empty())
      continue;
    Chart chart;
    chart.title = kamiName(algorithm);
    chart.xLabel = "m = n = k";
    chart.yLabel = yLabel.str();
    std::vector<Rows> categories;
    for (int64_t order : ordersOf(products)) {
      chart.categories.push_back(llvm::itostr(order));
      categories.push_back(select(products, [&](const BlockRow &row) {
        return row.extents().m == order;
      }));
    }
    for (const auto &value : values)
      chart.series.push_back(
          makeSeries(value.first, categories, [&](const Rows &each) {
            return ofFastest(each, value.second);
          }));
    figure.charts.push_back(std::move(chart));
  }
}

static void addRegisters(const BlockRows &rows, Figure &figure) {
  figure.title = "Registers of a thread, counted and assembled (as KAMI's "
                 "figure 14)";
  figure.notes.push_back("f16, the fastest plan of each algorithm");
  addByAlgorithm(
      rows, "registers", figure,
      {{"counted", [](const BlockRow &row) { return row.modelRegisters; }},
       {"assembled", [](const BlockRow &row) { return row.registers; }}});
}

static void addCycles(const BlockRows &rows, const Calibration *calibration,
                      Figure &figure) {
  figure.title = "Cycles, predicted and measured (as KAMI's figure 15)";
  figure.notes.push_back(
      "f16, the fastest plan of each algorithm; resident "
      "blocks hide some of one unit's work behind another's");
  auto ofModel = [&](double (*value)(const BlockCost &)) {
    return [&rows, calibration, value](const BlockRow &row) {
      PlannerOptions options;
      options.calibration = calibration;
      BlockCost cost =
          evaluatePlan(row.plan, row.problem(), *rows.chip, options).block;
      return 100 * value(cost) / row.cycles;
    };
  };
  addByAlgorithm(rows, "% of the measured cycles", figure,
                 {{"tensor cores", ofModel([](const BlockCost &cost) {
                     return cost.tensorCores;
                   })},
                  {"shared memory", ofModel([](const BlockCost &cost) {
                     return cost.reads + cost.exchange;
                   })},
                  {"barriers", ofModel([](const BlockCost &cost) {
                     return cost.barriers / std::max(cost.residentBlocks, 1.0);
                   })},
                  {"predicted",
                   ofModel([](const BlockCost &cost) { return cost.total; })}});
}

llvm::Expected<Figure> kami::makeFigure(int number, const BlockRows &rows,
                                        const Calibration *calibration) {
  Figure figure;
  figure.notes.push_back(rows.device + ", measured by kami-bench");
  switch (number) {
  case 8:
    addThroughput(rows, figure);
    break;
  case 9:
    addWarps(rows, figure);
    break;
  case 10:
    addSharedParts(rows, figure);
    break;
  case 11:
    addLowRank(rows, figure);
    break;
  case 14:
    addRegisters(rows, figure);
    break;
  case 15:
    addCycles(rows, calibration, figure);
    break;
  default:
    return llvm::createStringError("unknown figure " + llvm::Twine(number) +
                                   ", expected one of: 8, 9, 10, 11, 14, 15");
  }
  if (figure.charts.empty())
    return llvm::createStringError("no row has anything to show in figure " +
                                   llvm::Twine(number));
  bool hasPeers = llvm::any_of(rows.rows, [](const BlockRow &row) {
    return row.cublasDx.teraflops > 0 || row.cute.teraflops > 0;
  });
  if ((number == 8 || number == 11) && !hasPeers)
    figure.notes.push_back("no peers: these rows were measured without "
                           "libkami-peers.so");
  return figure;
}
