//===- BulkCopies.h - The copy engine's instructions ------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVVM_BULKCOPIES_H
#define KAMI_LIB_CONVERSION_KAMITONVVM_BULKCOPIES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace kami {

/// The lowest version of PTX in which `tensormap.replace` takes strides in
/// bytes: assemblers of CUDA 12.5 and before wanted a sixteenth of them.
constexpr int64_t tensorMapPtxVersion = 86;

/// Turns bulk copies, their maps and their mbarriers into assembly. Blocks are
/// one-dimensional.
mlir::LogicalResult expandBulkCopies(mlir::gpu::GPUModuleOp module);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITONVVM_BULKCOPIES_H
