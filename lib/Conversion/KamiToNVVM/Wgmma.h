//===- Wgmma.h - Warpgroup instructions to NVVM --------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVVM_WGMMA_H
#define KAMI_LIB_CONVERSION_KAMITONVVM_WGMMA_H

#include "kami/Layout/SharedMatrix.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace kami {

/// What the name of a chip ends in when code may use what only its generation
/// has, and runs on no other.
constexpr llvm::StringLiteral architectureSpecific = "a";

/// The chips that a module is compiled for.
llvm::SmallVector<llvm::StringRef> targetChips(mlir::gpu::GPUModuleOp module);

/// Whether a module has warpgroup instructions.
bool hasWgmma(mlir::gpu::GPUModuleOp module);

/// A module with warpgroup instructions is for chips that have them, or there
/// is an error at the first.
mlir::LogicalResult verifyWgmmaTarget(mlir::gpu::GPUModuleOp module);

/// Replaces descriptors, fences, instructions and waits.
mlir::LogicalResult expandWgmma(mlir::gpu::GPUModuleOp module);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITONVVM_WGMMA_H
