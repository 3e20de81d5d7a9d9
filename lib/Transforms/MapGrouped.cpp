//===- MapGrouped.cpp - A kernel for products of many sizes ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes its shares of all work one after the other. It lists their
// tiles in shared memory, some at a time, product by product, with all that
// there is to know of a tile: its threads read a product's sizes, strides and
// positions once, and what they need of a tile when they need it.
//
//===----------------------------------------------------------------------===//

#include "MapGrouped.h"
#include "Epilogue.h"
#include "GridKernel.h"
#include "Shares.h"
#include "TileList.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Plan/GroupedPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

/// Bytes along k of an operand that take as long as finding a tile, beginning
/// it and storing its C. It decides how evenly work is shared, not what is
/// computed. Of 256 products up to 512 × 512 × 512, f16 in tiles of 64 × 128 ×
/// 64 takes 59.3 µs with 256 bytes, 61.3 with 512 and 64.3 with 128, in odd
/// rows 144, 161 and 153; f64 in tiles of 64 × 64 × 16 308 with 256, 313 with
/// 512 and 333 with 1280 (H200, 2026-11-23).
///
/// Lanes that multiply f32 take twice as long for a tile of k: 318 µs with 128
/// bytes and 320 with 256, in odd rows 459 and 493.
static const int64_t startBytes =
    getenv("KAMI_TS") ? atoi(getenv("KAMI_TS")) : 256;
/// How many tiles of typical products a block's share has at least: few, so
/// that all blocks work on the same products at a time, whose matrices they
/// find in the second-level cache; but each share ends with a part of a tile
/// more or less. Of 256 products up to 512 × 512 × 512, f64 in tiles of 64 × 64
/// takes 349 µs with one share a block, of 14 tiles, 319, 310, 307 and 323 with
/// 2, 3, 4 and 6; f16 in tiles of 128 × 128 takes 85 µs with one, of 6 tiles,
/// 82, 87 and 95 with 2, 3 and 6 (H200).
static constexpr int64_t shareTiles = 3;
/// From one share to the next, a block looks at as many products as there are
/// blocks, 32 at a time, each time waiting for memory. That is worth it where a
/// product has a third as much work as there are blocks, or more: of 4096
/// products up to 128 × 128 × 128, which have less, f16 takes 106 µs with one
/// share a block and 157 with more (H200).
static constexpr int64_t blocksPerWork = 3;
/// More work than a block has.
static constexpr int64_t wholeShare = int64_t(1) << 40;

namespace {

/// Writes the work of one block.
class GroupedTile {
public:
  /// `resident` blocks of the plan's share a multiprocessor. The list is in the
  /// shared memory from `listAt` on.
  GroupedTile(ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
              int64_t resident, int64_t listAt, IRMapping &values)
      : b(b), op(op), plan(plan), resident(resident), values(values),
        list(b, op, listAt) {}

