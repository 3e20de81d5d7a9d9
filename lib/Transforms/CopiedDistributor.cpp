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
#include "kami/IR/Loops.h"
#include "kami/Layout/BulkCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

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
/// it takes either, and lanes read what it does not find.
SharedMatrixAttr Distributor::copiedMatrix(Role role, MemRefType matrix) {
  bool isA = role == Role::A;
  bool alongColumns = adjacentDimension(matrix) == 1;
  int64_t bytes = matrix.getElementTypeBitWidth() / 8;
  bool isKMajor =
      alongColumns == isA || (isPlaced(role) && !readsEitherOrder(bytes));
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

/// The operand's tile as warps read it, padding included.
CopiedTile Distributor::copiedTileOf(Role role, MemRefType matrix) {
  bool isA = role == Role::A;
  bool alongColumns = adjacentDimension(matrix) == 1;
  auto tileOf = keepsSkew(role, matrix) ? skewedTile : copiedTile;
  return tileOf(isA ? partition.paddedM() : partition.paddedN(),
                partition.paddedK(), alongColumns == isA ? Major::K : Major::MN,
                matrix.getElementTypeBitWidth() / 8);
}

/// Where a stage keeps it.
Value Distributor::copiedTileAt(Role role, MemRefType matrix, Value stage) {
  const SharedRegion &region =
      role == Role::A ? shared.copiedA : shared.copiedB;
  Value start = add(multiply(stage, region.bytes / exchange.stages),
                    constant(region.offset));
  return logicalView(
      linesAt(start, matrix.getElementType(), copiedTileOf(role, matrix)),
      /*transposed=*/adjacentDimension(matrix) == 0);
}

/// The tile's lines from that byte of shared memory on.
Value Distributor::linesAt(Value start, Type element, const CopiedTile &tile) {
  Value padded = viewAt(b, copied, start, {tile.lines, tile.pitch}, element);
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
      strides(2, b.getIndexAttr(1)),
      sizes = {b.getIndexAttr(tile.lines), b.getIndexAttr(tile.lineElements)};
  return memref::SubViewOp::create(b, padded, offsets, sizes, strides);
}

/// Whether lines of the operand's tile are copied as the words of 16 bytes that
/// hold them, and warps read them where they come to be.
bool Distributor::keepsSkew(Role role, MemRefType matrix) {
  int64_t bytes = matrix.getElementTypeBitWidth() / 8;
  unsigned along = adjacentDimension(matrix);
  bool isA = role == Role::A, isAlongK = (along == 1) == isA;
  if (!exchange.skewed || alignedRows || isPlaced(role) ||
      !isReadByLanes(bytes, isAlongK ? Major::K : Major::MN) ||
      (bytes == 4 && atom.getInstruction() == InstructionKind::Fma))
    return false;
  int64_t extent = isA ? partition.paddedM() : partition.paddedN();
  SmallVector<int64_t> strides;
  int64_t start;
  return succeeded(matrix.getStridesAndOffset(strides, start)) &&
         strides[along] == 1 &&
         areWholePieces(isAlongK ? partition.paddedK() : extent, bytes);
}

/// Bytes that skewed rows of the operand have beyond a stage's tile, where they
/// are put straight; 0 where they are not.
int64_t Distributor::tailBytes(Role role, MemRefType matrix) {
  if (!exchange.skewed || alignedRows || keepsSkew(role, matrix))
    return 0;
  SmallVector<int64_t> strides;
  int64_t start;
  if (failed(matrix.getStridesAndOffset(strides, start)))
    return 0;
  int64_t bytes = matrix.getElementTypeBitWidth() / 8;
  unsigned along = adjacentDimension(matrix);
  if (isPlaced(role)) {
    // Its lines may run across the matrix's.
    SharedMatrix tile = copiedMatrix(role, matrix).getMatrix();
    unsigned line = (tile.major == Major::K) == (role == Role::A) ? 1 : 0;
    return strides[line] == 1
               ? skewedBytes(tile.lines(), tile.majorExtent(), bytes)
               : 0;
  }
  CopiedTile tile = copiedTileOf(role, matrix);
  return strides[along] == 1 ? skewedBytes(tile.lines, tile.lineElements, bytes)
                             : 0;
}

/// Where a stage keeps them; null where there are none.
Value Distributor::tailsAt(Role role, MemRefType matrix, Value stage) {
  int64_t bytes = tailBytes(role, matrix);
  if (bytes == 0)
    return {};
  const SharedRegion &region =
      role == Role::A ? shared.skewedA : shared.skewedB;
  assert(bytes * exchange.stages <= region.bytes && "the layout counts tails");
  Value first = add(multiply(stage, region.bytes / exchange.stages),
                    constant(region.offset));
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes), copied,
                                first, ValueRange());
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

