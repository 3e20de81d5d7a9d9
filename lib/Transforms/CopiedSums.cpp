//===- CopiedSums.cpp - A product of operands that are copied -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product by itself: its first tiles are started, and with each tile that is
// multiplied another one is. Products in turn are SumInTurn.cpp.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "kami/IR/Loops.h"
#include "kami/Layout/SliceAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kami;
using namespace mlir;

/// Whether the copy engine can bring both operands.
bool Distributor::areBulk(Value matrixA, Value matrixB) {
  return exchange.bulk &&
         isBulk(Role::A, cast<MemRefType>(matrixA.getType())) &&
         isBulk(Role::B, cast<MemRefType>(matrixB.getType()));
}

/// The sum of a product of copied operands; in two ways, of which the kernel
/// takes one, where a condition says whether rows are aligned.
Value Distributor::emitCopied(GemmOp op, Value matrixA, Value matrixB,
                              Value start, bool barrierFirst) {
  auto emitOne = [&]() -> Value {
    llvm::SaveAndRestore<Exchange> kept(exchange);
    llvm::SaveAndRestore<SharedLayout> keptShared(shared);
    bool comesInTurn = isInTurn(op);
    if (!areBulk(matrixA, matrixB)) {
      exchange = threadsExchange;
      shared = threadsShared;
    }
    if (isInTurn(op))
      return emitSumInTurn(op, matrixA, matrixB, start, barrierFirst);
    if (comesInTurn && barrierFirst)
      gpu::BarrierOp::create(b);
    if (carriesSlice(matrixA, matrixB))
      return emitCarriedSum(matrixA, matrixB, start);
    if (startsOnce(matrixA, matrixB))
      return emitSumStartedOnce(matrixA, matrixB, start);
    beginBulk(op, matrixA, matrixB);
    Value sum = emitCopiedSum(op, matrixA, matrixB, start);
    endBulk();
    return sum;
  };
  auto emit = [&] { return emitByHalves(matrixA, matrixB, emitOne); };
  copied = view(0, shared.bytes);
  Value areAligned = op.getAreRowsAligned();
  if (!areAligned || !keepAlignment(op))
    return emit();
  // What tells pieces of 16 bytes from others at each copy takes registers in
  // the loop over k.
  auto choice = scf::IfOp::create(b, TypeRange(start.getType()), areAligned,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool isAligned : {true, false}) {
    Block *block = isAligned ? choice.thenBlock() : choice.elseBlock();
    b.setInsertionPointToStart(block);
    alignedRows = isAligned;
    scf::YieldOp::create(b, emit());
  }
  return choice.getResult(0);
}

//===----------------------------------------------------------------------===//
// A product by itself
//===----------------------------------------------------------------------===//

