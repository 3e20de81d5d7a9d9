//===- Tiles.h - Tiles as matrices and as lanes' elements -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that an instruction takes is a cooperative matrix, of which no lane
// knows its elements. Where elements matter, a tile is spread over the lanes
// instead: element v · lanes + lane of it, row by row, is the lane's v-th. From
// one to the other a tile goes through workgroup memory.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITOSPIRV_TILES_H
#define KAMI_LIB_CONVERSION_KAMITOSPIRV_TILES_H

#include "Memory.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kami::spirv_lowering {

/// What every pattern knows of the kernel.
struct KernelContext {
  const Chip &chip;
  WorkgroupMemory memory;
  llvm::DenseMap<mlir::Operation *, KnownMultiples> multiples;

  SpirvFlavor flavor() const { return chip.spirv; }
};

template <typename OpTy>
struct KernelPattern : mlir::OpConversionPattern<OpTy> {
  KernelPattern(const mlir::TypeConverter &converter,
                mlir::MLIRContext *context, const KernelContext &kernel)
      : mlir::OpConversionPattern<OpTy>(converter, context), kernel(kernel) {}
  const KernelContext &kernel;
};

/// The tiles of a fragment: their extents, and how many elements of each a lane
/// has where it is spread.
struct TileShape {
  explicit TileShape(FragmentType fragment);

  int64_t rows, columns, lanes;
  int64_t elements() const { return rows * columns; }
  int64_t perLane() const { return elements() / lanes; }
  /// The place of the executing lane's v-th element.
  std::pair<mlir::Value, mlir::Value> place(mlir::ImplicitLocOpBuilder &b,
                                            int64_t v) const;
};

/// The cooperative matrix that a tile of a fragment is.
mlir::spirv::CooperativeMatrixType matrixType(FragmentType fragment);

/// The values that a fragment becomes: a matrix for each tile, or each tile's
/// elements of the lane, where the fragment is of no type that the instruction
/// takes.
void appendTypes(FragmentType fragment,
                 llvm::SmallVectorImpl<mlir::Type> &types);

/// Lanes of a warp wait for each other, and see what they have written to
/// workgroup memory.
void syncWarp(mlir::ImplicitLocOpBuilder &b, const KernelContext &kernel);

/// A matrix in rows of workgroup memory, from an element on; `pitch` elements
/// from row to row.
mlir::Value loadTile(mlir::ImplicitLocOpBuilder &b, const KernelContext &kernel,
                     mlir::Value variable, mlir::Value first, int64_t pitch,
                     FragmentType fragment);
void storeTile(mlir::ImplicitLocOpBuilder &b, const KernelContext &kernel,
               mlir::Value variable, mlir::Value first, int64_t pitch,
               mlir::Value tile);

/// The lane's elements of a matrix, and the matrix that lanes have the elements
/// of.
llvm::SmallVector<mlir::Value> spread(mlir::ImplicitLocOpBuilder &b,
                                      const KernelContext &kernel,
                                      FragmentType fragment, mlir::Value tile);
mlir::Value gather(mlir::ImplicitLocOpBuilder &b, const KernelContext &kernel,
                   FragmentType fragment, mlir::ValueRange elements);

/// The lane's elements of a fragment's tile, whichever way it is held, and
/// back.
llvm::SmallVector<mlir::Value>
elementsOf(mlir::ImplicitLocOpBuilder &b, const KernelContext &kernel,
           FragmentType fragment, mlir::ValueRange values, int64_t tile);
void appendTile(mlir::ImplicitLocOpBuilder &b, const KernelContext &kernel,
                FragmentType fragment, mlir::ValueRange elements,
                llvm::SmallVectorImpl<mlir::Value> &values);

/// Loads that are only for shares, of whole words; before other ops are
/// converted.
llvm::SmallVector<WordCopy>
findCopies(mlir::gpu::GPUFuncOp kernel,
           const llvm::DenseMap<mlir::Operation *, KnownMultiples> &multiples);
/// Replaces both ops by loads and stores of the lanes' words.
void emitCopy(const WordCopy &copy, const KernelContext &kernel);

void populateFragmentPatterns(const mlir::TypeConverter &converter,
                              const KernelContext &kernel,
                              mlir::RewritePatternSet &patterns);
void populateElementPatterns(const mlir::TypeConverter &converter,
                             const KernelContext &kernel,
                             mlir::RewritePatternSet &patterns);
void populateExchangePatterns(const mlir::TypeConverter &converter,
                              const KernelContext &kernel,
                              mlir::RewritePatternSet &patterns);

} // namespace kami::spirv_lowering

#endif // KAMI_LIB_CONVERSION_KAMITOSPIRV_TILES_H
