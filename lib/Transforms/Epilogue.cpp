//===- Epilogue.cpp - Regions of a product, tile by tile -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// A block's part
//===----------------------------------------------------------------------===//

/// `tile` elements from `offset` on of a dimension, as far as there are any;
/// all of it, if one tile covers the extent.
static std::pair<OpFoldResult, OpFoldResult>
tileRange(ImplicitLocOpBuilder &b, Value operand, int64_t dim, Value offset,
          int64_t tile) {
  int64_t extent = cast<MemRefType>(operand.getType()).getDimSize(dim);
  OpFoldResult size = memref::getMixedSize(b, b.getLoc(), operand, dim);
  if (ShapedType::isStatic(extent) && extent <= tile)
    return {b.getIndexAttr(0), size};
  if (ShapedType::isStatic(extent) && extent % tile == 0)
    return {offset, b.getIndexAttr(tile)};
  Value rest = arith::SubIOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), size), offset);
  Value width = arith::ConstantIndexOp::create(b, tile);
  return {offset, arith::MinSIOp::create(b, width, rest).getResult()};
}

Value kami::reducedSubview(ImplicitLocOpBuilder &b, Value matrix,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes,
                           ArrayRef<int64_t> kept) {
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<OpFoldResult> steps(type.getRank(), b.getIndexAttr(1));
  MemRefType whole =
      memref::SubViewOp::inferResultType(type, offsets, sizes, steps);
  auto [strides, offset] = whole.getStridesAndOffset();
  SmallVector<int64_t> shape, keptStrides;
  for (int64_t dim : kept) {
    shape.push_back(whole.getDimSize(dim));
    keptStrides.push_back(strides[dim]);
  }
  auto layout = StridedLayoutAttr::get(b.getContext(), offset, keptStrides);
  auto reduced = MemRefType::get(shape, type.getElementType(), layout,
                                 type.getMemorySpace());
  if (type.getRank() == int64_t(kept.size()))
    reduced = whole;
  return memref::SubViewOp::create(b, reduced, matrix, offsets, sizes, steps);
}

std::pair<Value, AffineMap> kami::tileElements(ImplicitLocOpBuilder &b,
                                               Role role, Value operand,
                                               AffineMap map,
                                               const BlockTile &tile) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return {operand, map};
  unsigned batchRank = tile.batch.size();
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> kept;
  SmallVector<AffineExpr> results;
  bool whole = true;
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    auto source = dyn_cast<AffineDimExpr>(result);
    if (!source || source.getPosition() < batchRank) {
      offsets.push_back(source ? OpFoldResult(tile.batch[source.getPosition()])
                               : b.getIndexAttr(0));
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    unsigned position = source.getPosition() - batchRank;
    std::pair<OpFoldResult, OpFoldResult> range = {
        b.getIndexAttr(0), memref::getMixedSize(b, b.getLoc(), operand, dim)};
    if (position == 0 && role != Role::B)
      range = tileRange(b, operand, dim, tile.m, tile.tileM);
    else if (position == 1 && role != Role::A)
      range = tileRange(b, operand, dim, tile.n, tile.tileN);
    offsets.push_back(range.first);
    sizes.push_back(range.second);
    whole &= getConstantIntValue(range.second) == type.getDimSize(dim);
    kept.push_back(dim);
    results.push_back(b.getAffineDimExpr(position));
  }
  whole &= int64_t(kept.size()) == type.getRank();
  if (!whole)
    operand = reducedSubview(b, operand, offsets, sizes, kept);
  return {operand, AffineMap::get(2, 0, results, b.getContext())};
}

//===----------------------------------------------------------------------===//
// Operands as matrices
//===----------------------------------------------------------------------===//

/// The operand as a matrix of those extents and strides.
static Value matrixView(ImplicitLocOpBuilder &b, Value operand,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<std::optional<unsigned>> dims) {
  auto type = cast<MemRefType>(operand.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, operand);
  SmallVector<OpFoldResult> all = metadata.getConstifiedMixedStrides();
  OpFoldResult offset = metadata.getConstifiedMixedOffset();
  SmallVector<OpFoldResult> strides;
  for (std::optional<unsigned> dim : dims)
    strides.push_back(dim ? all[*dim] : b.getIndexAttr(0));
  SmallVector<int64_t> shape, steps;
  SmallVector<Value> ignored;
  dispatchIndexOpFoldResults(sizes, ignored, shape);
  dispatchIndexOpFoldResults(strides, ignored, steps);
  auto layout = StridedLayoutAttr::get(
      b.getContext(),
      getConstantIntValue(offset).value_or(ShapedType::kDynamic), steps);
  auto matrix = MemRefType::get(shape, type.getElementType(), layout,
                                type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, matrix, metadata.getBaseBuffer(),
                                           offset, sizes, strides);
}

WarpRegion::WarpRegion(ImplicitLocOpBuilder &b, GemmOp op, Role role,
                       FragmentType fragment, OpFoldResult rows,
                       OpFoldResult columns, bool isTransposed)
    : role(role), fragment(fragment) {
  if (!op.hasElementRegion(role))
    return;
  this->op = op;
  for (auto [value, map] :
       llvm::zip_equal(op.getElementOperands(role), op.getElementMaps(role))) {
    Operand &operand = operands.emplace_back();
    operand.value = value;
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      continue;
    std::optional<unsigned> dims[2];
    for (auto [dim, result] : llvm::enumerate(map.getResults()))
      if (auto source = dyn_cast<AffineDimExpr>(result))
        dims[isTransposed ? 1 - source.getPosition() : source.getPosition()] =
            dim;
    operand.hasRows = dims[0].has_value();
    operand.hasColumns = dims[1].has_value();
    if (!dims[0] && !dims[1]) {
      SmallVector<Value> origin(type.getRank(),
                                arith::ConstantIndexOp::create(b, 0));
      operand.value = memref::LoadOp::create(b, value, origin);
      continue;
    }
    // Along a dimension that it does not have, the operand is as long as one
    // fragment, all of whose elements there are one.
    OpFoldResult sizes[] = {dims[0] ? rows : b.getIndexAttr(fragment.getRows()),
                            dims[1] ? columns
                                    : b.getIndexAttr(fragment.getColumns())};
    operand.value = matrixView(b, value, sizes, dims);
  }
}

