//===- BlockRows.cpp - Measured products inside a block, as a table -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BlockRows.h"
#include "Csv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>

using namespace kami;

Problem BlockRow::problem() const {
  Problem problem;
  problem.extents = plan.tile;
  problem.operand = type;
  problem.accumulator = accumulator;
  problem.source = Source::Block;
  return problem;
}

BlockRow kami::rowOf(const Problem &problem, const Candidate &candidate,
                     bool isChoice) {
  BlockRow row;
  row.type = problem.operand;
  row.accumulator = problem.accumulator;
  row.plan = candidate.plan;
  row.isChoice = isChoice;
  row.residentBlocks = candidate.block.residentBlocks;
  row.modelRegisters = candidate.resources.registers.total();
  row.sharedBytes = candidate.resources.shared.bytes;
  row.predicted = candidate.block;
  return row;
}

std::string kami::productName(const BlockRow &row) {
  const Extents &extents = row.extents();
  return llvm::formatv("{0} {1}x{2}x{3}", name(row.type), extents.m, extents.n,
                       extents.k);
}

std::string kami::rowKey(const BlockRow &row) {
  const Plan &plan = row.plan;
  return llvm::formatv("{0} {1} {2} {3}x{4}x{5} {6} {7} {8} {9}",
                       productName(row), name(row.accumulator), plan.atom->name,
                       plan.grid.m, plan.grid.n, plan.grid.k,
                       name(plan.transport), plan.slices.k, plan.slices.sharedA,
                       plan.slices.sharedB);
}

