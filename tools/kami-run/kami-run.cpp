//===- kami-run.cpp - Compile, run, compare ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/InputFlags.h"
#include "kami/Driver/RunReport.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/InitLLVM.h"

using namespace kami;
namespace cl = llvm::cl;

namespace {
struct Flags {
  explicit Flags(cl::OptionCategory &category)
      : input(category), device("device", cl::desc("auto, sim, cuda or hip"),
                                cl::init("auto"), cl::cat(category)),
        seed("seed", cl::desc("Seed of the random inputs"), cl::init(0),
             cl::cat(category)),
        inputs("inputs", cl::desc("random or integers"), cl::init("random"),
               cl::cat(category)),
        format("format", cl::desc("text or json"), cl::init("text"),
               cl::cat(category)) {}

  InputFlags input;
  cl::opt<std::string> device;
  cl::opt<uint64_t> seed;
  cl::opt<std::string> inputs, format;
};
} // namespace

static llvm::Error expected(llvm::StringRef flag, llvm::StringRef known,
                            llvm::StringRef got) {
  return llvm::createStringError("expected --" + flag + "=" + known +
                                 ", but got '" + got + "'");
}

/// Prints the report; the exit status.
static llvm::Expected<int> run(const Flags &flags) {
  RunOptions options;
  options.seed = flags.seed;
  if (flags.inputs != "random" && flags.inputs != "integers")
    return expected("inputs", "random or integers", flags.inputs);
  if (flags.inputs == "integers")
    options.inputs = InputKind::Integers;
  if (flags.format != "text" && flags.format != "json")
    return expected("format", "text or json", flags.format);
  llvm::Expected<DeviceKind> device =
      chooseDevice(flags.device, flags.input.compileOptions().chip);
  if (!device)
    return device.takeError();
  options.device = *device;
  // C starts as NaN where the product must not read it.
  if ((!flags.input.gemm.empty() || !flags.input.grouped.empty()) &&
      flags.input.beta == 0)
    options.poisoned.push_back(2);

  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = flags.input.loadModule(&context, /*runs=*/true);
  if (!module)
    return module.takeError();
  Compilation compilation;
  llvm::Expected<RunResult> result = compileAndRun(
      **module, flags.input.compileOptions(), options, compilation);
  if (!result)
    return result.takeError();
  if (flags.format == "json")
    llvm::outs() << llvm::formatv("{0:2}", reportJSON(*result, compilation))
                 << "\n";
  else
    reportText(*result, compilation, llvm::outs());
  return result->ok ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("kami-run options");
  Flags flags(category);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "compile, run and compare with a reference\n");
  llvm::Expected<int> status = run(flags);
  return status ? *status : reportError("kami-run", status.takeError());
}
