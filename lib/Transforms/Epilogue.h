//===- Epilogue.h - Regions of a product, tile by tile -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes of this folder do with the prologues and the epilogue of
// kami.gemm: a block's part of their operands, and the ops of warp level that
// they become.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_EPILOGUE_H
#define KAMI_LIB_TRANSFORMS_EPILOGUE_H

#include "kami/IR/KamiOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// One block's part of a batch of products.
struct BlockTile {
  /// Which product, an index for each batch dimension of C.
  llvm::ArrayRef<mlir::Value> batch;
  /// Where its rows and columns begin, and how many there are at most.
  mlir::Value m, n;
  int64_t tileM, tileN;
};

/// `matrix[offsets][sizes]` with steps of 1, without the dimensions of extent 1
/// that `kept` does not name. (Upstream infers which are dropped from extents
/// alone, which may not be those whose strides the result has.)
mlir::Value reducedSubview(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
                           llvm::ArrayRef<mlir::OpFoldResult> offsets,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           llvm::ArrayRef<int64_t> kept);

/// The block's part of a region's operand, without batch dimensions, and its
/// map from the matrix's dimensions. Scalars are as they are.
std::pair<mlir::Value, mlir::AffineMap>
tileElements(mlir::ImplicitLocOpBuilder &b, Role role, mlir::Value operand,
             mlir::AffineMap map, const BlockTile &tile);

/// Where a fragment lies in its matrix, and whether it surely ends in it.
struct FragmentPlace {
  mlir::Value row, column;
  bool rowInBounds, columnInBounds;
};

/// A region of a product at warp level. Operands become matrices of the
/// product's extents, with stride 0 along a dimension that they do not have.
class WarpRegion {
public:
  WarpRegion() = default;
  /// `fragment` is what the region is applied to; `rows` and `columns` are the
  /// extents of its matrix, the transpose of the product's where
  /// `isTransposed`.
  WarpRegion(mlir::ImplicitLocOpBuilder &b, GemmOp op, Role role,
             FragmentType fragment, mlir::OpFoldResult rows,
             mlir::OpFoldResult columns, bool isTransposed = false);

  bool empty() const { return !op; }
  /// Loads the operands that do not depend on k, at that place; what was loaded
  /// so is not loaded again by `apply`.
  void preload(mlir::ImplicitLocOpBuilder &b, const FragmentPlace &place);
  /// The region's results for the elements of `fragment`.
  mlir::Value apply(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                    const FragmentPlace &place);

private:
  struct Operand {
    /// A matrix, or a scalar.
    mlir::Value value;
    bool hasRows = false, hasColumns = false;
    /// What was loaded ahead.
    mlir::Value loaded;
  };
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, const Operand &operand,
                   const FragmentPlace &place);

  GemmOp op;
  Role role = Role::C;
  FragmentType fragment;
  llvm::SmallVector<Operand> operands;
};

/// α or β as a value: one that is a place in memory is read.
mlir::Value readScale(mlir::ImplicitLocOpBuilder &b, mlir::Value scale);

/// α·sum + β·C in the sum's type. Where β is 0, C is not read. `alpha` and
/// `beta` may be null.
mlir::Value emitScaling(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                        mlir::Value c, const FragmentPlace &place,
                        mlir::Value alpha, mlir::Value beta);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_EPILOGUE_H
