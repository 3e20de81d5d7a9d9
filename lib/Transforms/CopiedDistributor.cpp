//===- CopiedDistributor.cpp - Operands that all threads copy -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles along k arrive in the stages of shared memory in turn. Each has a group
// of copies of its own, in order, so that a thread knows which have arrived by
// the number that may still be on their way.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

/// The dimension along which the matrix's elements are adjacent, rows if none.
static unsigned adjacentDimension(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isKnown = succeeded(type.getStridesAndOffset(strides, offset));
  bool alongRows = !isKnown || strides[1] == 1 || strides[0] != 1;
  // A single column has no other elements along its rows.
  if (isKnown && strides[0] == 1 && type.getDimSize(1) == 1)
    alongRows = false;
  return alongRows ? 1 : 0;
}

/// Whether the matrix unit reads the operand's tile where it is copied.
bool Distributor::isPlaced(Role role) {
  unsigned bits = atom.getElementType(role).getIntOrFloatBitWidth();
  return isGroup() && (role == Role::B || readsEitherOrder(bits / 8));
}

/// How the matrix unit finds the operand's tile: in the order of memory, where
/// it takes either.
SharedMatrixAttr Distributor::copiedMatrix(Role role, MemRefType matrix) {
  bool isA = role == Role::A;
  bool alongColumns = adjacentDimension(matrix) == 1;
  int64_t bytes = matrix.getElementTypeBitWidth() / 8;
  bool isKMajor = alongColumns == isA || !readsEitherOrder(bytes);
  SharedMatrix tile = SharedMatrix::fitting(
      isA ? partition.paddedM() : partition.warpN, partition.paddedK(), bytes,
      isKMajor ? Major::K : Major::MN);
  return matrixType(tile, matrix.getElementType(), role);
}

/// The bytes of a stage for its tile of the operand.
Value Distributor::copiedBufferAt(Role role, Value stage) {
  const SharedRegion &region =
      role == Role::A ? shared.copiedA : shared.copiedB;
  int64_t bytes = region.bytes / exchange.stages;
  Value start = add(multiply(stage, bytes), constant(region.offset));
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes), copied,
                                start, ValueRange());
}

/// Where a stage keeps its tile of the operand, padding included.
Value Distributor::copiedTileAt(Role role, MemRefType matrix, Value stage) {
  bool isA = role == Role::A;
  unsigned along = adjacentDimension(matrix);
  Type element = matrix.getElementType();
  int64_t depth = partition.paddedK();
  int64_t extent = isA ? partition.paddedM() : partition.paddedN();
  CopiedTile tile =
      copiedTile(extent, depth, (along == 1) == isA ? Major::K : Major::MN,
                 element.getIntOrFloatBitWidth() / 8);
  const SharedRegion &region = isA ? shared.copiedA : shared.copiedB;
  Value start = add(multiply(stage, region.bytes / exchange.stages),
                    constant(region.offset));
  return logicalView(linesAt(start, element, tile), /*transposed=*/along == 0);
}

/// The tile's lines from that byte of shared memory on.
Value Distributor::linesAt(Value start, Type element, const CopiedTile &tile) {
  Value padded = viewAt(b, copied, start, {tile.lines, tile.pitch}, element);
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
      strides(2, b.getIndexAttr(1)),
      sizes = {b.getIndexAttr(tile.lines), b.getIndexAttr(tile.lineElements)};
  return memref::SubViewOp::create(b, padded, offsets, sizes, strides);
}

/// The operand's terms from `offset` on, which one tile has.
Value Distributor::copiedTerms(Role role, Value matrix, Value offset,
                               OpFoldResult size) {
  unsigned dim = role == Role::A ? 1 : 0;
  auto type = cast<MemRefType>(matrix.getType());
  bool isWhole =
      type.getDimSize(dim) <= partition.tile.k && !type.isDynamicDim(dim);
  return isWhole ? matrix
                 : tileOfK(matrix, dim, getAsOpFoldResult(offset), size);
}

