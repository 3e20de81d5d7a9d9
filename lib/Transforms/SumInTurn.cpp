//===- SumInTurn.cpp - A product that others follow -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks in turn that prefetch never stop copying: the last tiles of k of one
// product start the first ones of the next. Where the engine copies for several
// groups, these meet at no barrier in between: each warp waits for a tile
// itself, and says when it has done with it, so that one group multiplies while
// another one waits or loads.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "kami/IR/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace kami;
using namespace mlir;

/// The sum of a product that others of the same plan precede and follow. Its
/// first tiles are on their way when it begins; with each tile that it
/// multiplies, it starts the one that is stages - 1 further: its own, then the
/// next product's.
Value Distributor::emitSumInTurn(GemmOp op, Value matrixA, Value matrixB,
                                 Value start, bool barrierFirst) {
  int64_t ahead = exchange.stages - 1;
  auto [nextA, nextB] = multipliedMatrices(op, op.getNextA(), op.getNextB());
  if (barrierFirst)
    atFirst(op.getTurn(), [&] { gpu::BarrierOp::create(b); });
  beginBulk(op, matrixA, matrixB);
  CopiedOperands own = operandsOf(matrixA, matrixB, mapNumber);
  CopiedOperands next =
      operandsOf(nextA, nextB, exchange.bulk ? nextMapNumber() : Value());
  atFirst(op.getTurn(), [&] {
    for (int64_t tile = 0; tile != ahead; ++tile)
      startTile(own, constant(tile), /*exists=*/{}, constant(tile));
  });
  // Others know of the mbarriers then, and all have read what they are told of
  // this product.
  if (waitApart())
    gpu::BarrierOp::create(b);
  describeNext(op);
  // Where a product has fewer tiles than are ahead, the rest is nothing.
  Value turns = b.createOrFold<arith::MaxUIOp>(own.tiles, constant(ahead));
  Value switchAt = b.createOrFold<arith::SubIOp>(turns, constant(ahead));
  // Tiles after which one of its own is started and those after which one of
  // the next product's is are a loop each, or one where what is started is
  // selected: half the code, for which ptxas takes 101 instead of 181 ms (f16
  // 256³) and 82 instead of 258 (tf32), and as fast (H100, 2026-11-25). With
  // the engine 91 instead of 137 ms (tf32 256³ and 512³), and as fast, but 1000
  // of 264 to 320 take 3 to 4 % longer (H200, 2026-11-26). Turns without a
  // tile, which sizes known only at run time may have, are a loop behind it:
  // f16 in tiles of 128 × 256 × 64 takes 1 % longer, but products of tf32 of
  // sizes of their own up to 512 × 512 × 128 4 % (H100, 2026-11-28).
  std::optional<int64_t> known = getConstantIntValue(own.tiles);
  bool isOneLoop = isGroup() && (known ? *known >= ahead : mapsBatch) &&
                   own.a.getType() == next.a.getType() &&
                   own.b.getType() == next.b.getType();
  /// Whose tiles a loop's turns start; of `Rest`, which have none of their own,
  /// the next product's.
  enum class Starts { Own, Next, Either, Rest };
  /// One turn: waits for its tile in the stage of that number, starts another
  /// one in the stage before, and multiplies.
  auto take = [&](Value tile, Value number, Value parity, Value sum,
                  Starts starts) -> Value {
    bool startsNext = starts == Starts::Next || starts == Starts::Rest;
    Value stage = asStage(number), offset = multiply(tile, partition.tile.k);
    Value isTile = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                 tile, own.tiles);
    if (waitApart())
      MBarrierWaitOp::create(b, bulkBarriers(), stage, parity,
                             /*everyWarp=*/true);
    else
      awaitCopies(
          own.a, own.b, /*pending=*/ahead - 1,
          [&]() -> CopiedTerms {
            return {offset, termsFrom(own, offset), stage, parity};
          },
          startsNext ? isTile : Value());
    auto start = [&] {
      Value freed = asStage(stageBefore(number));
      if (waitApart())
        MBarrierWaitOp::create(b, freeBarriers(), freed,
                               parityBefore(parity, number));
      if (starts != Starts::Own && exchange.bulk && !mapsBatch)
        acquireNextMaps(tile, switchAt, op.getHasNext());
      auto ofOwn = [&] { return add(tile, constant(ahead)); };
      auto ofNext = [&] {
        return b.createOrFold<arith::SubIOp>(tile, switchAt);
      };
      switch (starts) {
      case Starts::Own:
        return startTile(own, ofOwn(), /*exists=*/{}, freed);
      case Starts::Next:
      case Starts::Rest:
        return startTile(next, ofNext(), op.getHasNext(), freed);
      case Starts::Either:
        Value isOwn = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                    tile, switchAt);
        auto select = [&](Value ofOwn, Value ofNext) {
          return b.createOrFold<arith::SelectOp>(isOwn, ofOwn, ofNext);
        };
        CopiedOperands either = own;
        either.a = select(own.a, next.a);
        either.b = select(own.b, next.b);
        if (exchange.bulk)
          either.engine = this->select(isOwn, own.engine, next.engine);
        startTile(either, select(ofOwn(), ofNext()),
                  b.createOrFold<arith::OrIOp>(isOwn, op.getHasNext()), freed);
      }
    };
    // A group's unit is at work while the next tile is started.
    auto multiplyAndStart = [&]() -> Value {
      Value pending =
          multiplyCopied(own.a, own.b, offset, stage, sum, /*isPending=*/true);
      start();
      return GroupWaitOp::create(b, pending);
    };
    auto finish = [&](Value result) -> Value {
      if (waitApart())
        MBarrierArriveOp::create(b, freeBarriers(), stage, /*arrivals=*/1,
                                 /*everyWarp=*/true);
      return result;
    };
    if (starts == Starts::Rest) {
      start();
      return finish(sum);
    }
    bool isTileSure = !startsNext || matchPattern(isTile, m_One());
    if (isGroup() && isTileSure)
      return finish(multiplyAndStart());
    // What the engine is told is little code, and may be there twice.
    bool startsInside = isGroup() && exchange.bulk;
    if (!startsInside)
      start();
    if (isTileSure)
      return finish(multiplyCopied(own.a, own.b, offset, stage, sum));
    auto choice = scf::IfOp::create(b, TypeRange(sum.getType()), isTile,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(
        b, startsInside ? multiplyAndStart()
                        : multiplyCopied(own.a, own.b, offset, stage, sum));
    b.setInsertionPointToStart(choice.elseBlock());
    if (startsInside)
      start();
    scf::YieldOp::create(b, sum);
    b.setInsertionPointAfter(choice);
    return finish(choice.getResult(0));
  };
  /// The sum, and the number of the stage that comes next with, of what the
  /// engine brings, its parity.
  struct Turn {
    Value sum, number, parity;
  };
  auto after = [&](const Turn &turn, Value sum) -> Turn {
    return {sum, stageAfter(turn.number),
            turn.parity ? parityAfter(turn.parity, turn.number) : Value()};
  };
  auto loop = [&](Value from, Value to, Turn before, Starts whose) -> Turn {
    auto [sum, number, parity] = before;
    std::optional<int64_t> first = getConstantIntValue(from);
    std::optional<int64_t> last = getConstantIntValue(to);
    if (first && last && *last - *first <= 1)
      return *first == *last
                 ? before
                 : after(before, take(from, number, parity, sum, whose));
    SmallVector<Value> starts = {sum, number};
    if (parity)
      starts.push_back(parity);
    auto tiles = scf::ForOp::create(b, from, to, constant(1), starts);
    if (isOneLoop)
      keepRolled(tiles);
    auto turnOf = [](ValueRange values) -> Turn {
      return {values[0], values[1], values.size() > 2 ? values[2] : Value()};
    };
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tiles.getBody());
    Turn turn = turnOf(tiles.getRegionIterArgs());
    turn = after(turn, take(tiles.getInductionVar(), turn.number, turn.parity,
                            turn.sum, whose));
    SmallVector<Value> ends = {turn.sum, turn.number};
    if (parity)
      ends.push_back(turn.parity);
    scf::YieldOp::create(b, ends);
    return turnOf(tiles.getResults());
  };
  auto [number, parity] = stageOfTurn(op.getTurn());
  Turn done = {start, number, parity};
  if (isOneLoop) {
    done = loop(constant(0), own.tiles, done, Starts::Either);
    done = loop(own.tiles, turns, done, Starts::Rest);
  } else {
    done = loop(constant(0), switchAt, done, Starts::Own);
    done = loop(switchAt, turns, done, Starts::Next);
  }
  endBulk(op.getHasNext());
  return done.sum;
}
