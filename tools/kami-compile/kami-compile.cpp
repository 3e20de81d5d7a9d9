//===- kami-compile.cpp - linalg to kernels ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/InputFlags.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace kami;
namespace cl = llvm::cl;

/// Writes `text` and, if it is not the standard output, keeps the file.
static llvm::Error write(llvm::StringRef path, llvm::StringRef text) {
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + code.message());
  file.os() << text;
  file.keep();
  return llvm::Error::success();
}

static llvm::Error run(const InputFlags &input, llvm::StringRef emit,
                       llvm::StringRef output) {
  std::optional<Level> level = parseLevel(emit);
  if (!level)
    return llvm::createStringError(
        "unknown --emit '" + emit +
        "', expected one of: kami, planned, warp, target, "
        "llvm, ptx, cubin, asm, hsaco");
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = input.loadModule(&context);
  if (!module)
    return module.takeError();
  auto compilation = compile(**module, input.compileOptions(), *level);
  if (failed(compilation))
    return llvm::createStringError("compilation failed");

  std::string text;
  llvm::json::Array kernels;
  for (const Kernel &kernel : compilation->kernels) {
    text += kernel.binary;
    kernels.push_back(describe(kernel, *compilation->chip));
  }
  if (*level >= Level::PTX && compilation->kernels.empty())
    return llvm::createStringError("expected a product with elements to write "
                                   "as " +
                                   emit +
                                   ", but got none: without elements "
                                   "there is nothing to launch");
  if (*level >= Level::PTX && compilation->kernels.size() > 1)
    return llvm::createStringError("expected one product to write as " + emit +
                                   ", but got " +
                                   llvm::Twine(compilation->kernels.size()));
  if (*level < Level::PTX) {
    // Not by `<<`, which prints as if inside another op, without aliases.
    llvm::raw_string_ostream os(text);
    (*module)->print(os);
    os << "\n";
  }
  if (llvm::Error error = write(output, text))
    return error;
  if (output == "-" || kernels.empty())
    return llvm::Error::success();
  llvm::json::Value description = kernels.size() == 1
                                      ? std::move(kernels[0])
                                      : llvm::json::Value(std::move(kernels));
  std::string json;
  llvm::raw_string_ostream(json) << llvm::formatv("{0:2}", description) << "\n";
  return write((output + ".json").str(), json);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("kami-compile options");
  InputFlags input(category);
  cl::opt<std::string> emit(
      "emit",
      cl::desc("kami, planned, warp, target, llvm, ptx, cubin, asm or hsaco"),
      cl::init("ptx"), cl::cat(category));
  cl::opt<std::string> output("o",
                              cl::desc("Output file; '-' for standard output"),
                              cl::init("-"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "kami compiler\n");
  if (llvm::Error error = run(input, emit, output))
    return reportError("kami-compile", std::move(error));
  return 0;
}
