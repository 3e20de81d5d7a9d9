//===- Passes.h - Passes within the dialect ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TRANSFORMS_PASSES_H
#define KAMI_TRANSFORMS_PASSES_H

#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kami {

#define GEN_PASS_DECL
#include "kami/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kami/Transforms/Passes.h.inc"

/// Replaces the block-level ops of a kernel, whose blocks have the plans'
/// warps, by warp-level ones. Sets `sharedBytesAttributeName` if these use
/// shared memory. Emits an error at an op that cannot be distributed.
mlir::LogicalResult distributeToWarps(mlir::gpu::GPUFuncOp kernel);

/// An attribute of a kernel: bytes of dynamic shared memory that it has to be
/// launched with, at least.
constexpr llvm::StringLiteral sharedBytesAttributeName = "kami.shared_bytes";

/// Patterns of `kami-expand-math`. They visit an op once and need no fixed
/// point.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

} // namespace kami

#endif // KAMI_TRANSFORMS_PASSES_H
