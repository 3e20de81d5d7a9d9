//===- TileTaker.cpp - Tiles that no block was dealt ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a tile that it multiplies a block takes a ticket, which is the number of
// another one in the order of all. Behind the tile its last warp looks for the
// product that has it, and lists it as the tile after the next. So a tile that
// was taken is known as early as one that was dealt, and what is waited for
// behind a tile is only what is said of the product.
//
//===----------------------------------------------------------------------===//

#include "TileTaker.h"
#include "Shares.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kami;
using namespace mlir;

static_assert(listedTiles == DealTilesOp::listedTogether);

/// Threads of a warp, of every chip that numbers its launches.
static constexpr int64_t warp = 32;

TileTaker::TileTaker(ImplicitLocOpBuilder &b, GroupedGemmOp op,
                     const Plan &plan, const SharedLayout &layout, int64_t at,
                     IRMapping &values)
    : IndexMath(b), op(op), plan(plan), layout(layout), at(at), values(values) {
}

Value TileTaker::compare(arith::CmpIPredicate how, Value one, Value other) {
  return arith::CmpIOp::create(b, how, one, other);
}

/// Goes to where `condition` holds.
void TileTaker::enterIf(Value condition) {
  b.setInsertionPointToStart(
      scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
}

int64_t TileTaker::threads() { return op.getPlan()->getThreads(); }

Value TileTaker::words(int64_t from, int64_t count) {
  return viewInShared(b, at + from * 4, {count}, b.getI32Type());
}

Value TileTaker::places() { return words(0, takenProducts); }

Value TileTaker::kept(ProgressWord which) {
  return memref::LoadOp::create(b, words(takenProducts, progressWords),
                                constant(which));
}

void TileTaker::keep(ProgressWord which, Value value) {
  memref::StoreOp::create(b, value, words(takenProducts, progressWords),
                          constant(which));
}

Value TileTaker::ticketWords() {
  return viewInShared(b, layout.tickets.offset, {2}, b.getI32Type());
}

void TileTaker::keepLeft(DealTilesOp dealt) {
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  OpBuilder::InsertionGuard insertion(b);
  enterIf(compare(arith::CmpIPredicate::eq, thread, constant(0)));
  keep(LeftWord, narrowed(dealt.getLeft()));
  keep(HeldWord, narrowed(multiply(dealt.getCount(), constant(plan.blocks))));
}

void TileTaker::begin(Value count, Value isLast) {
  Value takes = arith::AndIOp::create(
      b, isLast, compare(arith::CmpIPredicate::ne, kept(LeftWord), word(0)));
  OpBuilder::InsertionGuard insertion(b);
  {
    // While other threads list what is dealt.
    OpBuilder::InsertionGuard opening(b);
    enterIf(takes);
    OpenTicketsOp::create(b, ticketWords(), threads());
  }
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  enterIf(compare(arith::CmpIPredicate::eq, thread, constant(0)));
  Value all = narrowed(count);
  keep(ListedWord, all);
  Value from = subtract(all, word(DealTilesOp::dealtAnyhow));
  keep(TakesFromWord, arith::SelectOp::create(b, takes, from, word(-1)));
}

Value TileTaker::listed() { return widened(kept(ListedWord)); }

Value TileTaker::takes(Value number) {
  Value from = widened(kept(TakesFromWord));
  return compare(arith::CmpIPredicate::uge, number, from);
}

Value TileTaker::takeTicket(Value takes) {
  Type i32 = b.getI32Type();
  auto taking = scf::IfOp::create(b, i32, takes, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(taking.thenBlock());
  scf::YieldOp::create(
      b, TakeTicketOp::create(b, i32, ticketWords(), plan.blocks, threads())
             .getResult());
  b.setInsertionPointToStart(taking.elseBlock());
  scf::YieldOp::create(b, word(0));
  return taking.getResult(0);
}

/// Lists the tile of that number in the order of all, if there is one: each
/// lane looks at some products, a few at once so that reads are on their way
/// together, and the one that finds it lists it.
void TileTaker::listTile(Value tile, Value isThere, Value lane, ListTile list) {
  constexpr int64_t together = 4;
  static_assert(takenProducts % (together * warp) == 0);
  Value products = memref::DimOp::create(b, values.lookup(op.getM()), 0);
  Value last = subtract(products, constant(1));
  Value end = arith::SelectOp::create(b, isThere, products, constant(0));
  Value none = word(-1);
  auto loop = scf::ForOp::create(b, lane, end, constant(together * warp), none);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<std::pair<Value, Value>> looked;
    for (int64_t i = 0; i != together; ++i) {
      Value product = add(loop.getInductionVar(), constant(i * warp));
      Value place = memref::LoadOp::create(
          b, places(), arith::MinUIOp::create(b, product, last).getResult());
      looked.push_back({product, place});
    }
    Value found = loop.getRegionIterArg(0);
    for (auto [product, place] : looked) {
      Value begin =
          arith::ShRUIOp::create(b, place, word(DealTilesOp::tileBits));
      Value tiles =
          arith::AndIOp::create(b, place, word(DealTilesOp::heldLimit - 1));
      Value number = subtract(tile, begin);
      Value isIts = arith::AndIOp::create(
          b, compare(arith::CmpIPredicate::ult, number, tiles),
          compare(arith::CmpIPredicate::ult, product, products));
      Value both = arith::OrIOp::create(
          b, number,
          arith::ShLIOp::create(b, narrowed(product),
                                word(DealTilesOp::tileBits)));
      found = arith::SelectOp::create(b, isIts, both, found);
    }
    scf::YieldOp::create(b, found);
  }
  Value found = loop.getResult(0);
  OpBuilder::InsertionGuard insertion(b);
  enterIf(compare(arith::CmpIPredicate::ne, found, none));
  Value number = listed();
  Value product = arith::ShRUIOp::create(b, found, word(DealTilesOp::tileBits));
  list(arith::RemUIOp::create(b, number, constant(listedTiles)),
       widened(product),
       arith::AndIOp::create(b, found, word(DealTilesOp::heldLimit - 1)));
  Value more = add(number, constant(1));
  keep(ListedWord, narrowed(more));
}

void TileTaker::listTaken(Value ticket, ListTile list) {
  // Products that copy ahead have a barrier each, behind which all have read
  // what is written here.
  if (!plan.prefetches)
    gpu::BarrierOp::create(b);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value first = constant(threads() - warp);
  {
    OpBuilder::InsertionGuard insertion(b);
    enterIf(compare(arith::CmpIPredicate::uge, thread, first));
    Value told = gpu::ShuffleOp::create(b, ticket, word(0), word(warp),
                                        gpu::ShuffleMode::IDX)
                     .getShuffleResult();
    Value left = kept(LeftWord);
    {
      // Who has had one that is no tile's takes no more.
      Value isTaker = compare(arith::CmpIPredicate::eq, thread, first);
      OpBuilder::InsertionGuard last(b);
      enterIf(arith::AndIOp::create(
          b, isTaker, compare(arith::CmpIPredicate::uge, told, left)));
      keep(TakesFromWord, word(-1));
    }
    Value tile = add(kept(HeldWord), told);
    Value isThere = compare(arith::CmpIPredicate::ult, told, left);
    Value lane = subtract(thread, first);
    listTile(tile, isThere, lane, list);
  }
  Value left = widened(kept(LeftWord));
  PublishTicketOp::create(b, ticket, ticketWords(), left, plan.blocks,
                          threads());
  gpu::BarrierOp::create(b);
}
