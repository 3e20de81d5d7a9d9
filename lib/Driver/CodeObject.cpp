//===- CodeObject.cpp - AMD's assembly and code objects -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileTool.h"
#include "kami/Driver/Compile.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace kami;

/// A number of the metadata, `.vgpr_count: 32`.
static std::optional<int64_t> field(llvm::StringRef assembly,
                                    llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> groups;
  int64_t value;
  if (!llvm::Regex(("\\." + name + ":[ \t]+([0-9]+)").str())
           .match(assembly, &groups) ||
      groups[1].getAsInteger(10, value))
    return std::nullopt;
  return value;
}

llvm::Expected<AssemblerReport> kami::readMetadata(llvm::StringRef assembly) {
  llvm::StringRef metadata = assembly.substr(assembly.find(".amdgpu_metadata"));
  std::optional<int64_t> registers = field(metadata, "vgpr_count"),
                         spilled = field(metadata, "vgpr_spill_count"),
                         scratch =
                             field(metadata, "private_segment_fixed_size");
  if (!registers || !spilled || !scratch)
    return llvm::createStringError(
        "expected metadata of registers and scratch in the assembly");
  AssemblerReport report;
  report.registers = *registers;
  report.spillBytes = *scratch;
  report.spilledRegisters = spilled;
  report.scratchBytes = scratch;
  return report;
}

std::string kami::findLLD() {
  for (llvm::StringRef name : {"ld.lld-22", "ld.lld"})
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  llvm::ErrorOr<std::string> path =
      llvm::sys::findProgramByName("ld.lld", {"/usr/lib/llvm-22/bin"});
  return path ? *path : std::string();
}

llvm::Expected<std::string> kami::linkCodeObject(llvm::ArrayRef<char> object) {
  std::string program = findLLD();
  if (program.empty())
    return llvm::createStringError(
        "expected ld.lld-22 or ld.lld on PATH to make a code object, but found "
        "none; assembly needs none");
  llvm::Expected<ToolResult> result =
      runOnFile(program, llvm::StringRef(object.data(), object.size()),
                [](llvm::StringRef input, llvm::StringRef output) {
                  return llvm::SmallVector<llvm::StringRef>{"-shared", input,
                                                            "-o", output};
                });
  if (!result)
    return result.takeError();
  return std::move(result->output);
}
