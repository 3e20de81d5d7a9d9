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
#include "kami/IR/Views.h"
#include "kami/Layout/BulkCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

/// The dimension along which the matrix's elements are adjacent, rows if none.
unsigned Distributor::adjacentDimension(MemRefType type) {
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
  int64_t depth = partition.paddedK();
  if (isA && exchange.stationary)
    depth = stationary.depth;
  SharedMatrix tile =
      SharedMatrix::fitting(isA ? partition.paddedM() : partition.warpN, depth,
                            bytes, isKMajor ? Major::K : Major::MN);
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
  unsigned own = isA ? 0 : 1;
  int64_t extent = inSource(role, matrix, own,
                            isA ? partition.paddedM() : partition.paddedN()),
          depth = inSource(role, matrix, 1 - own, partition.paddedK());
  return tileOf(extent, depth, alongColumns == isA ? Major::K : Major::MN,
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
  return hasWholeLines(strides, tile.getMajorDimension(),
                       tile.getMatrix().elementBytes);
}

namespace {
/// A matrix that is a part of one of a batch, which the kernel is given.
struct BatchedMatrix {
  BlockArgument batch;
  memref::SubViewOp view;
  bool isTransposed;
};
} // namespace

static std::optional<BatchedMatrix> batchedMatrix(Value matrix) {
  BatchedMatrix found = {{}, {}, false};
  while (auto view = matrix.getDefiningOp<memref::TransposeOp>()) {
    found.isTransposed = !found.isTransposed;
    matrix = view.getIn();
  }
  found.view = matrix.getDefiningOp<memref::SubViewOp>();
  if (!found.view)
    return std::nullopt;
  found.batch = dyn_cast<BlockArgument>(found.view.getSource());
  constexpr int64_t batchedRank = 3;
  if (!found.batch ||
      !isa<FunctionOpInterface>(found.batch.getOwner()->getParentOp()) ||
      found.view.getSourceType().getRank() != batchedRank ||
      !found.view.hasUnitStride() || !found.view.getDroppedDims().test(0))
    return std::nullopt;
  return found;
}

/// Whether the view has all of its source along the dimension.
static bool isWholeAlong(memref::SubViewOp view, unsigned dim) {
  OpFoldResult size = view.getMixedSizes()[dim];
  if (!isConstantIntValue(view.getMixedOffsets()[dim], 0))
    return false;
  MemRefType type = view.getSourceType();
  if (!type.isDynamicDim(dim))
    return isConstantIntValue(size, type.getDimSize(dim));
  auto extent = dyn_cast<Value>(size);
  auto source = extent ? extent.getDefiningOp<memref::DimOp>() : nullptr;
  return source && source.getSource() == view.getSource() &&
         source.getConstantIndex() == int64_t(dim);
}

/// Whether one map describes all of the batch: whose matrices, of which the
/// engine can bring tiles, have the product's terms and no others, since it
/// brings what is beyond them as zeros. Other rows of A or columns of B than
/// the product's do no harm.
static bool mayMapBatch(const BatchedMatrix &matrix, Role role) {
  memref::SubViewOp view = matrix.view;
  MemRefType type = view.getSourceType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!isWholeAlong(view, (role == Role::A) != matrix.isTransposed ? 2 : 1) ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  if (ShapedType::isDynamic(strides[0]))
    return true;
  constexpr int64_t strideLimit = int64_t(1) << 40;
  int64_t bytes = strides[0] * type.getElementTypeBitWidth() / 8;
  return bytes > 0 && bytes < strideLimit && bytes % copiedPiece == 0;
}

/// Whether a product's operand and the next one's are of one such batch.
static bool areOfBatch(Role role, Value own, Value next) {
  std::optional<BatchedMatrix> one = batchedMatrix(own),
                               other = batchedMatrix(next);
  return one && other && one->batch == other->batch &&
         one->isTransposed == other->isTransposed && mayMapBatch(*one, role) &&
         mayMapBatch(*other, role);
}

bool Distributor::areOfBatch(GemmOp op, Value matrixA, Value matrixB) {
  auto [nextA, nextB] = multipliedMatrices(op, op.getNextA(), op.getNextB());
  return ::areOfBatch(Role::A, matrixA, nextA) &&
         ::areOfBatch(Role::B, matrixB, nextB);
}

/// All of the batch that the matrix is of, each matrix as it is multiplied.
Value Distributor::wholeBatch(Value matrix) {
  BatchedMatrix place = *batchedMatrix(matrix);
  return place.isTransposed ? transposedView(b, b.getLoc(), place.batch)
                            : place.batch;
}

/// An mbarrier for each stage, from that one on.
Value Distributor::barriersFrom(int64_t first) {
  auto bytes = cast<MemRefType>(copied.getType());
  auto type =
      MemRefType::get({exchange.stages}, b.getI64Type(),
                      MemRefLayoutAttrInterface(), bytes.getMemorySpace());
  return memref::ViewOp::create(
      b, type, copied, constant(shared.barriers.offset + first * mbarrierBytes),
      ValueRange());
}

/// What says that a stage has its tile.
Value Distributor::bulkBarriers() { return barriersFrom(0); }

/// Of products in turn, what says that all warps have done with it.
Value Distributor::freeBarriers() { return barriersFrom(exchange.stages); }

/// Copies of the engine that a stage waits for: A's and B's of a tile of k, or
/// one of either.
int64_t Distributor::copiesOfStage() { return exchange.stationary ? 1 : 2; }

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
  mapsBatch = isInTurn(op) && areOfBatch(op, matrixA, matrixB);
  mapNumber = turn && !mapsBatch
                  ? b.createOrFold<arith::RemUIOp>(turn, constant(2))
                  : constant(0);
  auto begin = [&] {
    MBarrierInitOp::create(b, bulkBarriers(), copiesOfStage());
    if (waitApart())
      MBarrierInitOp::create(b, freeBarriers(), partition.grid.warps());
    acquireMaps(mapNumber);
  };
  atFirst(turn, [&] {
    describe(Role::A, mapsBatch ? wholeBatch(matrixA) : matrixA, mapNumber);
    describe(Role::B, mapsBatch ? wholeBatch(matrixB) : matrixB, mapNumber);
    if (isInTurn(op))
      begin();
  });
  if (!isInTurn(op))
    begin();
}

