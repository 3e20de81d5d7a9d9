//===- KamiToNVGPU.h - Warp-level ops to NVIDIA's lanes ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITONVGPU_KAMITONVGPU_H
#define KAMI_CONVERSION_KAMITONVGPU_KAMITONVGPU_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kami {

struct Chip;

#define GEN_PASS_DECL_CONVERTKAMITONVGPU
#include "kami/Conversion/Passes.h.inc"

/// Patterns for all warp-level ops in `root`, with `converter` as
/// `addFragmentConversion` sets it up. What `root` says of the alignment of
/// matrices is read here, before anything is converted. Without a `chip`, what
/// any chip has is made of them.
void populateKamiToNVGPUPatterns(const mlir::TypeConverter &converter,
                                 mlir::Operation *root,
                                 mlir::RewritePatternSet &patterns,
                                 const Chip *chip = nullptr);

} // namespace kami

#endif // KAMI_CONVERSION_KAMITONVGPU_KAMITONVGPU_H
