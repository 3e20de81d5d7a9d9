//===- Csv.cpp ------------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kami;

std::string kami::quotedCell(llvm::StringRef text) {
  std::string result = "\"";
  for (char character : text)
    result += character == '"' ? "\"\"" : std::string(1, character);
  return result + "\"";
}

std::string kami::csvCell(llvm::StringRef text) {
  if (text.find_first_of(",\"\n") == llvm::StringRef::npos)
    return text.str();
  return quotedCell(text);
}

std::vector<std::string> kami::takeCsvLine(llvm::StringRef &text) {
  std::vector<std::string> cells(1);
  bool inQuotes = false;
  size_t i = 0;
  for (; i != text.size(); ++i) {
    char character = text[i];
    if (character == '"' && inQuotes && text.substr(i + 1).starts_with("\"")) {
      cells.back() += '"';
      ++i;
    } else if (character == '"') {
      inQuotes = !inQuotes;
    } else if (character == ',' && !inQuotes) {
      cells.emplace_back();
    } else if (character == '\n' && !inQuotes) {
      ++i;
      break;
    } else if (character != '\r') {
      cells.back() += character;
    }
  }
  text = text.drop_front(i);
  return cells;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

llvm::Expected<CsvTable> CsvTable::parse(llvm::StringRef text,
                                         llvm::StringRef where) {
  CsvTable table;
  table.where = where.str();
  std::vector<std::string> names;
  int64_t number = 1;
  while (!text.empty()) {
    llvm::StringRef before = text;
    std::vector<std::string> cells = takeCsvLine(text);
    int64_t line = number;
    number += before.drop_back(text.size()).count('\n');
    bool isBlank =
        cells.size() == 1 && llvm::StringRef(cells[0]).trim().empty();
    if (isBlank || before.starts_with("#") || cells == names)
      continue;
    if (names.empty()) {
      names = cells;
      for (auto [place, name] : llvm::enumerate(names))
        table.columns[name] = place;
      continue;
    }
    if (cells.size() != names.size())
      return llvm::createStringError(where + ":" + llvm::Twine(line) +
                                     ": expected " + llvm::Twine(names.size()) +
                                     " cells, but got " +
                                     llvm::Twine(cells.size()));
    table.lines.emplace_back(line, std::move(cells));
  }
  if (names.empty())
    return llvm::createStringError(where + ": expected the names of columns");
  return table;
}

llvm::Expected<CsvTable> CsvTable::load(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  return parse((*file)->getBuffer(), path);
}

llvm::Error CsvTable::require(llvm::ArrayRef<llvm::StringLiteral> names) const {
  for (llvm::StringRef name : names)
    if (!has(name))
      return llvm::createStringError(where + ": expected a column '" + name +
                                     "'");
  return llvm::Error::success();
}

std::vector<CsvTable::Row> CsvTable::rows() const {
  std::vector<Row> all;
  for (const auto &[line, cells] : lines) {
    Row &row = all.emplace_back();
    row.table = this;
    row.line = line;
    row.cells = cells;
  }
  return all;
}

llvm::StringRef CsvTable::Row::text(llvm::StringRef column) const {
  auto found = table->columns.find(column);
  return found == table->columns.end() ? llvm::StringRef()
                                       : llvm::StringRef(cells[found->second]);
}

llvm::Error CsvTable::Row::refuse(llvm::StringRef column) const {
  return llvm::createStringError(table->where + ":" + llvm::Twine(line) +
                                 ": '" + text(column) + "' is no value of '" +
                                 column + "'");
}

llvm::Expected<double> CsvTable::Row::number(llvm::StringRef column) const {
  llvm::StringRef cell = text(column);
  double value = 0;
  if (!cell.empty() && (cell.getAsDouble(value) || !(value >= 0)))
    return refuse(column);
  return value;
}

llvm::Expected<int64_t> CsvTable::Row::count(llvm::StringRef column) const {
  int64_t value = 0;
  if (text(column).getAsInteger(10, value) || value < 1)
    return refuse(column);
  return value;
}

llvm::Expected<ElementKind> CsvTable::Row::type() const {
  std::optional<ElementKind> kind = parseElementKind(text("type"));
  if (!kind)
    return refuse("type");
  return *kind;
}
