//===- CopiedLines.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopiedLines.h"
#include "NVIDIALanes.h"
#include "kami/IR/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

static bool isAlong(MemRefType type, unsigned dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[dim] == 1;
}

CopiedLines::CopiedLines(ImplicitLocOpBuilder &b, Value matrix, Value tile)
    : b(b), matrix(matrix), tile(tile) {
  auto type = cast<MemRefType>(tile.getType());
  if (!isAlong(type, 1) && isAlong(type, 0)) {
    this->matrix = transposedView(b, b.getLoc(), matrix);
    this->tile = transposedView(b, b.getLoc(), tile);
    type = cast<MemRefType>(this->tile.getType());
  }
  lines = type.getDimSize(0);
  lineElements = type.getDimSize(1);
  elementBytes = type.getElementTypeBitWidth() / 8;
}

CopiedLines::CopiedLines(ImplicitLocOpBuilder &b, Value matrix, Value buffer,
                         SharedMatrixAttr attribute)
    : b(b), matrix(matrix), order(attribute.getMatrix()) {
  elementBytes = order->elementBytes;
  lines = order->lines();
  lineElements = order->majorExtent();
  bool isA = attribute.getRole() == Role::A;
  if ((order->major == Major::K) != isA)
    this->matrix = transposedView(b, b.getLoc(), matrix);
  auto type =
      MemRefType::get({lines * lineElements}, attribute.getElementType(),
                      MemRefLayoutAttrInterface(),
                      cast<MemRefType>(buffer.getType()).getMemorySpace());
  tile = memref::ViewOp::create(b, type, buffer, indexConstant(b, 0),
                                ValueRange());
}

int64_t CopiedLines::stride(Value memref, unsigned dim) const {
  // Nothing follows a single line.
  if (dim == 0 && cast<MemRefType>(memref.getType()).getDimSize(0) == 1)
    return 0;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(cast<MemRefType>(memref.getType())
                 .getStridesAndOffset(strides, offset)))
    return ShapedType::kDynamic;
  return strides[dim];
}

/// See SharedMatrix::byteOffset.
SmallVector<Value> CopiedLines::tileIndices(Value line, Value column) const {
  if (!order)
    return {line, column};
  auto constant = [&](int64_t value) { return indexConstant(b, value); };
  auto times = [&](Value value, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(value, constant(factor));
  };
  auto over = [&](Value value, int64_t divisor) {
    return b.createOrFold<arith::DivUIOp>(value, constant(divisor));
  };
  auto rest = [&](Value value, int64_t divisor) {
    return b.createOrFold<arith::RemUIOp>(value, constant(divisor));
  };
  int64_t row = order->rowElements(), chunk = copiedPiece / elementBytes;
  int64_t chunks = row / chunk;
  // The chunk in its row, permuted by the line.
  Value number = b.createOrFold<arith::XOrIOp>(
      over(rest(column, row), chunk), rest(over(line, 8 / chunks), chunks));
  Value at =
      addIndex(b, times(over(column, row), lines * row), times(line, row));
  at = addIndex(b, at, times(number, chunk));
  return {addIndex(b, at, rest(column, chunk))};
}

Value CopiedLines::covered(unsigned dim, Value at) const {
  auto type = cast<MemRefType>(matrix.getType());
  if (!type.isDynamicDim(dim) &&
      type.getDimSize(dim) == (dim == 0 ? lines : lineElements))
    return {};
  Value extent = b.createOrFold<memref::DimOp>(matrix, indexConstant(b, dim));
  return b.createOrFold<arith::SubIOp>(extent, at);
}

Value CopiedLines::narrow(Value index) const {
  return arith::IndexCastOp::create(b, b.getI32Type(), index);
}

Value CopiedLines::widen(Value count) const {
  return arith::IndexCastUIOp::create(b, b.getIndexType(), count);
}

Value CopiedLines::clamp(Value count, int64_t most) const {
  auto integer = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  };
  return arith::MaxSIOp::create(
      b, integer(0), arith::MinSIOp::create(b, integer(most), count));
}

Value CopiedLines::countFrom(Value line, Value column, int64_t elements) const {
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  };
  Value count;
  if (Value rest = covered(1, column))
    count = clamp(narrow(rest), elements);
  if (Value rest = covered(0, line)) {
    Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                           narrow(rest), integer(0));
    count = arith::SelectOp::create(
        b, isInside, count ? count : integer(elements), integer(0));
  }
  return count ? widen(count) : Value();
}