/// Emits what a block does before the first of its products: of one alone, null
/// for its turn, right away.
void Distributor::atFirst(Value turn, llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(b);
  if (turn) {
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn, constant(0));
    b.setInsertionPointToStart(
        scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
  }
  emit();
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
  if (!exchange.bulk || !op.getTurn() || mapsBatch)
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

/// Waits for the next product's maps, where one `follows`, at the last moment:
/// when what it starts is its own, behind `switchAt`. Publishing maps takes
/// longer than a turn.
void Distributor::acquireNextMaps(Value place, Value switchAt, Value follows) {
  Value isLast = b.createOrFold<arith::AndIOp>(
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, place, switchAt),
      follows);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, isLast, /*withElseRegion=*/false).thenBlock());
  acquireMaps(nextMapNumber());
}

Value Distributor::nextMapNumber() {
  if (mapsBatch)
    return mapNumber;
  return b.createOrFold<arith::SubIOp>(constant(1), mapNumber);
}

Distributor::BulkOperand Distributor::bulkOperand(Value matrix, Value map) {
  if (!mapsBatch)
    return {map, Value(), constant(0), constant(0)};
  BatchedMatrix place = *batchedMatrix(matrix);
  SmallVector<OpFoldResult> offsets = place.view.getMixedOffsets();
  auto at = [&](unsigned dim) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), offsets[dim]);
  };
  BulkOperand operand = {map, at(0), at(1), at(2)};
  if (place.isTransposed)
    std::swap(operand.row, operand.column);
  return operand;
}

Distributor::BulkOperands Distributor::bulkOperands(Value matrixA,
                                                    Value matrixB, Value map) {
  return {bulkOperand(matrixA, map), bulkOperand(matrixB, map)};
}

Distributor::BulkOperands Distributor::select(Value condition,
                                              const BulkOperands &one,
                                              const BulkOperands &other) {
  auto choose = [&](Value first, Value second) -> Value {
    return first ? b.createOrFold<arith::SelectOp>(condition, first, second)
                 : Value();
  };
  auto ofOperand = [&](const BulkOperand &first,
                       const BulkOperand &second) -> BulkOperand {
    return {choose(first.map, second.map),
            choose(first.product, second.product),
            choose(first.row, second.row), choose(first.column, second.column)};
  };
  return {ofOperand(one.a, other.a), ofOperand(one.b, other.b)};
}

