//===- Distributor.cpp - One op of a block, warp by warp -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "kami/IR/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value Distributor::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value).getResult();
}

Value Distributor::multiply(Value value, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(value, constant(factor));
}

Value Distributor::add(Value left, Value right) {
  return b.createOrFold<arith::AddIOp>(left, right);
}

FragmentType Distributor::fragmentType(Role role) {
  FragmentType type = shareType(partition, atom, role, interleave);
  return type.withHalves(
      {splitsRows && role != Role::B ? partition.paddedM() / 2 : 0,
       splitsColumns && role != Role::A ? partition.paddedN() / 2 : 0});
}

/// The first row of the block's tile of C that the warp has.
Value Distributor::rowOrigin() {
  return multiply(row, partition.warpM / (splitsRows ? 2 : 1));
}

Value Distributor::columnOrigin() {
  return multiply(column, partition.warpN / (splitsColumns ? 2 : 1));
}

/// `bytes` bytes of the block's shared memory.
Value Distributor::view(int64_t offset, int64_t bytes) {
  if (!sharedMemory)
    sharedMemory = gpu::DynamicSharedMemoryOp::create(
        b, bufferType(b.getContext(), ShapedType::kDynamic));
  return memref::ViewOp::create(b, bufferType(b.getContext(), bytes),
                                sharedMemory, constant(offset), ValueRange());
}

/// The operand as the product sees it.
Value Distributor::logicalView(Value matrix, bool transposed) {
  return transposed ? transposedView(b, b.getLoc(), matrix) : matrix;
}

/// The operands as they are multiplied: A and B, or Bᵀ and Aᵀ.
std::pair<Value, Value> Distributor::multipliedMatrices(GemmOp op, Value a,
                                                        Value other) {
  bool swaps = exchange.isTransposed;
  auto matrix = [&](Value operand, bool transposed) {
    return isa<MemRefType>(operand.getType())
               ? logicalView(operand, transposed != swaps)
               : Value();
  };
  Value matrixA = matrix(a, op.getTransposeA());
  Value matrixB = matrix(other, op.getTransposeB());
  return swaps ? std::pair(matrixB, matrixA) : std::pair(matrixA, matrixB);
}

/// By which power of 2 the operand has more rows (dim 0), or columns, than what
/// is multiplied: complex numbers have one line for two, and A's two elements
/// for one where rows of both of its parts lie beside each other.
int64_t Distributor::sourceShift(Role role, MemRefType matrix, unsigned dim) {
  if (!exchange.interleavesParts)
    return 0;
  auto [strides, offset] = matrix.getStridesAndOffset();
  unsigned along = strides[1] == 1 ? 1 : 0;
  if (role == Role::A && along == 1)
    return 0;
  return dim != along ? -1 : role == Role::A ? 1 : 0;
}

/// Rows, or columns, of the operand for so many that are multiplied.
int64_t Distributor::inSource(Role role, MemRefType matrix, unsigned dim,
                              int64_t extent) {
  int64_t shift = sourceShift(role, matrix, dim);
  return shift < 0 ? llvm::divideCeil(extent, 2) : extent << shift;
}

/// The operand's rows, or columns, as they are multiplied; dynamic if nobody
/// knows.
int64_t Distributor::multipliedSize(Role role, MemRefType matrix,
                                    unsigned dim) {
  int64_t size = matrix.getDimSize(dim), shift = sourceShift(role, matrix, dim);
  if (ShapedType::isDynamic(size))
    return size;
  return shift < 0 ? 2 * size : size >> shift;
}

Value Distributor::multipliedExtent(Role role, Value matrix, unsigned dim) {
  int64_t shift = sourceShift(role, cast<MemRefType>(matrix.getType()), dim);
  Value extent = extentOf(b, matrix, dim);
  if (shift == 0)
    return extent;
  return shift < 0 ? multiply(extent, 2)
                   : b.createOrFold<arith::DivUIOp>(extent, constant(2));
}

