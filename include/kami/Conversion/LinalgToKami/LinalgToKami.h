//===- LinalgToKami.h - From linalg's products to kami.gemm --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_LINALGTOKAMI_LINALGTOKAMI_H
#define KAMI_CONVERSION_LINALGTOKAMI_LINALGTOKAMI_H

#include "kami/IR/KamiAttrs.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace kami {

#define GEN_PASS_DECL_CONVERTLINALGTOKAMI
#include "kami/Conversion/Passes.h.inc"

/// The pattern of `convert-linalg-to-kami`. It visits an op once and needs no
/// fixed point. With `precision`, products of f32 get it.
void populateLinalgToKamiPatterns(
    mlir::RewritePatternSet &patterns,
    std::optional<Precision> precision = std::nullopt);

} // namespace kami

#endif // KAMI_CONVERSION_LINALGTOKAMI_LINALGTOKAMI_H
