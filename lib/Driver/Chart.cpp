//===- Chart.cpp - Bars and lines as SVG ----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Chart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace kami;

// All lengths in SVG's user units, which a browser shows as pixels.
static constexpr double width = 860, plotHeight = 210;
static constexpr double left = 70, right = 20;
static constexpr double lineHeight = 18;
/// Between a chart's top and its plot, and from the plot to the next chart.
static constexpr double above = 34, below = 58;
static constexpr int ticks = 5;

/// Okabe and Ito's colours ("Color Universal Design", 2008) without black and
/// yellow, which one of the two grounds swallows.
static constexpr llvm::StringLiteral colors[] = {
    "#0072B2", "#E69F00", "#009E73", "#CC79A7",
    "#56B4E9", "#D55E00", "#999999"};

static constexpr llvm::StringLiteral style =
    "text{font:12px sans-serif;fill:#222}"
    ".title{font-weight:bold;font-size:14px}.note{fill:#555}"
    ".axis{stroke:#222}.grid{stroke:#8884}"
    ".reference{stroke:#888;stroke-dasharray:6 4}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.note{fill:#aaa}"
    ".axis{stroke:#ddd}}";

static std::string escape(llvm::StringRef text) {
  std::string escaped;
  for (char character : text) {
    if (character == '<')
      escaped += "&lt;";
    else if (character == '>')
      escaped += "&gt;";
    else if (character == '&')
      escaped += "&amp;";
    else
      escaped += character;
  }
  return escaped;
}

/// As many digits as it takes, and no more than two behind the point.
static std::string number(double value) {
  std::string text = llvm::formatv("{0:F2}", value);
  llvm::StringRef trimmed = llvm::StringRef(text).rtrim('0').rtrim('.');
  return trimmed.empty() ? "0" : trimmed.str();
}

