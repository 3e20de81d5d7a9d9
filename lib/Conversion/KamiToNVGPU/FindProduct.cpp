//===- FindProduct.cpp - Whose work it is ---------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp looks at as many products at a time as it has lanes: each counts the
// work of one, and knows, after five rounds of shuffles, that of all before it.
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

/// The work of products, as an op says how to count it.
class ProductWork {
public:
  template <typename OpTy>
  ProductWork(ImplicitLocOpBuilder &b, OpTy op)
      : b(b), sizes{op.getM(), op.getN(), op.getK()}, start(op.getStart()),
        lane(laneIndex(b)),
        count(b.createOrFold<memref::DimOp>(op.getM(), indexConstant(b, 0))) {
    llvm::copy(op.getExtents(), extents);
  }

  /// That of all, as an index.
  Value sum();
  /// The results of the search.
  SmallVector<Value> find(Value work, Value first, Value before);

private:
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }
  Value wide(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  }
  Value toIndex(Value integer) {
    return arith::IndexCastOp::create(b, b.getIndexType(), integer);
  }
  Value isBelow(Value left, Value right) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, right);
  }
  Value shuffle(Value value, Value from, gpu::ShuffleMode mode);
  Value covering(unsigned dimension, Value product);
  Value workOf(Value product);
  Value guardedWorkOf(Value product);
  Value sumUpToLane(Value work);

  ImplicitLocOpBuilder &b;
  /// m, n and k of the products, and of a tile.
  Value sizes[3];
  int64_t extents[3];
  int64_t start;
  Value lane, count;
};

} // namespace

/// Of 64 bits, in two halves, or of 32.
Value ProductWork::shuffle(Value value, Value from, gpu::ShuffleMode mode) {
  auto once = [&](Value part) -> Value {
    return gpu::ShuffleOp::create(b, part, from, integer(warpSize), mode)
        .getShuffleResult();
  };
  if (value.getType().isInteger(32))
    return once(value);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value low = once(arith::TruncIOp::create(b, i32, value));
  Value high = once(arith::TruncIOp::create(
      b, i32, arith::ShRUIOp::create(b, value, wide(32))));
  return arith::OrIOp::create(
      b, arith::ExtUIOp::create(b, i64, low),
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, high), wide(32)));
}

/// Tiles that cover an extent of a product. A negative one has none.
Value ProductWork::covering(unsigned dimension, Value product) {
  Value loaded = memref::LoadOp::create(b, sizes[dimension], product);
  Value elements =
      arith::MaxSIOp::create(b, toIndex(loaded), indexConstant(b, 0));
  return b.createOrFold<arith::CeilDivUIOp>(
      elements, indexConstant(b, extents[dimension]));
}

Value ProductWork::workOf(Value product) {
  Value rows = covering(0, product), columns = covering(1, product);
  Value tiles = arith::MulIOp::create(b, rows, columns);
  Value each = addIndex(b, covering(2, product), indexConstant(b, start));
  return arith::IndexCastOp::create(b, b.getI64Type(),
                                    arith::MulIOp::create(b, tiles, each));
}

/// The same, and 0 beyond the last product.
Value ProductWork::guardedWorkOf(Value product) {
  auto guard =
      scf::IfOp::create(b, TypeRange(b.getI64Type()), isBelow(product, count),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  scf::YieldOp::create(b, workOf(product));
  b.setInsertionPointToStart(guard.elseBlock());
  scf::YieldOp::create(b, wide(0));
  return guard.getResult(0);
}

Value ProductWork::sumUpToLane(Value work) {
  Value zero = wide(0);
  for (int64_t step = 1; step != warpSize; step *= 2) {
    Value below = shuffle(work, integer(step), gpu::ShuffleMode::UP);
    Value has = isBelow(lane, indexConstant(b, step));
    work = arith::AddIOp::create(b, work,
                                 arith::SelectOp::create(b, has, zero, below));
  }
  return work;
}

Value ProductWork::sum() {
  Value last = arith::SubIOp::create(b, count, indexConstant(b, 1));
  auto loop = scf::ForOp::create(b, indexConstant(b, 0), count,
                                 indexConstant(b, warpSize), wide(0));
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(loop.getBody());
    // No branch stands between the loads of one round and those of the next.
    Value product = addIndex(b, loop.getInductionVar(), lane);
    Value work = workOf(arith::MinSIOp::create(b, product, last));
    work = arith::SelectOp::create(b, isBelow(product, count), work, wide(0));
    scf::YieldOp::create(
        b,
        arith::AddIOp::create(b, loop.getRegionIterArg(0), work).getResult());
  }
  Value sum = loop.getResult(0);
  for (int64_t step = 1; step != warpSize; step *= 2)
    sum = arith::AddIOp::create(
        b, sum, shuffle(sum, integer(step), gpu::ShuffleMode::XOR));
  return toIndex(sum);
}

SmallVector<Value> ProductWork::find(Value work, Value searchFrom,
                                     Value workBefore) {
  Type index = b.getIndexType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  SmallVector<Value> starts = {searchFrom, workBefore};
  SmallVector<Type> found = {index, index, i64};
  auto loop = scf::WhileOp::create(b, found, starts);
  SmallVector<Location> locations(found.size(), b.getLoc());
  {
    OpBuilder::InsertionGuard insertion(b);
    Block *block = b.createBlock(&loop.getBefore(), {}, {index, index},
                                 {b.getLoc(), b.getLoc()});
    Value first = block->getArgument(0), before = block->getArgument(1);
    Value sums = sumUpToLane(guardedWorkOf(addIndex(b, first, lane)));
    Value all = shuffle(sums, integer(warpSize - 1), gpu::ShuffleMode::IDX);
    Value end = addIndex(b, before, toIndex(all));
    Value next = addIndex(b, first, indexConstant(b, warpSize));
    Value goesOn = arith::AndIOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, work),
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
  // How many of these products end before the work: the place of the one that
  // does not.
  Value ends = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                     addIndex(b, before, toIndex(sums)), work);
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
  skipped = arith::SelectOp::create(b, isFirst, wide(0), skipped);
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
    rewriter.replaceOp(op, ProductWork(b, op).find(op.getWork(), op.getFirst(),
                                                   op.getFirstBefore()));
    return success();
  }
};

struct ConvertCountWork : OpConversionPattern<CountWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CountWorkOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, ProductWork(b, op).sum());
    return success();
  }
};
} // namespace

void nvgpu_lowering::populateFindProductPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<ConvertFindProduct, ConvertCountWork>(converter,
                                                     patterns.getContext());
}
