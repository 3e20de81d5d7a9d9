//===- Handles.h - What the C API's handles are ---------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CAPI_HANDLES_H
#define KAMI_LIB_CAPI_HANDLES_H

#include "Program.h"
#include "kami-c/kami.h"
#include "kami/Driver/Binding.h"
#include "kami/Runtime/Cuda.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct KamiError {
  KamiErrorKind kind;
  std::string message;
};

struct KamiText {
  std::string bytes;
};

namespace kami {

/// A program's kernels on a device.
struct Executable {
  std::shared_ptr<const Program> program;
  std::shared_ptr<KamiCudaDevice> device;
  /// Before the device is closed, they are unloaded.
  std::vector<CudaModule> images;
  /// By the name of the kernel's module.
  llvm::StringMap<KamiCudaFunction> functions;
};

} // namespace kami

/// Handles share what they are made of, so that they can be destroyed in any
/// order.
struct KamiProgram {
  std::shared_ptr<const kami::Program> program;
};

struct KamiDevice {
  std::shared_ptr<KamiCudaDevice> device;
  /// Before the device is closed, they are unloaded.
  std::vector<kami::CudaModule> constants = {};
  /// Of `constants`.
  std::mutex mutex = {};
};

struct KamiExecutable {
  std::shared_ptr<const kami::Executable> contents;
};

namespace kami {

/// Null for success.
KamiError *toError(KamiErrorKind kind, llvm::Error error);
KamiError *makeError(KamiErrorKind kind, const llvm::Twine &message);
/// What the runtime's last call said, if it failed.
KamiError *toError(KamiStatus status);

KamiText *makeText(std::string bytes);
KamiText *makeText(llvm::json::Value value);

/// The text, or what null stands for.
inline llvm::StringRef orElse(const char *text, llvm::StringRef otherwise) {
  return text ? llvm::StringRef(text) : otherwise;
}

std::vector<HostArgument> toArguments(const KamiArgument *arguments,
                                      size_t count);

/// "f16"; "complex<f32>".
std::string typeText(mlir::Type type);
/// With its aliases.
std::string moduleText(mlir::ModuleOp module);

} // namespace kami

#endif // KAMI_LIB_CAPI_HANDLES_H