/// Columns of A or rows of B that one k tile multiplies.
Value Distributor::tileOfK(Role role, Value matrix, OpFoldResult offset,
                           OpFoldResult size) {
  unsigned dim = role == Role::A ? 1 : 0, other = 1 - dim;
  if (sourceShift(role, cast<MemRefType>(matrix.getType()), dim) < 0) {
    auto half = [&](OpFoldResult value) -> OpFoldResult {
      if (std::optional<int64_t> known = getConstantIntValue(value))
        return b.getIndexAttr(llvm::divideCeil(*known, 2));
      return b.createOrFold<arith::DivUIOp>(cast<Value>(value), constant(2));
    };
    offset = half(offset);
    size = half(size);
  }
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)), sizes(2),
      strides(2, b.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  sizes[other] = memref::getMixedSize(b, b.getLoc(), matrix, other);
  return memref::SubViewOp::create(b, matrix, offsets, sizes, strides);
}

/// Only layer 0 has C.
template <typename Emit> void Distributor::ifFirstLayer(Emit emit) {
  OpBuilder::InsertionGuard guard(b);
  if (partition.grid.k > 1) {
    Value first =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, layer, constant(0));
    b.setInsertionPointToStart(
        scf::IfOp::create(b, first, /*withElseRegion=*/false).thenBlock());
  }
  emit();
}

//===----------------------------------------------------------------------===//
// Coordinates and buffers
//===----------------------------------------------------------------------===//

Distributor::Distributor(OpBuilder &builder, Location loc, PlanAttr attribute,
                         const Plan &plan, const Exchange &exchange)
    : b(loc, builder), partition(plan.partition()), exchange(exchange),
      shared(kami::sharedLayout(plan, exchange)),
      threadsExchange(exchange.bulk ? withoutBulk(plan, exchange) : exchange),
      threadsShared(kami::sharedLayout(plan, threadsExchange)),
      slices(clampSlicing(partition, plan.slices)), interleave(plan.interleave),
      atom(attribute.getAtom()) {
  emitCoordinates();
}

void Distributor::emitCoordinates() {
  const WarpGrid &grid = partition.grid;
  auto coordinates = WarpCoordinatesOp::create(b, gridAttr());
  row = coordinate(coordinates.getRow(), grid.m);
  column = coordinate(coordinates.getColumn(), grid.n);
  layer = coordinate(coordinates.getLayer(), grid.k);
  warp = add(multiply(add(multiply(layer, grid.m), row), grid.n), column);
  sideA = {Role::A,
           Group::Row,
           grid.n,
           partition.heldA(),
           slices.sharedA,
           exchange.keepsParkedA(grid),
           column,
           {},
           {},
           {}};
  sideB = {Role::B,
           Group::Column,
           grid.m,
           partition.heldB(),
           slices.sharedB,
           exchange.keepsParkedB(grid),
           row,
           {},
           {},
           {}};
}

/// The scratch part of the kernel's shared memory, as the product uses it.
void Distributor::emitBuffers() {
  int64_t buffers = exchange.transport == Transport::DoubleBuffered ? 2 : 1;
  for (auto [side, parked, broadcast] :
       {std::tuple(&sideA, shared.parkedA, shared.broadcastA),
        std::tuple(&sideB, shared.parkedB, shared.broadcastB)}) {
    if (parked.bytes && !side->keepsParked)
      side->parkedBuffer = view(parked.offset - shared.kept, parked.bytes);
    int64_t bytes = broadcast.bytes / buffers;
    for (int64_t i = 0; bytes && i != buffers; ++i)
      side->broadcastBuffers.push_back(
          view(broadcast.offset - shared.kept + i * bytes, bytes));
  }
}

