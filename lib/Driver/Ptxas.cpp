//===- Ptxas.cpp - NVIDIA's assembler, where there is one ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileTool.h"
#include "kami/Driver/Compile.h"
#include "kami/Runtime/Cuda.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace kami;

std::string kami::findPtxas() {
  llvm::SmallVector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> root = llvm::sys::Process::GetEnv(variable))
      folders.push_back(*root + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  llvm::SmallVector<llvm::StringRef> paths(folders.begin(), folders.end());
  llvm::ErrorOr<std::string> path =
      llvm::sys::findProgramByName("ptxas", paths);
  return path ? *path : std::string();
}

/// The number that `pattern` captures in ptxas's report, or 0.
static int64_t number(llvm::StringRef text, llvm::StringRef pattern) {
  llvm::SmallVector<llvm::StringRef> groups;
  int64_t value = 0;
  if (llvm::Regex(pattern).match(text, &groups))
    groups[1].getAsInteger(10, value);
  return value;
}

/// What the program's `.target` line says: the chip, or its
/// architecture-specific variant, which ptxas wants to be told.
static llvm::StringRef variantOf(llvm::StringRef ptx, llvm::StringRef chip) {
  llvm::SmallVector<llvm::StringRef> groups;
  bool found = llvm::Regex("\\.target[ \t]+([a-z0-9_]+)").match(ptx, &groups);
  return found ? groups[1] : chip;
}

llvm::Expected<AssemblerReport>
kami::assemble(llvm::StringRef ptx, llvm::StringRef chip, std::string *cubin) {
  std::string arch = ("-arch=" + variantOf(ptx, chip)).str();
  // The driver's highest level is a name for ptxas's.
  int asked = kamiCudaOptimizationLevel(ptx.data(), ptx.size());
  std::string level = "-O" + std::to_string(std::min(asked, 3));
  llvm::Expected<ToolResult> result = runOnFile(
      findPtxas(), ptx, [&](llvm::StringRef input, llvm::StringRef output) {
        return llvm::SmallVector<llvm::StringRef>{arch,  "-v", level,
                                                  input, "-o", output};
      });
  if (!result)
    return result.takeError();
  if (cubin)
    *cubin = std::move(result->output);
  llvm::StringRef said = result->log;
  AssemblerReport report;
  report.registers = number(said, "Used ([0-9]+) registers");
  report.spillBytes = number(said, "([0-9]+) bytes spill stores") +
                      number(said, "([0-9]+) bytes spill loads");
  return report;
}
