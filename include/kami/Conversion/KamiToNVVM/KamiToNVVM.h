//===- KamiToNVVM.h - kami.mma_sync to NVVM ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITONVVM_KAMITONVVM_H
#define KAMI_CONVERSION_KAMITONVVM_KAMITONVVM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace kami {

#define GEN_PASS_DECL_KAMICONVERTGPUTONVVM
#define GEN_PASS_DECL_CONVERTKAMITONVVM
#define GEN_PASS_DECL_KAMIDECLAREDYNAMICSHARED
#define GEN_PASS_DECL_KAMIEXPANDFLOAT8
#define GEN_PASS_DECL_KAMIKEEPCONVERGED
#define GEN_PASS_DECL_KAMIREREADTHREADINDEX
#include "kami/Conversion/Passes.h.inc"

void populateKamiToNVVMPatterns(mlir::RewritePatternSet &patterns);
/// `hasConversion` tells whether the chip extends 8-bit floats to f16.
void populateExpandFloat8Patterns(mlir::RewritePatternSet &patterns,
                                  bool hasConversion = false);

/// What of the dialect is left for conversions to LLVM's, which know where a
/// matrix lies: kami.complex_part and kami.stmatrix.
void registerConvertKamiToLLVMInterface(mlir::DialectRegistry &registry);

} // namespace kami

#endif // KAMI_CONVERSION_KAMITONVVM_KAMITONVVM_H
