//===- Program.h - A compiled module, and what is known of it -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CAPI_PROGRAM_H
#define KAMI_LIB_CAPI_PROGRAM_H

#include "OwnedModule.h"
#include "kami/Driver/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"
#include <mutex>

namespace kami {

/// `CompileOptions` as texts, so that they can be saved.
struct ProgramOptions {
  CompileOptions options;
  /// A `#kami.plan<...>`, or empty.
  std::string plan;
  /// Whether the source is somebody's text, so that errors say its lines.
  bool isText = false;
};

/// Where the errors that are emitted while it lives are collected.
class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext *context, bool saysLines);

  /// What was emitted, or `otherwise`.
  llvm::Error error(llvm::StringRef otherwise) const;

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// A module that was compiled for a chip: its source, from which every level
/// can be made again, the host's part, and the kernels as code. That is what is
/// saved; modules are parsed when something needs them.
class Program {
public:
  struct Code {
    std::string name;
    /// The `gpu.module` around it.
    std::string module;
    std::string binary;
  };

  static llvm::Expected<std::shared_ptr<const Program>>
  compile(std::string source, ProgramOptions options);

  /// The order of the sums of the source's one product.
  static llvm::Expected<std::string> sumOrder(std::string source,
                                              ProgramOptions options);

  std::string save() const;
  static llvm::Expected<std::shared_ptr<const Program>>
  restore(llvm::StringRef image);

  llvm::Expected<std::string> codeAt(llvm::StringRef level) const;
  const llvm::json::Value &description() const { return described; }
  llvm::ArrayRef<Code> kernels() const { return codes; }
  /// What the kernels' code is: "ptx", "asm" for AMD, or "spirv".
  llvm::StringRef codeKind() const { return kind; }

  /// Calls `use` with the function that runs, whose kernels have no bodies.
  llvm::Error
  withHost(llvm::function_ref<llvm::Error(mlir::func::FuncOp)> use) const;
  /// The same, at the level that the simulator runs, and with the chip.
  llvm::Error withLanes(
      llvm::function_ref<llvm::Error(mlir::func::FuncOp, const Chip &)> use)
      const;

private:
  Program(std::string source, ProgramOptions options)
      : source(std::move(source)), options(std::move(options)),
        described(nullptr) {}

  llvm::Error compileAll();
  llvm::Error compileTo(Level level, OwnedModule &made,
                        Compilation &compilation) const;

  std::string source;
  ProgramOptions options;
  std::string host;
  std::vector<Code> codes;
  std::string kind;
  llvm::json::Value described;

  mutable std::mutex mutex;
  mutable OwnedModule parsedHost, lanes;
  mutable const Chip *chip = nullptr;
};

} // namespace kami

#endif // KAMI_LIB_CAPI_PROGRAM_H
