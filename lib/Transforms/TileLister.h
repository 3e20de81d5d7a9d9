//===- TileLister.h - What products say of their tiles ----------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_TILELISTER_H
#define KAMI_LIB_TRANSFORMS_TILELISTER_H

#include "IndexMath.h"
#include "TileList.h"
#include "kami/Plan/Plan.h"
#include "mlir/IR/IRMapping.h"

namespace kami {

/// Reads what products of sizes of their own say of themselves, and lists their
/// tiles.
class TileLister : IndexMath {
public:
  /// A product's matrix: the number of its first element, and the elements from
  /// one row to the next.
  struct Matrix {
    mlir::Value at, stride;
  };
  /// What a product says of itself, and how its C is covered.
  struct Product {
    mlir::Value number, m, n, k;
    llvm::SmallVector<Matrix, 3> matrices;
    /// Tiles along each side, in 32 bits.
    mlir::Value tilesDown, tilesAcross;
  };
  /// How many tiles are above and left of one, in 32 bits.
  using Place = std::pair<mlir::Value, mlir::Value>;

  TileLister(mlir::ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
             mlir::IRMapping &values, TileList &list)
      : IndexMath(b), op(op), plan(plan), values(values), list(list) {}

  Product read(mlir::Value number);
  /// Where the product's tile of that number is.
  Place placeOf(const Product &product, mlir::Value tile);
  /// Lists a tile of the product under that number.
  void listTile(mlir::Value number, const Product &product, Place place);
  /// Lists the product's tiles between two numbers in the order of all that a
  /// block's products have, of which its first is `begin`, behind the `done`
  /// ones.
  void listTiles(const Product &product, mlir::Value begin, mlir::Value from,
                 mlir::Value to, mlir::Value done);

  mlir::Value matricesOf(Role role);
  bool isTransposed(Role role);

private:
  int64_t bytesOf(Role role);
  mlir::Value entry(mlir::Value array, mlir::Value product);
  mlir::Value extent(mlir::Value array, mlir::Value product);
  mlir::Value start(Role role, mlir::Value product);
  Matrix matrixOf(Role role, mlir::Value product, mlir::Value columns);
  mlir::Value placesOf(Role role, const Matrix &matrix);
  int64_t stepOf(Role role);
  mlir::Value alike(mlir::Value extent, mlir::Value count, int64_t most,
                    int64_t step);

  GroupedGemmOp op;
  const Plan &plan;
  mlir::IRMapping &values;
  TileList &list;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_TILELISTER_H
