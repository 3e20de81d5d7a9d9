//===- TableFormat.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/TableFormat.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace kami;

std::optional<TableFormat> kami::parseTableFormat(llvm::StringRef spelling) {
  if (spelling == "text")
    return TableFormat::Text;
  if (spelling == "csv")
    return TableFormat::CSV;
  if (spelling == "markdown")
    return TableFormat::Markdown;
  return std::nullopt;
}

void kami::printMarkdownLine(llvm::ArrayRef<std::string> cells,
                             llvm::raw_ostream &os) {
  os << "| " << llvm::join(cells, " | ") << " |\n";
}

void kami::printMarkdownNames(llvm::ArrayRef<std::string> names,
                              llvm::raw_ostream &os) {
  printMarkdownLine(names, os);
  printMarkdownLine(std::vector<std::string>(names.size(), "---"), os);
}