/// Has the engine bring terms from `offset` on.
void Distributor::startBulk(const BulkOperands &operands, Value offset,
                            Value stage) {
  const auto &[a, other] = operands;
  PlaceBulkOp::create(b, mapsOf(Role::A), a.map, a.row, add(a.column, offset),
                      copiedBufferAt(Role::A, stage), bulkA, bulkBarriers(),
                      stage, a.product);
  PlaceBulkOp::create(b, mapsOf(Role::B), other.map, add(other.row, offset),
                      other.column, copiedBufferAt(Role::B, stage), bulkB,
                      bulkBarriers(), stage, other.product);
}

/// All of them have been waited for, unless another product `follows`, null if
/// none does; where groups wait apart, not at once.
void Distributor::endBulk(Value follows) {
  if (!exchange.bulk)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (follows) {
    auto choice =
        scf::IfOp::create(b, TypeRange(), follows, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  // Of an operand that stays a product alone waits apart, too.
  if (waitApart() && (follows || exchange.stationary)) {
    gpu::BarrierOp::create(b);
    MBarrierInvalOp::create(b, freeBarriers());
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
  int64_t terms = multipliedSize(role, type, dim);
  bool isWhole = ShapedType::isStatic(terms) && terms <= partition.tile.k;
  return isWhole ? matrix
                 : tileOfK(role, matrix, getAsOpFoldResult(offset), size);
}

/// Emits what is done with the tile of k at `offset`, of so many terms: apart
/// for a whole tile, which has no bounds along k to find, where there may be
/// others. Of a depth that is known, one other tile is the last, and known.
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
  emit(known ? OpFoldResult(b.getIndexAttr(*known % tileK))
             : OpFoldResult(rest));
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
    return MmaOp::create(b, sum.getType(), a, other, sum, firstTiles);
  };
  int64_t depth = partition.tile.k, slice = partition.sliceK;
  // A slice of the lanes' multiply-adds is as much code as ptxas needs to have
  // reads on their way.
  if (atom.getInstruction() == InstructionKind::Fma)
    return ifInside(operandA, operandB, accumulator, [&]() -> Value {
      auto loop = scf::ForOp::create(b, constant(0), constant(depth),
                                     constant(slice), ValueRange(accumulator));
      // Of so few slices LLVM would make one, with all reads first, for which
      // the registers of a plan without stages are too few: f32 16³ by two
      // warps took 250 µs of 100 000 with 228 bytes spilled, 106 without (H100,
      // 2026-11-27).
      constexpr int64_t fewSlices = 4;
      if (exchange.stages == 1 && depth <= fewSlices * slice)
        keepRolled(loop);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b,
                           addSlice(loop.getInductionVar(), partition.paddedK(),
                                    loop.getRegionIterArg(0)));
      return loop.getResult(0);
    });
  for (int64_t k = 0; k < depth; k += slice)
    accumulator = addSlice(constant(k), k + slice, accumulator,
                           k == 0 ? startNext : llvm::function_ref<void()>());
  return accumulator;
}

/// What `emit` adds to a sum, by warps whose part of C has elements of the
/// matrix. Lanes' multiply-adds are a loop, around which a branch is nothing:
/// 2500 products of f32 100³ take 165 instead of 184 µs, of which a last warp
/// has no column. Where ptxas would move reads across it, it is not: f64 200³
/// takes 5 % longer, and products of sizes of their own 1 to 5 (H200,
/// 2026-11-28).
Value Distributor::ifInside(Value operandA, Value operandB, Value sum,
                            llvm::function_ref<Value()> emit) {
  Value isInside;
  auto require = [&](Role role, Value operand, Value number, int64_t part,
                     int64_t parts) {
    unsigned dim = role == Role::A ? 0 : 1;
    int64_t extent =
        multipliedSize(role, cast<MemRefType>(operand.getType()), dim);
    bool isAlways = parts == 1 || (ShapedType::isStatic(extent) &&
                                   extent > (parts - 1) * part);
    if (isAlways)
      return;
    Value size = multipliedExtent(role, operand, dim);
    Value has = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                      multiply(number, part), size);
    isInside = isInside ? arith::AndIOp::create(b, isInside, has) : has;
  };
  require(Role::A, operandA, row, partition.warpM, partition.grid.m);
  require(Role::B, operandB, column, partition.warpN, partition.grid.n);
  if (!isInside)
    return emit();
  return sumIf(isInside, sum, emit);
}

