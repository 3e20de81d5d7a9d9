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
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kami {

#define GEN_PASS_DECL
#include "kami/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "kami/Transforms/Passes.h.inc"

/// Replaces a planned product on memrefs, inside a kernel whose blocks have the
/// plan's warps, by its warp-level ops. The product is the block's: its m and n
/// are at most the plan's tile. Emits an error at `op` if it cannot.
mlir::LogicalResult distributeToWarps(mlir::OpBuilder &builder, GemmOp op);

} // namespace kami

#endif // KAMI_TRANSFORMS_PASSES_H
