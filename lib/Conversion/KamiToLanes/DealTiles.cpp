//===- DealTiles.cpp - Whose tile it is -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block sorts all products by depth as a counting sort does: each thread
// counts the tiles of some products, by class, in a column of its own; the
// counts, added up class by class and in a class thread by thread, say where
// each product begins in the order. From there a thread knows which of its
// products' tiles are the block's. Nothing waits for memory but the sizes, and
// those of many products come to shared memory together: of loads an assembler
// makes one after the other, to save registers, each with all of memory's
// latency.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

/// A depth of the last class, in tiles: all that is deeper is of it, too.
constexpr int64_t deepest = 511;

class TileDealer {
public:
  TileDealer(ImplicitLocOpBuilder &b, DealTilesOp op, const LaneTarget &target);

  /// Lists the block's tiles, and says whose those are that are no block's.
  /// Returns how many of both there are.
  std::pair<Value, Value> deal();

private:
  /// Threads that are out of products have the last one, under a number of
  /// their own.
  struct Product {
    Value number, product;
  };
  /// A product's tiles, none of them if the number is no product's, and where
  /// they are counted.
  struct Counted : Product {
    Value tiles, at;
  };
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }
  Value narrowed(Value index) {
    return arith::IndexCastOp::create(b, b.getI32Type(), index);
  }
  Value widened(Value integer) {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), integer);
  }
  Value add(Value left, Value right) {
    return arith::AddIOp::create(b, left, right);
  }
  Value subtract(Value left, Value right) {
    return arith::SubIOp::create(b, left, right);
  }
  Value multiply(Value left, Value right) {
    return arith::MulIOp::create(b, left, right);
  }
  Value isBelow(Value left, Value right) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, left, right);
  }
  Value select(Value condition, Value one, Value other) {
    return arith::SelectOp::create(b, condition, one, other);
  }
  Value load(Value at) { return memref::LoadOp::create(b, counts, at); }
  void store(Value value, Value at) {
    memref::StoreOp::create(b, value, counts, at);
  }
  void forEach(Value count, llvm::function_ref<void(Value)> emit);
  void clear();
  Product productOf(Value turn);
  void fetch(Value first, Value count);
  void forEachProduct(bool again,
                      llvm::function_ref<void(const Counted &)> emit);
  Counted counted(const Product &product, Value fetched);
  Value covering(unsigned dimension, Value fetched,
                 std::optional<int64_t> most = std::nullopt);
  Value columnOf(Value row);
  Value rowOf(Value tiles);
  Value sumOwn(Value from, llvm::function_ref<void(Value, Value)> visit);
  Value sumBeforeInWarp(Value sums);
  Value placeInTurn(Value turn);
  /// Of how many products tiles may be held.
  int64_t mostHeldProducts() {
    return cast<MemRefType>(op.getRest().getType()).getDimSize(0);
  }
  Value heldFrom(Value all);
  void hand(const Counted &counted);
  void holdBack(const Counted &counted, Value from);

  ImplicitLocOpBuilder &b;
  DealTilesOp op;
  const LaneTarget &target;
  int64_t warpSize;
  /// Threads that count, which have a column each.
  int64_t columns;
  Value sizes[3];
  /// Sizes in shared memory, of so many turns of products, a row each.
  int64_t fetchedTurns;
  Value fetched[3];
  /// The counts; behind them, what the threads of each warp have counted.
  Value counts;
  Value thread;
  /// How many products there are, in 32 bits like their numbers.
  Value products;
  /// Whether this thread counts; null if all do.
  Value isCounting;
  /// The first tile that is no block's; null if all are some block's.
  Value heldTile;
};

} // namespace