/// Puts a distributed operand's values where the stages look for them.
void Distributor::takeShare(OperandSide &side, ValueRange share) {
  Holdings holdings(partition, slices, exchange, side.role);
  side.slices.assign(side.held, nullptr);
  for (auto [index, value] : llvm::zip(holdings.inRegisters, share))
    side.slices[index] = value;
  if (holdings.parked)
    side.parkedBuffer = share.back();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Where this warp's held slice of that index starts along k: (position +
/// stage) · pk · stageK + layer · stageK + slice · sliceK.
Value Distributor::sliceStart(OperandSide &side, int64_t index) {
  int64_t stage = firstStage(partition, side.receivers, index);
  int64_t slice = index % partition.slicesPerStage;
  return add(multiply(add(multiply(side.position, partition.grid.k), layer),
                      partition.stageK),
             constant(partition.sliceOffset(stage, slice)));
}

/// What is loaded of A or B at once: a slice, or all of a warp's rows.
FragmentType Distributor::loadedType(Role role) {
  return isGroup() && role == Role::A ? rowsType(partition, atom)
                                      : fragmentType(role);
}

/// The operand's prologue, with the operands loaded that the sum over k does
/// not move. `matrix` is the whole operand as the product sees it.
void Distributor::makePrologue(OperandSide &side, GemmOp op, Value matrix) {
  bool isA = side.role == Role::A;
  side.prologue = WarpRegion(b, op, side.role, loadedType(side.role),
                             memref::getMixedSize(b, b.getLoc(), matrix, 0),
                             memref::getMixedSize(b, b.getLoc(), matrix, 1));
  Value own = isA ? rowOrigin() : columnOrigin();
  auto type = cast<MemRefType>(matrix.getType());
  bool inBounds = type.getDimSize(isA ? 0 : 1) >=
                  (isA ? partition.paddedM() : partition.paddedN());
  side.prologue.preload(b, {isA ? own : Value(), isA ? Value() : own,
                            isA && inBounds, !isA && inBounds});
}

/// The elements that are multiplied, of those loaded at `place` of a k tile.
/// What a prologue makes of an element beyond the sum may be anything, but must
/// add nothing.
Value Distributor::applyPrologue(OperandSide &side, Value tile, Value elements,
                                 Value k, FragmentPlace place) {
  bool isA = side.role == Role::A;
  bool kInBounds = isA ? place.columnInBounds : place.rowInBounds;
  Value &position = isA ? place.column : place.row;
  if (side.tileOffset)
    position = add(side.tileOffset, k);
  Value result = side.prologue.apply(b, elements, place);
  if (kInBounds)
    return result;
  MatrixDim dim = isA ? MatrixDim::Column : MatrixDim::Row;
  Value extent = extentOf(b, tile, isA ? 1 : 0);
  return ClipOp::create(b, result, dim,
                        b.createOrFold<arith::SubIOp>(extent, k));
}

/// This warp's elements from `k` of the block's k tile on, as they are
/// multiplied. None of a warp's is at `coveredK` or beyond. The tile's lines
/// may be skewed as those of a matrix.
Value Distributor::loadFragment(OperandSide &side, Value tile, Value k,
                                int64_t coveredK, Value skewedAs) {
  bool isA = side.role == Role::A;
  Value own = isA ? rowOrigin() : columnOrigin();
  auto type = cast<MemRefType>(tile.getType());
  int64_t covered = isA ? partition.paddedM() : partition.paddedN();
  auto isWithin = [&](unsigned dim, int64_t end) {
    return type.getDimSize(dim) >= inSource(side.role, type, dim, end);
  };
  bool ownInBounds = isWithin(isA ? 0 : 1, covered);
  bool kInBounds = isWithin(isA ? 1 : 0, coveredK);
  FragmentPlace place{isA ? own : k, isA ? k : own,
                      isA ? ownInBounds : kInBounds,
                      isA ? kInBounds : ownInBounds};
  FragmentType fragment = loadedType(side.role);
  if (!side.prologue.empty())
    fragment = fragment.withElements(type.getElementType());
  bool isInParts = exchange.interleavesParts &&
                   (!isA || sourceShift(side.role, type, 1) != 0);
  Value elements = LoadOp::create(
      b, fragment, tile, place.row, place.column, place.rowInBounds,
      place.columnInBounds, skewedAs, isInParts,
      isInParts && !isA && conjugatesA, isInParts && !isA && conjugatesB);
  return side.prologue.empty() ? elements
                               : applyPrologue(side, tile, elements, k, place);
}

/// The held slice of that index, read from the block's k tile. Null if it is
/// beyond the tile for every warp.
Value Distributor::loadSlice(OperandSide &side, Value tile, int64_t index) {
  const WarpGrid &grid = partition.grid;
  int64_t stage = firstStage(partition, side.receivers, index);
  int64_t slice = index % partition.slicesPerStage;
  if (!partition.isActive(stage, slice))
    return nullptr;
  int64_t coveredK = partition.sliceOffset(stage + side.receivers - 1, slice) +
                     (grid.k - 1) * partition.stageK + partition.sliceK;
  return loadFragment(side, tile, sliceStart(side, index), coveredK);
}

/// Writes the slices that the product parks to shared memory; false if there
/// are none. A warp whose slice is beyond the tile writes nothing: nobody will
/// fetch it.
bool Distributor::park(OperandSide &side, Value tile) {
  for (int64_t index = side.held - side.parked; index < side.held; ++index) {
    int64_t stage = firstStage(partition, side.receivers, index);
    int64_t owners = 0;
    while (owners != side.receivers &&
           partition.isActive(stage + owners, index % partition.slicesPerStage))
      ++owners;
    if (owners == 0)
      continue;
    OpBuilder::InsertionGuard guard(b);
    if (owners != side.receivers) {
      Value owns = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         side.position, constant(owners));
      b.setInsertionPointToStart(
          scf::IfOp::create(b, owns, /*withElseRegion=*/false).thenBlock());
    }
    Value value = tile ? loadSlice(side, tile, index) : side.slices[index];
    if (isGroup()) {
      PlaceOp::create(b, value, side.parkedBuffer, sliceStart(side, index),
                      constant(0), residentType(partition, atom, Role::B));
      continue;
    }
    Value slot =
        add(multiply(warp, side.parked), constant(side.parkedIndex(index)));
    ShareOp::create(b, value, side.parkedBuffer, slot);
  }
  return side.parked > 0;
}

