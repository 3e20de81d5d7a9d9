//===- Fusion.h - Element-wise ops as regions of a product ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_LINALGTOKAMI_FUSION_H
#define KAMI_LIB_CONVERSION_LINALGTOKAMI_FUSION_H

#include "kami/IR/KamiOps.h"
#include "mlir/IR/PatternMatch.h"

namespace kami {

/// Makes an epilogue of what is done to the elements of a product on tensors,
/// and prologues of what makes the elements of A and B, as long as there is
/// any. Nothing is computed for more than one reader.
void fuseElementwise(mlir::RewriterBase &rewriter, GemmOp op);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_LINALGTOKAMI_FUSION_H
