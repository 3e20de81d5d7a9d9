//===- LaunchExtents.h - Extents of grid and block ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITOROCDL_LAUNCHEXTENTS_H
#define KAMI_LIB_CONVERSION_KAMITOROCDL_LAUNCHEXTENTS_H

#include "mlir/IR/PatternMatch.h"

namespace kami {

/// `gpu.grid_dim` and `gpu.block_dim` as loads of what the launch passes, where
/// `convert-gpu-to-rocdl` would call AMD's library.
void populateLaunchExtentPatterns(mlir::RewritePatternSet &patterns);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITOROCDL_LAUNCHEXTENTS_H
