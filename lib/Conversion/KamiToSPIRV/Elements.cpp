//===- Elements.cpp - kami.map and kami.clip ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

namespace {

struct ConvertMap : KernelPattern<MapOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType result = op.getType();
    SmallVector<Value> values;
    for (int64_t tile = 0; tile != result.getNumTiles(); ++tile) {
      // Of each fragment, the lane's elements of the tile.
      SmallVector<SmallVector<Value>> inputs;
      for (auto [fragment, held] :
           llvm::zip_equal(op.getFragments(), adaptor.getFragments()))
        inputs.push_back(elementsOf(
            b, kernel, cast<FragmentType>(fragment.getType()), held, tile));
      SmallVector<Value> results;
      for (int64_t v = 0; v != TileShape(result).perLane(); ++v)
        results.push_back(mapElement(b, op, inputs, v));
      appendTile(b, kernel, result, results, values);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }

private:
  /// The region on the lane's v-th elements.
  static Value mapElement(OpBuilder &builder, MapOp op,
                          ArrayRef<SmallVector<Value>> inputs, int64_t v) {
    Block &body = op.getBody().front();
    IRMapping values;
    for (auto [argument, elements] :
         llvm::zip_equal(body.getArguments(), inputs))
      values.map(argument, elements[v]);
    for (Operation &scalar : body.without_terminator())
      builder.clone(scalar, values);
    return values.lookup(cast<YieldOp>(body.getTerminator()).getValue());
  }
};

struct ConvertClip : KernelPattern<ClipOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ClipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getType();
    TileShape shape(fragment);
    bool byRow = op.getDim() == MatrixDim::Row;
    Value zero =
        arith::ConstantOp::create(b, b.getZeroAttr(fragment.getStorageType()));
    SmallVector<Value> values;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile) {
      int64_t first = byRow ? tile / fragment.getTileColumns() * shape.rows
                            : tile % fragment.getTileColumns() * shape.columns;
      SmallVector<Value> elements =
          elementsOf(b, kernel, fragment, adaptor.getValue(), tile);
      for (auto [v, element] : llvm::enumerate(elements)) {
        auto [row, column] = shape.place(b, v);
        Value place =
            addIndex(b, byRow ? row : column, indexConstant(b, first));
        // Signed, since the limit may lie before the fragment.
        Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                               place, op.getLimit());
        element = arith::SelectOp::create(b, isInside, element, zero);
      }
      appendTile(b, kernel, fragment, elements, values);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

void spirv_lowering::populateElementPatterns(const TypeConverter &converter,
                                             const KernelContext &kernel,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertMap, ConvertClip>(converter, patterns.getContext(),
                                        kernel);
}