Value WarpRegion::load(ImplicitLocOpBuilder &b, const Operand &operand,
                       const FragmentPlace &place) {
  auto type = fragment.withElements(getElementTypeOrSelf(operand.value));
  if (!isa<MemRefType>(operand.value.getType()))
    return FillOp::create(b, type, operand.value);
  Value zero;
  if (!operand.hasRows || !operand.hasColumns)
    zero = arith::ConstantIndexOp::create(b, 0);
  return LoadOp::create(b, type, operand.value,
                        operand.hasRows ? place.row : zero,
                        operand.hasColumns ? place.column : zero,
                        place.rowInBounds || !operand.hasRows,
                        place.columnInBounds || !operand.hasColumns);
}

void WarpRegion::preload(ImplicitLocOpBuilder &b, const FragmentPlace &place) {
  for (Operand &operand : operands) {
    bool dependsOnK = (role == Role::A && operand.hasColumns) ||
                      (role == Role::B && operand.hasRows);
    if (!dependsOnK)
      operand.loaded = load(b, operand, place);
  }
}

Value WarpRegion::apply(ImplicitLocOpBuilder &b, Value elements,
                        const FragmentPlace &place) {
  SmallVector<Value> fragments = {elements};
  for (const Operand &operand : operands)
    fragments.push_back(operand.loaded ? operand.loaded
                                       : load(b, operand, place));
  Region &region = op.getElementRegion(role);
  Type yielded =
      cast<YieldOp>(region.front().getTerminator()).getValue().getType();
  // An atom's integers may have a sign, which values do not. What the atom
  // takes may be wider than what the prologue makes.
  bool widens = role != Role::C && yielded != fragment.getStorageType();
  FragmentType type = widens || yielded == fragment.getStorageType()
                          ? fragment
                          : fragment.withElements(yielded);
  auto map = MapOp::create(b, type, fragments);
  IRMapping values;
  region.cloneInto(&map.getBody(), values);
  if (widens) {
    auto yield = cast<YieldOp>(map.getBody().front().getTerminator());
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPoint(yield);
    yield.getValueMutable().assign(
        arith::ExtFOp::create(b, fragment.getStorageType(), yield.getValue()));
  }
  return map;
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

Value kami::readScale(ImplicitLocOpBuilder &b, Value scale) {
  if (!scale || !isa<MemRefType>(scale.getType()))
    return scale;
  return memref::LoadOp::create(b, scale);
}

/// C's old elements, or zeros where β is 0: then C may hold anything.
static Value loadOld(ImplicitLocOpBuilder &b, FragmentType fragment, Value c,
                     const FragmentPlace &place, Value beta) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(beta.getType()));
  Value reads = isa<FloatType>(beta.getType())
                    ? Value(arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                                  beta, zero))
                    : Value(arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                                  beta, zero));
  auto guard = scf::IfOp::create(b, TypeRange(fragment), reads,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value old = LoadOp::create(b, fragment, c, place.row, place.column,
                             place.rowInBounds, place.columnInBounds);
  scf::YieldOp::create(b, old);
  b.setInsertionPointToStart(guard.elseBlock());
  Value none =
      arith::ConstantOp::create(b, b.getZeroAttr(fragment.getElementType()));
  scf::YieldOp::create(b, FillOp::create(b, fragment, none).getResult());
  return guard.getResult(0);
}

Value kami::emitScaling(ImplicitLocOpBuilder &b, Value sum, Value c,
                        const FragmentPlace &place, Value alpha, Value beta) {
  if (!alpha && !beta)
    return sum;
  auto type = cast<FragmentType>(sum.getType());
  SmallVector<Value> fragments = {sum};
  if (alpha)
    fragments.push_back(FillOp::create(b, type, alpha));
  if (beta) {
    fragments.push_back(FillOp::create(b, type, beta));
    auto old = type.withElements(getElementTypeOrSelf(c));
    fragments.push_back(loadOld(b, old, c, place, beta));
  }
  auto map = MapOp::create(b, type, fragments);
  SmallVector<Type> elements;
  for (Value fragment : fragments)
    elements.push_back(cast<FragmentType>(fragment.getType()).getElementType());
  OpBuilder::InsertionGuard insertion(b);
  Block *body =
      b.createBlock(&map.getBody(), {}, elements,
                    SmallVector<Location>(elements.size(), b.getLoc()));
  Value result = body->getArgument(0);
  bool isFloat = isa<FloatType>(type.getElementType());
  auto scaled = [&](Value scale, Value value) -> Value {
    return isFloat ? Value(arith::MulFOp::create(b, scale, value))
                   : Value(arith::MulIOp::create(b, scale, value));
  };
  if (alpha)
    result = scaled(body->getArgument(1), result);
  if (beta) {
    unsigned first = alpha ? 2 : 1;
    Value old = body->getArgument(first + 1);
    if (old.getType() != result.getType())
      old = arith::ExtFOp::create(b, result.getType(), old);
    old = scaled(body->getArgument(first), old);
    result = isFloat ? Value(arith::AddFOp::create(b, result, old))
                     : Value(arith::AddIOp::create(b, result, old));
  }
  YieldOp::create(b, result);
  return map;
}
