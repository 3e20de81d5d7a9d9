//===- StationaryProduct.cpp - An operand that stays in registers ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps of groups keep their rows of A, all terms, and multiply them with tiles
// of B's columns as these pass by. Parts of A and tiles of B come through the
// same stages, one after the other, and behind the last tile of a product the
// next one's A: device memory is read a whole row at a time, and C is written
// in small pieces all along, instead of in rows of 128 bytes, and at once.
//
//===----------------------------------------------------------------------===//

#include "StationaryProduct.h"
#include "Distributor.h"
#include "kami/IR/Loops.h"
#include "kami/Layout/BulkCopy.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace kami;
using namespace mlir;

/// Whether the engine brings the operand: lines of adjacent elements, at
/// multiples of 16 bytes, and along k if they have to be.
static bool areLines(Value operand, unsigned dimK, bool isAlongK) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)))
    return false;
  unsigned along = strides.back() == 1 ? 1 : 0;
  return hasWholeLines(ArrayRef(strides).take_back(2), along,
                       type.getElementTypeBitWidth() / 8) &&
         (along == dimK || !isAlongK);
}

bool kami::mayBeStationary(GemmOp op, const Plan &plan) {
  bool isPlain = !op.getLayers() && !op.getAreRowsAligned() &&
                 !op.hasElementRegion(Role::A) && !op.hasElementRegion(Role::B);
  if (!areLinesAligned(op) || !isPlain ||
      !isa<MemRefType>(op.getC().getType()) ||
      ShapedType::isDynamic(op.getK()) || op.getK() > plan.tile.k)
    return false;
  int64_t bytes = byteWidth(plan.atom->operand);
  Partition partition = plan.partition();
  StationaryStages stages = stationaryStages(partition, bytes);
  int64_t lines =
      std::max({partition.paddedM(), partition.paddedN(), stages.depth});
  if (lines > maxBoxLines || !areWholePieces(plan.tile.k, bytes))
    return false;
  bool isTransposed = plan.isTransposed();
  return areLines(op.getA(), op.getTransposeA() ? 0 : 1, isTransposed) &&
         areLines(op.getB(), op.getTransposeB() ? 1 : 0, !isTransposed);
}

/// The stage of that number.
Value Distributor::stationaryStageAt(Value stage) {
  return memref::ViewOp::create(b, bufferType(b.getContext(), stationary.bytes),
                                copied, multiply(stage, stationary.bytes),
                                ValueRange());
}

/// Has the engine bring what comes in that place of a product's operands: a
/// part of A, or a tile of B.
void Distributor::startStationary(const BulkOperands &operands, Value index,
                                  Value stage) {
  Value buffer = stationaryStageAt(stage);
  Value count = constant(stationary.count);
  auto place = [&](Role role) {
    bool isA = role == Role::A;
    const BulkOperand &operand = isA ? operands.a : operands.b;
    Value row = operand.row, column = operand.column;
    // Both are at columns further.
    Value further = isA ? multiply(index, stationary.depth)
                        : multiply(b.createOrFold<arith::SubIOp>(index, count),
                                   partition.paddedN());
    PlaceBulkOp::create(b, mapsOf(role), operand.map, row, add(column, further),
                        buffer, isA ? bulkA : bulkB, bulkBarriers(), stage,
                        operand.product);
  };
  Value isPart =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, index, count);
  if (matchPattern(isPart, m_One()))
    return place(Role::A);
  if (matchPattern(isPart, m_Zero()))
    return place(Role::B);
  auto choice =
      scf::IfOp::create(b, TypeRange(), isPart, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  place(Role::A);
  b.setInsertionPointToStart(choice.elseBlock());
  place(Role::B);
}

/// Starts what comes in that place if there is something, to the stage. A phase
/// without is waited for as well.
void Distributor::startStationaryIf(Value exists, const BulkOperands &operands,
                                    Value index, Value stage) {
  auto choice =
      scf::IfOp::create(b, TypeRange(), exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  startStationary(operands, index, stage);
  b.setInsertionPointToStart(choice.elseBlock());
  MBarrierArriveOp::create(b, bulkBarriers(), stage, copiesOfStage());
}

Value Distributor::isBefore(Value one, Value other) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, one, other);
}

/// Waits for what comes in a place of the product, has `use` use it, and starts
/// what is `stages - 1` places further, its own or the next product's, in the
/// stage before, which all warps have done with by then: the unit is at work
/// meanwhile. `finish` is behind that.
void Distributor::takeStage(const PassingProduct &product, Value place,
                            StagePhase &phase,
                            llvm::function_ref<void(Value)> use,
                            llvm::function_ref<void()> finish) {
  auto [number, parity] = phase;
  Value stage = asStage(number), ahead = constant(exchange.stages - 1);
  MBarrierWaitOp::create(b, bulkBarriers(), stage, parity, /*everyWarp=*/true);
  use(stage);
  Value freed = asStage(stageBefore(number));
  MBarrierWaitOp::create(b, freeBarriers(), freed,
                         parityBefore(parity, number));
  Value isOwn = isBefore(place, product.switchAt);
  if (!mapsBatch && product.follows)
    acquireNextMaps(place, product.switchAt, product.follows);
  Value exists = isOwn, index = add(place, ahead);
  BulkOperands operands = product.own;
  if (product.follows) {
    Value ofNext = b.createOrFold<arith::SubIOp>(place, product.switchAt);
    Value isNext = b.createOrFold<arith::AndIOp>(
        product.follows, isBefore(ofNext, product.nextPlaces));
    exists = b.createOrFold<arith::OrIOp>(isOwn, isNext);
    index = b.createOrFold<arith::SelectOp>(isOwn, index, ofNext);
    operands = select(isOwn, product.own, product.next);
  }
  startStationaryIf(exists, operands, index, freed);
  if (finish)
    finish();
  MBarrierArriveOp::create(b, freeBarriers(), stage, /*arrivals=*/1,
                           /*everyWarp=*/true);
  phase = {stageAfter(number), parityAfter(parity, number)};
}