/// Reads what stays in registers.
void Distributor::loadHeld(OperandSide &side, Value tile) {
  side.slices.assign(side.held, nullptr);
  for (int64_t index = 0; index != side.held - side.parked; ++index)
    side.slices[index] = loadSlice(side, tile, index);
}

/// C's elements in layer 0, which holds them, and zeros elsewhere.
Value Distributor::loadC(Value matrix) {
  FragmentType type = fragmentType(Role::C);
  FragmentPlace place = placeOfC(matrix);
  auto load = [&]() -> Value {
    return LoadOp::create(b, type, viewOfC(matrix), place.row, place.column,
                          place.rowInBounds, place.columnInBounds);
  };
  if (partition.grid.k == 1)
    return load();
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, layer, constant(0));
  auto choice =
      scf::IfOp::create(b, TypeRange(type), first, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, load());
  b.setInsertionPointToStart(choice.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(atom.getCType()));
  scf::YieldOp::create(b, FillOp::create(b, type, zero).getResult());
  return choice.getResult(0);
}

SmallVector<Value> Distributor::distribute(Value matrix, Role role,
                                           int64_t home, bool barrierFirst) {
  if (role == Role::C)
    return {loadC(matrix)};
  OperandSide &own = side(role);
  Holdings holdings(partition, slices, exchange, role);
  own.parked = holdings.parked;
  if (barrierFirst)
    gpu::BarrierOp::create(b);
  SmallVector<Value> share;
  if (isGroup() && role == Role::A) {
    if (holdings.parked == 0)
      return {loadRows(matrix)};
    Value buffer = view(home, parkedBytes(partition, exchange,
                                          fragmentType(role), holdings.parked));
    placeRows(matrix, buffer);
    gpu::BarrierOp::create(b);
    return {buffer};
  }
  loadHeld(own, matrix);
  for (int64_t index : holdings.inRegisters)
    share.push_back(own.slices[index]);
  if (holdings.parked) {
    own.parkedBuffer =
        view(home, parkedBytes(partition, exchange, fragmentType(role),
                               holdings.parked));
    park(own, matrix);
    gpu::BarrierOp::create(b);
    share.push_back(own.parkedBuffer);
  }
  return share;
}

SmallVector<Value> Distributor::recast(Value sums, int64_t columns) {
  auto type = cast<FragmentType>(sums.getType());
  // What an epilogue made of elements beyond the matrix must add nothing.
  if (columns < type.getColumns())
    sums = ClipOp::create(b, sums, MatrixDim::Column, constant(columns));
  if (isGroup())
    return {RecastOp::create(b, rowsType(partition, atom), sums, 0)};
  SmallVector<Value> share;
  Holdings holdings(partition, slices, exchange, Role::A);
  for (int64_t index : holdings.inRegisters) {
    int64_t stage = firstStage(partition, sideA.receivers, index);
    int64_t slice = index % partition.slicesPerStage;
    share.push_back(RecastOp::create(b, fragmentType(Role::A), sums,
                                     partition.sliceOffset(stage, slice)));
  }
  return share;
}

