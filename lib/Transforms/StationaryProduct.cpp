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
#include "kami/IR/Views.h"
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
  ArrayRef<int64_t> own = ArrayRef(strides).take_back(2);
  unsigned along = own[1] == 1 ? 1 : 0;
  int64_t next = own[1 - along];
  bool areWhole =
      ShapedType::isDynamic(next) ||
      (next > 0 && areWholePieces(next, type.getElementTypeBitWidth() / 8));
  return own[along] == 1 && areWhole && (along == dimK || !isAlongK);
}

bool kami::mayBeStationary(GemmOp op, const Plan &plan) {
  bool isAligned = op.getAlignedRows() || areLinesAligned(op);
  bool isPlain = !op.isComplex() && !op.getLayers() &&
                 !op.getAreRowsAligned() && !op.hasElementRegion(Role::A) &&
                 !op.hasElementRegion(Role::B);
  if (!isAligned || !isPlain || !isa<MemRefType>(op.getC().getType()) ||
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

/// The product of an A that stays, one of a block's in turn or its only one.
void Distributor::emitStationary(GemmOp op, Value matrixA, Value matrixB,
                                 bool barrierFirst) {
  int64_t ahead = exchange.stages - 1;
  bool isAlone = !op.getTurn();
  auto [nextA, nextB] =
      isAlone ? std::pair(matrixA, matrixB)
              : multipliedMatrices(op, op.getNextA(), op.getNextB());
  Value turn = isAlone ? constant(0) : op.getTurn();
  Value hasNext = isAlone ? arith::ConstantIntOp::create(b, 0, 1).getResult()
                          : op.getHasNext();
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn, constant(0));
  auto atFirst = [&](llvm::function_ref<void()> emit) {
    if (isAlone)
      return emit();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
    emit();
  };
  if (barrierFirst)
    atFirst([&] { gpu::BarrierOp::create(b); });
  copied = view(0, shared.bytes);
  stationary =
      stationaryStages(partition, atom.getAType().getIntOrFloatBitWidth() / 8);
  beginBulk(op, matrixA, matrixB);
  BulkOperands own = bulkOperands(matrixA, matrixB, mapNumber);
  BulkOperands next = bulkOperands(nextA, nextB, nextMapNumber());
  auto placesOf = [&](Value matrix) {
    return add(
        constant(stationary.count),
        b.createOrFold<arith::CeilDivUIOp>(multipliedExtent(Role::B, matrix, 1),
                                           constant(partition.paddedN())));
  };
  Value places = placesOf(matrixB), nextPlaces = placesOf(nextB);
  Value turns = b.createOrFold<arith::MaxUIOp>(places, constant(ahead));
  Value switchAt = b.createOrFold<arith::SubIOp>(turns, constant(ahead));
  auto isBefore = [&](Value one, Value other) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, one, other);
  };
  auto startIf = [&](Value exists, const BulkOperands &operands, Value index,
                     Value stage) {
    auto choice =
        scf::IfOp::create(b, TypeRange(), exists, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    startStationary(operands, index, stage);
    b.setInsertionPointToStart(choice.elseBlock());
    MBarrierArriveOp::create(b, bulkBarriers(), stage, copiesOfStage());
  };
  atFirst([&] {
    for (int64_t place = 0; place != ahead; ++place)
      startIf(isBefore(constant(place), places), own, constant(place),
              constant(place));
  });
  // Others know of the mbarriers then, and all have read what they are told of
  // this product.
  gpu::BarrierOp::create(b);
  describeNext(op);

  /// What comes through a stage: waits for it, has `use` use it, and starts
  /// what comes to the stage before, which all warps have done with, while the
  /// unit is at work; `finish` is behind that.
  auto take = [&](Value place, Value number, Value parity,
                  llvm::function_ref<void(Value)> use,
                  llvm::function_ref<void()> finish = {}) {
    Value stage = asStage(number);
    MBarrierWaitOp::create(b, bulkBarriers(), stage, parity,
                           /*everyWarp=*/true);
    use(stage);
    Value freed = asStage(stageBefore(number));
    MBarrierWaitOp::create(b, freeBarriers(), freed,
                           parityBefore(parity, number));
    Value isOwn = isBefore(place, switchAt);
    if (!mapsBatch && !isAlone) {
      // The last moment: publishing maps takes longer than a turn.
      Value isLast = b.createOrFold<arith::AndIOp>(
          b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, place,
                                        switchAt),
          hasNext);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(
          scf::IfOp::create(b, isLast, /*withElseRegion=*/false).thenBlock());
      acquireMaps(nextMapNumber());
    }
    Value ofNext = b.createOrFold<arith::SubIOp>(place, switchAt);
    Value nextExists =
        b.createOrFold<arith::AndIOp>(hasNext, isBefore(ofNext, nextPlaces));
    startIf(b.createOrFold<arith::OrIOp>(isOwn, nextExists),
            select(isOwn, own, next),
            b.createOrFold<arith::SelectOp>(isOwn, add(place, constant(ahead)),
                                            ofNext),
            freed);
    if (finish)
      finish();
    MBarrierArriveOp::create(b, freeBarriers(), stage, /*arrivals=*/1,
                             /*everyWarp=*/true);
  };

  auto [number, parity] = stageOfTurn(turn);
  auto step = [&](Value &number, Value &parity) {
    parity = parityAfter(parity, number);
    number = stageAfter(number);
  };
  SmallVector<Value> parts;
  for (int64_t part = 0; part != stationary.count; ++part) {
    int64_t first = part * stationary.depth;
    auto type = FragmentType::get(
        b.getContext(), partition.warpM,
        std::min(stationary.depth, partition.paddedK() - first),
        atom.getAType(), Role::A, atom);
    take(constant(part), number, parity, [&](Value stage) {
      parts.push_back(LoadPlacedOp::create(b, type, stationaryStageAt(stage),
                                           multiply(row, partition.warpM),
                                           constant(0), bulkA));
    });
    step(number, parity);
  }
  Value rows =
      parts.size() == 1
          ? parts.front()
          : JoinOp::create(b, rowsType(partition, atom), parts).getResult();

  auto passing = scf::ForOp::create(b, constant(stationary.count), places,
                                    constant(1), ValueRange{number, parity});
  keepRolled(passing);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(passing.getBody());
    Value place = passing.getInductionVar();
    Value number = passing.getRegionIterArg(0),
          parity = passing.getRegionIterArg(1);
    Value sum;
    take(
        place, number, parity,
        [&](Value stage) {
          Value origin = constant(0);
          sum = GroupMmaOp::create(
              b, fragmentType(Role::C), rows, stationaryStageAt(stage), origin,
              origin, emitZeros(), ValueRange(), SharedMatrixAttr(), bulkB,
              IntegerAttr(), b.getUnitAttr());
        },
        [&] { sum = GroupWaitOp::create(b, sum); });
    FragmentPlace at = placeOfC(op.getC());
    Value tile =
        b.createOrFold<arith::SubIOp>(place, constant(stationary.count));
    at.column = add(at.column, multiply(tile, partition.paddedN()));
    int64_t columns = cast<ShapedType>(op.getC().getType())
                          .getDimSize(exchange.isTransposed ? 0 : 1);
    at.columnInBounds =
        ShapedType::isStatic(columns) && columns % partition.paddedN() == 0;
    emitStore(op, sum, at);
    step(number, parity);
    scf::YieldOp::create(b, ValueRange{number, parity});
  }
  // Turns without a tile, of a product that has fewer than are ahead.
  if (!matchPattern(isBefore(places, turns), m_Zero())) {
    auto rest =
        scf::ForOp::create(b, places, turns, constant(1), passing.getResults());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rest.getBody());
    Value number = rest.getRegionIterArg(0), parity = rest.getRegionIterArg(1);
    take(rest.getInductionVar(), number, parity, [](Value) {});
    step(number, parity);
    scf::YieldOp::create(b, ValueRange{number, parity});
  }
  endBulk(op.getHasNext());
}
