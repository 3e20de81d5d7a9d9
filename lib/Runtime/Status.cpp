//===- Status.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Runtime/Status.h"
#include "LastError.h"
#include <utility>

static std::string &lastError() {
  thread_local std::string message;
  return message;
}

const char *kamiRuntimeLastError(void) { return lastError().c_str(); }

KamiStatus kami::setLastError(KamiStatus status, std::string message) {
  lastError() = std::move(message);
  return status;
}
