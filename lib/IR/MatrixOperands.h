//===- MatrixOperands.h - What products demand of their operands -*- C++
//-*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_MATRIXOPERANDS_H
#define KAMI_LIB_IR_MATRIXOPERANDS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace kami {

/// The extent of a matrix dimension: 0 for rows, 1 for columns, as the product
/// sees them after a transpose.
int64_t matrixExtent(mlir::ShapedType type, bool transposed, unsigned dim);

/// The extents of one dimension of two operands are equal where both are
/// static.
mlir::LogicalResult verifyExtent(mlir::Operation *op, mlir::StringRef name,
                                 mlir::StringRef left, int64_t extent,
                                 mlir::StringRef right, int64_t other);

/// The operand's batch extents are the result's, or 1.
mlir::LogicalResult verifyBatch(mlir::Operation *op, mlir::ShapedType result,
                                mlir::ShapedType type, mlir::StringRef name);

/// Whether elements of the matrix are known to be adjacent along the dimension.
bool isAdjacent(mlir::MemRefType matrix, unsigned dim);

/// Whether two elements have one address, as far as strides are static.
bool overlapsItself(mlir::MemRefType type);

} // namespace kami

#endif // KAMI_LIB_IR_MATRIXOPERANDS_H
