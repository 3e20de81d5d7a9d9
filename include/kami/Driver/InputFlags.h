//===- InputFlags.h - What to compile, from a command line ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_INPUTFLAGS_H
#define KAMI_DRIVER_INPUTFLAGS_H

#include "kami/Driver/Compile.h"
#include "kami/Driver/GemmSpec.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace kami {

/// The flags that say what is compiled, and for what, on every command line: an
/// input file or a product by numbers, a target, constraints on the plan.
struct InputFlags {
  explicit InputFlags(llvm::cl::OptionCategory &category);

  llvm::cl::opt<std::string> file;
  llvm::cl::opt<std::string> gemm, grouped, type, typeB, accumulator,
      outputType, batch;
  llvm::cl::opt<double> alpha, beta;
  llvm::cl::opt<bool> transposeA, transposeB;
  llvm::cl::opt<std::string> target, algorithm, model;
  llvm::cl::opt<int64_t> warps;
  llvm::cl::opt<std::string> unit, tile, precision, calibration;
  llvm::cl::opt<int64_t> stages;
  llvm::cl::opt<std::string> copies;
  llvm::cl::opt<int64_t> taken, products, alignment;
  llvm::cl::opt<bool> block;
  llvm::cl::opt<bool> verifyEach;

  /// The product that `--gemm` and its companions describe, checked.
  llvm::Expected<GemmSpec> parseGemm() const;
  /// The file's module, or one made from `--gemm`: of a product of matrices in
  /// memory or, with `--block`, of one inside a block (BlockKernel.h), with a
  /// function that launches it if the module `runs`, on buffers that begin at
  /// multiples of 256 bytes. Parse errors go to the context's handler.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  loadModule(mlir::MLIRContext *context, bool runs = false) const;
  CompileOptions compileOptions() const;

private:
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  loadGrouped(mlir::MLIRContext *context) const;
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  planBlockModule(mlir::MLIRContext *context, bool runs) const;
};

/// Prints `tool: error: message` and returns the exit status 1.
int reportError(llvm::StringRef tool, llvm::Error error);

} // namespace kami

#endif // KAMI_DRIVER_INPUTFLAGS_H
