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
// To begin with, each thread of the block counts some products that follow each
// other, so that no product is far from where the block's share begins.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

/// The work of products, as an op says how to count it.
class ProductWork {
public:
  template <typename OpTy>
  ProductWork(ImplicitLocOpBuilder &b, OpTy op, int64_t warpSize)
      : b(b), warpSize(warpSize), sizes{op.getM(), op.getN(), op.getK()},
        start(op.getStart()), lane(laneIndex(b, warpSize)),
        count(b.createOrFold<memref::DimOp>(op.getM(), indexConstant(b, 0))) {
    llvm::copy(op.getExtents(), extents);
  }

  /// The results of a share.
  SmallVector<Value> share(ShareWorkOp op);
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
  Value wideOf(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  }
  Value shuffle(Value value, Value from, gpu::ShuffleMode mode);
  Value covering(unsigned dimension, Value product);
  Value workOf(Value product);
  Value guardedWorkOf(Value product);
  Value workFrom(Value first, Value products);
  Value sumUpToLane(Value work);

  ImplicitLocOpBuilder &b;
  int64_t warpSize;
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

/// That of so many products from `first` on, where there are as many.
Value ProductWork::workFrom(Value first, Value products) {
  Value last = arith::SubIOp::create(b, count, indexConstant(b, 1));
  auto loop = scf::ForOp::create(b, indexConstant(b, 0), products,
                                 indexConstant(b, 1), wide(0));
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  // No branch stands between the loads of one round and those of the next.
  Value product = addIndex(b, first, loop.getInductionVar());
  Value work = workOf(arith::MinSIOp::create(b, product, last));
  work = arith::SelectOp::create(b, isBelow(product, count), work, wide(0));
  scf::YieldOp::create(
      b, arith::AddIOp::create(b, loop.getRegionIterArg(0), work).getResult());
  return loop.getResult(0);
}

SmallVector<Value> ProductWork::share(ShareWorkOp op) {
  int64_t warps = op.getThreads() / warpSize;
  auto scratchType = MemRefType::get(
      {warps + 2}, b.getI64Type(), MemRefLayoutAttrInterface(),
      cast<MemRefType>(op.getScratch().getType()).getMemorySpace());
  Value scratch = memref::ViewOp::create(b, scratchType, op.getScratch(),
                                         indexConstant(b, 0), ValueRange());
  auto load = [&](int64_t at) -> Value {
    return memref::LoadOp::create(b, scratch, indexConstant(b, at));
  };
  auto store = [&](Value value, Value at) {
    memref::StoreOp::create(b, value, scratch, at);
  };
  auto equals = [&](Value left, Value right) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, left, right);
  };
  auto storeIf = [&](Value condition, ArrayRef<Value> stored, Value at) {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
    for (auto [i, value] : llvm::enumerate(stored))
      store(value, addIndex(b, at, indexConstant(b, i)));
  };
  // What the share's finder leaves; where nobody finds it, there is no work.
  Value found = indexConstant(b, warps);
  Value thread = threadIndex(b), warp = warpIndex(b, warpSize);
  storeIf(equals(thread, indexConstant(b, 0)), {wide(0), wide(0)}, found);
  // Every thread has as many products beside each other.
  Value each = b.createOrFold<arith::CeilDivUIOp>(
      count, indexConstant(b, op.getThreads()));
  Value first = b.createOrFold<arith::MulIOp>(thread, each);
  Value own = workFrom(first, each);
  Value upTo = sumUpToLane(own);
  storeIf(equals(lane, indexConstant(b, warpSize - 1)), upTo, warp);
  gpu::BarrierOp::create(b);
  Value all = wide(0), earlier = wide(0);
  for (int64_t other = 0; other != warps; ++other) {
    Value sum = load(other);
    all = arith::AddIOp::create(b, all, sum);
    Value isEarlier = isBelow(indexConstant(b, other), warp);
    earlier = arith::AddIOp::create(
        b, earlier, arith::SelectOp::create(b, isEarlier, sum, wide(0)));
  }
  Value shares = wide(op.getShares());
  Value rounds = b.createOrFold<arith::MaxSIOp>(
      arith::DivUIOp::create(b, all, wide(op.getShares() * op.getLeast())),
      wide(1));
  shares = arith::MulIOp::create(b, shares, rounds);
  // Whole parts, and one more for each of the first shares while some is left.
  Value part = arith::DivUIOp::create(b, all, shares);
  Value rest = arith::RemUIOp::create(b, all, shares);
  Value number = wideOf(op.getShare());
  Value begin = arith::AddIOp::create(b, arith::MulIOp::create(b, number, part),
                                      arith::MinUIOp::create(b, number, rest));
  Value after = arith::AddIOp::create(b, earlier, upTo);
  Value before = arith::SubIOp::create(b, after, own);
  Value isMine = arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ule, before, begin),
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, begin, after));
  storeIf(isMine, {wideOf(first), before}, found);
  gpu::BarrierOp::create(b);
  SmallVector<Value> results = {toIndex(load(warps)), toIndex(load(warps + 1)),
                                toIndex(rounds), toIndex(all)};
  gpu::BarrierOp::create(b);
  return results;
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
struct ConvertFindProduct : LanePattern<FindProductOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(FindProductOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, ProductWork(b, op, target->warpSize)
                .find(op.getWork(), op.getFirst(), op.getFirstBefore()));
    return success();
  }
};

struct ConvertShareWork : LanePattern<ShareWorkOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(ShareWorkOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, ProductWork(b, op, target->warpSize).share(op));
    return success();
  }
};
} // namespace

void lanes::populateFindProductPatterns(const TypeConverter &converter,
                                        const LaneTargetRef &target,
                                        RewritePatternSet &patterns) {
  patterns.add<ConvertFindProduct, ConvertShareWork>(
      converter, patterns.getContext(), target);
}
