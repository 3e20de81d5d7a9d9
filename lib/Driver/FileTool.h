//===- FileTool.h - Programs that make a file of a file ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_FILETOOL_H
#define KAMI_LIB_DRIVER_FILETOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kami {

/// What a program wrote to its output file, and what it said.
struct ToolResult {
  std::string output, log;
};

/// Runs `program` on a temporary file of these contents. `arguments` gets the
/// paths of input and output. The error of a program that fails has its name
/// and what it said.
llvm::Expected<ToolResult>
runOnFile(llvm::StringRef program, llvm::StringRef contents,
          llvm::function_ref<llvm::SmallVector<llvm::StringRef>(
              llvm::StringRef input, llvm::StringRef output)>
              arguments);

} // namespace kami

#endif // KAMI_LIB_DRIVER_FILETOOL_H