Value Distributor::emitCopiedSum(GemmOp op, Value matrixA, Value matrixB,
                                 Value start) {
  int64_t k = multipliedSize(Role::A, cast<MemRefType>(matrixA.getType()), 1);
  if (ShapedType::isDynamic(k))
    k = multipliedSize(Role::B, cast<MemRefType>(matrixB.getType()), 0);
  int64_t tileK = partition.tile.k;
  int64_t stages = exchange.stages;
  auto sizeAt = [&](int64_t offset) -> OpFoldResult {
    return b.getIndexAttr(std::min(tileK, k - offset));
  };
  // Where all tiles have a stage of their own, nothing is overwritten.
  if (ShapedType::isStatic(k) && k <= stages * tileK) {
    int64_t tiles = llvm::divideCeil(k, tileK);
    for (int64_t tile = 0; tile != tiles; ++tile) {
      int64_t offset = tile * tileK;
      if (exchange.bulk)
        startBulk(bulkOperands(matrixA, matrixB, mapNumber), constant(offset),
                  constant(tile));
      else
        startCopies(matrixA, matrixB, constant(offset), sizeAt(offset),
                    constant(tile));
      commitCopies();
    }
    describeNext(op);
    Value sum = start;
    for (int64_t tile = 0; tile != tiles; ++tile) {
      awaitCopies(matrixA, matrixB, /*pending=*/tiles - 1 - tile,
                  [&]() -> CopiedTerms {
                    int64_t offset = tile * tileK;
                    return {constant(offset), sizeAt(offset), constant(tile),
                            stageNumber(0)};
                  });
      sum = multiplyCopied(matrixA, matrixB, constant(tile * tileK),
                           constant(tile), sum);
    }
    return sum;
  }

  Value extent = multipliedExtent(Role::A, matrixA, 1);
  auto sizeFrom = [&](Value offset) -> OpFoldResult {
    if (ShapedType::isStatic(k) && k % tileK == 0)
      return b.getIndexAttr(tileK);
    return arith::MinSIOp::create(b, constant(tileK),
                                  arith::SubIOp::create(b, extent, offset))
        .getResult();
  };
  auto startAt = [&](Value offset, Value stage) {
    OpBuilder::InsertionGuard guard(b);
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset, extent);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isInside, /*withElseRegion=*/false).thenBlock());
    if (exchange.bulk)
      startBulk(bulkOperands(matrixA, matrixB, mapNumber), offset, stage);
    else
      withTermsAt(offset, extent, [&](OpFoldResult size) {
        startCopies(matrixA, matrixB, offset, size, stage);
      });
  };
  auto awaitAt = [&](Value offset, Value stage, Value parity, int64_t pending,
                     llvm::function_ref<void()> startNext = {}) {
    awaitCopies(
        matrixA, matrixB, pending,
        [&]() -> CopiedTerms {
          return {offset, sizeFrom(offset), stage, parity};
        },
        /*exists=*/{}, startNext);
  };
  if (stages > 1) {
    auto ahead = scf::ForOp::create(
        b, constant(0), constant((stages - 1) * tileK), constant(tileK));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ahead.getBody());
    Value offset = ahead.getInductionVar();
    startAt(offset, b.createOrFold<arith::DivUIOp>(offset, constant(tileK)));
    commitCopies();
  }
  describeNext(op);
  SmallVector<Value> starts = {start};
  if (stages > 1)
    starts.push_back(stageNumber(0));
  if (exchange.bulk)
    starts.push_back(stageNumber(0));
  auto loop =
      scf::ForOp::create(b, constant(0), extent, constant(tileK), starts);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset = loop.getInductionVar(), sum = loop.getRegionIterArg(0);
  Value parity = exchange.bulk ? loop.getRegionIterArgs().back() : Value();
  /// What goes round, with the parity of the tile that comes next.
  auto yield = [&](ArrayRef<Value> values, Value number) {
    SmallVector<Value> all(values);
    if (exchange.bulk)
      all.push_back(parityAfter(parity, number));
    scf::YieldOp::create(b, all);
  };
  // The barrier after the wait also separates the last reads of a stage from
  // the copies that overwrite it; with one stage it needs another for that.
  if (stages == 1) {
    Value stage = constant(0);
    gpu::BarrierOp::create(b);
    startAt(offset, stage);
    commitCopies();
    awaitAt(offset, stage, parity, /*pending=*/0);
    yield(multiplyCopied(matrixA, matrixB, offset, stage, sum), stageNumber(0));
    return loop.getResult(0);
  }
  Value number = loop.getRegionIterArg(1);
  Value stage = asStage(number);
  // The stage before is free again.
  auto startNext = [&] {
    startAt(add(offset, constant((stages - 1) * tileK)),
            asStage(stageBefore(number)));
    commitCopies();
  };
  // With two stages nothing else is on its way while a tile is finished: there
  // it is worth a barrier to start the next one before (tf32 in tiles of
  // 128 × 128 × 32: 95.6 instead of 99.8 µs; H200, 2026-11-24). With more it is
  // not.
  bool startsFirst =
      isGroup() && stages == 2 &&
      (finishesCopies(Role::A, matrixA) || finishesCopies(Role::B, matrixB));
  if (startsFirst)
    awaitAt(offset, stage, parity, /*pending=*/0, startNext);
  else
    awaitAt(offset, stage, parity, /*pending=*/stages - 2);
  // What the matrix unit is told to do takes no thread's time. Warps that only
  // have to start whole pieces do so while the first slice comes from shared
  // memory (64 and 256 products of f64 512/512 in aligned rows 74.7 instead of
  // 76.1, and 240.5 instead of 246.6 µs), but what it takes to start rows that
  // begin anywhere is better out of the way first (512/128 129.9 instead of
  // 135.3; H100, 2026-11-25).
  bool startsWithin = !isGroup() &&
                      atom.getInstruction() != InstructionKind::Fma &&
                      (alignedRows || !exchange.skewed);
  if (!isGroup() && !startsWithin)
    startNext();
  sum = multiplyCopied(matrixA, matrixB, offset, stage, sum,
                       /*isPending=*/isGroup(),
                       startsWithin ? startNext : llvm::function_ref<void()>());
  if (isGroup()) {
    if (!startsFirst)
      startNext();
    sum = GroupWaitOp::create(b, sum);
  }
  yield({sum, stageAfter(number)}, number);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Copies that are started in one place
