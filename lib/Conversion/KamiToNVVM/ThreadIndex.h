//===- ThreadIndex.h - A thread's index, once a tile ------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVVM_THREADINDEX_H
#define KAMI_LIB_CONVERSION_KAMITONVVM_THREADINDEX_H

#include "mlir/IR/PatternMatch.h"

namespace kami {

/// Expands reads that `kami-reread-thread-index` has left.
void populateRereadPatterns(mlir::RewritePatternSet &patterns);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITONVVM_THREADINDEX_H
