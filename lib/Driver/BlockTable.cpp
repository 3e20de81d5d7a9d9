//===- BlockTable.cpp - Rows for a reader ---------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BlockBenchmark.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;

namespace {
struct TextColumn {
  llvm::StringLiteral name;
  size_t width;
};
} // namespace

static constexpr TextColumn textColumns[] = {
    {"type", 8},         {"n, or m×n×k", 11}, {"plan", 34},
    {"kami", 7},         {"cuBLASDx", 8},     {"CuTe", 7},
    {"instruction", 11}, {"× cuBLASDx", 10},  {"bytes of local memory", 21}};

/// "64", or "64×64×16" where the extents differ.
static std::string printExtents(const Extents &extents) {
  if (extents.m == extents.n && extents.n == extents.k)
    return llvm::itostr(extents.m);
  return llvm::formatv("{0}×{1}×{2}", extents.m, extents.n, extents.k);
}

/// "wgmma 4x1x1 resident".
static std::string printPlan(const BlockRow &row) {
  if (!row.reason.empty())
    return "(" + row.reason + ")";
  const Plan &plan = row.plan;
  bool isMma = plan.atom->instruction == Instruction::MmaSync;
  return llvm::formatv(
      "{0} {1}x{2}x{3} {4}",
      isMma ? llvm::StringRef("mma.sync") : name(plan.atom->instruction),
      plan.grid.m, plan.grid.n, plan.grid.k, name(plan.transport));
}

/// Three digits, as far as there are; a dash for nothing.
static std::string rate(double teraflops) {
  if (teraflops <= 0)
    return "–";
  return teraflops < 100 ? llvm::formatv("{0:F1}", teraflops)
                         : llvm::formatv("{0:F0}", teraflops);
}

/// Characters, not bytes, of UTF-8.
static size_t columnsOf(llvm::StringRef text) {
  return llvm::count_if(text, [](char character) {
    return (static_cast<unsigned char>(character) & 0xC0) != 0x80;
  });
}

static void printLine(llvm::ArrayRef<std::string> cells, TableFormat format,
                      llvm::raw_ostream &os) {
  if (format == TableFormat::Markdown)
    return printMarkdownLine(cells, os);
  std::string line;
  for (auto [column, cell] : llvm::zip_equal(textColumns, cells)) {
    line += cell;
    size_t width = columnsOf(cell);
    line.append(width < column.width ? column.width - width + 2 : 2, ' ');
  }
  os << llvm::StringRef(line).rtrim() << "\n";
}

void BlockTable::begin(llvm::StringRef run, llvm::StringRef peers) {
  if (format == TableFormat::CSV)
    return printHeader(run, os);
  os << run << "; " << peers << "; TFLOPS\n\n";
  llvm::SmallVector<std::string> names;
  for (const TextColumn &column : textColumns)
    names.push_back(column.name.str());
  if (format == TableFormat::Markdown)
    printMarkdownNames(names, os);
  else
    printLine(names, format, os);
  os.flush();
}

void BlockTable::add(const BlockRow &row) {
  if (format == TableFormat::CSV)
    return print(row, os);
  double peer = row.cublasDx.teraflops;
  printLine({name(row.type).str(), printExtents(row.extents()), printPlan(row),
             rate(row.teraflops), rate(peer), rate(row.cute.teraflops),
             rate(row.limit.teraflops),
             peer > 0 && row.wasTimed()
                 ? llvm::formatv("{0:F2}", row.teraflops / peer).str()
                 : "–",
             row.wasTimed() ? llvm::itostr(row.spillBytes) : "–"},
            format, os);
  os.flush();
}
