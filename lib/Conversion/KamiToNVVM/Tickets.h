//===- Tickets.h - Counters that a launch's blocks share ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVVM_TICKETS_H
#define KAMI_LIB_CONVERSION_KAMITONVVM_TICKETS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace kami {

/// Turns tickets into assembly. Blocks are one-dimensional.
mlir::LogicalResult expandTickets(mlir::gpu::GPUModuleOp module);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITONVVM_TICKETS_H
