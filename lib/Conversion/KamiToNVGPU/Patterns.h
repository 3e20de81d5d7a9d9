//===- Patterns.h - The patterns of this conversion, by file ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVGPU_PATTERNS_H
#define KAMI_LIB_CONVERSION_KAMITONVGPU_PATTERNS_H

#include "NVIDIALanes.h"
#include "kami/Conversion/KamiToLanes/Alignment.h"

namespace kami::nvgpu_lowering {

/// The widest pieces that the distance of a matrix's lines allows, and whether
/// all lines begin at multiples of them; null if that is known.
struct LinePieces {
  int64_t bytes;
  mlir::Value areAligned;
};

/// Of the matrix, lines of which go to or come from lines of the tile.
LinePieces linePiecesOf(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
                        mlir::Value tile,
                        const lanes::CopyAlignment &alignment);
/// The warp's lanes share the copy of the tile, in shared memory, to a part of
/// a matrix that has such pieces.
void copyOutByLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value part,
                    mlir::Value tile, const LinePieces &pieces);

void populateBlockCopyPatterns(const mlir::TypeConverter &converter,
                               const lanes::AlignmentAnalysis &alignments,
                               TF32Rounding rounding,
                               mlir::RewritePatternSet &patterns);
/// Stores that go to a buffer and on from there.
void populateRelayedStorePatterns(const mlir::TypeConverter &converter,
                                  const lanes::AlignmentAnalysis &alignments,
                                  const lanes::LaneTargetRef &target,
                                  mlir::RewritePatternSet &patterns);
void populateGroupMmaPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_PATTERNS_H