double kami::tickDistance(double most, int steps) {
  if (!(most > 0))
    return 1;
  double power = std::pow(10, std::floor(std::log10(most / steps)));
  for (double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power * steps >= most * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

void kami::dropEmptySeries(Chart &chart) {
  llvm::erase_if(chart.series, [](const Series &series) {
    return llvm::none_of(series.values, [](const std::optional<double> &value) {
      return value.has_value();
    });
  });
}

namespace {
/// Where an anchor of a text is.
enum class Anchor { Start, Middle, End };

class Writer {
public:
  Writer(const Figure &figure, llvm::raw_ostream &os)
      : figure(figure), os(os) {}

  void write();

private:
  void text(double x, double y, llvm::StringRef content,
            Anchor anchor = Anchor::Start, llvm::StringRef kind = "");
  void line(double x1, double y1, double x2, double y2, llvm::StringRef kind);
  void legend(double y);
  void chart(const Chart &chart, double top);
  void bars(const Chart &chart, double bottom, double perUnit);
  void lines(const Chart &chart, double bottom, double perUnit);
  double slotWidth(const Chart &chart) const {
    return (width - left - right) /
           std::max<size_t>(chart.categories.size(), 1);
  }
  llvm::StringRef colorOf(llvm::StringRef series) const {
    size_t place = llvm::find(names, series) - names.begin();
    return colors[place % std::size(colors)];
  }

  const Figure &figure;
  llvm::raw_ostream &os;
  /// Of all series, in the order of the legend.
  std::vector<std::string> names;
};
} // namespace

void Writer::text(double x, double y, llvm::StringRef content, Anchor anchor,
                  llvm::StringRef kind) {
  llvm::StringRef anchors[] = {"start", "middle", "end"};
  os << llvm::formatv("<text x='{0:F1}' y='{1:F1}' text-anchor='{2}'", x, y,
                      anchors[size_t(anchor)]);
  if (!kind.empty())
    os << " class='" << kind << "'";
  os << ">" << escape(content) << "</text>\n";
}

void Writer::line(double x1, double y1, double x2, double y2,
                  llvm::StringRef kind) {
  os << llvm::formatv(
      "<line x1='{0:F1}' y1='{1:F1}' x2='{2:F1}' y2='{3:F1}' class='{4}'/>\n",
      x1, y1, x2, y2, kind);
}

void Writer::legend(double y) {
  double x = left;
  for (const std::string &name : names) {
    os << llvm::formatv("<rect x='{0:F1}' y='{1:F1}' width='12' height='12' "
                        "fill='{2}'/>\n",
                        x, y - 10, colorOf(name));
    text(x + 17, y, name);
    // No font is at hand to measure; a character is about this wide.
    constexpr double character = 7;
    x += 17 + character * name.size() + 18;
  }
}

void Writer::bars(const Chart &chart, double bottom, double perUnit) {
  double slot = slotWidth(chart);
  double bar = 0.8 * slot / std::max<size_t>(chart.series.size(), 1);
  for (auto [place, series] : llvm::enumerate(chart.series))
    for (auto [category, value] : llvm::enumerate(series.values)) {
      if (!value)
        continue;
      double x = left + category * slot + 0.1 * slot + place * bar;
      double height = *value * perUnit;
      os << llvm::formatv("<rect x='{0:F1}' y='{1:F1}' width='{2:F1}' "
                          "height='{3:F1}' fill='{4}'><title>{5}, {6}: "
                          "{7}</title></rect>\n",
                          x, bottom - height, 0.9 * bar, height,
                          colorOf(series.name), escape(series.name),
                          escape(chart.categories[category]), number(*value));
    }
}

void Writer::lines(const Chart &chart, double bottom, double perUnit) {
  double slot = slotWidth(chart);
  for (const Series &series : chart.series) {
    llvm::StringRef color = colorOf(series.name);
    std::string points;
    for (auto [category, value] : llvm::enumerate(series.values)) {
      if (!value)
        continue;
      double x = left + (category + 0.5) * slot, y = bottom - *value * perUnit;
      points += llvm::formatv("{0:F1},{1:F1} ", x, y);
      os << llvm::formatv("<circle cx='{0:F1}' cy='{1:F1}' r='3' "
                          "fill='{2}'><title>{3}, {4}: {5}</title></circle>\n",
                          x, y, color, escape(series.name),
                          escape(chart.categories[category]), number(*value));
    }
    os << "<polyline points='" << llvm::StringRef(points).rtrim()
       << "' fill='none' stroke='" << color << "' stroke-width='2'/>\n";
  }
}

void Writer::chart(const Chart &chart, double top) {
  double most = chart.reference.value_or(0);
  for (const Series &series : chart.series)
    for (const std::optional<double> &value : series.values)
      most = std::max(most, value.value_or(0));
  double distance = tickDistance(most, ticks);
  int count = std::max(1, int(std::ceil(most / distance - 1e-9)));
  double plotTop = top + above, bottom = plotTop + plotHeight;
  double perUnit = plotHeight / (count * distance);

  text(left, top + 18, chart.title, Anchor::Start, "title");
  os << llvm::formatv("<text transform='translate(16 {0:F1}) rotate(-90)' "
                      "text-anchor='middle'>{1}</text>\n",
                      plotTop + plotHeight / 2, escape(chart.yLabel));
  for (int tick = 0; tick <= count; ++tick) {
    double y = bottom - tick * distance * perUnit;
    line(left, y, width - right, y, tick == 0 ? "axis" : "grid");
    text(left - 6, y + 4, number(tick * distance), Anchor::End);
  }
  line(left, plotTop, left, bottom, "axis");
  double slot = slotWidth(chart);
  for (auto [place, category] : llvm::enumerate(chart.categories))
    text(left + (place + 0.5) * slot, bottom + 16, category, Anchor::Middle);
  text((left + width - right) / 2, bottom + 36, chart.xLabel, Anchor::Middle);
  if (chart.kind == ChartKind::Bars)
    bars(chart, bottom, perUnit);
  else
    lines(chart, bottom, perUnit);
  // Over bars as well.
  if (chart.reference) {
    double y = bottom - *chart.reference * perUnit;
    line(left, y, width - right, y, "reference");
  }
}

void Writer::write() {
  for (const Chart &chart : figure.charts)
    for (const Series &series : chart.series)
      if (!llvm::is_contained(names, series.name))
        names.push_back(series.name);
  double head = 30 + lineHeight * figure.notes.size() + 30;
  double each = above + plotHeight + below;
  double height = head + each * figure.charts.size();
  os << llvm::formatv("<svg xmlns='http://www.w3.org/2000/svg' width='{0:F0}' "
                      "height='{1:F0}' viewBox='0 0 {0:F0} {1:F0}'>\n",
                      width, height)
     << "<style>" << style << "</style>\n";
  text(8, 22, figure.title, Anchor::Start, "title");
  double y = 22;
  for (const std::string &note : figure.notes)
    text(8, y += lineHeight, note, Anchor::Start, "note");
  legend(y + 24);
  for (auto [place, each] : llvm::enumerate(figure.charts))
    chart(each, head + place * (above + plotHeight + below));
  os << "</svg>\n";
}

void kami::writeSVG(const Figure &figure, llvm::raw_ostream &os) {
  Writer(figure, os).write();
}
