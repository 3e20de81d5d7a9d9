//===- FindProduct.cpp - Whose tile it is ---------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp looks at as many products at a time as it has lanes: each counts the
// tiles of one, and knows, after five shuffles, those of all before it.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kami;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

class ProductSearch {
public:
  ProductSearch(ImplicitLocOpBuilder &b, FindProductOp op)
      : b(b), op(op), lane(laneIndex(b)),
        count(b.createOrFold<memref::DimOp>(op.getM(), indexConstant(b, 0))) {}

  /// The op's results.
  SmallVector<Value> emit();

private:
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }
  Value toInteger(Value index) {
    return arith::IndexCastOp::create(b, b.getI32Type(), index);
  }
  Value toIndex(Value integer) {
    return arith::IndexCastOp::create(b, b.getIndexType(), integer);
  }
  Value isBelow(Value left, Value right) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, right);
  }
  Value shuffle(Value value, Value from, gpu::ShuffleMode mode) {
    return gpu::ShuffleOp::create(b, value, from, integer(warpSize), mode)
        .getShuffleResult();
  }
  Value tilesAlong(Value array, Value product, int64_t extent);
  Value tilesOf(Value product);
  Value sumUpToLane(Value tiles);

  ImplicitLocOpBuilder &b;
  FindProductOp op;
  Value lane, count;
};

} // namespace

/// A negative extent has no tiles.
Value ProductSearch::tilesAlong(Value array, Value product, int64_t extent) {
  Value loaded = memref::LoadOp::create(b, array, product);
  Value elements =
      arith::MaxSIOp::create(b, toIndex(loaded), indexConstant(b, 0));
  return b.createOrFold<arith::CeilDivUIOp>(elements, indexConstant(b, extent));
}

/// The lane's product's tiles; 0 beyond the last product.
Value ProductSearch::tilesOf(Value product) {
  auto guard =
      scf::IfOp::create(b, TypeRange(b.getI32Type()), isBelow(product, count),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value tiles = arith::MulIOp::create(
      b, tilesAlong(op.getM(), product, op.getExtents()[0]),
      tilesAlong(op.getN(), product, op.getExtents()[1]));
  scf::YieldOp::create(b, toInteger(tiles));
  b.setInsertionPointToStart(guard.elseBlock());
  scf::YieldOp::create(b, integer(0));
  return guard.getResult(0);
}

Value ProductSearch::sumUpToLane(Value tiles) {
  Value zero = integer(0);
  for (int64_t step = 1; step != warpSize; step *= 2) {
    Value below = shuffle(tiles, integer(step), gpu::ShuffleMode::UP);
    Value has = isBelow(lane, indexConstant(b, step));
    tiles = arith::AddIOp::create(b, tiles,
                                  arith::SelectOp::create(b, has, zero, below));
  }
  return tiles;
}

SmallVector<Value> ProductSearch::emit() {
  Type index = b.getIndexType(), i32 = b.getI32Type();
  SmallVector<Value> starts = {op.getFirst(), op.getFirstBefore()};
  SmallVector<Type> found = {index, index, i32};
  auto loop = scf::WhileOp::create(b, found, starts);
  SmallVector<Location> locations(found.size(), b.getLoc());
  {
    OpBuilder::InsertionGuard insertion(b);
    Block *block = b.createBlock(&loop.getBefore(), {}, {index, index},
                                 {b.getLoc(), b.getLoc()});
    Value first = block->getArgument(0), before = block->getArgument(1);
    Value sums = sumUpToLane(tilesOf(addIndex(b, first, lane)));
    Value all = shuffle(sums, integer(warpSize - 1), gpu::ShuffleMode::IDX);
    Value end = addIndex(b, before, toIndex(all));
    Value next = addIndex(b, first, indexConstant(b, warpSize));
    Value goesOn = arith::AndIOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, op.getTile()),
        isBelow(next, count));
    scf::ConditionOp::create(b, goesOn, ValueRange{first, before, sums});
    block = b.createBlock(&loop.getAfter(), {}, found, locations);
    Value skipped = shuffle(block->getArgument(2), integer(warpSize - 1),
                            gpu::ShuffleMode::IDX);
    scf::YieldOp::create(
        b, ValueRange{
               addIndex(b, block->getArgument(0), indexConstant(b, warpSize)),
               addIndex(b, block->getArgument(1), toIndex(skipped))});
  }
  Value first = loop.getResult(0), before = loop.getResult(1),
        sums = loop.getResult(2);
  // How many of these products end before the tile: the place of the one that
  // does not.
  Value ends =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                            addIndex(b, before, toIndex(sums)), op.getTile());
  Value place = arith::ExtUIOp::create(b, i32, ends);
  for (int64_t step = 1; step != warpSize; step *= 2)
    place = arith::AddIOp::create(
        b, place, shuffle(place, integer(step), gpu::ShuffleMode::XOR));
  Value isFound = isBelow(place, integer(warpSize));
  Value previous = arith::MaxSIOp::create(
      b, arith::SubIOp::create(b, place, integer(1)), integer(0));
  Value skipped = shuffle(sums, previous, gpu::ShuffleMode::IDX);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, integer(0));
  skipped = arith::SelectOp::create(b, isFirst, integer(0), skipped);
  return {addIndex(b, first, toIndex(place)),
          addIndex(b, before, toIndex(skipped)), isFound};
}

namespace {
struct ConvertFindProduct : OpConversionPattern<FindProductOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FindProductOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, ProductSearch(b, op).emit());
    return success();
  }
};
} // namespace

void nvgpu_lowering::populateFindProductPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<ConvertFindProduct>(converter, patterns.getContext());
}