//===----------------------------------------------------------------------===//

/// Whether distances of elements are known only at run time.
static bool isAnywhere(Value matrix) {
  auto [strides, offset] =
      cast<MemRefType>(matrix.getType()).getStridesAndOffset();
  return llvm::is_contained(strides, ShapedType::kDynamic);
}

/// Whether what starts a tile's copies is in the kernel once: to start rows
/// that begin anywhere, and are apart as is known only at run time, is most of
/// its code. f32 131³ by a kernel for all sizes has 807 lines of PTX instead of
/// 1201; 131 and 201 take 3 % longer, 255 4 % less. But tf32 131 and 161 take
/// 7 % longer so, and of sizes of their own odd f64 2 % (H100, 2026-11-28).
bool Distributor::startsOnce(Value matrixA, Value matrixB) {
  int64_t k = multipliedSize(Role::A, cast<MemRefType>(matrixA.getType()), 1);
  bool haveStages =
      ShapedType::isStatic(k) && k <= exchange.stages * partition.tile.k;
  return exchange.stages > 1 && !exchange.bulk && !alignedRows && !haveStages &&
         atom.getInstruction() == InstructionKind::Fma &&
         (isAnywhere(matrixA) || isAnywhere(matrixB));
}

/// The sum of a product by a loop that begins as many turns ahead as tiles are
/// on their way, and multiplies nothing in these.
Value Distributor::emitSumStartedOnce(Value matrixA, Value matrixB,
                                      Value start) {
  CopiedOperands own = operandsOf(matrixA, matrixB, /*map=*/{});
  Value before = constant(exchange.stages - 1);
  Value end = b.createOrFold<arith::AddIOp>(own.tiles, before);
  auto loop = scf::ForOp::create(b, constant(0), end, constant(1),
                                 ValueRange{start, stageNumber(1)});
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value ahead = loop.getInductionVar(), sum = loop.getRegionIterArg(0);
  Value number = loop.getRegionIterArg(1), stage = asStage(number);
  Value tile = arith::SubIOp::create(b, ahead, before);
  Value offset = multiply(tile, partition.tile.k);
  Value isTile =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, ahead, before);
  {
    OpBuilder::InsertionGuard waitGuard(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isTile, /*withElseRegion=*/false).thenBlock());
    awaitCopies(matrixA, matrixB, /*pending=*/exchange.stages - 2,
                [&]() -> CopiedTerms {
                  return {offset, termsFrom(own, offset), stage};
                });
  }
  startTile(own, ahead, /*exists=*/{}, asStage(stageBefore(number)));
  sum = sumIf(isTile, sum, [&]() -> Value {
    return multiplyCopied(matrixA, matrixB, offset, stage, sum);
  });
  scf::YieldOp::create(b, ValueRange{sum, stageAfter(number)});
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Slices ahead
//===----------------------------------------------------------------------===//