/// Starts to copy both operands' terms from `offset` on.
void Distributor::startCopies(Value matrixA, Value matrixB, Value offset,
                              OpFoldResult size, Value stage) {
  for (auto [role, matrix] :
       {std::pair(Role::A, matrixA), std::pair(Role::B, matrixB)}) {
    auto type = cast<MemRefType>(matrix.getType());
    Value source = copiedTerms(role, matrix, offset, size);
    if (isPlaced(role))
      PlaceAsyncOp::create(b, source, copiedBufferAt(role, stage),
                           copiedMatrix(role, type), copyingThreads(),
                           alignedRows);
    else
      CopyAsyncOp::create(b, source, copiedTileAt(role, type, stage),
                          copyingThreads(), alignedRows);
  }
}

/// What a thread copied itself of B's terms from `offset` on, rounded where it
/// lies.
void Distributor::roundTile(Value matrixB, Value offset, OpFoldResult size,
                            Value stage) {
  RoundPlacedOp::create(
      b, copiedTerms(Role::B, matrixB, offset, size),
      copiedBufferAt(Role::B, stage),
      copiedMatrix(Role::B, cast<MemRefType>(matrixB.getType())),
      copyingThreads(), alignedRows);
}

/// Waits for all but the last `pending` groups of copies. Where the matrix unit
/// would read elements of tf32, `round` is to round those that have arrived,
/// before the barrier that makes a thread's copies everybody's.
void Distributor::awaitTile(int64_t pending, llvm::function_ref<void()> round) {
  bool rounds = isGroup() && atom.roundsToTF32();
  CopyWaitOp::create(b, pending, isGroup() && !rounds);
  if (rounds)
    round();
  gpu::BarrierOp::create(b);
}

/// The sum after the tile of a stage.
Value Distributor::multiplyCopied(MemRefType matrixA, MemRefType matrixB,
                                  Value stage, Value accumulator) {
  if (isGroup()) {
    Value origin = constant(0);
    Value other = copiedBufferAt(Role::B, stage);
    if (!isPlaced(Role::A))
      return GroupMmaOp::create(b, accumulator.getType(),
                                loadRows(copiedTileAt(Role::A, matrixA, stage)),
                                other, origin, origin, accumulator,
                                ValueRange(), SharedMatrixAttr(),
                                copiedMatrix(Role::B, matrixB), IntegerAttr());
    return GroupMmaOp::create(
        b, accumulator.getType(), copiedBufferAt(Role::A, stage), other, origin,
        origin, accumulator, ValueRange{groupRow(), origin},
        copiedMatrix(Role::A, matrixA), copiedMatrix(Role::B, matrixB),
        b.getI64IntegerAttr(partition.paddedK()));
  }
  Value tileA = copiedTileAt(Role::A, matrixA, stage);
  Value tileB = copiedTileAt(Role::B, matrixB, stage);
  for (int64_t k = 0; k < partition.tile.k; k += partition.sliceK) {
    int64_t end = k + partition.sliceK;
    Value a = loadFragment(sideA, tileA, constant(k), end);
    Value other = loadFragment(sideB, tileB, constant(k), end);
    accumulator =
        MmaOp::create(b, accumulator.getType(), a, other, accumulator);
  }
  return accumulator;
}

