//===- KamiToAMDGPU.h - Warp-level ops to AMD's lanes -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOAMDGPU_KAMITOAMDGPU_H
#define KAMI_CONVERSION_KAMITOAMDGPU_KAMITOAMDGPU_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kami {

#define GEN_PASS_DECL_CONVERTKAMITOAMDGPU
#include "kami/Conversion/Passes.h.inc"

/// Patterns for the warp-level ops in `root`, whose waves have so many lanes,
/// with `converter` as `addFragmentConversion` sets it up. What `root` says of
/// the alignment of matrices is read here, before anything is converted.
void populateKamiToAMDGPUPatterns(const mlir::TypeConverter &converter,
                                  mlir::Operation *root, int64_t waveSize,
                                  mlir::RewritePatternSet &patterns);

} // namespace kami

#endif // KAMI_CONVERSION_KAMITOAMDGPU_KAMITOAMDGPU_H
