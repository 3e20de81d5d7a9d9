//===- DistributeToWarps.cpp - Write down every warp's part --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One distribution for all grids: see kami/Layout/Partition.h for who holds
// what. Everything here is unrolled over stages and slices, whose number is the
// plan's; only the sum over the tiles of k is a loop.
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kami {
#define GEN_PASS_DEF_KAMIDISTRIBUTETOWARPS
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {

/// One operand's side of the distribution. A travels along rows, from the
/// columns that own its slabs; B along columns, from the rows.
struct OperandSide {
  Role role;
  Group group;
  /// Warps in a group: with one there is nothing to send.
  int64_t receivers;
  /// Slices that a warp holds, and how many of them, the last, are parked.
  int64_t held;
  int64_t parked;
  /// This warp's position among the owners.
  Value position;
  Value parkedBuffer;
  Value broadcastBuffer;
  /// The held slices of the current k tile, by index; null for parked ones.
  SmallVector<Value> slices;

  bool isParked(int64_t index) const { return index >= held - parked; }
  int64_t parkedIndex(int64_t index) const { return index - (held - parked); }
};

class Distributor {
public:
  Distributor(OpBuilder &builder, GemmOp op, const Plan &plan)
      : b(op.getLoc(), builder), op(op), partition(plan.partition()),
        shared(kami::sharedLayout(plan)), slices(plan.slices),
        atom(op.getPlan()->getAtom()) {}

  void run();

private:
  void emitCoordinates();
  void emitBuffers();
  Value emitSum();
  Value emitTile(Value aTile, Value bTile, Value accumulator);
  void loadHeld(OperandSide &side, Value tile);
  Value loadSlice(OperandSide &side, Value tile, int64_t index);
  void park(OperandSide &side, Value tile);
  Value emitStage(int64_t stage, int64_t slice, Value accumulator);
  Value fetch(OperandSide &side, int64_t index, int64_t owner);
  void emitStore(Value accumulator);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value multiply(Value value, int64_t factor);
  Value add(Value left, Value right);
  Value coordinate(Value value, int64_t extent) {
    return extent == 1 ? constant(0) : value;
  }
  FragmentType fragmentType(Role role);
  Value view(int64_t offset, int64_t bytes);
  Value logicalView(Value matrix, bool transposed);
  Value tileOfK(Value matrix, unsigned dim, Value offset, OpFoldResult size);
  bool usesPrecedingSharedMemory();
  DenseI64ArrayAttr gridAttr() {
    return b.getDenseI64ArrayAttr(
        {partition.grid.m, partition.grid.n, partition.grid.k});
  }

  ImplicitLocOpBuilder b;
  GemmOp op;
  Partition partition;
  SharedLayout shared;
  Slicing slices;
  MmaAtomAttr atom;
  Value row, column, layer, warp;
  Value sharedMemory;
  OperandSide sideA, sideB;
};

} // namespace

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value Distributor::multiply(Value value, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(value, constant(factor));
}

Value Distributor::add(Value left, Value right) {
  return b.createOrFold<arith::AddIOp>(left, right);
}

FragmentType Distributor::fragmentType(Role role) {
  int64_t rows = role == Role::B ? partition.sliceK : partition.warpM;
  int64_t columns = role == Role::A ? partition.sliceK : partition.warpN;
  return FragmentType::get(op.getContext(), rows, columns,
                           atom.getElementType(role), role, atom);
}

/// `bytes` bytes of the block's shared memory.
Value Distributor::view(int64_t offset, int64_t bytes) {
  auto space = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  if (!sharedMemory)
    sharedMemory = gpu::DynamicSharedMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                           MemRefLayoutAttrInterface(), space));
  auto type = MemRefType::get({bytes}, b.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(b, type, sharedMemory, constant(offset),
                                ValueRange());
}

/// The operand as the product sees it: a transpose is a matter of strides.
Value Distributor::logicalView(Value matrix, bool transposed) {
  if (!transposed)
    return matrix;
  auto swapped = AffineMapAttr::get(
      AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, op.getContext()));
  return memref::TransposeOp::create(b, matrix, swapped);
}

/// Columns (dim 1) of A or rows (dim 0) of B that one k tile multiplies.
Value Distributor::tileOfK(Value matrix, unsigned dim, Value offset,
                           OpFoldResult size) {
  unsigned other = 1 - dim;
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)), sizes(2),
      strides(2, b.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  sizes[other] = memref::getMixedSize(b, b.getLoc(), matrix, other);
  return memref::SubViewOp::create(b, matrix, offsets, sizes, strides);
}