Value Distributor::emitCopiedSum(Value matrixA, Value matrixB, Value start) {
  auto typeA = cast<MemRefType>(matrixA.getType());
  auto typeB = cast<MemRefType>(matrixB.getType());
  int64_t k = typeA.getDimSize(1), tileK = partition.tile.k;
  if (ShapedType::isDynamic(k))
    k = typeB.getDimSize(0);
  int64_t stages = exchange.stages;
  copied = view(0, shared.bytes);
  auto sizeAt = [&](int64_t offset) -> OpFoldResult {
    return b.getIndexAttr(std::min(tileK, k - offset));
  };
  // Where all tiles have a stage of their own, nothing is overwritten.
  if (ShapedType::isStatic(k) && k <= stages * tileK) {
    int64_t tiles = llvm::divideCeil(k, tileK);
    for (int64_t tile = 0; tile != tiles; ++tile) {
      int64_t offset = tile * tileK;
      startCopies(matrixA, matrixB, constant(offset), sizeAt(offset),
                  constant(tile));
      CopyCommitOp::create(b);
    }
    Value sum = start;
    for (int64_t tile = 0; tile != tiles; ++tile) {
      int64_t offset = tile * tileK;
      awaitTile(tiles - 1 - tile, [&] {
        roundTile(matrixB, constant(offset), sizeAt(offset), constant(tile));
      });
      sum = multiplyCopied(typeA, typeB, constant(tile), sum);
    }
    return sum;
  }

  Value extent = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), matrixA, 1));
  auto sizeFrom = [&](Value offset) -> OpFoldResult {
    if (ShapedType::isStatic(k) && k % tileK == 0)
      return b.getIndexAttr(tileK);
    return arith::MinSIOp::create(b, constant(tileK),
                                  arith::SubIOp::create(b, extent, offset))
        .getResult();
  };
  auto startAt = [&](Value offset) {
    OpBuilder::InsertionGuard guard(b);

    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset, extent);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isInside, /*withElseRegion=*/false).thenBlock());
    startCopies(matrixA, matrixB, offset, sizeFrom(offset), stageOf(offset));
  };
  if (stages > 1) {
    auto ahead = scf::ForOp::create(
        b, constant(0), constant((stages - 1) * tileK), constant(tileK));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ahead.getBody());
    startAt(ahead.getInductionVar());
    CopyCommitOp::create(b);
  }
  auto loop =
      scf::ForOp::create(b, constant(0), extent, constant(tileK), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset = loop.getInductionVar();
  auto roundAt = [&] {
    roundTile(matrixB, offset, sizeFrom(offset), stageOf(offset));
  };
  // The barrier after the wait also separates the last reads of a stage from
  // the copies that overwrite it; with one stage it needs another for that.
  if (stages == 1) {
    gpu::BarrierOp::create(b);
    startAt(offset);
    CopyCommitOp::create(b);
    awaitTile(0, roundAt);
  } else {
    awaitTile(stages - 2, roundAt);
    startAt(add(offset, constant((stages - 1) * tileK)));
    CopyCommitOp::create(b);
  }
  Value sum =
      multiplyCopied(typeA, typeB, stageOf(offset), loop.getRegionIterArg(0));
  scf::YieldOp::create(b, sum);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Products in turn
//===----------------------------------------------------------------------===//

/// Both operands, as a product sees them, and how many tiles of k they have.
struct Distributor::CopiedOperands {
  Value a, b;
  Value depth, tiles;
};

/// How many terms the tile has that begins at `offset`.
OpFoldResult Distributor::termsFrom(const CopiedOperands &operands,
                                    Value offset) {
  int64_t tileK = partition.tile.k;
  std::optional<int64_t> depth = getConstantIntValue(operands.depth);
  if (depth && *depth % tileK == 0)
    return b.getIndexAttr(tileK);
  return getAsOpFoldResult(b.createOrFold<arith::MinSIOp>(
      constant(tileK), b.createOrFold<arith::SubIOp>(operands.depth, offset)));
}

/// Starts to copy a tile of k, if there is one and `exists`, or null, does not
/// say otherwise, to the stage of that turn.
void Distributor::startTile(const CopiedOperands &operands, Value tile,
                            Value exists, Value turn) {
  int64_t tileK = partition.tile.k;
  Value isInside = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                 tile, operands.tiles);
  if (exists)
    isInside = b.createOrFold<arith::AndIOp>(isInside, exists);
  // A tile that there never is has no size.
  if (!matchPattern(isInside, m_Zero())) {
    OpBuilder::InsertionGuard guard(b);
    if (!matchPattern(isInside, m_One()))
      b.setInsertionPointToStart(
          scf::IfOp::create(b, isInside, /*withElseRegion=*/false).thenBlock());
    Value offset = multiply(tile, tileK);
    Value stage =
        b.createOrFold<arith::RemUIOp>(turn, constant(exchange.stages));
    startCopies(operands.a, operands.b, offset, termsFrom(operands, offset),
                stage);
  }
  CopyCommitOp::create(b);
}

