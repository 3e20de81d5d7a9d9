//===- LastError.h --------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_RUNTIME_LASTERROR_H
#define KAMI_LIB_RUNTIME_LASTERROR_H

#include "kami/Runtime/Status.h"
#include <string>

namespace kami {

/// Keeps `message` for this thread's `kamiRuntimeLastError` and returns
/// `status`.
KamiStatus setLastError(KamiStatus status, std::string message);

} // namespace kami

#endif // KAMI_LIB_RUNTIME_LASTERROR_H