/// Whether the copy engine can bring the operand's tiles: what is read in the
/// order of memory, by the matrix unit or by lanes.
bool Distributor::isBulk(Role role, MemRefType matrix) {
  if (!alignedRows)
    return false;
  SharedMatrixAttr tile = copiedMatrix(role, matrix);
  SmallVector<int64_t> strides;
  int64_t start;
  if (!isBox(tile.getMatrix()) ||
      failed(matrix.getStridesAndOffset(strides, start)))
    return false;
  // A map has lines that follow each other, at multiples of 16 bytes.
  int64_t along = tile.getMajorDimension(), next = strides[1 - along];
  return strides[along] == 1 &&
         (ShapedType::isDynamic(next) ||
          (next > 0 && areWholePieces(next, tile.getMatrix().elementBytes)));
}

/// The stages' mbarriers.
Value Distributor::bulkBarriers() {
  auto bytes = cast<MemRefType>(copied.getType());
  auto type =
      MemRefType::get({exchange.stages}, b.getI64Type(),
                      MemRefLayoutAttrInterface(), bytes.getMemorySpace());
  return memref::ViewOp::create(b, type, copied,
                                constant(shared.barriers.offset), ValueRange());
}

/// Copies of the engine that bring a tile of k: A's and B's.
static constexpr int64_t copiesOfTile = 2;

/// The operand's maps: the product's and the next one's.
Value Distributor::mapsOf(Role role) {
  int64_t bytes = shared.maps.bytes / 2;
  int64_t first = shared.maps.offset + (role == Role::A ? 0 : bytes);
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes), copied,
                                constant(first), ValueRange());
}

void Distributor::describe(Role role, Value matrix, Value number) {
  TensorMapOp::create(b, matrix, mapsOf(role), number,
                      role == Role::A ? bulkA : bulkB, atom.roundsToTF32());
}

/// If the engine brings a product's operands, makes their maps, unless the
/// product before has made them.
void Distributor::beginBulk(GemmOp op, Value matrixA, Value matrixB) {
  if (!exchange.bulk)
    return;
  bulkA = copiedMatrix(Role::A, cast<MemRefType>(matrixA.getType()));
  bulkB = copiedMatrix(Role::B, cast<MemRefType>(matrixB.getType()));
  Value turn = op.getTurn();
  mapNumber =
      turn ? b.createOrFold<arith::RemUIOp>(turn, constant(2)) : constant(0);
  auto begin = [&] {
    MBarrierInitOp::create(b, bulkBarriers(), copiesOfTile);
    acquireMaps(mapNumber);
  };
  {
    OpBuilder::InsertionGuard guard(b);
    if (turn) {
      Value isFirst =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn, constant(0));
      b.setInsertionPointToStart(
          scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
    }
    describe(Role::A, matrixA, mapNumber);
    describe(Role::B, matrixB, mapNumber);
    if (isInTurn(op))
      begin();
  }
  if (!isInTurn(op))
    begin();
}

/// Waits for the maps of that number, before the first copies by them.
void Distributor::acquireMaps(Value number) {
  for (Role role : {Role::A, Role::B})
    AcquireMapOp::create(b, mapsOf(role), number);
}

