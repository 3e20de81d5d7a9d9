//===- KamiToLanes.h - Warp-level ops to the lanes of any vendor --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conversions of warp-level ops have in common: everything but matrix
// instructions and a vendor's own ways through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_KAMITOLANES_H
#define KAMI_CONVERSION_KAMITOLANES_KAMITOLANES_H

#include "kami/Conversion/KamiToLanes/Alignment.h"
#include "kami/Conversion/KamiToLanes/LaneTarget.h"

namespace kami {

/// A fragment becomes one flat vector of a lane's registers for each tile.
void addFragmentConversion(mlir::TypeConverter &converter);

/// Patterns for warp-level ops, with `converter` as set up above, but for
/// `kami.mma` of other atoms than `fma`, stores via a buffer, ops of warp
/// groups and copies.
void populateKamiToLanesPatterns(const mlir::TypeConverter &converter,
                                 const lanes::AlignmentAnalysis &alignments,
                                 const lanes::LaneTargetRef &target,
                                 mlir::RewritePatternSet &patterns);

/// Fails where `verify` does, of an operand or result of an op in the kernel.
mlir::LogicalResult verifyFragments(
    mlir::Operation *kernel,
    llvm::function_ref<mlir::LogicalResult(mlir::Operation *, FragmentType)>
        verify);

/// Converts a kernel partially by these patterns: `kami` is illegal but for
/// what `markLegal` says, fragments pass through regions of `scf`. Fails, and
/// says so, where nobody knows which lane has which element.
mlir::LogicalResult
convertToLanes(mlir::Operation *kernel, mlir::TypeConverter &converter,
               mlir::RewritePatternSet patterns,
               llvm::function_ref<void(mlir::ConversionTarget &)> markLegal);

} // namespace kami

namespace kami::lanes {

/// Stores tiles, those of `fragment`, as `op` scales and rounds its value.
void storeTiles(mlir::ImplicitLocOpBuilder &b, StoreOp op,
                FragmentType fragment, const FragmentWindow &window,
                mlir::ValueRange tiles, const LaneTarget &target);

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_KAMITOLANES_H