Value Distributor::relay(DistributedType type) {
  RelayShape shape = relayShape(type);
  Value bytes = view(0, shape.bytes());
  auto rows =
      MemRefType::get({shape.rows, shape.stride}, type.getElementType(),
                      MemRefLayoutAttrInterface(),
                      cast<MemRefType>(bytes.getType()).getMemorySpace());
  Value whole =
      memref::ViewOp::create(b, rows, bytes, constant(0), ValueRange());
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
      strides(2, b.getIndexAttr(1)),
      sizes = {b.getIndexAttr(shape.rows), b.getIndexAttr(shape.columns)};
  return memref::SubViewOp::create(b, whole, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// A parked slice of the owner in this warp's group.
Value Distributor::fetch(OperandSide &side, int64_t index, int64_t owner) {
  const WarpGrid &grid = partition.grid;
  Value ownerRow = row, ownerColumn = column;
  if (side.receivers > 1)
    (side.role == Role::A ? ownerColumn : ownerRow) = constant(owner);
  Value ownerWarp = add(
      multiply(add(multiply(layer, grid.m), ownerRow), grid.n), ownerColumn);
  Value slot =
      add(multiply(ownerWarp, side.parked), constant(side.parkedIndex(index)));
  return FetchOp::create(b, fragmentType(side.role), side.parkedBuffer, slot);
}

Value Distributor::emitStage(int64_t stage, int64_t slice, Value accumulator) {
  std::pair<OperandSide *, int64_t> operands[] = {
      {&sideA, partition.heldIndexA(stage, slice)},
      {&sideB, partition.heldIndexB(stage, slice)}};
  int64_t owners[] = {partition.ownerColumn(stage), partition.ownerRow(stage)};
  Value values[2];
  SmallVector<Value> sent, buffers;
  SmallVector<Attribute> groups;
  SmallVector<int64_t> senders;
  SmallVector<unsigned> positions;
  for (unsigned i = 0; i != 2; ++i) {
    auto [side, index] = operands[i];
    if (side->isParked(index)) {
      values[i] = fetch(*side, index, owners[i]);
      continue;
    }
    values[i] = side->slices[index];
    if (side->receivers == 1)
      continue;
    sent.push_back(values[i]);
    buffers.push_back(
        side->broadcastBuffers[broadcastCount % side->broadcastBuffers.size()]);
    groups.push_back(GroupAttr::get(b.getContext(), side->group));
    senders.push_back(owners[i]);
    positions.push_back(i);
  }
  if (!sent.empty()) {
    bool takesTurns = exchange.transport == Transport::DoubleBuffered;
    auto broadcast = BroadcastOp::create(
        b, TypeRange(ValueRange(sent)), gridAttr(), scopeAttr(),
        takesTurns ? b.getUnitAttr() : UnitAttr(), sent, buffers,
        b.getArrayAttr(groups), b.getDenseI64ArrayAttr(senders));
    ++broadcastCount;
    for (auto [position, result] :
         llvm::zip_equal(positions, broadcast.getResults()))
      values[position] = result;
  }
  return MmaOp::create(b, values[0], values[1], accumulator);
}

BarrierScopeKindAttr Distributor::scopeAttr() {
  return BarrierScopeKindAttr::get(
      b.getContext(), toKind(exchangeScope(partition, slices, exchange)));
}

/// Between what warps write of this product's operands and what others read.
void Distributor::emitExchangeBarrier() {
  BarrierScopeKindAttr scope = scopeAttr();
  if (scope.getValue() == BarrierScopeKind::Block)
    gpu::BarrierOp::create(b);
  else
    BarrierOp::create(b, gridAttr(), scope);
}

/// The accumulators after one k tile. An operand without a tile is distributed.
Value Distributor::emitTile(Value aTile, Value bTile, Value accumulator) {
  if (isGroup())
    return emitGroupTile(aTile, bTile, accumulator);
  broadcastCount = 0;
  bool parks = false;
  for (auto [side, tile] : {std::pair(&sideA, aTile), std::pair(&sideB, bTile)})
    if (!side->keepsParked)
      parks |= park(*side, tile);
  for (auto [side, tile] : {std::pair(&sideA, aTile), std::pair(&sideB, bTile)})
    if (tile)
      loadHeld(*side, tile);
  if (parks)
    emitExchangeBarrier();
  for (int64_t stage = 0; stage != partition.activeStages; ++stage)
    for (int64_t slice = 0; slice != partition.slicesPerStage; ++slice)
      if (partition.isActive(stage, slice))
        accumulator = emitStage(stage, slice, accumulator);
  return accumulator;
}

//===----------------------------------------------------------------------===//
// The whole product
//===----------------------------------------------------------------------===//

Value Distributor::emitZeros() {
  auto zero = b.getZeroAttr(atom.getCType());
  return FillOp::create(b, fragmentType(Role::C),
                        arith::ConstantOp::create(b, zero));
}

/// What the sum begins with: C, where it is distributed and is added to, in
/// layer 0; else 0.
Value Distributor::emitStart(GemmOp op, ValueRange c) {
  Value none = emitZeros();
  if (c.empty() || !op.getBeta())
    return none;
  if (partition.grid.k == 1)
    return c.front();
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, layer, constant(0));
  return arith::SelectOp::create(b, first, c.front(), none);
}

/// The sum over k: this warp's, over all tiles of k.
Value Distributor::emitSum(GemmOp op, Value matrixA, Value matrixB, Value start,
                           bool barrierFirst) {
  if (exchange.isCopied())
    return emitCopied(op, matrixA, matrixB, start, barrierFirst);
  // How deep a piece of a layer is known only at run time.
  int64_t tileK = partition.tile.k;
  int64_t k = op.getLayers() ? ShapedType::kDynamic : op.getK();
  if (ShapedType::isStatic(k) && k <= tileK)
    return emitTile(matrixA, matrixB, start);

  Value extent = multipliedExtent(Role::A, matrixA, 1);
  auto loop =
      scf::ForOp::create(b, constant(0), extent, constant(tileK), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset = loop.getInductionVar();
  sideA.tileOffset = sideB.tileOffset = offset;
  OpFoldResult size = b.getIndexAttr(tileK);
  if (ShapedType::isDynamic(k) || k % tileK != 0)
    size = arith::MinSIOp::create(b, constant(tileK),
                                  arith::SubIOp::create(b, extent, offset))
               .getResult();
  // The previous tile's slices may still be read.
  if (leavesReads(partition, slices, exchange))
    emitExchangeBarrier();
  Value sum = emitTile(tileOfK(Role::A, matrixA, offset, size),
                       tileOfK(Role::B, matrixB, offset, size),
                       loop.getRegionIterArg(0));
  scf::YieldOp::create(b, sum);
  return loop.getResult(0);
}

/// `left + right`, element by element.
static Value addFragments(ImplicitLocOpBuilder &b, Value left, Value right) {
  auto type = cast<FragmentType>(left.getType());
  auto map = MapOp::create(b, type, ValueRange{left, right});
  SmallVector<Type> elements(2, type.getElementType());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&map.getBody(), {}, elements,
                              SmallVector<Location>(2, b.getLoc()));
  Value one = body->getArgument(0), other = body->getArgument(1);
  Value sum = isa<FloatType>(elements[0])
                  ? Value(arith::AddFOp::create(b, one, other))
                  : Value(arith::AddIOp::create(b, one, other));
  YieldOp::create(b, sum);
  return map;
}

/// The sum as layers take it: every so many-th piece of k is one's. The first
/// has what is added to.
Value Distributor::emitLayers(GemmOp op, Value matrixA, Value matrixB,
                              Value start) {
  // C goes through shared memory behind the loops, which name it inside.
  if (exchange.isCopied())
    copied = view(0, shared.bytes);
  llvm::SaveAndRestore<Value> outside(copied);
  Value extent = extentOf(b, matrixA, 1);
  // A loop by steps of 0 would never end, nor one by what overflows. More than
  // k and one is as much: one layer of the rest is empty, and adds its 0.
  Value most = add(extent, constant(1));
  auto clamped = [&](Value number) {
    return b.createOrFold<arith::MinSIOp>(
        b.createOrFold<arith::MaxSIOp>(number, constant(1)), most);
  };
  Value count = clamped(op.getLayers()), span = clamped(op.getLayerK());
  Value period = b.createOrFold<arith::MulIOp>(count, span);
  // What leaves a first layer of -0 as it is.
  Type element = atom.getCType();
  auto real = dyn_cast<FloatType>(element);
  TypedAttr none =
      real ? TypedAttr(b.getFloatAttr(
                 real, llvm::APFloat::getZero(real.getFloatSemantics(),
                                              /*Negative=*/true)))
           : b.getZeroAttr(element);
  Value nothing = FillOp::create(b, fragmentType(Role::C),
                                 arith::ConstantOp::create(b, none));
  auto layers = scf::ForOp::create(b, constant(0), count, constant(1),
                                   ValueRange{nothing});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(layers.getBody());
  Value number = layers.getInductionVar();
  if (!start.getDefiningOp<FillOp>())
    start = arith::SelectOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, constant(0)),
        start, emitZeros());
  Value first = arith::MulIOp::create(b, number, span);
  auto pieces = scf::ForOp::create(b, first, extent, period, ValueRange{start});
  scf::YieldOp::create(
      b, addFragments(b, layers.getRegionIterArg(0), pieces.getResult(0)));
  b.setInsertionPointToStart(pieces.getBody());
  Value offset = pieces.getInductionVar();
  OpFoldResult size =
      arith::MinUIOp::create(b, span, arith::SubIOp::create(b, extent, offset))
          .getResult();
  // The piece before may still be read where its copies were.
  if (exchange.isCopied())
    gpu::BarrierOp::create(b);
  scf::YieldOp::create(b, emitSum(op, tileOfK(Role::A, matrixA, offset, size),
                                  tileOfK(Role::B, matrixB, offset, size),
                                  pieces.getRegionIterArg(0),
                                  /*barrierFirst=*/false));
  return layers.getResult(0);
}

