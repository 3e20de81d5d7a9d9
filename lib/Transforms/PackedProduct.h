//===- PackedProduct.h - Small products that a block copies as one --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A and B of all products of a pack come to shared memory as one range of
// memory, every team, a warp or some lanes, multiplies one of them, and C's go
// back as one range.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_PACKEDPRODUCT_H
#define KAMI_LIB_TRANSFORMS_PACKEDPRODUCT_H

#include "kami/IR/KamiOps.h"
#include "kami/Plan/Plan.h"

namespace kami {

/// Whether a packed plan is for products as this op's: of its tile, in matrices
/// without gaps, of the atom's types. Emits an error if not.
mlir::LogicalResult verifyPackable(GemmOp op, const Plan &plan);

/// Writes what the block's threads do for a product of a packed plan, at the
/// builder's insertion point, after a barrier where other products used its
/// shared memory.
void emitPackedProduct(mlir::OpBuilder &builder, GemmOp op, const Plan &plan,
                       bool barrierFirst);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_PACKEDPRODUCT_H