  void emitLoop();

private:
  /// As loops carry them: where some work begins in that of all products, a
  /// product that it is not before, and how much is before that one's; of a
  /// list, also how many tiles it has.
  using Carried = SmallVector<Value, 4>;
  /// A product's matrix.
  struct Matrix {
    Value at, stride;
  };
  /// The tile of that number in the list, as it is read from there.
  struct Tile {
    Value number;
    Value a, b;
    /// Whether rows of A and B begin at multiples of 16 bytes.
    Value areAligned;
  };
  /// How the work of all blocks is shared.
  struct Shares {
    /// The block's of the first round.
    Value number;
    /// The work of each share, and how many of the first have one more.
    Value part, longer;
  };
  FindProductOp find(ValueRange place);
  int64_t startWork();
  Value workOfTile(Value k);
  Value numberOfShare();
  int64_t leastShare();
  ShareWorkOp shareWork(Value number);
  std::pair<Value, Value> boundsOf(const Shares &shares, Value round);
  Carried emitShare(const Carried &from, Value end);
  Carried listTiles(const Carried &from, Value end);
  Carried listProduct(const Carried &from, Value end);
  void listTile(Value number, Value tile, Value product, Value columns,
                Value extents[3], ArrayRef<Matrix> matrices);
  void emitTiles(Value count);
  void emitTilesAhead(Value count);
  Tile tileAt(Value number);
  GemmOp emit(const Tile &tile);
  SmallVector<Value>
  emitEither(const Tile &tile, TypeRange types,
             llvm::function_ref<SmallVector<Value>(GemmOp)> emitEach);
  Value isBefore(Value work, Value end) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, work, end);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value add(Value left, Value right) {
    return arith::AddIOp::create(b, left, right);
  }
  Value multiply(Value left, Value right) {
    return arith::MulIOp::create(b, left, right);
  }
  Value matricesOf(Role role) {
    return values.lookup(role == Role::A   ? op.getA()
                         : role == Role::B ? op.getB()
                                           : op.getC());
  }
  bool isTransposed(Role role) {
    return (role == Role::A && op.getTransposeA()) ||
           (role == Role::B && op.getTransposeB());
  }
  int64_t bytesOf(Role role) {
    return op.getElementType(role).getIntOrFloatBitWidth() / 8;
  }
  Value entry(Value array, Value product);
  Value extent(Value array, Value product) {
    return arith::MaxSIOp::create(b, entry(array, product), constant(0));
  }
  Value scale(Value source, Value product);
  Value start(Role role, Value product);
  Matrix matrixOf(Role role, Value product, Value columns);
  Value placesOf(Role role, const Matrix &matrix);
  Value view(Role role, Value number);

  ImplicitLocOpBuilder &b;
  GroupedGemmOp op;
  const Plan &plan;
  int64_t resident;
  IRMapping &values;
  TileList list;
};

} // namespace

/// An entry of one of the op's arrays, as an index.
Value GroupedTile::entry(Value array, Value product) {
  Value loaded = memref::LoadOp::create(b, values.lookup(array), product);
  return arith::IndexCastOp::create(b, b.getIndexType(), loaded);
}

Value GroupedTile::scale(Value source, Value product) {
  if (!source)
    return {};
  Value value = values.lookup(source);
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getRank() == 1
             ? memref::LoadOp::create(b, value, product).getResult()
             : value;
}

/// The number of the matrix's first element.
Value GroupedTile::start(Role role, Value product) {
  Value at = entry(op.getAt(role), product);
  // Addresses have no sign.
  return op.getBytes() ? b.createOrFold<arith::ShRUIOp>(
                             at, constant(llvm::Log2_64(bytesOf(role))))
                       : at;
}

/// The product's matrix; rows are beside each other, of so many columns, where
/// nothing else is said.
GroupedTile::Matrix GroupedTile::matrixOf(Role role, Value product,
                                          Value columns) {
  Value leading = op.getLeading(role);
  return {start(role, product), leading ? entry(leading, product) : columns};
}

