//===- Patterns.h - The patterns of this conversion, by file ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITOLANES_PATTERNS_H
#define KAMI_LIB_CONVERSION_KAMITOLANES_PATTERNS_H

#include "kami/Conversion/KamiToLanes/Alignment.h"
#include "kami/Conversion/KamiToLanes/LaneTarget.h"

namespace kami::lanes {

/// A pattern that knows the vendor's warps.
template <typename OpTy> struct LanePattern : mlir::OpConversionPattern<OpTy> {
  LanePattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context,
              LaneTargetRef target)
      : mlir::OpConversionPattern<OpTy>(converter, context),
        target(std::move(target)) {}
  LaneTargetRef target;
};

void populateElementPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateGlobalMemoryPatterns(const mlir::TypeConverter &converter,
                                  const AlignmentAnalysis &alignments,
                                  const LaneTargetRef &target,
                                  mlir::RewritePatternSet &patterns);
void populateDealTilesPatterns(const mlir::TypeConverter &converter,
                               const LaneTargetRef &target,
                               mlir::RewritePatternSet &patterns);
void populatePrefixSumPatterns(const mlir::TypeConverter &converter,
                               const LaneTargetRef &target,
                               mlir::RewritePatternSet &patterns);
/// The sum of an integer of 32 bits over the warp's lanes up to this one.
mlir::Value sumUpToLane(mlir::ImplicitLocOpBuilder &b, mlir::Value own,
                        int64_t warpSize);
/// Products on the lanes' own multiply-adds.
void populateMultiplyAddPatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateSharedMemoryPatterns(const mlir::TypeConverter &converter,
                                  const LaneTargetRef &target,
                                  mlir::RewritePatternSet &patterns);

} // namespace kami::lanes

#endif // KAMI_LIB_CONVERSION_KAMITOLANES_PATTERNS_H
