//===- TorchTimes.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchTimes.h"
#include "Csv.h"

using namespace kami;

llvm::Expected<TorchTimes> TorchTimes::load(llvm::StringRef path) {
  llvm::Expected<CsvTable> table = CsvTable::load(path);
  if (!table)
    return table.takeError();
  if (llvm::Error error = table->require({"type", "n", "batch", "us"}))
    return error;
  TorchTimes times;
  for (const CsvTable::Row &row : table->rows()) {
    llvm::Expected<ElementKind> type = row.type();
    if (!type)
      return type.takeError();
    llvm::Expected<int64_t> n = row.count("n");
    if (!n)
      return n.takeError();
    llvm::Expected<int64_t> batch = row.count("batch");
    if (!batch)
      return batch.takeError();
    llvm::Expected<double> time = row.number("us");
    if (!time)
      return time.takeError();
    times.times[{*type, *n, *batch}] = *time;
  }
  return times;
}

double TorchTimes::find(ElementKind type, int64_t n, int64_t batch) const {
  auto found = times.find({type, n, batch});
  return found == times.end() ? 0 : found->second;
}