/// Whether some warp may still read shared memory when this product begins: an
/// earlier iteration's or an earlier product's.
bool Distributor::usesPrecedingSharedMemory() {
  if (op->getParentOfType<scf::ForOp>())
    return true;
  bool earlier = false;
  op->getParentOfType<gpu::GPUFuncOp>().walk(
      [&](gpu::DynamicSharedMemoryOp other) {
        earlier |= other.getResult() != sharedMemory;
      });
  return earlier;
}

//===----------------------------------------------------------------------===//
// Coordinates and buffers
//===----------------------------------------------------------------------===//

void Distributor::emitCoordinates() {
  const WarpGrid &grid = partition.grid;
  auto coordinates = WarpCoordinatesOp::create(b, gridAttr());
  row = coordinate(coordinates.getRow(), grid.m);
  column = coordinate(coordinates.getColumn(), grid.n);
  layer = coordinate(coordinates.getLayer(), grid.k);
  sideA = {Role::A,           Group::Row,     grid.n,
           partition.heldA(), slices.sharedA, column};
  sideB = {Role::B,           Group::Column,  grid.m,
           partition.heldB(), slices.sharedB, row};
}

void Distributor::emitBuffers() {
  for (auto [side, parked, broadcast] :
       {std::tuple(&sideA, shared.parkedA, shared.broadcastA),
        std::tuple(&sideB, shared.parkedB, shared.broadcastB)}) {
    if (parked.bytes)
      side->parkedBuffer = view(parked.offset, parked.bytes);
    if (broadcast.bytes)
      side->broadcastBuffer = view(broadcast.offset, broadcast.bytes);
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The held slice of that index, read from the block's k tile. Null if it is
/// beyond the tile for every warp.
Value Distributor::loadSlice(OperandSide &side, Value tile, int64_t index) {
  const WarpGrid &grid = partition.grid;
  int64_t stage = index / partition.slicesPerStage * side.receivers;
  int64_t slice = index % partition.slicesPerStage;
  if (!partition.isActive(stage, slice))
    return nullptr;
  // (position + stage) · pk · stageK + layer · stageK + slice · sliceK
  Value k = add(
      multiply(add(multiply(side.position, grid.k), layer), partition.stageK),
      constant(partition.sliceOffset(stage, slice)));
  bool isA = side.role == Role::A;
  Value own =
      isA ? multiply(row, partition.warpM) : multiply(column, partition.warpN);
  auto type = cast<MemRefType>(tile.getType());
  int64_t covered = isA ? partition.paddedM() : partition.paddedN();
  int64_t coveredK = partition.sliceOffset(stage + side.receivers - 1, slice) +
                     (grid.k - 1) * partition.stageK + partition.sliceK;
  bool ownInBounds = type.getDimSize(isA ? 0 : 1) >= covered;
  bool kInBounds = type.getDimSize(isA ? 1 : 0) >= coveredK;
  return LoadOp::create(b, fragmentType(side.role), tile, isA ? own : k,
                        isA ? k : own, isA ? ownInBounds : kInBounds,
                        isA ? kInBounds : ownInBounds);
}

/// Writes the slices that registers have no room for to shared memory. A warp
/// whose slice is beyond the tile writes nothing: nobody will fetch it.
void Distributor::park(OperandSide &side, Value tile) {
  for (int64_t index = side.held - side.parked; index < side.held; ++index) {
    int64_t stage = index / partition.slicesPerStage * side.receivers;
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
    Value slot =
        add(multiply(warp, side.parked), constant(side.parkedIndex(index)));
    ShareOp::create(b, loadSlice(side, tile, index), side.parkedBuffer, slot);
  }
}

void Distributor::loadHeld(OperandSide &side, Value tile) {
  side.slices.assign(side.held, nullptr);
  for (int64_t index = 0; index != side.held - side.parked; ++index)
    side.slices[index] = loadSlice(side, tile, index);
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
    buffers.push_back(side->broadcastBuffer);
    groups.push_back(GroupAttr::get(op.getContext(), side->group));
    senders.push_back(owners[i]);
    positions.push_back(i);
  }
  if (!sent.empty()) {
    auto broadcast = BroadcastOp::create(
        b, TypeRange(ValueRange(sent)), gridAttr(), sent, buffers,
        b.getArrayAttr(groups), b.getDenseI64ArrayAttr(senders));
    for (auto [position, result] :
         llvm::zip_equal(positions, broadcast.getResults()))
      values[position] = result;
  }
  return MmaOp::create(b, accumulator.getType(), values[0], values[1],
                       accumulator);
}

/// The accumulators after one k tile.
Value Distributor::emitTile(Value aTile, Value bTile, Value accumulator) {
  park(sideA, aTile);
  park(sideB, bTile);
  loadHeld(sideA, aTile);
  loadHeld(sideB, bTile);
  if (sideA.parked || sideB.parked)
    gpu::BarrierOp::create(b);
  for (int64_t stage = 0; stage != partition.activeStages; ++stage)
    for (int64_t slice = 0; slice != partition.slicesPerStage; ++slice)
      if (partition.isActive(stage, slice))
        accumulator = emitStage(stage, slice, accumulator);
  return accumulator;
}

//===----------------------------------------------------------------------===//
// The whole product
//===----------------------------------------------------------------------===//

/// The sum over k: this warp's, over all tiles of k.
Value Distributor::emitSum() {
  Value matrixA = logicalView(op.getA(), op.getTransposeA());
  Value matrixB = logicalView(op.getB(), op.getTransposeB());
  auto zero = b.getZeroAttr(atom.getCType());
  Value accumulator = FillOp::create(b, fragmentType(Role::C),
                                     arith::ConstantOp::create(b, zero));
  int64_t tileK = partition.tile.k, k = op.getK();
  if (ShapedType::isStatic(k) && k <= tileK)
    return emitTile(matrixA, matrixB, accumulator);

  Value extent = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), matrixA, 1));
  auto loop =
      scf::ForOp::create(b, constant(0), extent, constant(tileK), accumulator);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value offset = loop.getInductionVar();
  OpFoldResult size = b.getIndexAttr(tileK);
  if (ShapedType::isDynamic(k) || k % tileK != 0)
    size = arith::MinSIOp::create(b, constant(tileK),
                                  arith::SubIOp::create(b, extent, offset))
               .getResult();
  // The previous tile's slices may still be read.
  if (sideA.parked || sideB.parked)
    gpu::BarrierOp::create(b);
  Value sum =
      emitTile(tileOfK(matrixA, 1, offset, size),
               tileOfK(matrixB, 0, offset, size), loop.getRegionIterArg(0));
  scf::YieldOp::create(b, sum);
  return loop.getResult(0);
}