/// Makes the next product's maps, if there is one, while the first tiles of
/// this one are on their way: 256 products of tf32 up to 512 × 512 × 128 take
/// 54.6 µs so, and 57.1 where each makes its own (H100, 2026-11-25).
void Distributor::describeNext(GemmOp op) {
  if (!exchange.bulk || !op.getTurn())
    return;
  auto [nextA, nextB] = multipliedMatrices(op, op.getNextA(), op.getNextB());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, op.getHasNext(), /*withElseRegion=*/false)
          .thenBlock());
  Value number = nextMapNumber();
  describe(Role::A, nextA, number);
  describe(Role::B, nextB, number);
}

Value Distributor::nextMapNumber() {
  return b.createOrFold<arith::SubIOp>(constant(1), mapNumber);
}

/// Has the engine bring terms from `offset` on, by the maps of that number.
void Distributor::startBulk(Value number, Value offset, Value stage) {
  Value zero = constant(0);
  PlaceBulkOp::create(b, mapsOf(Role::A), number, zero, offset,
                      copiedBufferAt(Role::A, stage), bulkA, bulkBarriers(),
                      stage);
  PlaceBulkOp::create(b, mapsOf(Role::B), number, offset, zero,
                      copiedBufferAt(Role::B, stage), bulkB, bulkBarriers(),
                      stage);
}

