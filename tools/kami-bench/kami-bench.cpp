//===- kami-bench.cpp - Time products, and judge what is predicted --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/InputFlags.h"
#include "kami/Driver/Run.h"
#include "llvm/Support/InitLLVM.h"
#include <climits>

using namespace kami;

llvm::Error kami::checkRange(llvm::StringRef flag, int64_t value,
                             int64_t least) {
  if (value >= least && value <= INT_MAX)
    return llvm::Error::success();
  return llvm::createStringError(
      "expected --" + flag + " from " + llvm::Twine(least) + " to " +
      llvm::Twine(INT_MAX) + ", but got " + llvm::Twine(value));
}

llvm::Error kami::cannotWrite(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError("cannot write '" + path +
                                 "': " + code.message());
}

llvm::Expected<bool> kami::writeTable(
    llvm::StringRef path,
    llvm::function_ref<llvm::Expected<bool>(llvm::raw_ostream &)> write) {
  if (llvm::Error error = probeCuda())
    return error;
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return cannotWrite(path, code);
  llvm::Expected<bool> right = write(os);
  code = os.error();
  os.clear_error();
  if (right && code)
    return cannotWrite(path, code);
  return right;
}

static llvm::Expected<bool> run(Flags &flags) {
  if (flags.mode == "batch")
    return runBatchMode(flags);
  if (flags.mode == "grouped")
    return runGroupedMode(flags);
  if (flags.mode == "block")
    return runBlockMode(flags);
  if (flags.mode == "regret")
    return runRegretMode(flags);
  if (flags.mode == "calibrate")
    return runCalibrateMode(flags);
  if (flags.mode == "plot")
    return runPlotMode(flags);
  return llvm::createStringError(
      "expected batch, grouped, block, regret, calibrate or plot, but got '" +
      flags.mode + "'");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::OptionCategory category("kami-bench options");
  Flags flags(category);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "kami benchmarks beside other libraries\n");
  llvm::Expected<bool> right = run(flags);
  if (!right)
    return reportError("kami-bench", right.takeError());
  return *right ? 0 : 1;
}