/// The bits of the matrix's address and of its rows' distance, in bytes.
Value GroupedTile::placesOf(Role role, const Matrix &matrix) {
  Value bytes = constant(bytesOf(role));
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(b, matricesOf(role));
  return arith::OrIOp::create(b, add(base, multiply(matrix.at, bytes)),
                              multiply(matrix.stride, bytes));
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// Lists a product's tile.
void GroupedTile::listTile(Value number, Value tile, Value product,
                           Value columns, Value extents[3],
                           ArrayRef<Matrix> matrices) {
  Value row =
      multiply(arith::DivUIOp::create(b, tile, columns), constant(plan.tile.m));
  Value column =
      multiply(arith::RemUIOp::create(b, tile, columns), constant(plan.tile.n));
  auto size = [&](Value extent, Value from, int64_t most) -> Value {
    return arith::MinSIOp::create(b, constant(most),
                                  arith::SubIOp::create(b, extent, from));
  };
  Value entries[FieldCount];
  Value places = constant(0);
  for (Role role : {Role::A, Role::B, Role::C}) {
    unsigned i = unsigned(role);
    const Matrix &matrix = matrices[i];
    // How far down and across the tile begins in the matrix as it is stored.
    Value down = role == Role::B ? Value() : row;
    Value across = role == Role::A ? Value() : column;
    if (isTransposed(role))
      std::swap(down, across);
    Value at = matrix.at;
    if (down)
      at = add(at, multiply(down, matrix.stride));
    if (across)
      at = add(at, across);
    entries[AtField + i] = at;
    entries[StrideField + i] = matrix.stride;
    if (role != Role::C)
      places =
          arith::OrIOp::create(b, places, placesOf(role, {at, matrix.stride}));
  }
  entries[RowsField] = size(extents[0], row, plan.tile.m);
  entries[ColumnsField] = size(extents[1], column, plan.tile.n);
  entries[DepthField] = extents[2];
  entries[ProductField] = product;
  entries[RowField] = row;
  entries[ColumnField] = column;
  entries[PlacesField] = places;
  list.store(number, entries);
}

/// Lists tiles of the product that has the work of that place, those that begin
/// from there on, as many as there are before `end` and have room. Returns the
/// place and the number of the tile that follows.
GroupedTile::Carried GroupedTile::listProduct(const Carried &from, Value end) {
  Value work = from[0], listed = from[3];
  FindProductOp found = find(ArrayRef<Value>(from).take_front(3));
  Value product = found.getProduct(), before = found.getBefore();
  Value m = extent(op.getM(), product), n = extent(op.getN(), product),
        k = extent(op.getK(), product);
  SmallVector<Matrix, 3> matrices;
  for (Role role : {Role::A, Role::B, Role::C})
    matrices.push_back(matrixOf(role, product, columnsOf(op, role, m, n, k)));
  Value rows = arith::CeilDivUIOp::create(b, m, constant(plan.tile.m));
  Value columns = arith::CeilDivUIOp::create(b, n, constant(plan.tile.n));
  Value each = workOfTile(k);
  auto tilesBefore = [&](Value place) -> Value {
    return arith::CeilDivUIOp::create(
        b, arith::SubIOp::create(b, place, before), each);
  };
  Value first = tilesBefore(work);
  Value last =
      arith::MinUIOp::create(b, tilesBefore(end), multiply(rows, columns));
  Value count = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, last, first),
      arith::SubIOp::create(b, constant(listedTiles), listed));
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto guard = scf::IfOp::create(b, isBefore(thread, count),
                                 /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    Value extents[] = {m, n, k};
    listTile(add(listed, thread), add(first, thread), product, columns, extents,
             matrices);
  }
  return {add(before, multiply(add(first, count), each)), product, before,
          add(listed, count)};
}

/// The blocks of a `while` loop, whose condition and body follow.
static std::pair<Block *, Block *> makeLoop(ImplicitLocOpBuilder &b,
                                            ValueRange starts) {
  auto loop = scf::WhileOp::create(b, starts.getTypes(), starts);
  auto block = [&](Region &region) {
    return b.createBlock(&region, {}, starts.getTypes(),
                         SmallVector<Location>(starts.size(), b.getLoc()));
  };
  return {block(loop.getBefore()), block(loop.getAfter())};
}