/// All of them have been waited for, unless another product `follows`, null if
/// none does.
void Distributor::endBulk(Value follows) {
  if (!exchange.bulk)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (follows) {
    auto choice =
        scf::IfOp::create(b, TypeRange(), follows, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  MBarrierInvalOp::create(b, bulkBarriers());
}

//===----------------------------------------------------------------------===//
// A tile of k
//===----------------------------------------------------------------------===//

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

/// Emits what is done with the tile of k at `offset`, of so many terms: apart
/// for a whole tile, which has no bounds along k to find, where there may be
/// others.
void Distributor::withTermsAt(Value offset, Value depth,
                              llvm::function_ref<void(OpFoldResult)> emit) {
  int64_t tileK = partition.tile.k;
  std::optional<int64_t> known = getConstantIntValue(depth);
  if (known && *known % tileK == 0)
    return emit(b.getIndexAttr(tileK));
  Value rest = b.createOrFold<arith::SubIOp>(depth, offset);
  if (std::optional<int64_t> terms = getConstantIntValue(rest))
    return emit(b.getIndexAttr(std::min(*terms, tileK)));
  if (known && *known < tileK)
    return emit(rest);
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, rest,
                                        constant(tileK));
  auto choice = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emit(b.getIndexAttr(tileK));
  b.setInsertionPointToStart(choice.elseBlock());
  emit(rest);
}

void Distributor::commitCopies() {
  if (!exchange.bulk)
    CopyCommitOp::create(b);
}

/// Threads start to copy their operands' terms from `offset` on.
void Distributor::startCopies(Value matrixA, Value matrixB, Value offset,
                              OpFoldResult size, Value stage) {
  for (auto [role, matrix] :
       {std::pair(Role::A, matrixA), std::pair(Role::B, matrixB)}) {
    auto type = cast<MemRefType>(matrix.getType());
    Value source = copiedTerms(role, matrix, offset, size);
    Value tails = tailsAt(role, type, stage);
    if (isPlaced(role))
      PlaceAsyncOp::create(b, source, copiedBufferAt(role, stage), tails,
                           copiedMatrix(role, type), copyingThreads(),
                           alignedRows);
    else
      CopyAsyncOp::create(b, source, copiedTileAt(role, type, stage), tails,
                          copyingThreads(), alignedRows, keepsSkew(role, type));
  }
}

/// What a thread copied itself of the operand's terms, straight where rows are
/// skewed, and rounded where the matrix unit would read elements of tf32.
/// `isLast` if the unit's fence is to be behind.
void Distributor::finishCopy(Role role, Value matrix, const CopiedTerms &terms,
                             bool isLast) {
  auto type = cast<MemRefType>(matrix.getType());
  bool isRounded = isPlaced(role) && atom.roundsToTF32();
  Value tails = tailsAt(role, type, terms.stage);
  if (!tails && !isRounded)
    return;
  Value source = copiedTerms(role, matrix, terms.offset, terms.size);
  if (!tails)
    RoundPlacedOp::create(b, source, copiedBufferAt(role, terms.stage),
                          copiedMatrix(role, type), copyingThreads(),
                          alignedRows);
  else if (isPlaced(role))
    DeskewOp::create(b, source, copiedBufferAt(role, terms.stage), tails,
                     copiedMatrix(role, type), copyingThreads(), isRounded,
                     /*forMatrixUnit=*/isLast);
  else
    DeskewOp::create(b, source, copiedTileAt(role, type, terms.stage), tails,
                     SharedMatrixAttr(), copyingThreads());
}

/// Whether threads have something to do with what they copied of the operand
/// themselves, before others may read it.
bool Distributor::finishesCopies(Role role, Value matrix) {
  if (exchange.bulk)
    return false;
  return (isPlaced(role) && atom.roundsToTF32()) ||
         tailBytes(role, cast<MemRefType>(matrix.getType())) > 0;
}

/// Waits until no more than `pending` tiles are on their way, finishes what a
/// thread copied itself of the one that has arrived, if it exists (null if it
/// does), and makes it everybody's. Before it finishes it, all threads have
/// done with the tile before, and `startNext`, if there is one, may use its
/// stage.
void Distributor::awaitCopies(Value matrixA, Value matrixB, int64_t pending,
                              llvm::function_ref<CopiedTerms()> arrived,
                              Value exists,
                              llvm::function_ref<void()> startNext) {
  bool finishesA = finishesCopies(Role::A, matrixA);
  bool finishesB = finishesCopies(Role::B, matrixB);
  if (exchange.bulk) {
    CopiedTerms terms = arrived();
    MBarrierWaitOp::create(b, bulkBarriers(), terms.stage, terms.parity);
  } else {
    bool isPlacedAny = isPlaced(Role::A) || isPlaced(Role::B);
    CopyWaitOp::create(b, pending, isPlacedAny && !finishesA && !finishesB);
  }
  if (startNext) {
    gpu::BarrierOp::create(b);
    startNext();
  }
  if (finishesA || finishesB) {
    OpBuilder::InsertionGuard guard(b);
    if (exists && !matchPattern(exists, m_One()))
      b.setInsertionPointToStart(
          scf::IfOp::create(b, exists, /*withElseRegion=*/false).thenBlock());
    CopiedTerms terms = arrived();
    finishCopy(Role::A, matrixA, terms, /*isLast=*/!finishesB);
    finishCopy(Role::B, matrixB, terms, /*isLast=*/true);
  }
  gpu::BarrierOp::create(b);
}

/// What the lines of the operand's tile of k at `offset` are skewed as; null if
/// they are not. Tiles of whole pieces along k begin as many, or as many lines,
/// further, and are all skewed as the first, so that lanes compute it once.
Value Distributor::skewedAs(Role role, Value matrix, Value offset) {
  auto type = cast<MemRefType>(matrix.getType());
  if (!keepsSkew(role, type))
    return {};
  bool areAlike =
      areWholePieces(partition.tile.k, type.getElementTypeBitWidth() / 8);
  return areAlike ? matrix
                  : copiedTerms(role, matrix, offset, b.getIndexAttr(1));
}

/// The sum after the tile of a stage, at `offset` along k; of groups,
/// `isPending` if they may still be at work on it. Warps do what `startNext`
/// says, if anything, while their first slice comes from shared memory.
Value Distributor::multiplyCopied(Value operandA, Value operandB, Value offset,
                                  Value stage, Value accumulator,
                                  bool isPending,
                                  llvm::function_ref<void()> startNext) {
  auto matrixA = cast<MemRefType>(operandA.getType());
  auto matrixB = cast<MemRefType>(operandB.getType());
  Value skewA = skewedAs(Role::A, operandA, offset);
  Value skewB = skewedAs(Role::B, operandB, offset);
  if (isGroup()) {
    Value origin = constant(0);
    Value other = copiedBufferAt(Role::B, stage);
    if (!isPlaced(Role::A)) {
      Value rows = exchange.bulk
                       ? LoadPlacedOp::create(b, rowsType(partition, atom),
                                              copiedBufferAt(Role::A, stage),
                                              multiply(row, partition.warpM),
                                              origin, bulkA)
                             .getResult()
                       : loadRows(copiedTileAt(Role::A, matrixA, stage), skewA);
      return GroupMmaOp::create(
          b, accumulator.getType(), rows, other, origin, origin, accumulator,
          ValueRange(), SharedMatrixAttr(), copiedMatrix(Role::B, matrixB),
          IntegerAttr(), isPending ? b.getUnitAttr() : UnitAttr());
    }
    return GroupMmaOp::create(
        b, accumulator.getType(), copiedBufferAt(Role::A, stage), other, origin,
        origin, accumulator, ValueRange{groupRow(), origin},
        copiedMatrix(Role::A, matrixA), copiedMatrix(Role::B, matrixB),
        b.getI64IntegerAttr(partition.paddedK()),
        isPending ? b.getUnitAttr() : UnitAttr());
  }
  Value tileA = copiedTileAt(Role::A, matrixA, stage);
  Value tileB = copiedTileAt(Role::B, matrixB, stage);
  auto addSlice = [&](Value k, int64_t end, Value sum,
                      llvm::function_ref<void()> beforeIt = {}) -> Value {
    Value a = loadFragment(sideA, tileA, k, end, skewA);
    Value other = loadFragment(sideB, tileB, k, end, skewB);
    if (beforeIt)
      beforeIt();
    return MmaOp::create(b, sum.getType(), a, other, sum);
  };
  int64_t depth = partition.tile.k, slice = partition.sliceK;
  // A slice of the lanes' multiply-adds is as much code as ptxas needs to have
  // reads on their way.
  if (atom.getInstruction() == InstructionKind::Fma) {
    auto loop = scf::ForOp::create(b, constant(0), constant(depth),
                                   constant(slice), ValueRange(accumulator));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b,
                         addSlice(loop.getInductionVar(), partition.paddedK(),
                                  loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }
  for (int64_t k = 0; k < depth; k += slice)
    accumulator = addSlice(constant(k), k + slice, accumulator,
                           k == 0 ? startNext : llvm::function_ref<void()>());
  return accumulator;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

// They are counted: a division takes as many instructions as the copies of a
// tile.

Value Distributor::stageNumber(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

/// `end` follows `last`.
Value Distributor::step(Value number, int64_t last, int64_t end, int64_t by) {
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                       stageNumber(last));
  return arith::SelectOp::create(
      b, isLast, stageNumber(end),
      arith::AddIOp::create(b, number, stageNumber(by)));
}

Value Distributor::stageAfter(Value number) {
  return step(number, exchange.stages - 1, 0, 1);
}

Value Distributor::stageBefore(Value number) {
  return step(number, 0, exchange.stages - 1, -1);
}

/// Of a stage's phases, which follow each other from 0 on, whenever all stages
/// have had a tile.
Value Distributor::parityAfter(Value parity, Value number) {
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                       stageNumber(exchange.stages - 1));
  return arith::XOrIOp::create(
      b, parity, arith::ExtUIOp::create(b, b.getI32Type(), isLast));
}

Value Distributor::asStage(Value number) {
  return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

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
  auto emit = [&]() -> Value {
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
    if (carriesSlice(matrixA))
      return emitCarriedSum(op, matrixA, matrixB, start);
    beginBulk(op, matrixA, matrixB);
    Value sum = emitCopiedSum(op, matrixA, matrixB, start);
    endBulk();
    return sum;
  };
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
  int64_t k = cast<MemRefType>(matrixA.getType()).getDimSize(1);
  if (ShapedType::isDynamic(k))
    k = cast<MemRefType>(matrixB.getType()).getDimSize(0);
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
        startBulk(mapNumber, constant(offset), constant(tile));
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

  Value extent = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), matrixA, 1));
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
      startBulk(mapNumber, offset, stage);
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
// Tiles
//===----------------------------------------------------------------------===//

