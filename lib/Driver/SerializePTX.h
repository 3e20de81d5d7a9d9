//===- SerializePTX.h - A kernel's module to PTX ----------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_SERIALIZEPTX_H
#define KAMI_LIB_DRIVER_SERIALIZEPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <optional>
#include <vector>

namespace kami {

/// The PTX of a module of LLVM's and NVVM's dialects, for its first target.
/// Errors are the module's. With `kept`, a kernel that is the module's only one
/// takes no parameter that nothing reads, and `kept` says which are left.
mlir::FailureOr<std::string>
serializePTX(mlir::gpu::GPUModuleOp module,
             std::optional<std::vector<unsigned>> *kept = nullptr);

} // namespace kami

#endif // KAMI_LIB_DRIVER_SERIALIZEPTX_H