std::string kami::describeRun(llvm::StringRef device, llvm::StringRef chip,
                              int driverVersion, int64_t blocks) {
  return llvm::formatv("{0}, {1}, CUDA {2}.{3}, {4} blocks", device, chip,
                       driverVersion / 1000, driverVersion % 1000 / 10, blocks);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

namespace {
struct Column {
  llvm::StringRef name;
  std::function<std::string(const BlockRow &row)> print;
  /// Null where a reader has no use for it. False if the text is no value.
  std::function<bool(llvm::StringRef text, BlockRow &row)> parse;
  /// Whether a row makes no sense without it.
  bool isRequired = false;
};

/// A member of a row.
template <typename T> using Member = T &(*)(BlockRow & row);
} // namespace

static std::string fixed(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

/// A member's value, by a function that hands out references.
template <typename T>
static const T &get(Member<T> member, const BlockRow &row) {
  return member(const_cast<BlockRow &>(row));
}

/// An integer of at least `least`.
static Column count(llvm::StringRef name, Member<int64_t> member,
                    int64_t least = 0) {
  return {name,
          [=](const BlockRow &row) { return llvm::itostr(get(member, row)); },
          [=](llvm::StringRef text, BlockRow &row) {
            int64_t &value = member(row);
            return !text.getAsInteger(10, value) && value >= least &&
                   value <= maxExtent;
          }};
}

static Column number(llvm::StringRef name, Member<double> member, int digits) {
  return {name,
          [=](const BlockRow &row) { return fixed(get(member, row), digits); },
          [=](llvm::StringRef text, BlockRow &row) {
            return !text.getAsDouble(member(row));
          }};
}

static Column text(llvm::StringRef name, Member<std::string> member) {
  return {name,
          [=](const BlockRow &row) { return quotedCell(get(member, row)); },
          [=](llvm::StringRef text, BlockRow &row) {
            member(row) = text.str();
            return true;
          }};
}

static Column required(Column column) {
  column.isRequired = true;
  return column;
}

static Column typeColumn() {
  return {"type", [](const BlockRow &row) { return name(row.type).str(); },
          [](llvm::StringRef text, BlockRow &row) {
            std::optional<ElementKind> kind = parseElementKind(text);
            row.type = kind.value_or(row.type);
            return kind.has_value();
          }};
}

static Column choiceColumn() {
  return {"choice",
          [](const BlockRow &row) { return llvm::itostr(row.isChoice); },
          [](llvm::StringRef text, BlockRow &row) {
            row.isChoice = text == "1";
            return text == "0" || text == "1";
          }};
}

/// The sums are of the atom's type.
static Column atomColumn() {
  return {"atom", [](const BlockRow &row) { return row.plan.atom->name.str(); },
          [](llvm::StringRef text, BlockRow &row) {
            row.plan.atom = findAtom(text);
            if (row.plan.atom)
              row.accumulator = row.plan.atom->accumulator;
            return row.plan.atom != nullptr;
          }};
}

static Column transportColumn() {
  return {"transport",
          [](const BlockRow &row) { return name(row.plan.transport).str(); },
          [](llvm::StringRef text, BlockRow &row) {
            std::optional<Transport> transport = parseTransport(text);
            row.plan.transport = transport.value_or(Transport::Staged);
            return transport.has_value();
          }};
}

using Row = BlockRow &;

static std::vector<Column> planColumns() {
  auto extent = [](llvm::StringRef name, Member<int64_t> member) {
    return required(count(name, member, /*least=*/1));
  };
  return {
      required(typeColumn()),
      extent("m", [](Row row) -> int64_t & { return row.plan.tile.m; }),
      extent("n", [](Row row) -> int64_t & { return row.plan.tile.n; }),
      extent("k", [](Row row) -> int64_t & { return row.plan.tile.k; }),
      choiceColumn(),
      {"unit",
       [](const BlockRow &row) {
         return name(row.plan.atom->instruction).str();
       },
       nullptr},
      required(atomColumn()),
      extent("grid_m", [](Row row) -> int64_t & { return row.plan.grid.m; }),
      extent("grid_n", [](Row row) -> int64_t & { return row.plan.grid.n; }),
      extent("grid_k", [](Row row) -> int64_t & { return row.plan.grid.k; }),
      required(transportColumn()),
      extent("slice_k", [](Row row) -> int64_t & { return row.plan.slices.k; }),
      required(
          count("shared_a",
                [](Row row) -> int64_t & { return row.plan.slices.sharedA; })),
      required(
          count("shared_b",
                [](Row row) -> int64_t & { return row.plan.slices.sharedB; })),
      {"warps",
       [](const BlockRow &row) { return llvm::itostr(row.plan.grid.warps()); },
       nullptr},
  };
}

static std::vector<Column> modelColumns() {
  auto cycles = [](llvm::StringRef name, Member<double> member) {
    return number(name, member, 1);
  };
  return {
      number(
          "resident", [](Row row) -> double & { return row.residentBlocks; },
          0),
      count("registers_model",
            [](Row row) -> int64_t & { return row.modelRegisters; }),
      count("registers", [](Row row) -> int64_t & { return row.registers; }),
      count("spill_bytes", [](Row row) -> int64_t & { return row.spillBytes; }),
      count("shared_bytes",
            [](Row row) -> int64_t & { return row.sharedBytes; }),
      cycles("tensor_cycles",
             [](Row row) -> double & { return row.predicted.tensorCores; }),
      cycles("reads_cycles",
             [](Row row) -> double & { return row.predicted.reads; }),
      cycles("exchange_cycles",
             [](Row row) -> double & { return row.predicted.exchange; }),
      cycles("computation_cycles",
             [](Row row) -> double & { return row.predicted.computation; }),
      cycles("barrier_cycles",
             [](Row row) -> double & { return row.predicted.barriers; }),
      cycles("predicted_cycles",
             [](Row row) -> double & { return row.predicted.total; }),
  };
}

static std::vector<Column> measuredColumns() {
  return {
      required(number(
          "cycles", [](Row row) -> double & { return row.cycles; }, 1)),
      required(number(
          "tflops", [](Row row) -> double & { return row.teraflops; }, 1)),
      number(
          "median_us", [](Row row) -> double & { return row.median; }, 2),
      number(
          "min_us", [](Row row) -> double & { return row.least; }, 2),
      number(
          "max_us", [](Row row) -> double & { return row.most; }, 2),
      count("repeats", [](Row row) -> int64_t & { return row.repeats; }),
      number(
          "cublasdx_tflops",
          [](Row row) -> double & { return row.cublasDx.teraflops; }, 1),
      text("cublasdx_variant",
           [](Row row) -> std::string & { return row.cublasDx.variant; }),
      number(
          "cute_tflops", [](Row row) -> double & { return row.cute.teraflops; },
          1),
      text("cute_variant",
           [](Row row) -> std::string & { return row.cute.variant; }),
      number(
          "limit_tflops",
          [](Row row) -> double & { return row.limit.teraflops; }, 1),
      text("limit_variant",
           [](Row row) -> std::string & { return row.limit.variant; }),
      text("reason", [](Row row) -> std::string & { return row.reason; }),
  };
}

static const std::vector<Column> &allColumns() {
  static const std::vector<Column> columns = [] {
    std::vector<Column> all = planColumns();
    for (std::vector<Column> more : {modelColumns(), measuredColumns()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return columns;
}

void kami::printHeader(llvm::StringRef run, llvm::raw_ostream &os) {
  os << "# " << run << "\n";
  llvm::ListSeparator comma(",");
  for (const Column &column : allColumns())
    os << comma << column.name;
  os << "\n";
  os.flush();
}

void kami::print(const BlockRow &row, llvm::raw_ostream &os) {
  // In one piece: several processes may append to a file.
  std::string line;
  for (const Column &column : allColumns())
    line += (line.empty() ? "" : ",") + column.print(row);
  os << line + "\n";
  os.flush();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// `# NVIDIA H200, sm_90, ...`.
static llvm::Error parseRun(llvm::StringRef line, BlockRows &rows) {
  auto [device, rest] = line.drop_front().split(',');
  llvm::Expected<const Chip *> chip = findChip(rest.split(',').first.trim());
  if (!chip)
    return chip.takeError();
  device = device.trim();
  if (rows.chip && (rows.chip != *chip || rows.device != device))
    return llvm::createStringError("expected rows of " + rows.device +
                                   ", but got rows of " + device);
  rows.chip = *chip;
  rows.device = device.str();
  return llvm::Error::success();
}

namespace {
/// The columns of a file, in its order; null for one that nobody reads.
class RowReader {
public:
  llvm::Error setNames(llvm::ArrayRef<std::string> names);
  llvm::Expected<BlockRow> read(llvm::ArrayRef<std::string> cells) const;
  bool hasNames() const { return !order.empty(); }

private:
  std::vector<const Column *> order;
};
} // namespace

llvm::Error RowReader::setNames(llvm::ArrayRef<std::string> names) {
  order.clear();
  for (const std::string &name : names) {
    auto found = llvm::find_if(allColumns(), [&](const Column &column) {
      return column.name == name;
    });
    order.push_back(found == allColumns().end() ? nullptr : &*found);
  }
  for (const Column &column : allColumns())
    if (column.isRequired && !llvm::is_contained(order, &column))
      return llvm::createStringError("expected a column '" + column.name + "'");
  return llvm::Error::success();
}

llvm::Expected<BlockRow>
RowReader::read(llvm::ArrayRef<std::string> cells) const {
  if (cells.size() != order.size())
    return llvm::createStringError("expected " + llvm::Twine(order.size()) +
                                   " cells, but got " +
                                   llvm::Twine(cells.size()));
  BlockRow row;
  for (auto [column, cell] : llvm::zip_equal(order, cells))
    if (column && column->parse && !column->parse(cell, row))
      return llvm::createStringError("'" + cell + "' is no value of '" +
                                     column->name + "'");
  return row;
}

llvm::Error kami::parseRows(llvm::StringRef text, llvm::StringRef where,
                            BlockRows &rows) {
  llvm::StringMap<size_t> places;
  for (auto [place, row] : llvm::enumerate(rows.rows))
    places[rowKey(row)] = place;
  RowReader reader;
  int64_t number = 0;
  auto parseLine = [&](llvm::StringRef line) -> llvm::Error {
    if (line.starts_with("#"))
      return parseRun(line, rows);
    std::vector<std::string> cells = takeCsvLine(line);
    if (!reader.hasNames() || cells.front() == allColumns().front().name)
      return reader.setNames(cells);
    if (!rows.chip)
      return llvm::createStringError(
          "expected a line '# DEVICE, CHIP, ...' before the rows");
    llvm::Expected<BlockRow> row = reader.read(cells);
    if (!row)
      return row.takeError();
    auto [place, isNew] = places.try_emplace(rowKey(*row), rows.rows.size());
    if (isNew)
      rows.rows.push_back(std::move(*row));
    else
      rows.rows[place->second] = std::move(*row);
    return llvm::Error::success();
  };
  while (text.contains('\n')) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    if (line.trim().empty())
      continue;
    if (llvm::Error error = parseLine(line))
      return llvm::createStringError(where + ":" + llvm::Twine(number) + ": " +
                                     llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

llvm::Error kami::loadRows(llvm::StringRef path, BlockRows &rows) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  return parseRows((*file)->getBuffer(), path, rows);
}