/// Whether a thread copies so many pieces of the operand's tile, of which each
/// is at an address of its own, that these take the registers of a slice: of
/// lines of 8-byte pieces that threads cannot share evenly. ptxas 12.9 and 13.0
/// then move sums of the matrix unit to make room, and take the first term of
/// such a sum in a turn of the loop right after the last one of the turn
/// before, without waiting for it: 152 × 137 × 197 of f64 by 32 × 137 × 16 and
/// four warps was wrong in one tile of ten (H200, 2026-11-29).
bool Distributor::copiesApart(Role role, Value matrix) {
  constexpr int64_t mostApart = 16;
  auto type = cast<MemRefType>(matrix.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t next = strides[1 - adjacentDimension(type)];
  bool areWhole = ShapedType::isStatic(next) && areWholePieces(next, bytes);
  CopiedTile tile = copiedTileOf(role, type);
  int64_t piece = areWhole ? copiedPiece / bytes : 1;
  int64_t pieces = llvm::divideCeil(tile.lineElements, piece),
          threads = copyingThreads();
  bool areShared = threads % pieces == 0 || pieces % threads == 0;
  return !areShared && tile.lines * pieces > mostApart * threads;
}

/// Whether warps have the first slice of a tile in registers before they
/// multiply the last one of the tile before, so that the matrix unit waits
/// neither for the barrier between tiles nor for shared memory. It was timed
/// for f64 (H100, 2026-11-25): 1000 products of 256 take 687 instead of 735 µs,
/// 384 2230 instead of 2443, and the unit is busy in 84 instead of 76 % of the
/// cycles. Where rows are skewed, copies take the registers that this needs.
bool Distributor::carriesSlice(Value matrixA, Value matrixB) {
  auto matrix = cast<MemRefType>(matrixA.getType());
  int64_t k = multipliedSize(Role::A, matrix, 1);
  return !isGroup() && !exchange.bulk &&
         atom.getInstruction() == InstructionKind::MmaSync &&
         matrix.getElementType().isF64() && (alignedRows || !exchange.skewed) &&
         ShapedType::isStatic(k) &&
         isSliceAhead(partition, exchange.stages, k) &&
         !copiesApart(Role::A, matrixA) && !copiesApart(Role::B, matrixB);
}

/// The sum of a product, with a slice in registers ahead. All warps have read a
/// tile when the next one begins, and its stage is free again.
Value Distributor::emitCarriedSum(Value matrixA, Value matrixB, Value start) {
  CopiedOperands own = operandsOf(matrixA, matrixB, /*map=*/{});
  int64_t stages = exchange.stages, slice = partition.sliceK;
  int64_t tileK = partition.tile.k;
  int64_t k = multipliedSize(Role::A, cast<MemRefType>(matrixA.getType()), 1);
  int64_t last = llvm::divideCeil(k, tileK) - 1, rest = k - last * tileK;
  auto startTerms = [&](Value tile, int64_t terms, Value stage) {
    startCopies(matrixA, matrixB, multiply(tile, tileK), b.getIndexAttr(terms),
                stage);
  };
  {
    auto ahead =
        scf::ForOp::create(b, constant(0), constant(stages), constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ahead.getBody());
    Value tile = ahead.getInductionVar();
    startTerms(tile, tileK, tile);
    commitCopies();
  }
  /// The slice at `at` of a tile.
  auto load = [&](Value tile, Value stage, int64_t at) -> SmallVector<Value> {
    Value offset = multiply(tile, tileK);
    auto loadOf = [&](OperandSide &side, Role role, Value matrix) {
      return loadFragment(
          side, copiedTileAt(role, cast<MemRefType>(matrix.getType()), stage),
          constant(at), at + slice, skewedAs(role, matrix, offset));
    };
    return {loadOf(sideA, Role::A, matrixA), loadOf(sideB, Role::B, matrixB)};
  };
  /// Waits for a tile. Its first slice.
  auto awaitTile = [&](Value tile, Value number,
                       int64_t pending) -> SmallVector<Value> {
    Value stage = asStage(number);
    awaitCopies(matrixA, matrixB, pending, [&]() -> CopiedTerms {
      Value offset = multiply(tile, tileK);
      return {offset, termsFrom(own, offset), stage};
    });
    return load(tile, stage, 0);
  };
  auto multiplySlice = [&](ValueRange slices, Value sum) -> Value {
    return MmaOp::create(b, sum.getType(), slices[0], slices[1], sum,
                         firstTiles);
  };
  /// Multiplies all slices of a tile's terms but the last one, which becomes
  /// what is held.
  auto multiplyTile = [&](Value tile, int64_t terms, Value number,
                          SmallVector<Value> &held, Value sum) -> Value {
    for (int64_t at = slice; at < terms; at += slice) {
      SmallVector<Value> ahead = load(tile, asStage(number), at);
      sum = multiplySlice(held, sum);
      held = ahead;
    }
    return sum;
  };
  /// Multiplies the tiles from `begin` to `end`, and has `startNext` start what
  /// follows where such a tile was.
  auto multiplyTiles = [&](int64_t begin, int64_t end, ValueRange starts,
                           llvm::function_ref<void(Value, Value)> startNext) {
    auto loop = scf::ForOp::create(b, constant(begin), constant(end),
                                   constant(1), starts);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value tile = loop.getInductionVar(), number = loop.getRegionIterArg(1);
    SmallVector<Value> held(loop.getRegionIterArgs().drop_front(2));
    Value sum =
        multiplyTile(tile, tileK, number, held, loop.getRegionIterArg(0));
    Value follows = stageAfter(number);
    SmallVector<Value> ahead =
        awaitTile(add(tile, constant(1)), follows, /*pending=*/stages - 2);
    startNext(tile, asStage(number));
    SmallVector<Value> ends = {multiplySlice(held, sum), follows};
    llvm::append_range(ends, ahead);
    scf::YieldOp::create(b, ends);
    return loop.getResults();
  };
  SmallVector<Value> starts = {start, stageNumber(0)};
  llvm::append_range(starts, awaitTile(constant(0), stageNumber(0),
                                       /*pending=*/stages - 1));
  ValueRange ends = starts;
  if (rest == tileK) {
    ends = multiplyTiles(0, last, ends, [&](Value tile, Value stage) {
      startTile(own, add(tile, constant(stages)), /*exists=*/{}, stage);
    });
  } else {
    // What it takes to start a part of a tile would be in registers all along
    // in a loop that starts whole ones, too: 213 products of 248 take 152 µs
    // instead of 167, and 176 without a slice ahead (H200, 2026-11-28).
    int64_t before = last - stages;
    ends = multiplyTiles(0, before, ends, [&](Value tile, Value stage) {
      startTerms(add(tile, constant(stages)), tileK, stage);
      commitCopies();
    });
    ends = multiplyTiles(before, last, ends, [&](Value tile, Value stage) {
      Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, tile,
                                            constant(before));
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(
            scf::IfOp::create(b, isFirst, /*withElseRegion=*/false)
                .thenBlock());
        startTerms(constant(last), rest, stage);
      }
      commitCopies();
    });
  }
  SmallVector<Value> held(ends.drop_front(2));
  Value sum = multiplyTile(constant(last), rest, ends[1], held, ends[0]);
  return multiplySlice(held, sum);
}
