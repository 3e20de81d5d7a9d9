//===- FileTool.cpp - Programs that make a file of a file ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileTool.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace kami;

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

static llvm::Expected<std::string> readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot read '" + path + "'");
  return (*buffer)->getBuffer().str();
}

llvm::Expected<ToolResult> kami::runOnFile(
    llvm::StringRef program, llvm::StringRef contents,
    llvm::function_ref<llvm::SmallVector<llvm::StringRef>(llvm::StringRef,
                                                          llvm::StringRef)>
        arguments) {
  llvm::SmallString<128> input, output, log;
  for (auto [name, path] : {std::pair("in", &input), std::pair("out", &output),
                            std::pair("log", &log)})
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("kami", name, *path))
      return fail("cannot make a temporary file: " + code.message());
  llvm::FileRemover removeInput(input), removeOutput(output), removeLog(log);
  if (llvm::Error error = writeFile(input, contents))
    return error;
  llvm::SmallVector<llvm::StringRef> words = {program};
  llvm::append_range(words, arguments(input, output));
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, log.str(),
                                                log.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      program, words, std::nullopt, redirects,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  llvm::Expected<std::string> said = readFile(log);
  if (!said)
    return said.takeError();
  if (status != 0)
    return fail(llvm::sys::path::filename(program) +
                " failed: " + (message.empty() ? *said : message));
  llvm::Expected<std::string> made = readFile(output);
  if (!made)
    return made.takeError();
  return ToolResult{std::move(*made), std::move(*said)};
}
