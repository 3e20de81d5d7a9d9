//===- Elements.cpp - kami.map, kami.clip and kami.recast ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane has the elements of one place in the same register of every fragment,
// so that what is done to elements is done to vectors of registers.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "kami/Conversion/KamiToLanes/Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

struct ConvertMap : OpConversionPattern<MapOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != op.getType().getNumTiles(); ++tile) {
      IRMapping values;
      for (auto [argument, registers] :
           llvm::zip_equal(op.getBody().getArguments(), adaptor.getFragments()))
        values.map(argument, registers[tile]);
      tiles.push_back(mapTile(op, values, rewriter));
    }
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }

private:
  /// The region on one tile: every operation on a vector of the lane's
  /// elements.
  static Value mapTile(MapOp op, IRMapping &values, OpBuilder &builder) {
    Block &body = op.getBody().front();
    int64_t count = op.getType().getMap().valuesPerLane();
    for (Operation &scalar : body.without_terminator()) {
      auto vectorOf = [&](Type type) { return VectorType::get({count}, type); };
      if (auto constant = dyn_cast<arith::ConstantOp>(scalar)) {
        auto splat = DenseElementsAttr::get(vectorOf(constant.getType()),
                                            Attribute(constant.getValue()));
        values.map(
            constant,
            arith::ConstantOp::create(builder, op.getLoc(), splat).getResult());
        continue;
      }
      Operation *mapped = builder.clone(scalar, values);
      for (Value result : mapped->getResults())
        result.setType(vectorOf(result.getType()));
    }
    return values.lookup(cast<YieldOp>(body.getTerminator()).getValue());
  }
};

struct ConvertClip : OpConversionPattern<ClipOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ClipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getType();
    const FragmentMap &map = fragment.getMap();
    bool byRow = op.getDim() == MatrixDim::Row;
    LaneOrigin lane = laneOrigin(b, fragment);
    Value origin = byRow ? lane.row : lane.column;
    Value zero =
        arith::ConstantOp::create(b, b.getZeroAttr(fragment.getElementType()));
    // Many registers lie in one row or column.
    llvm::SmallDenseMap<int64_t, Value> inside;
    SmallVector<Value> tiles;
    for (auto [tile, registers] : llvm::enumerate(adaptor.getValue())) {
      SmallVector<Value> kept;
      for (unsigned i = 0; i != map.valuesPerLane(); ++i) {
        int64_t place = fragment.getPlace(tile, /*lane=*/0, i)[byRow ? 0 : 1];
        Value &condition = inside[place];
        // Signed, since the limit may lie before the fragment.
        if (!condition)
          condition = arith::CmpIOp::create(
              b, arith::CmpIPredicate::slt,
              addIndex(b, origin, indexConstant(b, place)), op.getLimit());
        Value element = vector::ExtractOp::create(b, registers, int64_t(i));
        kept.push_back(arith::SelectOp::create(b, condition, element, zero));
      }
      tiles.push_back(
          vector::FromElementsOp::create(b, tileType(fragment), kept));
    }
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }
};

struct ConvertJoin : OpConversionPattern<JoinOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(JoinOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> tiles;
    for (int64_t row = 0; row != op.getType().getTileRows(); ++row)
      for (auto [fragment, registers] :
           llvm::zip_equal(op.getFragments(), adaptor.getFragments())) {
        int64_t columns =
            cast<FragmentType>(fragment.getType()).getTileColumns();
        llvm::append_range(tiles, registers.slice(row * columns, columns));
      }
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }
};

struct ConvertRecast : OpConversionPattern<RecastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RecastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType from = op.getValue().getType(), to = op.getType();
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != to.getNumTiles(); ++tile)
      tiles.push_back(recastTile(b, from, to, adaptor.getValue(),
                                 tile / to.getTileColumns() * to.getMap().rows,
                                 op.getColumn() + tile % to.getTileColumns() *
                                                      to.getMap().columns));
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }

private:
  static Value recastTile(ImplicitLocOpBuilder &b, FragmentType from,
                          FragmentType to, ValueRange registers, int64_t row,
                          int64_t column) {
    VectorType result = tileType(to);
    auto type = result.clone(tileType(from).getElementType());
    SmallVector<Value> elements;
    Value zero;
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      TileRegister place =
          *registerOf(from.getMap(), to.getMap(), row, column, i);
      if (place.tileColumn >= from.getTileColumns()) {
        if (!zero)
          zero = arith::ConstantOp::create(
              b, b.getZeroAttr(type.getElementType()));
        elements.push_back(zero);
        continue;
      }
      Value tile =
          registers[place.tileRow * from.getTileColumns() + place.tileColumn];
      elements.push_back(
          vector::ExtractOp::create(b, tile, int64_t(place.value)));
    }
    Value tile = vector::FromElementsOp::create(b, type, elements);
    return type == result
               ? tile
               : arith::TruncFOp::create(b, result, tile).getResult();
  }
};

} // namespace

void lanes::populateElementPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<ConvertMap, ConvertClip, ConvertJoin, ConvertRecast>(
      converter, patterns.getContext());
}
