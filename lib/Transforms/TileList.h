//===- TileList.h - What a block knows of its tiles -------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_TILELIST_H
#define KAMI_LIB_TRANSFORMS_TILELIST_H

#include "kami/IR/KamiOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// What is listed of a tile, each in an array of its own.
enum TileField : unsigned {
  /// Of A, B and C: the number of the tile's first element, and the elements
  /// from one row to the next.
  AtField,
  StrideField = AtField + 3,
  /// How much there is of it.
  RowsField = StrideField + 3,
  ColumnsField,
  DepthField,
  ProductField,
  /// Where it begins in C.
  RowField,
  ColumnField,
  /// Bits that are set in an address of A or B, or in the bytes from one row to
  /// the next.
  PlacesField,
  FieldCount
};

/// Columns of a product's matrix as it is stored, of its m, n and k.
mlir::Value columnsOf(GroupedGemmOp op, Role role, mlir::Value m, mlir::Value n,
                      mlir::Value k);

/// The list of a block of a kernel for products of sizes of their own.
class TileList {
public:
  /// In the kernel's dynamic shared memory, from that byte on.
  TileList(mlir::ImplicitLocOpBuilder &b, GroupedGemmOp op, int64_t at);

  /// Lists the tile of that number, an entry for each field.
  void store(mlir::Value number, llvm::ArrayRef<mlir::Value> entries);
  /// What is listed of the tile of that number.
  mlir::Value load(mlir::Value number, unsigned field);

private:
  mlir::Type typeOf(GroupedGemmOp op, unsigned field);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value arrays[FieldCount];
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_TILELIST_H
