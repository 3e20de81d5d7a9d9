//===- MatrixOperands.cpp - What products demand of their operands -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixOperands.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

bool kami::isAdjacent(MemRefType matrix, unsigned dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(matrix.getStridesAndOffset(strides, offset)) &&
         strides[dim] == 1;
}

namespace {
/// Differences between indices of a dimension, of which there are `extent`.
struct Dimension {
  int64_t stride;
  int64_t extent;
};
} // namespace

/// The largest difference between addresses.
static int64_t spanOf(ArrayRef<Dimension> dimensions) {
  int64_t span = 0;
  for (const Dimension &one : dimensions)
    span += (one.extent - 1) * one.stride;
  return span;
}

/// Whether two elements are `distance` apart, by strides that do not fall.
/// Where each stride is larger than what the dimensions before it span, at most
/// two indices come into question for each.
static bool isDistance(int64_t distance, ArrayRef<Dimension> dimensions) {
  if (dimensions.empty())
    return distance == 0;
  Dimension last = dimensions.back();
  ArrayRef<Dimension> rest = dimensions.drop_back();
  int64_t span = spanOf(rest);
  int64_t first = llvm::divideCeilSigned(distance - span, last.stride);
  int64_t end = llvm::divideFloorSigned(distance + span, last.stride);
  first = std::max(first, 1 - last.extent);
  for (int64_t index = first; index <= std::min(end, last.extent - 1); ++index)
    if (isDistance(distance - index * last.stride, rest))
      return true;
  return false;
}

bool kami::overlapsItself(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(type.getShape(), 0))
    return false;
  SmallVector<Dimension> dimensions;
  for (auto [stride, extent] : llvm::zip_equal(strides, type.getShape())) {
    if (extent == 1 || ShapedType::isDynamic(extent) ||
        ShapedType::isDynamic(stride))
      continue;
    if (stride == 0)
      return true;
    dimensions.push_back({std::abs(stride), extent});
  }
  llvm::sort(dimensions, [](const Dimension &left, const Dimension &right) {
    return left.stride < right.stride;
  });
  // The first dimension in which two elements of one address differ by `index`.
  for (size_t i = 1; i < dimensions.size(); ++i) {
    ArrayRef<Dimension> inner = ArrayRef(dimensions).take_front(i);
    int64_t span = spanOf(inner);
    auto [stride, extent] = dimensions[i];
    for (int64_t index = 1; index < extent && index * stride <= span; ++index)
      if (isDistance(index * stride, inner))
        return true;
  }
  return false;
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