Value Distributor::emitReduce(Value sum) {
  if (partition.grid.k == 1)
    return sum;
  Value buffer = view(shared.reduce.offset - shared.kept, shared.reduce.bytes);
  return ReduceOp::create(b, sum.getType(), gridAttr(), sum, buffer);
}

/// This warp's part of C, or of what is computed in its place.
FragmentPlace Distributor::placeOfC(Value matrix) {
  auto type = cast<ShapedType>(matrix.getType());
  unsigned rows = exchange.isTransposed ? 1 : 0;
  return {rowOrigin(), columnOrigin(),
          type.getDimSize(rows) >= partition.paddedM(),
          type.getDimSize(1 - rows) >= partition.paddedN()};
}

void Distributor::collect(Value share, Value matrix, Value alpha, Value beta) {
  ifFirstLayer([&] {
    FragmentPlace place = placeOfC(matrix);
    StoreOp::create(
        b, share, viewOfC(matrix), place.row, place.column, alpha, beta,
        /*buffer=*/Value(), place.rowInBounds, place.columnInBounds);
  });
}

/// What the epilogue makes of the elements of C at `place`.
Value Distributor::applyEpilogue(GemmOp op, Value elements,
                                 const FragmentPlace &place) {
  auto extent = [&](unsigned dim) -> OpFoldResult {
    if (auto type = dyn_cast<DistributedType>(op.getC().getType()))
      return b.getIndexAttr(type.getShape()[dim]);
    return memref::getMixedSize(b, b.getLoc(), op.getC(), dim);
  };
  unsigned rows = exchange.isTransposed ? 1 : 0;
  return WarpRegion(b, op, Role::C, fragmentType(Role::C), extent(rows),
                    extent(1 - rows), exchange.isTransposed)
      .apply(b, elements, place);
}

