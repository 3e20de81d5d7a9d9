//===- CudaStatus.h - The runtime's errors as LLVM's ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_CUDASTATUS_H
#define KAMI_LIB_DRIVER_CUDASTATUS_H

#include "kami/Runtime/Status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kami {

/// What the runtime's last call said, if it failed.
inline llvm::Error check(KamiStatus status) {
  if (status == KAMI_STATUS_OK)
    return llvm::Error::success();
  return llvm::createStringError(llvm::StringRef(kamiRuntimeLastError()));
}

} // namespace kami

#endif // KAMI_LIB_DRIVER_CUDASTATUS_H