/// Lists tiles from that place on and before `end`, and returns the place and
/// the number of the one that follows.
GroupedTile::Carried GroupedTile::listTiles(const Carried &from, Value end) {
  Carried starts = from;
  starts.push_back(constant(0));
  OpBuilder::InsertionGuard guard(b);
  auto [condition, body] = makeLoop(b, starts);
  b.setInsertionPointToEnd(condition);
  Value hasRoom = isBefore(condition->getArgument(3), constant(listedTiles));
  scf::ConditionOp::create(
      b,
      arith::AndIOp::create(b, isBefore(condition->getArgument(0), end),
                            hasRoom),
      condition->getArguments());
  b.setInsertionPointToEnd(body);
  scf::YieldOp::create(b, listProduct(Carried(body->getArguments()), end));
  return Carried(body->getParentOp()->getResults());
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// The operand's part that the tile has.
Value GroupedTile::view(Role role, Value number) {
  // That a tile has no more is worth knowing.
  auto atMost = [&](unsigned which, int64_t most) -> Value {
    return arith::MinUIOp::create(b, list.load(number, which), constant(most));
  };
  Value rows = role == Role::B ? list.load(number, DepthField)
                               : atMost(RowsField, plan.tile.m);
  Value columns = role == Role::A ? list.load(number, DepthField)
                                  : atMost(ColumnsField, plan.tile.n);
  if (isTransposed(role))
    std::swap(rows, columns);
  Value matrices = matricesOf(role);
  constexpr int64_t dynamic = ShapedType::kDynamic;
  auto type = MemRefType::get(
      {dynamic, dynamic}, op.getElementType(role),
      StridedLayoutAttr::get(b.getContext(), dynamic, {dynamic, 1}),
      cast<MemRefType>(matrices.getType()).getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, type, matrices,
      OpFoldResult(list.load(number, AtField + unsigned(role))),
      ArrayRef<OpFoldResult>{rows, columns},
      ArrayRef<OpFoldResult>{list.load(number, StrideField + unsigned(role)),
                             b.getIndexAttr(1)});
}

GroupedTile::Tile GroupedTile::tileAt(Value number) {
  Value areAligned = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, list.load(number, PlacesField),
                            constant(copiedPiece - 1)),
      constant(0));
  return {number, view(Role::A, number), view(Role::B, number), areAligned};
}

GemmOp GroupedTile::emit(const Tile &tile) {
  Value product = list.load(tile.number, ProductField);
  SmallVector<Value> sources;
  SmallVector<AffineMap> maps = op.getElementMaps(Role::C);
  BlockTile place = {product, list.load(tile.number, RowField),
                     list.load(tile.number, ColumnField), plan.tile.m,
                     plan.tile.n};
  for (auto [operand, map] :
       llvm::zip_equal(op.getElementOperands(Role::C), maps)) {
    auto [source, inTile] =
        tileElements(b, Role::C, values.lookup(operand), map, place);
    sources.push_back(source);
    map = inTile;
  }
  auto gemm = GemmOp::create(
      b, Type(), tile.a, tile.b, view(Role::C, tile.number),
      scale(op.getAlpha(), product), scale(op.getBeta(), product),
      op.getTransposeA(), op.getTransposeB(), op.getAccumulator(),
      *op.getPlan(), op.getPrecisionAttr(), op.getUnsignedA(),
      op.getUnsignedB());
  if (!op.hasElementRegion(Role::C))
    return gemm;
  gemm.getEpilogueOperandsMutable().assign(sources);
  gemm.setElementMaps(Role::C, maps);
  IRMapping arguments;
  op.getEpilogue().cloneInto(&gemm.getEpilogue(), arguments);
  return gemm;
}

/// The product, apart for rows that are aligned where these are copied: what
/// tells pieces of 16 bytes from others at each copy takes registers in the
/// loop over k. Results are what `emitEach` yields of it.
SmallVector<Value> GroupedTile::emitEither(
    const Tile &tile, TypeRange types,
    llvm::function_ref<SmallVector<Value>(GemmOp)> emitEach) {
  if (plan.transport != Transport::Copied)
    return emitEach(emit(tile));
  auto choice =
      scf::IfOp::create(b, types, tile.areAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool isAligned : {true, false}) {
    Block *block = isAligned ? choice.thenBlock() : choice.elseBlock();
    b.setInsertionPointToStart(block);
    GemmOp product = emit(tile);
    product.setAlignedRows(isAligned);
    SmallVector<Value> results = emitEach(product);
    if (!results.empty())
      scf::YieldOp::create(b, results);
  }
  return choice.getResults();
}

