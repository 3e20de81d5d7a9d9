//===- Ptxas.cpp - NVIDIA's assembler, where there is one ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Compile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
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

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

static llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << text;
  os.close();
  if (code || os.has_error())
    return fail("cannot write '" + path + "'");
  return llvm::Error::success();
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
  llvm::SmallString<128> input, output, log;
  for (auto [name, path] :
       {std::pair("ptx", &input), std::pair("cubin", &output),
        std::pair("log", &log)})
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("kami", name, *path))
      return fail("cannot make a temporary file: " + code.message());
  llvm::FileRemover removeInput(input), removeOutput(output), removeLog(log);
  if (llvm::Error error = writeFile(input, ptx))
    return error;

  std::string program = findPtxas(),
              arch = ("-arch=" + variantOf(ptx, chip)).str();
  llvm::StringRef arguments[] = {program, arch, "-v",  "-O3",
                                 input,   "-o", output};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, log.str(),
                                                log.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      program, arguments, std::nullopt, redirects,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  auto text = llvm::MemoryBuffer::getFile(log);
  llvm::StringRef said = text ? (*text)->getBuffer() : llvm::StringRef();
  if (status != 0)
    return fail("ptxas failed: " +
                (message.empty() ? said : llvm::StringRef(message)));
  if (cubin) {
    auto binary = llvm::MemoryBuffer::getFile(output);
    if (!binary)
      return fail("cannot read '" + output.str() + "'");
    *cubin = (*binary)->getBuffer().str();
  }
  AssemblerReport report;
  report.registers = number(said, "Used ([0-9]+) registers");
  report.spillBytes = number(said, "([0-9]+) bytes spill stores") +
                      number(said, "([0-9]+) bytes spill loads");
  return report;
}
