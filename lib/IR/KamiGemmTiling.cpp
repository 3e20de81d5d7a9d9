//===- KamiGemmTiling.cpp - kami.gemm as loops over tiles of C -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration domain is C's: batch dimensions, rows, columns. The sum over k
// is not a dimension of it, because β would be applied once a tile.
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace kami;
using namespace mlir;

static OpFoldResult dimOf(OpBuilder &builder, Location loc, Value value,
                          int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (isa<TensorType>(type))
    return tensor::DimOp::create(builder, loc, value, dim).getResult();
  return memref::DimOp::create(builder, loc, value, dim).getResult();
}

/// `value[offsets][sizes]` with unit strides, of the same rank.
static Operation *slice(OpBuilder &builder, Location loc, Value value,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  // A slice must not begin in an extent of 0, where that can be seen.
  SmallVector<OpFoldResult> starts(offsets);
  auto shape = cast<ShapedType>(value.getType()).getShape();
  for (auto [start, extent] : llvm::zip_equal(starts, shape))
    if (extent == 0 && isa<Attribute>(start))
      start = arith::ConstantIndexOp::create(builder, loc, 0).getResult();
  if (isa<TensorType>(value.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, value, starts, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, value, starts, sizes, strides);
}

SmallVector<utils::IteratorType> GemmOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getCType().getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> GemmOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> ranges;
  for (int64_t dim = 0, rank = getCType().getRank(); dim != rank; ++dim)
    ranges.push_back({builder.getIndexAttr(0),
                      dimOf(builder, getLoc(), getC(), dim),
                      builder.getIndexAttr(1)});
  return ranges;
}

/// The part of A or B that a tile of C needs: its rows or columns at matrix
/// dimension `matrixDim`, the batch dimensions that are not repeated, all of k.
static Operation *sliceOperand(GemmOp op, OpBuilder &builder, Value operand,
                               unsigned matrixDim, unsigned domainDim,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  auto type = cast<ShapedType>(operand.getType());
  int64_t batch = type.getRank() - 2;
  int64_t missing = op.getCType().getRank() - type.getRank();
  SmallVector<OpFoldResult> operandOffsets, operandSizes;
  for (int64_t dim = 0; dim != type.getRank(); ++dim) {
    bool repeated = dim < batch && type.getDimSize(dim) == 1;
    if (dim < batch && !repeated) {
      operandOffsets.push_back(offsets[dim + missing]);
      operandSizes.push_back(sizes[dim + missing]);
    } else if (dim == batch + matrixDim) {
      operandOffsets.push_back(offsets[domainDim]);
      operandSizes.push_back(sizes[domainDim]);
    } else {
      operandOffsets.push_back(builder.getIndexAttr(0));
      operandSizes.push_back(dimOf(builder, op.getLoc(), operand, dim));
    }
  }
  return slice(builder, op.getLoc(), operand, operandOffsets, operandSizes);
}

/// The part of a region's operand that a tile of C needs; all of k.
static Operation *sliceElements(GemmOp op, OpBuilder &builder, Role role,
                                Value operand, AffineMap map,
                                ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  unsigned rank = op.getCType().getRank();
  std::optional<unsigned> k;
  if (role != Role::C)
    k = role == Role::A ? rank - 1 : rank - 2;
  SmallVector<OpFoldResult> from, extents;
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    auto source = dyn_cast<AffineDimExpr>(result);
    bool tiled = source && source.getPosition() != k;
    from.push_back(tiled ? offsets[source.getPosition()]
                         : builder.getIndexAttr(0));
    extents.push_back(tiled ? sizes[source.getPosition()]
                            : dimOf(builder, op.getLoc(), operand, dim));
  }
  return slice(builder, op.getLoc(), operand, from, extents);
}

FailureOr<TilingResult>
GemmOp::getTiledImplementation(OpBuilder &builder,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  if (getInterleavedParts())
    return emitOpError("cannot be tiled with interleaved parts");
  unsigned rows = getBatchRank(), columns = rows + 1;
  Operation *a = sliceOperand(*this, builder, getA(), getTransposeA() ? 1 : 0,
                              rows, offsets, sizes);
  Operation *b = sliceOperand(*this, builder, getB(), getTransposeB() ? 0 : 1,
                              columns, offsets, sizes);
  Operation *c = slice(builder, getLoc(), getC(), offsets, sizes);
  SmallVector<Value> operands(getOperation()->getOperands());
  operands[0] = a->getResult(0);
  operands[1] = b->getResult(0);
  operands[2] = c->getResult(0);
  SmallVector<Operation *> slices = {a, b, c};
  for (Role role : {Role::A, Role::B, Role::C}) {
    MutableOperandRange range = getElementOperandsMutable(role);
    for (auto [operand, map] : llvm::zip_equal(range, getElementMaps(role))) {
      auto type = dyn_cast<ShapedType>(operand.get().getType());
      if (!type || type.getRank() == 0)
        continue;
      slices.push_back(sliceElements(*this, builder, role, operand.get(), map,
                                     offsets, sizes));
      operands[operand.getOperandNumber()] = slices.back()->getResult(0);
    }
  }
  GemmOp product = cloneWith(builder, operands);
  // A tile may begin within a row.
  product.setAlignedRows(false);
  Operation *tiled = product;
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

LogicalResult GemmOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
GemmOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}