void Distributor::emitStore(Value accumulator) {
  auto type = cast<MemRefType>(op.getC().getType());
  StoreOp::create(b, accumulator, op.getC(), multiply(row, partition.warpM),
                  multiply(column, partition.warpN), op.getAlpha(),
                  op.getBeta(), type.getDimSize(0) >= partition.paddedM(),
                  type.getDimSize(1) >= partition.paddedN());
}

void Distributor::run() {
  b.setInsertionPoint(op);
  emitCoordinates();
  emitBuffers();
  warp = add(
      multiply(add(multiply(layer, partition.grid.m), row), partition.grid.n),
      column);
  if (shared.bytes > 0 && usesPrecedingSharedMemory())
    gpu::BarrierOp::create(b);
  Value sum = emitSum();
  if (partition.grid.k == 1) {
    emitStore(sum);
  } else {
    Value buffer = view(shared.reduce.offset, shared.reduce.bytes);
    sum = ReduceOp::create(b, sum.getType(), gridAttr(), sum, buffer);
    Value first =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, layer, constant(0));
    auto guard = scf::IfOp::create(b, first, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
    emitStore(sum);
  }
  op.erase();
}

LogicalResult kami::distributeToWarps(OpBuilder &builder, GemmOp op) {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs inside a kernel; bufferize first");
  if (op.getBatchRank() != 0)
    return op.emitOpError(
        "expected one product inside a kernel, but got a batch");
  if (!op.getPlan())
    return op.emitOpError("expected a plan; kami-assign-plan chooses one");
  FailureOr<Plan> plan = toPlan(op, *op.getPlan());
  if (failed(plan))
    return failure();
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel)
    return op.emitOpError("expected to be inside a gpu.func");
  // Warps find their place in the grid from their number in the block.
  int64_t threads = plan->grid.warps() * op.getPlan()->getAtom().getLanes();
  if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize()) {
    int64_t known = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
    if (known != threads)
      return op.emitOpError("expected blocks of ")
             << threads << " threads, the plan's " << plan->grid.warps()
             << " warps, but the kernel's known_block_size has " << known;
  }
  for (auto [name, extent, tile] : {std::tuple("m", op.getM(), plan->tile.m),
                                    std::tuple("n", op.getN(), plan->tile.n)})
    if (ShapedType::isStatic(extent) && extent > tile)
      return op.emitOpError("expected an extent of ")
             << name << " no larger than the plan's tile of " << tile
             << ", but got " << extent;
  Distributor(builder, op, *plan).run();
  return success();
}

namespace {
struct DistributeToWarps
    : kami::impl::KamiDistributeToWarpsBase<DistributeToWarps> {
  void runOnOperation() override {
    SmallVector<GemmOp> products;
    getOperation().walk([&](GemmOp op) { products.push_back(op); });
    OpBuilder builder(&getContext());
    for (GemmOp op : products)
      if (failed(distributeToWarps(builder, op)))
        return signalPassFailure();
  }
};
} // namespace
