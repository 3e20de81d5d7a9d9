//===- Chart.h - Bars and lines as SVG --------------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A figure is one or more charts, one below the other, that share a legend. The
// y axis starts at 0. Colours are told apart on light and on dark ground; text
// and axes take the reader's colour scheme.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_CHART_H
#define KAMI_DRIVER_CHART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace kami {

struct Series {
  std::string name;
  /// One for each category of the chart; nothing where nothing is known.
  std::vector<std::optional<double>> values;
};

enum class ChartKind { Bars, Lines };

struct Chart {
  std::string title;
  ChartKind kind = ChartKind::Bars;
  /// What the categories are, and what the values are, with the unit.
  std::string xLabel, yLabel;
  std::vector<std::string> categories;
  std::vector<Series> series;
  /// What the values are held against: a line across the plot.
  std::optional<double> reference;
};

/// Leaves out series without a value.
void dropEmptySeries(Chart &chart);

struct Figure {
  std::string title;
  /// What a reader has to know: where it was measured, what is missing.
  std::vector<std::string> notes;
  /// Series of the same name have the same colour in all charts.
  std::vector<Chart> charts;
};

void writeSVG(const Figure &figure, llvm::raw_ostream &os);

/// The least of 1, 2, 2.5 and 5 times a power of ten of which at most `steps`
/// make up `most`: the distance of an axis's ticks.
double tickDistance(double most, int steps);

} // namespace kami

#endif // KAMI_DRIVER_CHART_H
