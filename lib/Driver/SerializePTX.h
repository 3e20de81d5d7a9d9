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

namespace kami {

/// The PTX of a module of LLVM's and NVVM's dialects, for its first target.
/// Errors are the module's.
mlir::FailureOr<std::string> serializePTX(mlir::gpu::GPUModuleOp module);

} // namespace kami

#endif // KAMI_LIB_DRIVER_SERIALIZEPTX_H
