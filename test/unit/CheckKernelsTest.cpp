//===- CheckKernelsTest.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/CheckKernels.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {

/// PTX that an assembler takes, where there is one.
void expectKernels(mlir::ModuleOp module, const Chip &chip, size_t count) {
  ASSERT_TRUE(module);
  llvm::Expected<std::vector<Kernel>> kernels = lowerCheck(module);
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  EXPECT_EQ(kernels->size(), count);
  for (const Kernel &kernel : *kernels) {
    EXPECT_NE(kernel.binary.find(".entry " + kernel.name), std::string::npos);
    if (findPtxas().empty())
      continue;
    llvm::Expected<AssemblerReport> report =
        assemble(kernel.binary, chip.name, nullptr);
    ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
    EXPECT_EQ(report->spillBytes, 0);
  }
}

TEST(CheckKernels, AssembleForEveryType) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  for (llvm::StringRef name : {"sm_80", "sm_90"}) {
    const Chip &chip = *llvm::cantFail(findChip(name));
    for (unsigned bytes : {1, 2, 4, 8})
      expectKernels(*buildFill(&context, chip, bytes), chip, 2);
  }
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  for (ElementKind kind : allElementKinds()) {
    if (kind == ElementKind::I32)
      continue;
    CheckedTypes types = {kind, kind, defaultAccumulator(kind)};
    expectKernels(*buildCheck(&context, chip, types), chip, 1);
    if (isInteger(kind))
      continue;
    types.c = kind;
    expectKernels(*buildCheck(&context, chip, types), chip, 1);
    types.isComplex = byteWidth(kind) >= 4;
    expectKernels(*buildCheck(&context, chip, types), chip, 1);
  }
  CheckedTypes mixed = {ElementKind::F16, ElementKind::F8E5M2,
                        ElementKind::F32};
  expectKernels(*buildCheck(&context, chip, mixed), chip, 1);
}

TEST(CheckKernels, DecodesFloatsOf8Bits) {
  std::vector<double> table = decodeTable(
      {ElementKind::F8E4M3FN, ElementKind::F16, ElementKind::F8E5M2});
  ASSERT_EQ(table.size(), 3u * 256);
  // 1, the largest number and the smallest one.
  EXPECT_EQ(table[0x38], 1);
  EXPECT_EQ(table[0x7E], 448);
  EXPECT_EQ(table[0x81], -0.001953125);
  EXPECT_EQ(table[256 + 0x38], 0);
  EXPECT_EQ(table[512 + 0x3C], 1);
  EXPECT_EQ(table[512 + 0x7B], 57344);
}

} // namespace
