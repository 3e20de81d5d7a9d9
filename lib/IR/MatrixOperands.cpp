//===- MatrixOperands.cpp - What products demand of their operands -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixOperands.h"
#include "mlir/IR/OpDefinition.h"

using namespace kami;
using namespace mlir;

int64_t kami::matrixExtent(ShapedType type, bool transposed, unsigned dim) {
  return type.getDimSize(type.getRank() - 2 + (transposed ? 1 - dim : dim));
}

LogicalResult kami::verifyExtent(Operation *op, StringRef name, StringRef left,
                                 int64_t extent, StringRef right,
                                 int64_t other) {
  if (ShapedType::isStatic(extent) && ShapedType::isStatic(other) &&
      extent != other)
    return op->emitOpError("expected ")
           << right << " " << name << " extent " << extent << ", as " << left
           << ", but got " << other;
  return success();
}

LogicalResult kami::verifyBatch(Operation *op, ShapedType result,
                                ShapedType type, StringRef name) {
  int64_t missing = result.getRank() - type.getRank();
  for (int64_t dim = 0, end = type.getRank() - 2; dim != end; ++dim) {
    int64_t extent = type.getDimSize(dim),
            expected = result.getDimSize(dim + missing);
    if (extent != 1 && ShapedType::isStatic(extent) &&
        ShapedType::isStatic(expected) && extent != expected)
      return op->emitOpError("expected batch extent ")
             << expected << " or 1 of " << name << ", but got " << extent;
  }
  return success();
}
