//===- Handles.cpp - Errors, texts and arguments --------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;

KamiError *kami::makeError(KamiErrorKind kind, const llvm::Twine &message) {
  return new KamiError{kind, message.str()};
}

KamiError *kami::toError(KamiErrorKind kind, llvm::Error error) {
  if (!error)
    return nullptr;
  return makeError(kind, llvm::toString(std::move(error)));
}

KamiError *kami::toError(KamiStatus status) {
  switch (status) {
  case KAMI_STATUS_OK:
    return nullptr;
  case KAMI_STATUS_NO_DRIVER:
  case KAMI_STATUS_NO_DEVICE:
    return makeError(KAMI_ERROR_NO_DEVICE, kamiRuntimeLastError());
  case KAMI_STATUS_FAILED:
    break;
  }
  return makeError(KAMI_ERROR_DEVICE, kamiRuntimeLastError());
}

KamiText *kami::makeText(std::string bytes) {
  return new KamiText{std::move(bytes)};
}

KamiText *kami::makeText(llvm::json::Value value) {
  return makeText(llvm::formatv("{0}", value).str());
}

std::vector<HostArgument> kami::toArguments(const KamiArgument *arguments,
                                            size_t count) {
  std::vector<HostArgument> given;
  for (const KamiArgument &argument : llvm::ArrayRef(arguments, count))
    given.push_back(
        {argument.data, llvm::ArrayRef(argument.sizes, argument.rank),
         llvm::ArrayRef(argument.strides, argument.rank), argument.bits});
  return given;
}

std::string kami::typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string kami::moduleText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Not by `<<`, which prints as if inside another op, without aliases.
  module->print(os);
  os << "\n";
  return text;
}

KamiErrorKind kamiErrorGetKind(const KamiError *error) { return error->kind; }

const char *kamiErrorGetMessage(const KamiError *error) {
  return error->message.c_str();
}

void kamiErrorDestroy(KamiError *error) { delete error; }

const char *kamiTextGetData(const KamiText *text) {
  return text->bytes.c_str();
}

size_t kamiTextGetSize(const KamiText *text) { return text->bytes.size(); }

void kamiTextDestroy(KamiText *text) { delete text; }

const char *kamiGetVersion(void) { return KAMI_VERSION; }