/// Writes the sum to C at its place there: scaled, and through the epilogue.
void Distributor::emitStore(GemmOp op, Value sum, const FragmentPlace &place) {
  ifFirstLayer([&] {
    Value c = viewOfC(op.getC());
    Value alpha = readScale(b, op.getAlpha()),
          beta = readScale(b, op.getBeta());
    Value result = sum;
    if (op.hasElementRegion(Role::C)) {
      result = emitScaling(b, result, c, place, alpha, beta);
      result = applyEpilogue(op, result, place);
      alpha = beta = {};
    }
    bool isRelayed = exchange.relaysC && !op.getBeta();
    // The operands, in whose place C is, or another C, are read by then.
    int64_t operandBytes = atom.getAType().getIntOrFloatBitWidth() / 8;
    if (isRelayed &&
        (exchange.isTransposed || exchange.relaysInPlace(operandBytes)))
      gpu::BarrierOp::create(b);
    if (isRelayed && exchange.isTransposed)
      return relayTransposed(op, result, place, alpha);
    StoreOp::create(b, result, c, place.row, place.column, alpha, beta,
                    isRelayed ? relayBuffer() : Value(), place.rowInBounds,
                    place.columnInBounds);
  });
}

/// Whether rows that begin at multiples of 16 bytes do so from one tile of k to
/// the next.
bool Distributor::keepAlignment(GemmOp op) {
  auto keeps = [&](Value operand) {
    Type element = cast<ShapedType>(operand.getType()).getElementType();
    return areWholePieces(partition.tile.k,
                          element.getIntOrFloatBitWidth() / 8);
  };
  return keeps(op.getA()) && keeps(op.getB());
}