TileDealer::TileDealer(ImplicitLocOpBuilder &b, DealTilesOp op,
                       const LaneTarget &target)
    : b(b), op(op), target(target), warpSize(target.warpSize),
      columns(DealTilesOp::countingThreads(op.getThreads())),
      sizes{op.getM(), op.getN(), op.getK()}, thread(threadIndex(b)),
      products(narrowed(
          b.createOrFold<memref::DimOp>(op.getM(), indexConstant(b, 0)))) {
  auto scratch = cast<MemRefType>(op.getScratch().getType());
  auto view = [&](ArrayRef<int64_t> shape, Type element, int64_t at) -> Value {
    auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                                scratch.getMemorySpace());
    return memref::ViewOp::create(b, type, op.getScratch(),
                                  indexConstant(b, at), ValueRange());
  };
  int64_t countBytes = DealTilesOp::countBytes(op.getThreads());
  int64_t turnBytes = DealTilesOp::turnBytes(op.getThreads());
  counts = view({countBytes / int64_t(sizeof(int32_t))}, b.getI32Type(), 0);
  fetchedTurns = (scratch.getDimSize(0) - countBytes) / turnBytes;
  for (auto [i, size] : llvm::enumerate(sizes))
    fetched[i] = view({fetchedTurns, columns},
                      cast<MemRefType>(size.getType()).getElementType(),
                      countBytes + int64_t(i) * fetchedTurns * turnBytes / 3);
  if (columns != int64_t(op.getThreads()))
    isCounting = isBelow(thread, indexConstant(b, columns));
}

/// For each number below the count, which has 32 bits.
void TileDealer::forEach(Value count, llvm::function_ref<void(Value)> emit) {
  auto loop = scf::ForOp::create(b, integer(0), count, integer(1));
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

/// Sets the thread's counts to 0.
void TileDealer::clear() {
  forEach(integer(DealTilesOp::depthClasses),
          [&](Value row) { store(integer(0), columnOf(widened(row))); });
}

/// Tiles that cover an extent of the product that was fetched there, or so many
/// if there are more. A negative one has none.
Value TileDealer::covering(unsigned dimension, Value at,
                           std::optional<int64_t> most) {
  Value extent = memref::LoadOp::create(b, fetched[dimension],
                                        ValueRange{widened(at), thread});
  Type type = extent.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, type, value);
  };
  // An extent is no more than half of what its bits can hold, so that nothing
  // wraps around. What is counted has 32 bits, which matters: many small
  // products take as long as this.
  int64_t tile = op.getExtents()[dimension];
  Value tiles = b.createOrFold<arith::DivUIOp>(add(extent, constant(tile - 1)),
                                               constant(tile));
  if (most)
    tiles = arith::MinUIOp::create(b, tiles, constant(*most));
  if (type != b.getI32Type())
    tiles = arith::TruncIOp::create(b, b.getI32Type(), tiles);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, extent, constant(0));
  return select(isNegative, integer(0), tiles);
}

/// The thread's count in that row. Rows are a class each, the deepest first;
/// behind as many counts as there are classes, one is left out, so that threads
/// which add up as many each do not meet in a bank.
Value TileDealer::columnOf(Value row) {
  Value gap = b.createOrFold<arith::DivUIOp>(
      thread, indexConstant(b, DealTilesOp::depthClasses));
  constexpr int64_t classes = DealTilesOp::depthClasses;
  Value start =
      multiply(row, indexConstant(b, columns * (classes + 1) / classes));
  return add(start, add(thread, gap));
}

/// The row of a depth, in tiles, `deepest` at most: `DealTilesOp::depthClass`
/// from behind. The leading bits of an integer are the exponent of a float and
/// the first bits of its fraction.
Value TileDealer::rowOf(Value tiles) {
  constexpr int64_t fraction = 23, leading = 2, bias = 127, many = 4;
  Value bits = arith::BitcastOp::create(
      b, b.getI32Type(), arith::UIToFPOp::create(b, b.getF32Type(), tiles));
  bits = arith::ShRUIOp::create(b, bits, integer(fraction - leading));
  Value ofMany = subtract(bits, integer((bias + 1) << leading));
  Value depthClass = select(isBelow(tiles, integer(many)), tiles, ofMany);
  return widened(subtract(integer(DealTilesOp::depthClasses - 1), depthClass));
}

/// The thread's product of that turn.
TileDealer::Product TileDealer::productOf(Value turn) {
  Value number = add(multiply(turn, integer(columns)), narrowed(thread));
  Value last = subtract(products, integer(1));
  return {number, arith::MinUIOp::create(b, number, last)};
}

/// Brings the sizes of the thread's products of so many turns.
void TileDealer::fetch(Value first, Value count) {
  forEach(count, [&](Value at) {
    Product product = productOf(add(first, at));
    // Lanes that copied one product's would do so one after the other.
    Value exists = isBelow(product.number, products);
    for (auto [size, to] : llvm::zip_equal(sizes, fetched))
      target.startCopy(b, size, widened(product.product), to,
                       {widened(at), thread}, exists);
  });
  target.waitForCopies(b);
}