/// Both operands, as a product sees them, and how many tiles of k they have.
struct Distributor::CopiedOperands {
  Value a, b;
  Value depth, tiles;
  /// The number of its maps.
  Value maps;
};

/// Both operands of a product, of which the copy engine has a map of that
/// number, or null.
Distributor::CopiedOperands Distributor::operandsOf(Value matrixA,
                                                    Value matrixB, Value maps) {
  Value depth = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), matrixA, 1));
  Value tiles =
      b.createOrFold<arith::CeilDivUIOp>(depth, constant(partition.tile.k));
  return {matrixA, matrixB, depth, tiles, maps};
}

/// Terms of the tile of k that begins at `offset`.
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
/// say otherwise, to that stage.
void Distributor::startTile(const CopiedOperands &operands, Value tile,
                            Value exists, Value stage) {
  Value isInside = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                 tile, operands.tiles);
  if (exists)
    isInside = b.createOrFold<arith::AndIOp>(isInside, exists);
  // A phase without a tile is waited for as well.
  auto arriveWithout = [&] {
    if (exchange.bulk)
      MBarrierArriveOp::create(b, bulkBarriers(), stage, copiesOfTile);
  };
  // A tile that there never is has no size.
  if (matchPattern(isInside, m_Zero())) {
    arriveWithout();
  } else {
    OpBuilder::InsertionGuard guard(b);
    if (!matchPattern(isInside, m_One())) {
      auto choice = scf::IfOp::create(b, TypeRange(), isInside,
                                      /*withElseRegion=*/exchange.bulk);
      if (exchange.bulk) {
        b.setInsertionPointToStart(choice.elseBlock());
        arriveWithout();
      }
      b.setInsertionPointToStart(choice.thenBlock());
    }
    Value offset = multiply(tile, partition.tile.k);
    if (exchange.bulk)
      startBulk(operands.maps, offset, stage);
    else
      withTermsAt(offset, operands.depth, [&](OpFoldResult size) {
        startCopies(operands.a, operands.b, offset, size, stage);
      });
  }
  commitCopies();
}

