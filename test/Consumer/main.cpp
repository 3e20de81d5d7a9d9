//===- main.cpp - A program outside of kami -------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the two halves that other compilers use: the rooms without MLIR, and the
// dialect.
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiDialect.h"
#include "kami/Plan/Planner.h"
#include "kami/Target/Chip.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

static bool plans() {
  llvm::Expected<const kami::Chip *> chip = kami::findChip("sm_90");
  if (!chip) {
    llvm::errs() << llvm::toString(chip.takeError()) << '\n';
    return false;
  }
  kami::Problem problem;
  problem.extents = {64, 64, 64};
  llvm::Expected<kami::Choice> choice = kami::choosePlan(problem, **chip);
  if (!choice) {
    llvm::errs() << llvm::toString(choice.takeError()) << '\n';
    return false;
  }
  return choice->best() && choice->best()->score > 0;
}

static bool parses() {
  mlir::MLIRContext context;
  context.loadDialect<kami::KamiDialect, mlir::memref::MemRefDialect>();
  const char *text = R"mlir(
    %a = memref.alloc() : memref<64x32xf16>
    %b = memref.alloc() : memref<32x48xf16>
    %c = memref.alloc() : memref<64x48xf32>
    kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
              outs(%c : memref<64x48xf32>) accumulator(f32)
  )mlir";
  return static_cast<bool>(
      mlir::parseSourceString<mlir::ModuleOp>(text, &context));
}

int main() {
  if (!plans() || !parses())
    return 1;
  llvm::outs() << "kami can be used from outside\n";
  return 0;
}