/// The sum of a product that others of the same plan precede and follow. Its
/// first tiles are on their way when it begins; with each tile that it
/// multiplies, it starts the one that is stages - 1 further: its own, then the
/// next product's.
Value Distributor::emitSumInTurn(GemmOp op, Value matrixA, Value matrixB,
                                 Value start, bool barrierFirst) {
  int64_t ahead = exchange.stages - 1;
  copied = view(0, shared.bytes);
  auto operandsOf = [&](Value a, Value other) -> CopiedOperands {
    Value depth = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), a, 1));
    return {
        a, other, depth,
        b.createOrFold<arith::CeilDivUIOp>(depth, constant(partition.tile.k))};
  };
  CopiedOperands own = operandsOf(matrixA, matrixB);
  auto [nextA, nextB] = multipliedMatrices(op, op.getNextA(), op.getNextB());
  CopiedOperands next = operandsOf(nextA, nextB);
  Value turn = op.getTurn();
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn, constant(0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
    if (barrierFirst)
      gpu::BarrierOp::create(b);
    for (int64_t tile = 0; tile != ahead; ++tile)
      startTile(own, constant(tile), /*exists=*/{}, constant(tile));
  }
  // Where a product has fewer tiles than are ahead, the rest is nothing.
  Value turns = b.createOrFold<arith::MaxUIOp>(own.tiles, constant(ahead));
  Value switchAt = b.createOrFold<arith::SubIOp>(turns, constant(ahead));
  auto typeA = cast<MemRefType>(matrixA.getType());
  auto typeB = cast<MemRefType>(matrixB.getType());
  /// One turn: waits for its tile, starts another one, and multiplies.
  auto take = [&](Value tile, Value sum, bool startsNext) {
    Value at = add(turn, tile);
    Value stage = b.createOrFold<arith::RemUIOp>(at, constant(exchange.stages));
    Value isTile = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                 tile, own.tiles);
    bool isSure = !startsNext || matchPattern(isTile, m_One());
    awaitTile(ahead - 1, [&] {
      OpBuilder::InsertionGuard guard(b);
      if (!isSure)
        b.setInsertionPointToStart(
            scf::IfOp::create(b, isTile, /*withElseRegion=*/false).thenBlock());
      Value offset = multiply(tile, partition.tile.k);
      roundTile(own.b, offset, termsFrom(own, offset), stage);
    });
    Value started = add(at, constant(ahead));
    if (startsNext)
      startTile(next, b.createOrFold<arith::SubIOp>(tile, switchAt),
                op.getHasNext(), started);
    else
      startTile(own, add(tile, constant(ahead)), /*exists=*/{}, started);
    if (isSure)
      return multiplyCopied(typeA, typeB, stage, sum);
    auto choice = scf::IfOp::create(b, TypeRange(sum.getType()), isTile,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, multiplyCopied(typeA, typeB, stage, sum));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, sum);
    return choice.getResult(0);
  };
  auto loop = [&](Value from, Value to, Value sum, bool startsNext) -> Value {
    std::optional<int64_t> first = getConstantIntValue(from);
    std::optional<int64_t> last = getConstantIntValue(to);
    if (first && last && *last - *first <= 1)
      return *first == *last ? sum : take(from, sum, startsNext);
    auto tiles = scf::ForOp::create(b, from, to, constant(1), sum);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tiles.getBody());
    Value tile = tiles.getInductionVar();
    Value before = tiles.getRegionIterArg(0);
    scf::YieldOp::create(b, take(tile, before, startsNext));
    return tiles.getResult(0);
  };
  Value sum = loop(constant(0), switchAt, start, /*startsNext=*/false);
  return loop(switchAt, turns, sum, /*startsNext=*/true);
}

/// The stage of the tile that begins at `offset`.
Value Distributor::stageOf(Value offset) {
  Value tile =
      b.createOrFold<arith::DivUIOp>(offset, constant(partition.tile.k));
  return b.createOrFold<arith::RemUIOp>(tile, constant(exchange.stages));
}

/// What this warp sends its part of C to memory by way of.
Value Distributor::relayBuffer() {
  int64_t bytes = shared.relay.bytes / partition.grid.warps();
  Value warp = add(multiply(row, partition.grid.n), column);
  Value start = add(multiply(warp, bytes), constant(shared.relay.offset));
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes), copied,
                                start, ValueRange());
}