//===----------------------------------------------------------------------===//
// Slices ahead
//===----------------------------------------------------------------------===//

/// Whether warps have the first slice of a tile in registers before they
/// multiply the last one of the tile before, so that the matrix unit waits
/// neither for the barrier between tiles nor for shared memory. It was timed
/// for f64 (H100, 2026-11-25): 1000 products of 256 take 687 instead of 735 µs,
/// 384 2230 instead of 2443, and the unit is busy in 84 instead of 76 % of the
/// cycles. Where tiles end within k, or rows begin anywhere, copies take the
/// registers that this needs as well (255 1367 instead of 986 µs, 300 1398
/// instead of 1284).
bool Distributor::carriesSlice(Value matrixA) {
  auto matrix = cast<MemRefType>(matrixA.getType());
  int64_t k = matrix.getDimSize(1), tileK = partition.tile.k;
  return !isGroup() && !exchange.bulk && exchange.stages > 1 &&
         atom.getInstruction() == InstructionKind::MmaSync &&
         matrix.getElementType().isF64() && ShapedType::isStatic(k) &&
         k % tileK == 0 && k > exchange.stages * tileK &&
         (alignedRows || !exchange.skewed);
}

/// The sum of a product, with a slice in registers ahead. All warps have read a
/// tile when the next one begins, and its stage is free again.
Value Distributor::emitCarriedSum(GemmOp op, Value matrixA, Value matrixB,
                                  Value start) {
  CopiedOperands own = operandsOf(matrixA, matrixB, /*maps=*/{});
  int64_t stages = exchange.stages, slice = partition.sliceK;
  {
    auto ahead =
        scf::ForOp::create(b, constant(0), constant(stages), constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ahead.getBody());
    Value tile = ahead.getInductionVar();
    startTile(own, tile, /*exists=*/{}, tile);
  }
  describeNext(op);
  /// The slice at `k` of a tile.
  auto load = [&](Value tile, Value stage, int64_t k) -> SmallVector<Value> {
    Value offset = multiply(tile, partition.tile.k);
    auto loadOf = [&](OperandSide &side, Role role, Value matrix) {
      return loadFragment(
          side, copiedTileAt(role, cast<MemRefType>(matrix.getType()), stage),
          constant(k), k + slice, skewedAs(role, matrix, offset));
    };
    return {loadOf(sideA, Role::A, matrixA), loadOf(sideB, Role::B, matrixB)};
  };
  /// Waits for a tile. Its first slice.
  auto awaitTile = [&](Value tile, Value number,
                       int64_t pending) -> SmallVector<Value> {
    Value stage = asStage(number);
    awaitCopies(matrixA, matrixB, pending, [&]() -> CopiedTerms {
      Value offset = multiply(tile, partition.tile.k);
      return {offset, termsFrom(own, offset), stage};
    });
    return load(tile, stage, 0);
  };
  auto multiplySlice = [&](ValueRange slices, Value sum) -> Value {
    return MmaOp::create(b, sum.getType(), slices[0], slices[1], sum);
  };
  /// Multiplies all slices of a tile but the last one, which becomes what is
  /// held.
  auto multiplyTile = [&](Value tile, Value number, SmallVector<Value> &held,
                          Value sum) -> Value {
    for (int64_t k = slice; k < partition.tile.k; k += slice) {
      SmallVector<Value> ahead = load(tile, asStage(number), k);
      sum = multiplySlice(held, sum);
      held = ahead;
    }
    return sum;
  };
  SmallVector<Value> starts = {start, stageNumber(0)};
  llvm::append_range(starts, awaitTile(constant(0), stageNumber(0),
                                       /*pending=*/stages - 1));
  Value last = b.createOrFold<arith::SubIOp>(own.tiles, constant(1));
  auto loop = scf::ForOp::create(b, constant(0), last, constant(1), starts);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value tile = loop.getInductionVar(), number = loop.getRegionIterArg(1);
    SmallVector<Value> held(loop.getRegionIterArgs().drop_front(2));
    Value sum = multiplyTile(tile, number, held, loop.getRegionIterArg(0));
    Value follows = stageAfter(number);
    SmallVector<Value> ahead =
        awaitTile(add(tile, constant(1)), follows, /*pending=*/stages - 2);
    startTile(own, add(tile, constant(stages)), /*exists=*/{}, asStage(number));
    SmallVector<Value> ends = {multiplySlice(held, sum), follows};
    llvm::append_range(ends, ahead);
    scf::YieldOp::create(b, ends);
  }
  SmallVector<Value> held(loop.getResults().drop_front(2));
  Value sum = multiplyTile(last, loop.getResult(1), held, loop.getResult(0));
  return multiplySlice(held, sum);
}

