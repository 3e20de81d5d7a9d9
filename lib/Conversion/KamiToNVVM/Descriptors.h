//===- Descriptors.h - Ops that deal in memrefs' descriptors -- -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVVM_DESCRIPTORS_H
#define KAMI_LIB_CONVERSION_KAMITONVVM_DESCRIPTORS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace kami {

void populateComplexPartPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateStMatrixPatterns(const mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITONVVM_DESCRIPTORS_H