TileDealer::Counted TileDealer::counted(const Product &product, Value at) {
  Value tiles = multiply(covering(0, at), covering(1, at));
  tiles = select(isBelow(product.number, products), tiles, integer(0));
  return {product, tiles, columnOf(rowOf(covering(2, at, deepest)))};
}

/// The thread's products, in turn. Those that are looked at again are all there
/// still if there are no more than are fetched together.
void TileDealer::forEachProduct(
    bool again, llvm::function_ref<void(const Counted &)> emit) {
  Value turns = b.createOrFold<arith::CeilDivUIOp>(products, integer(columns));
  Value most = integer(fetchedTurns);
  auto loop = scf::ForOp::create(b, integer(0), turns, most);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Value count = arith::MinUIOp::create(b, most, subtract(turns, first));
  {
    OpBuilder::InsertionGuard fetching(b);
    enter(b, again ? isBelow(most, turns) : Value());
    fetch(first, count);
  }
  forEach(count,
          [&](Value at) { emit(counted(productOf(add(first, at)), at)); });
}

/// Adds the thread's part of all counts, as many as there are classes, to
/// `from`. Visits where each is, with the sum of those before it.
Value TileDealer::sumOwn(Value from,
                         llvm::function_ref<void(Value, Value)> visit) {
  constexpr int64_t classes = DealTilesOp::depthClasses;
  Value first = multiply(thread, indexConstant(b, classes + 1));
  auto loop =
      scf::ForOp::create(b, indexConstant(b, 0), indexConstant(b, classes),
                         indexConstant(b, 1), from);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = add(first, loop.getInductionVar());
  Value sum = loop.getRegionIterArg(0);
  Value own = load(at);
  visit(at, sum);
  scf::YieldOp::create(b, add(sum, own));
  return loop.getResult(0);
}

/// What the warp's threads before this one have counted in their parts; what
/// all of them have is stored there.
Value TileDealer::sumBeforeInWarp(Value sums) {
  Value own = sumOwn(integer(0), [](Value, Value) {});
  Value upTo = sumUpToLane(b, own, warpSize);
  OpBuilder::InsertionGuard insertion(b);
  Value before = subtract(upTo, own);
  enter(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                 laneIndex(b, warpSize),
                                 indexConstant(b, warpSize - 1)));
  store(upTo, sums);
  return before;
}

/// The block's place among those that have a tile in that turn.
Value TileDealer::placeInTurn(Value turn) {
  Value block = narrowed(op.getBlock());
  Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), turn);
  return select(isOdd, subtract(integer(op.getBlocks() - 1), block), block);
}

/// The first turn that is held back, of so many tiles of all products:
/// `DealTilesOp::dealtOf`.
Value TileDealer::heldFrom(Value all) {
  Value blocks = integer(op.getBlocks());
  Value turns = arith::DivUIOp::create(b, all, blocks);
  // Of so many products, or tiles, blocks have alike shares anyhow.
  Value areFew =
      arith::AndIOp::create(b, isBelow(all, integer(DealTilesOp::heldLimit)),
                            isBelow(products, integer(mostHeldProducts() + 1)));
  Value held = integer(op.getHeld());
  Value anyhow = integer(DealTilesOp::dealtAnyhow);
  Value first =
      select(isBelow(add(held, anyhow), turns), subtract(turns, held), anyhow);
  Value beyond =
      arith::RemUIOp::create(b, first, integer(DealTilesOp::listedTogether));
  first = subtract(first, select(isBelow(beyond, anyhow), beyond, integer(0)));
  return select(areFew, first, add(turns, anyhow));
}

/// Says which tiles are the product's, from that one on in the order of all.
void TileDealer::holdBack(const Counted &counted, Value from) {
  Value word = arith::OrIOp::create(
      b, arith::ShLIOp::create(b, from, integer(DealTilesOp::tileBits)),
      counted.tiles);
  OpBuilder::InsertionGuard insertion(b);
  enter(b,
        isBelow(counted.number, arith::MinUIOp::create(
                                    b, products, integer(mostHeldProducts()))));
  memref::StoreOp::create(b, word, op.getRest(), widened(counted.product));
}