/// A's rows of this warp, of which a part comes in each of the first places.
Value Distributor::loadStationary(const PassingProduct &product,
                                  StagePhase &phase) {
  SmallVector<Value> parts;
  for (int64_t part = 0; part != stationary.count; ++part) {
    int64_t rest = partition.paddedK() - part * stationary.depth;
    auto type = FragmentType::get(b.getContext(), partition.warpM,
                                  std::min(stationary.depth, rest),
                                  atom.getAType(), Role::A, atom);
    takeStage(product, constant(part), phase, [&](Value stage) {
      parts.push_back(LoadPlacedOp::create(b, type, stationaryStageAt(stage),
                                           multiply(row, partition.warpM),
                                           constant(0), bulkA));
    });
  }
  if (parts.size() == 1)
    return parts.front();
  return JoinOp::create(b, rowsType(partition, atom), parts);
}

/// Multiplies the tile of B in a place with rows of A, and writes that part of
/// C.
void Distributor::multiplyPassing(GemmOp op, const PassingProduct &product,
                                  Value rows, Value place, StagePhase &phase) {
  Value origin = constant(0), sum;
  takeStage(
      product, place, phase,
      [&](Value stage) {
        sum = GroupMmaOp::create(b, fragmentType(Role::C), rows,
                                 stationaryStageAt(stage), origin, origin,
                                 emitZeros(), ValueRange(), SharedMatrixAttr(),
                                 bulkB, IntegerAttr(), b.getUnitAttr());
      },
      [&] { sum = GroupWaitOp::create(b, sum); });
  FragmentPlace at = placeOfC(op.getC());
  Value tile = b.createOrFold<arith::SubIOp>(place, constant(stationary.count));
  at.column = add(at.column, multiply(tile, partition.paddedN()));
  int64_t columns = cast<ShapedType>(op.getC().getType())
                        .getDimSize(exchange.isTransposed ? 0 : 1);
  at.columnInBounds =
      ShapedType::isStatic(columns) && columns % partition.paddedN() == 0;
  emitStore(op, sum, at);
}

/// The places of a product's operands from the first tile of B on, and those
/// without a tile, of a product that has fewer than are ahead.
void Distributor::forEachPlace(
    Value from, Value to, StagePhase &phase,
    llvm::function_ref<void(Value, StagePhase &)> emit) {
  if (matchPattern(isBefore(from, to), m_Zero()))
    return;
  auto loop = scf::ForOp::create(b, from, to, constant(1),
                                 ValueRange{phase.number, phase.parity});
  keepRolled(loop);
  phase = {loop.getResult(0), loop.getResult(1)};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  StagePhase inside = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  emit(loop.getInductionVar(), inside);
  scf::YieldOp::create(b, ValueRange{inside.number, inside.parity});
}

/// The product of an A that stays, one of a block's in turn or its only one.
void Distributor::emitStationary(GemmOp op, Value matrixA, Value matrixB,
                                 bool barrierFirst) {
  copied = view(0, shared.bytes);
  stationary =
      stationaryStages(partition, atom.getAType().getIntOrFloatBitWidth() / 8);
  Value ahead = constant(exchange.stages - 1), turn = op.getTurn();
  if (barrierFirst)
    atFirst(turn, [&] { gpu::BarrierOp::create(b); });
  beginBulk(op, matrixA, matrixB);
  auto placesOf = [&](Value matrix) {
    Value columns = multipliedExtent(Role::B, matrix, 1);
    return add(constant(stationary.count),
               b.createOrFold<arith::CeilDivUIOp>(
                   columns, constant(partition.paddedN())));
  };
  Value places = placesOf(matrixB);
  Value turns = b.createOrFold<arith::MaxUIOp>(places, ahead);
  PassingProduct product;
  product.own = bulkOperands(matrixA, matrixB, mapNumber);
  product.switchAt = b.createOrFold<arith::SubIOp>(turns, ahead);
  if (turn) {
    auto [nextA, nextB] = multipliedMatrices(op, op.getNextA(), op.getNextB());
    product.next = bulkOperands(nextA, nextB, nextMapNumber());
    product.nextPlaces = placesOf(nextB);
    product.follows = op.getHasNext();
  }
  atFirst(turn, [&] {
    for (int64_t place = 0; place + 1 != exchange.stages; ++place)
      startStationaryIf(isBefore(constant(place), places), product.own,
                        constant(place), constant(place));
  });
  // Others know of the mbarriers then, and all have read what they are told of
  // this product.
  gpu::BarrierOp::create(b);
  describeNext(op);

  StagePhase phase = stageOfTurn(turn ? turn : constant(0));
  Value rows = loadStationary(product, phase);
  forEachPlace(constant(stationary.count), places, phase,
               [&](Value place, StagePhase &inside) {
                 multiplyPassing(op, product, rows, place, inside);
               });
  forEachPlace(places, turns, phase, [&](Value place, StagePhase &inside) {
    takeStage(product, place, inside, [](Value) {});
  });
  endBulk(product.follows);
}