/// The atom with pairs of A's and C's rows in a lane, where it has another one
/// of tf32.
static MmaAtomAttr withAdjacentRows(MmaAtomAttr atom) {
  if (atom.getALayout() != "nv.a.16x8.b32" ||
      atom.getCLayout() != "nv.c.16x8.b32")
    return atom;
  return MmaAtomAttr::get(
      atom.getContext(), atom.getInstruction(), atom.getM(), atom.getN(),
      atom.getK(), atom.getAType(), atom.getBType(), atom.getCType(),
      "adjacent.a.16x8.b32", atom.getBLayout(), "adjacent.c.16x8.b32",
      atom.getProducts(), atom.getOpaqueLanes());
}

/// Whether lanes had better have pairs of adjacent elements of C's rows. Groups
/// that compute C's transpose, of an A that lanes load, would store each by
/// itself, 8 of a row at once: 1000 products of tf32 of 300 take 395 µs instead
/// of 436, 448 910 instead of 948. Where rows are apart as is known at run
/// time, asking whether pairs are aligned costs more than they bring: 256
/// products of sizes of their own up to 512 × 512 × 128 45.5 µs instead of 44.2
/// (H200, 2026-11-26).
bool Distributor::storesPairs(GemmOp op) {
  auto c = dyn_cast<MemRefType>(op.getC().getType());
  if (!c || !isGroup() || !exchange.isCopied() || !exchange.isTransposed)
    return false;
  auto [strides, offset] = c.getStridesAndOffset();
  return strides.back() == 1 && !ShapedType::isDynamic(strides.front()) &&
         strides.front() % 2 == 0;
}

Value Distributor::multiply(GemmOp op, ValueRange a, ValueRange bShare,
                            ValueRange c, bool barrierFirst) {
  if (storesPairs(op))
    atom = withAdjacentRows(atom);
  // Of products in turn, only the first one's tiles come after what was before.
  if (barrierFirst && !isInTurn(op))
    gpu::BarrierOp::create(b);
  alignedRows = op.getAlignedRows() && keepAlignment(op);
  conjugatesA = op.getConjugateA();
  conjugatesB = op.getConjugateB();
  emitBuffers();
  if (exchange.a == Source::Block)
    takeShare(sideA, a);
  if (exchange.b == Source::Block)
    takeShare(sideB, bShare);
  auto [matrixA, matrixB] = multipliedMatrices(op, op.getA(), op.getB());
  splitParts(op, matrixA, matrixB);
  for (auto [side, whole] :
       {std::pair(&sideA, matrixA), std::pair(&sideB, matrixB)})
    if (op.hasElementRegion(side->role))
      makePrologue(*side, op, whole);
  if (exchange.stationary) {
    emitStationary(op, matrixA, matrixB, barrierFirst);
    return nullptr;
  }
  Value start = emitStart(op, c);
  Value sum =
      op.getLayers()
          ? emitLayers(op, matrixA, matrixB, start)
          : emitReduce(emitSum(op, matrixA, matrixB, start, barrierFirst));
  if (!c.empty())
    return op.hasElementRegion(Role::C)
               ? applyEpilogue(op, sum, placeOfC(op.getC()))
               : sum;
  emitStore(op, sum, placeOfC(op.getC()));
  return nullptr;
}
