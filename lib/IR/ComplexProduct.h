//===- ComplexProduct.h - Products of complex matrices -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_COMPLEXPRODUCT_H
#define KAMI_LIB_IR_COMPLEXPRODUCT_H

#include "kami/IR/KamiOps.h"

namespace kami {

/// The constraints on element types of a product some of whose types are
/// complex: (C9), (C10) and (C16).
mlir::LogicalResult verifyComplexProduct(GemmOp op);

/// (C22)
mlir::LogicalResult verifyInterleavedParts(GemmOp op);

} // namespace kami

#endif // KAMI_LIB_IR_COMPLEXPRODUCT_H
