//===- GlobalMemory.cpp - kami.load and kami.store -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element is addressed by itself, so that any stride, offset and
// alignment works; an element beyond the matrix is never touched. Registers
// that hold the same element, because the matrix has a stride of 0, are loaded
// once.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace kami;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

/// The lane's view of a fragment's place in a matrix.
class FragmentWindow {
public:
  FragmentWindow(ImplicitLocOpBuilder &b, FragmentType fragment, Value matrix,
                 Value row, Value column, bool rowInBounds, bool columnInBounds)
      : fragment(fragment), matrix(matrix) {
    LaneOrigin origin = laneOrigin(b, fragment.getMap());
    origins[0] = addIndex(b, row, origin.row);
    origins[1] = addIndex(b, column, origin.column);
    for (auto [dim, inBounds] :
         {std::pair(0, rowInBounds), std::pair(1, columnInBounds)})
      if (!inBounds)
        extents[dim] =
            b.createOrFold<memref::DimOp>(matrix, indexConstant(b, dim));
    SmallVector<int64_t> strides;
    int64_t offset;
    if (succeeded(cast<MemRefType>(matrix.getType())
                      .getStridesAndOffset(strides, offset)))
      for (unsigned dim : {0, 1})
        repeats[dim] = strides[dim] == 0 && !extents[dim];
  }

  /// What tells the place in memory of a value of a tile from that of others.
  std::array<int64_t, 2> place(int64_t tile, unsigned value) const {
    Coordinate place = fragment.getMap().at(0, value);
    int64_t row =
        tile / fragment.getTileColumns() * fragment.getMap().rows + place.row;
    int64_t column =
        tile % fragment.getTileColumns() * fragment.getMap().columns +
        place.column;
    return {repeats[0] ? 0 : row, repeats[1] ? 0 : column};
  }

  /// Indices of a value of a tile in the matrix.
  std::array<Value, 2> indices(ImplicitLocOpBuilder &b, int64_t tile,
                               unsigned value) const {
    std::array<int64_t, 2> at = place(tile, value);
    std::array<Value, 2> result;
    for (unsigned dim : {0, 1}) {
      result[dim] = indexConstant(b, at[dim]);
      if (!repeats[dim])
        result[dim] = addIndex(b, origins[dim], result[dim]);
    }
    return result;
  }

  /// Whether that place is in the matrix; null if it always is.
  Value isInBounds(ImplicitLocOpBuilder &b, ArrayRef<Value> indices) const {
    Value all;
    for (unsigned dim = 0; dim != 2; ++dim) {
      if (!extents[dim])
        continue;
      Value one = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                        indices[dim], extents[dim]);
      all = all ? arith::AndIOp::create(b, all, one).getResult() : one;
    }
    return all;
  }

private:
  FragmentType fragment;
  Value matrix;
  Value origins[2];
  Value extents[2];
  /// All elements along the dimension are one, and all are in bounds.
  bool repeats[2] = {false, false};
};

struct ConvertLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getResult().getType();
    FragmentWindow window(b, fragment, op.getSource(), op.getRow(),
                          op.getColumn(), op.getRowInBounds(),
                          op.getColumnInBounds());
    bool rounds = fragment.getRole() != Role::C &&
                  fragment.hasAtomElementType() &&
                  fragment.getAtom().roundsToTF32();
    std::map<std::array<int64_t, 2>, Value> loaded;
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile) {
      SmallVector<Value> values;
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i) {
        Value &element = loaded[window.place(tile, i)];
        if (!element) {
          element = loadElement(b, op, window, tile, i);
          if (rounds)
            element = roundToTF32(b, element);
        }
        values.push_back(element);
      }
      tiles.push_back(
          vector::FromElementsOp::create(b, tileType(fragment), values));
    }
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }

private:
  static Value loadElement(ImplicitLocOpBuilder &b, LoadOp op,
                           const FragmentWindow &window, int64_t tile,
                           unsigned value) {
    std::array<Value, 2> indices = window.indices(b, tile, value);
    Value inBounds = window.isInBounds(b, indices);
    if (!inBounds)
      return memref::LoadOp::create(b, op.getSource(), indices);
    Type type = op.getResult().getType().getStorageType();
    auto guard = scf::IfOp::create(b, TypeRange(type), inBounds,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    scf::YieldOp::create(
        b, memref::LoadOp::create(b, op.getSource(), indices).getResult());
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(
        b, arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult());
    return guard.getResult(0);
  }
};

struct ConvertStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getValue().getType();
    FragmentWindow window(b, fragment, op.getDest(), op.getRow(),
                          op.getColumn(), op.getRowInBounds(),
                          op.getColumnInBounds());
    // β of 0 must not read C, which may hold anything.
    Value readsC;
    if (op.getBeta()) {
      Value zero =
          arith::ConstantOp::create(b, b.getZeroAttr(op.getBeta().getType()));
      if (isa<FloatType>(zero.getType()))
        readsC = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                       op.getBeta(), zero);
      else
        readsC = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                       op.getBeta(), zero);
    }
    for (auto [tile, registers] : llvm::enumerate(adaptor.getValue()))
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i)
        storeElement(b, op, window, tile, i, registers, readsC);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void storeElement(ImplicitLocOpBuilder &b, StoreOp op,
                           const FragmentWindow &window, int64_t tile,
                           unsigned value, Value registers, Value readsC) {
    Value result = vector::ExtractOp::create(b, registers, int64_t(value));
    std::array<Value, 2> indices = window.indices(b, tile, value);
    OpBuilder::InsertionGuard insertion(b);
    if (Value inBounds = window.isInBounds(b, indices)) {
      auto guard = scf::IfOp::create(b, inBounds, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guard.thenBlock());
    }
    if (op.getAlpha())
      result = multiply(b, op.getAlpha(), result);
    if (op.getBeta())
      result = addOld(b, op, indices, result, readsC);
    Type stored = cast<MemRefType>(op.getDest().getType()).getElementType();
    if (stored != result.getType())
      result = arith::TruncFOp::create(b, stored, result);
    memref::StoreOp::create(b, result, op.getDest(), indices);
  }

  static Value multiply(ImplicitLocOpBuilder &b, Value left, Value right) {
    if (isa<FloatType>(left.getType()))
      return arith::MulFOp::create(b, left, right);
    return arith::MulIOp::create(b, left, right);
  }

  /// result + β·C, if β is not 0.
  static Value addOld(ImplicitLocOpBuilder &b, StoreOp op,
                      ArrayRef<Value> indices, Value result, Value readsC) {
    auto guard = scf::IfOp::create(b, TypeRange(result.getType()), readsC,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    Value old = memref::LoadOp::create(b, op.getDest(), indices);
    if (old.getType() != result.getType())
      old = arith::ExtFOp::create(b, result.getType(), old);
    Value scaled = multiply(b, op.getBeta(), old);
    Value sum = isa<FloatType>(result.getType())
                    ? arith::AddFOp::create(b, result, scaled).getResult()
                    : arith::AddIOp::create(b, result, scaled).getResult();
    scf::YieldOp::create(b, sum);
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(b, result);
    return guard.getResult(0);
  }
};

} // namespace

void nvgpu_lowering::populateGlobalMemoryPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvertLoad, ConvertStore>(converter, patterns.getContext());
}
