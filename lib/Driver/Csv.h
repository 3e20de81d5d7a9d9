//===- Csv.h - Tables as RFC 4180 -------------------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_CSV_H
#define KAMI_LIB_DRIVER_CSV_H

#include "kami/Layout/ElementKind.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kami {

/// A cell in quotes.
std::string quotedCell(llvm::StringRef text);
/// A cell, in quotes where it needs them.
std::string csvCell(llvm::StringRef text);

/// The cells of the first line, which goes from `text`. A line ends outside of
/// quotes.
std::vector<std::string> takeCsvLine(llvm::StringRef &text);

/// A file whose first line, comments (`# ...`) aside, has the names of its
/// columns. Lines that repeat the names are left out, so that files may be put
/// behind each other.
class CsvTable {
public:
  /// A line of cells.
  class Row {
  public:
    /// Empty where there is no such column.
    llvm::StringRef text(llvm::StringRef column) const;
    /// 0 where the cell is empty or there is no such column.
    llvm::Expected<double> number(llvm::StringRef column) const;
    /// An integer that is there and at least 1.
    llvm::Expected<int64_t> count(llvm::StringRef column) const;
    llvm::Expected<ElementKind> type() const;
    /// "FILE:LINE: 'CELL' is no value of 'COLUMN'".
    llvm::Error refuse(llvm::StringRef column) const;

  private:
    friend class CsvTable;
    const CsvTable *table = nullptr;
    int64_t line = 0;
    std::vector<std::string> cells;
  };

  /// `where` is what errors name.
  static llvm::Expected<CsvTable> parse(llvm::StringRef text,
                                        llvm::StringRef where);
  static llvm::Expected<CsvTable> load(llvm::StringRef path);

  bool has(llvm::StringRef column) const { return columns.contains(column); }
  llvm::Error require(llvm::ArrayRef<llvm::StringLiteral> names) const;
  /// The rows refer to the table.
  std::vector<Row> rows() const;
  /// What errors name.
  llvm::StringRef name() const { return where; }

private:
  std::string where;
  llvm::StringMap<size_t> columns;
  std::vector<std::pair<int64_t, std::vector<std::string>>> lines;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_CSV_H
