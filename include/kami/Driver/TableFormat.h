//===- TableFormat.h - How tables are written -------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_TABLEFORMAT_H
#define KAMI_DRIVER_TABLEFORMAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace kami {

/// The text formats of a table of rows.
enum class TableFormat { Text, CSV, Markdown };
std::optional<TableFormat> parseTableFormat(llvm::StringRef spelling);

/// "| type | n |", and below the names "| --- | --- |".
void printMarkdownLine(llvm::ArrayRef<std::string> cells,
                       llvm::raw_ostream &os);
void printMarkdownNames(llvm::ArrayRef<std::string> names,
                        llvm::raw_ostream &os);

} // namespace kami

#endif // KAMI_DRIVER_TABLEFORMAT_H
