//===- KamiToLLVM.h - What all ways to LLVM's dialect share -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLLVM_KAMITOLLVM_H
#define KAMI_CONVERSION_KAMITOLLVM_KAMITOLLVM_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace kami {

#define GEN_PASS_DECL_KAMIANNOTATELOOPS
#define GEN_PASS_DECL_KAMILOWERCONTROLFLOW
#define GEN_PASS_DECL_KAMILOWERVIEWS
#include "kami/Conversion/Passes.h.inc"

/// Elementary operations of `math` and `arith` as calls of LLVM's intrinsics.
void populateElementaryPatterns(mlir::RewritePatternSet &patterns);

} // namespace kami

#endif // KAMI_CONVERSION_KAMITOLLVM_KAMITOLLVM_H