/// The tiles that are listed, in turn.
void GroupedTile::emitTiles(Value count) {
  auto loop = scf::ForOp::create(b, constant(0), count, constant(1));
  loop->setAttr(tileLoopAttributeName, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emitEither(tileAt(loop.getInductionVar()), {},
             [](GemmOp) { return SmallVector<Value>(); });
}

/// The same, with a tile's copies starting before C of the last one is stored.
/// Where rows of the one are aligned and those of the other are not, they do
/// not: turns begin anew.
void GroupedTile::emitTilesAhead(Value count) {
  auto loop = scf::ForOp::create(b, constant(0), count, constant(1),
                                 ValueRange{constant(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), turn = loop.getRegionIterArg(0);
  Value after = add(number, constant(1));
  Value exists = isBefore(after, count);
  // What is looked at of a tile that is not listed is this one's.
  Tile own = tileAt(number);
  Tile next = tileAt(arith::SelectOp::create(b, exists, after, number));
  Value isAlike = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        own.areAligned, next.areAligned);
  Value follows = arith::AndIOp::create(b, exists, isAlike);
  SmallVector<Value> turns = emitEither(
      own, b.getIndexType(), [&](GemmOp product) -> SmallVector<Value> {
        return {prefetchNext(b, product, plan, next.a, next.b, follows, turn)};
      });
  scf::YieldOp::create(
      b, arith::SelectOp::create(b, follows, turns.front(), constant(0))
             .getResult());
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// Whose work a place's is, from that place's product on.
FindProductOp GroupedTile::find(ValueRange place) {
  return FindProductOp::create(
      b, place[0], place[1], place[2], values.lookup(op.getM()),
      values.lookup(op.getN()), values.lookup(op.getK()),
      b.getDenseI64ArrayAttr({plan.tile.m, plan.tile.n, plan.tile.k}),
      b.getI64IntegerAttr(startWork()));
}

/// Work of a tile but for its products: as many tiles of k take as long.
int64_t GroupedTile::startWork() {
  int64_t bytes = plan.tile.k * std::max(bytesOf(Role::A), bytesOf(Role::B));
  bool isSlow = plan.atom->instruction == Instruction::Fma;
  return llvm::divideCeil(startBytes, isSlow ? 2 * bytes : bytes);
}

/// Work of a tile of a product of that depth.
Value GroupedTile::workOfTile(Value k) {
  return arith::AddIOp::create(
      b, arith::CeilDivUIOp::create(b, k, constant(plan.tile.k)),
      constant(startWork()));
}

/// Which of the shares is this block's: blocks are dealt to multiprocessors in
/// turn, and those of one are to have shares beside each other, so that they
/// read the same rows, and make up for a tile more or less.
Value GroupedTile::numberOfShare() {
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  if (resident < 2 || plan.blocks % resident != 0)
    return block;
  Value multiprocessors = constant(plan.blocks / resident);
  Value place = arith::RemUIOp::create(b, block, multiprocessors);
  Value round = arith::DivUIOp::create(b, block, multiprocessors);
  return arith::AddIOp::create(
      b, arith::MulIOp::create(b, place, constant(resident)), round);
}

/// The work of a share, at least.
int64_t GroupedTile::leastShare() {
  Extents typical = op.getTypicalExtents();
  int64_t each = llvm::divideCeil(typical.k, plan.tile.k) + startWork();
  int64_t tiles = llvm::divideCeil(typical.m, plan.tile.m) *
                  llvm::divideCeil(typical.n, plan.tile.n);
  return tiles * each * blocksPerWork < plan.blocks ? wholeShare
                                                    : shareTiles * each;
}

ShareWorkOp GroupedTile::shareWork(Value number) {
  int64_t threads = op.getPlan()->getThreads();
  // The tiles' part of shared memory is not in use yet.
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, bufferType(b.getContext(), ShapedType::kDynamic));
  Value scratch = memref::ViewOp::create(
      b, bufferType(b.getContext(), ShareWorkOp::scratchBytes(threads)), memory,
      constant(0), ValueRange());
  return ShareWorkOp::create(
      b, number, values.lookup(op.getM()), values.lookup(op.getN()),
      values.lookup(op.getK()), scratch, plan.blocks, leastShare(),
      ArrayRef<int64_t>{plan.tile.m, plan.tile.n, plan.tile.k}, startWork(),
      threads);
}

/// Where the block's share of that round begins and ends.
std::pair<Value, Value> GroupedTile::boundsOf(const Shares &shares,
                                              Value round) {
  auto from = [&](Value number) -> Value {
    Value whole = arith::MulIOp::create(b, number, shares.part);
    Value more = arith::MinUIOp::create(b, number, shares.longer);
    return arith::AddIOp::create(b, whole, more);
  };
  Value number = arith::AddIOp::create(
      b, shares.number, arith::MulIOp::create(b, round, constant(plan.blocks)));
  Value begin = from(number);
  return {begin, from(arith::AddIOp::create(b, number, constant(1)))};
}

/// The block's shares, in turn. Blocks have as much work as each other, give or
/// take a tile a share.
void GroupedTile::emitLoop() {
  Value number = numberOfShare();
  ShareWorkOp work = shareWork(number);
  Value count =
      arith::MulIOp::create(b, work.getRounds(), constant(plan.blocks));
  Shares shares = {number, arith::DivUIOp::create(b, work.getAll(), count),
                   arith::RemUIOp::create(b, work.getAll(), count)};
  auto loop =
      scf::ForOp::create(b, constant(0), work.getRounds(), constant(1),
                         ValueRange{work.getProduct(), work.getBefore()});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto [begin, end] = boundsOf(shares, loop.getInductionVar());
  Carried last = emitShare(
      {begin, loop.getRegionIterArg(0), loop.getRegionIterArg(1)}, end);
  scf::YieldOp::create(b, ArrayRef<Value>(last).drop_front());
}

/// The tiles that begin from that place on and before the end. Returns the
/// place of the tile that follows.
GroupedTile::Carried GroupedTile::emitShare(const Carried &from, Value end) {
  OpBuilder::InsertionGuard guard(b);
  auto [condition, body] = makeLoop(b, from);
  b.setInsertionPointToEnd(condition);
  scf::ConditionOp::create(b, isBefore(condition->getArgument(0), end),
                           condition->getArguments());
  b.setInsertionPointToEnd(body);
  Carried next = listTiles(Carried(body->getArguments()), end);
  Value count = next.pop_back_val();
  gpu::BarrierOp::create(b);
  if (plan.prefetches)
    emitTilesAhead(count);
  else
    emitTiles(count);
  // The list is written again.
  gpu::BarrierOp::create(b);
  scf::YieldOp::create(b, next);
  return Carried(body->getParentOp()->getResults());
}

LogicalResult kami::mapGrouped(GroupedGemmOp op, SymbolTable &symbols) {
  if (!op.getPlan())
    return op.emitOpError("expected a plan; kami-assign-plan chooses one");
  FailureOr<Plan> plan = toPlan(op, *op.getPlan());
  if (failed(plan))
    return failure();
  if (plan->teams != 1)
    return op.emitOpError("expected a plan of one team, but got ")
           << plan->teams;
  if (plan->blocks == 0)
    return op.emitOpError("expected a plan with a number of blocks");
  GridKernel kernel(op, {}, op.getPlan()->getThreads());
  kernel.keepResident(*plan, /*sums=*/1, listBytes);
  constexpr int64_t dynamic = ShapedType::kDynamic;
  int64_t listAt = llvm::alignTo(
      std::max(kami::sharedLayout(*plan).bytes,
               ShareWorkOp::scratchBytes(op.getPlan()->getThreads())),
      sizeof(int64_t));
  kernel.run(symbols,
             kernelName("grouped_gemm", {dynamic, dynamic, dynamic},
                        op.getElementType(Role::A)),
             listAt + listBytes, plan->blocks, [&](IRMapping &values) {
               GroupedTile(kernel.b, op, *plan, kernel.blocksAtATime(), listAt,
                           values)
                   .emitLoop();
             });
  op.erase();
  return success();
}
