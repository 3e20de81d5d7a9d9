//===- BenchmarkRows.cpp - Measured batches, read again -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csv.h"
#include "kami/Driver/Benchmark.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kami;

/// The cells into the row. Columns that a file does not have stay 0.
static llvm::Error read(const CsvTable::Row &cells, BenchmarkRow &row) {
  llvm::Expected<ElementKind> type = cells.type();
  if (!type)
    return type.takeError();
  row.type = *type;
  for (auto [name, member] :
       {std::pair("n", &row.n), std::pair("batch", &row.batch)}) {
    llvm::Expected<int64_t> value = cells.count(name);
    if (!value)
      return value.takeError();
    *member = *value;
  }
  double registers = 0;
  for (auto [name, member] :
       {std::pair("kami_us", &row.kami.median),
        std::pair("kami_min", &row.kami.least),
        std::pair("kami_max", &row.kami.most),
        std::pair("cublas_us", &row.cublas.median),
        std::pair("cublas_min", &row.cublas.least),
        std::pair("cublas_max", &row.cublas.most),
        std::pair("triton_us", &row.triton.median),
        std::pair("triton_min", &row.triton.least),
        std::pair("triton_max", &row.triton.most),
        std::pair("torch_us", &row.torch),
        std::pair("vulkan_us", &row.vulkan.median),
        std::pair("vulkan_min", &row.vulkan.least),
        std::pair("vulkan_max", &row.vulkan.most),
        std::pair("light_bytes_us", &row.light.bytes),
        std::pair("light_operations_us", &row.light.operations),
        std::pair("registers", &registers),
        std::pair("predicted_us", &row.predicted)}) {
    llvm::Expected<double> value = cells.number(name);
    if (!value)
      return value.takeError();
    *member = *value;
  }
  row.registers = int64_t(registers);
  row.algorithm = cells.text("algorithm").str();
  row.plan = cells.text("plan").str();
  row.tritonSetting = cells.text("triton_setting").str();
  row.vulkanPlan = cells.text("vulkan_plan").str();
  row.light.kernel = cells.text("light_kernel").str();
  return llvm::Error::success();
}

llvm::Expected<BenchmarkRows> kami::parseBenchmarkRows(llvm::StringRef text,
                                                       llvm::StringRef where) {
  llvm::Expected<CsvTable> table = CsvTable::parse(text, where);
  if (!table)
    return table.takeError();
  if (llvm::Error error =
          table->require({"type", "n", "batch", "algorithm", "kami_us"}))
    return error;
  BenchmarkRows rows;
  for (const CsvTable::Row &cells : table->rows()) {
    if (llvm::Error error = read(cells, rows.rows.emplace_back()))
      return error;
    llvm::StringRef device = cells.text("device");
    if (!rows.device.name.empty() && device != rows.device.name)
      return llvm::createStringError(where + ": expected rows of " +
                                     rows.device.name + ", but got rows of " +
                                     device);
    rows.device.name = device.str();
    rows.device.cublas = cells.text("cublas_version").str();
    rows.device.triton = cells.text("triton_version").str();
  }
  return rows;
}

llvm::Expected<BenchmarkRows> kami::loadBenchmarkRows(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  return parseBenchmarkRows((*file)->getBuffer(), path);
}