//===----------------------------------------------------------------------===//
// Products in turn
//===----------------------------------------------------------------------===//

/// The sum of a product that others of the same plan precede and follow. Its
/// first tiles are on their way when it begins; with each tile that it
/// multiplies, it starts the one that is stages - 1 further: its own, then the
/// next product's.
Value Distributor::emitSumInTurn(GemmOp op, Value matrixA, Value matrixB,
                                 Value start, bool barrierFirst) {
  int64_t ahead = exchange.stages - 1;
  auto [nextA, nextB] = multipliedMatrices(op, op.getNextA(), op.getNextB());
  Value turn = op.getTurn();
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn, constant(0));
  if (exchange.bulk)
    turn = b.createOrFold<arith::DivUIOp>(turn, constant(2));
  if (barrierFirst) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
    gpu::BarrierOp::create(b);
  }
  beginBulk(op, matrixA, matrixB);
  CopiedOperands own = operandsOf(matrixA, matrixB, mapNumber);
  CopiedOperands next =
      operandsOf(nextA, nextB, exchange.bulk ? nextMapNumber() : Value());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
    for (int64_t tile = 0; tile != ahead; ++tile)
      startTile(own, constant(tile), /*exists=*/{}, constant(tile));
  }
  describeNext(op);
  // Where a product has fewer tiles than are ahead, the rest is nothing.
  Value turns = b.createOrFold<arith::MaxUIOp>(own.tiles, constant(ahead));
  Value switchAt = b.createOrFold<arith::SubIOp>(turns, constant(ahead));
  // Tiles after which one of its own is started and those after which one of
  // the next product's is are a loop each, or one where what is started is
  // selected: half the code, for which ptxas takes 101 instead of 181 ms (f16
  // 256³) and 82 instead of 258 (tf32), and as fast (H100, 2026-11-25). That
  // takes turns that all have a tile, which only sizes known beforehand
  // promise.
  bool isOneLoop = isGroup() && !exchange.bulk &&
                   getConstantIntValue(own.depth) &&
                   *getConstantIntValue(own.tiles) >= ahead &&
                   own.a.getType() == next.a.getType() &&
                   own.b.getType() == next.b.getType();
  /// Whose tiles a loop's turns start.
  enum class Starts { Own, Next, Either };
  /// One turn: waits for its tile in the stage of that number, starts another
  /// one in the stage before, and multiplies.
  auto take = [&](Value tile, Value number, Value parity, Value sum,
                  Starts starts) -> Value {
    bool startsNext = starts == Starts::Next;
    Value stage = asStage(number), offset = multiply(tile, partition.tile.k);
    Value isTile = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                 tile, own.tiles);
    awaitCopies(
        own.a, own.b, /*pending=*/ahead - 1,
        [&]() -> CopiedTerms {
          return {offset, termsFrom(own, offset), stage, parity};
        },
        startsNext ? isTile : Value());
    auto start = [&] {
      Value freed = asStage(stageBefore(number));
      if (startsNext && exchange.bulk) {
        // The last moment: publishing maps takes longer than a turn.
        Value isLast = b.createOrFold<arith::AndIOp>(
            b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, tile,
                                          switchAt),
            op.getHasNext());
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(
            scf::IfOp::create(b, isLast, /*withElseRegion=*/false).thenBlock());
        acquireMaps(next.maps);
      }
      auto ofOwn = [&] { return add(tile, constant(ahead)); };
      auto ofNext = [&] {
        return b.createOrFold<arith::SubIOp>(tile, switchAt);
      };
      switch (starts) {
      case Starts::Own:
        return startTile(own, ofOwn(), /*exists=*/{}, freed);
      case Starts::Next:
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
    bool isTileSure = !startsNext || matchPattern(isTile, m_One());
    if (isGroup() && isTileSure)
      return multiplyAndStart();
    // What the engine is told is little code, and may be there twice.
    bool startsInside = isGroup() && exchange.bulk;
    if (!startsInside)
      start();
    if (isTileSure)
      return multiplyCopied(own.a, own.b, offset, stage, sum);
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
    return choice.getResult(0);
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
  Value first = arith::IndexCastUIOp::create(
      b, b.getI32Type(),
      b.createOrFold<arith::RemUIOp>(turn, constant(exchange.stages)));
  Value parity;
  if (exchange.bulk)
    parity = arith::IndexCastUIOp::create(
        b, b.getI32Type(),
        b.createOrFold<arith::RemUIOp>(
            b.createOrFold<arith::DivUIOp>(turn, constant(exchange.stages)),
            constant(2)));
  Turn done = {start, first, parity};
  if (isOneLoop) {
    done = loop(constant(0), turns, done, Starts::Either);
  } else {
    done = loop(constant(0), switchAt, done, Starts::Own);
    done = loop(switchAt, turns, done, Starts::Next);
  }
  endBulk(op.getHasNext());
  return done.sum;
}

/// What this warp sends its part of C to memory by way of.
Value Distributor::relayBuffer() {
  int64_t bytes = shared.relay.bytes / partition.grid.warps();
  Value warp = add(multiply(row, partition.grid.n), column);
  Value start = add(multiply(warp, bytes), constant(shared.relay.offset));
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes), copied,
                                start, ValueRange());
}