/// What `emit` makes of a sum where a condition holds, and else the sum.
Value Distributor::sumIf(Value condition, Value sum,
                         llvm::function_ref<Value()> emit) {
  auto choice = scf::IfOp::create(b, TypeRange(sum.getType()), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, sum);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emit());
  return choice.getResult(0);
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

/// Of the phase in which the stage before had its last tile.
Value Distributor::parityBefore(Value parity, Value number) {
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                        stageNumber(0));
  return arith::XOrIOp::create(
      b, parity, arith::ExtUIOp::create(b, b.getI32Type(), isFirst));
}

Value Distributor::asStage(Value number) {
  return arith::IndexCastUIOp::create(b, b.getIndexType(), number);
}

/// The stage that a block's product in turn begins with: its number and, of
/// what the engine brings, the parity of its phase.
Distributor::StagePhase Distributor::stageOfTurn(Value turn) {
  // The lowest bit is which maps are its.
  if (exchange.bulk)
    turn = b.createOrFold<arith::DivUIOp>(turn, constant(2));
  auto word = [&](Value value, int64_t modulus) -> Value {
    return arith::IndexCastUIOp::create(
        b, b.getI32Type(),
        b.createOrFold<arith::RemUIOp>(value, constant(modulus)));
  };
  Value number = word(turn, exchange.stages), parity;
  if (exchange.bulk)
    parity = word(
        b.createOrFold<arith::DivUIOp>(turn, constant(exchange.stages)), 2);
  return {number, parity};
}

//===----------------------------------------------------------------------===//
// Tiles of a product
//===----------------------------------------------------------------------===//

/// Both operands of a product, of which the copy engine has a map of that
/// number, or null.
Distributor::CopiedOperands Distributor::operandsOf(Value matrixA,
                                                    Value matrixB, Value map) {
  Value depth = multipliedExtent(Role::A, matrixA, 1);
  Value tiles =
      b.createOrFold<arith::CeilDivUIOp>(depth, constant(partition.tile.k));
  BulkOperands engine;
  if (map)
    engine = bulkOperands(matrixA, matrixB, map);
  return {matrixA, matrixB, depth, tiles, engine};
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
      MBarrierArriveOp::create(b, bulkBarriers(), stage, copiesOfStage());
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
      startBulk(operands.engine, offset, stage);
    else
      withTermsAt(offset, operands.depth, [&](OpFoldResult size) {
        startCopies(operands.a, operands.b, offset, size, stage);
      });
  }
  commitCopies();
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

/// What this warp sends its part of C to memory by way of.
Value Distributor::relayBuffer() {
  int64_t bytes = shared.relay.bytes / partition.grid.warps();
  Value warp = add(multiply(row, partition.grid.n), column);
  Value start = add(multiply(warp, bytes), constant(shared.relay.offset));
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes), copied,
                                start, ValueRange());
}

/// Sends the block's part of C by way of shared memory, where all of its warps
/// write columns of C, and threads read rows.
void Distributor::relayTransposed(GemmOp op, Value sum,
                                  const FragmentPlace &place, Value alpha) {
  auto type = cast<MemRefType>(op.getC().getType());
  CopiedTile tile = relayedBlock(partition.paddedN(), partition.paddedM(),
                                 type.getElementTypeBitWidth() / 8);
  Value rows =
      linesAt(constant(shared.relay.offset), type.getElementType(), tile);
  StoreOp::create(b, sum, viewOfC(rows), place.row, place.column, alpha,
                  /*beta=*/Value(), /*buffer=*/Value(), /*rowInBounds=*/true,
                  /*columnInBounds=*/true);
  gpu::BarrierOp::create(b);
  CopyOutOp::create(b, rows, op.getC(), copyingThreads());
}