/// Lists which of the product's tiles are the block's.
void TileDealer::hand(const Counted &counted) {
  int64_t rows = cast<MemRefType>(op.getDealt().getType()).getDimSize(0);
  Value blocks = integer(op.getBlocks());
  Value from = load(counted.at);
  Value to = add(from, counted.tiles);
  store(to, counted.at);
  Value first = narrowed(op.getFirst());
  Value begin =
      arith::MaxUIOp::create(b, first, arith::DivUIOp::create(b, from, blocks));
  Value dealtTo =
      heldTile ? arith::MinUIOp::create(b, to, heldTile).getResult() : to;
  Value end = arith::MinUIOp::create(
      b, add(first, integer(rows)),
      b.createOrFold<arith::CeilDivUIOp>(dealtTo, blocks));
  if (heldTile)
    holdBack(counted, from);
  auto loop =
      scf::ForOp::create(b, widened(begin), widened(end), indexConstant(b, 1));
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Value turn = narrowed(loop.getInductionVar());
  Value tile = add(multiply(turn, blocks), placeInTurn(turn));
  // One comparison: what is before the first wraps around.
  Value number = subtract(tile, from);
  enter(b, isBelow(number, counted.tiles));
  Value row = widened(subtract(turn, first));
  Value entries[] = {counted.product, number};
  for (auto [column, entry] : llvm::enumerate(entries))
    memref::StoreOp::create(b, entry, op.getDealt(),
                            ValueRange{row, indexConstant(b, column)});
}

std::pair<Value, Value> TileDealer::deal() {
  int64_t warps = columns / warpSize;
  int64_t sums = columns * (DealTilesOp::depthClasses + 1);
  auto ifCounting = [&](llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard insertion(b);
    enter(b, isCounting);
    emit();
  };
  ifCounting([&] {
    clear();
    forEachProduct(/*again=*/false, [&](const Counted &counted) {
      store(add(load(counted.at), counted.tiles), counted.at);
    });
  });
  gpu::BarrierOp::create(b);
  Value warp = warpIndex(b, warpSize);
  auto sumBefore = [&] {
    return SmallVector<Value>{
        sumBeforeInWarp(add(warp, indexConstant(b, sums)))};
  };
  auto none = [&] { return SmallVector<Value>{integer(0)}; };
  Value before = choose(b, isCounting, b.getI32Type(), sumBefore, none).front();
  gpu::BarrierOp::create(b);
  Value all = integer(0), earlier = integer(0);
  for (int64_t other = 0; other != warps; ++other) {
    Value sum = load(indexConstant(b, sums + other));
    all = add(all, sum);
    earlier = add(earlier, select(isBelow(indexConstant(b, other), warp), sum,
                                  integer(0)));
  }
  ifCounting([&] {
    sumOwn(add(earlier, before), [&](Value at, Value sum) { store(sum, at); });
  });
  gpu::BarrierOp::create(b);
  Value blocks = integer(op.getBlocks()), heldTurn;
  if (op.getRest()) {
    heldTurn = heldFrom(all);
    heldTile = multiply(heldTurn, blocks);
  }
  ifCounting([&] {
    forEachProduct(/*again=*/true,
                   [&](const Counted &counted) { hand(counted); });
  });
  // Whole turns, and the last one.
  Value turns = arith::DivUIOp::create(b, all, blocks);
  Value rest = arith::RemUIOp::create(b, all, blocks);
  Value isInLast = isBelow(placeInTurn(turns), rest);
  Value count = add(turns, arith::ExtUIOp::create(b, b.getI32Type(), isInLast));
  if (!op.getRest())
    return {widened(count), indexConstant(b, 0)};
  count = arith::MinUIOp::create(b, count, heldTurn);
  Value left = subtract(all, arith::MinUIOp::create(b, all, heldTile));
  return {widened(count), widened(left)};
}

namespace {
struct ConvertDealTiles : LanePattern<DealTilesOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(DealTilesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto [count, left] = TileDealer(b, op, *target).deal();
    rewriter.replaceOp(op, {count, left});
    return success();
  }
};
} // namespace

void lanes::populateDealTilesPatterns(const TypeConverter &converter,
                                      const LaneTargetRef &target,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertDealTiles>(converter, patterns.getContext(), target);
}
