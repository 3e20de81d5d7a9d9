//===- MapGrouped.cpp - A kernel for products of many sizes ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's tiles are dealt to it, some at a time, or its products are. A
// thread each reads a tile's product's sizes, strides and positions, and lists
// in shared memory all that there is to know of the tile; from there the block
// multiplies them in turn. Those that nobody was dealt it takes meanwhile.
//
//===----------------------------------------------------------------------===//

#include "MapGrouped.h"
#include "Epilogue.h"
#include "GridKernel.h"
#include "Shares.h"
#include "TileList.h"
#include "TileLister.h"
#include "TileTaker.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Plan/GroupedPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

/// Where a block deals, and of how many turns of products it has the sizes at a
/// time: in the tiles' part of shared memory, which is not in use then, or
/// behind all parts, if it would meet maps or tickets, of which something
/// stays. A block may have so much room in all, so that as many are resident as
/// the plan counts on, or what one turn needs.
struct Dealing {
  Dealing(const SharedLayout &layout, int64_t threads, int64_t room) {
    // With 32, 4096 products take as long (H200, 2026-11-29).
    constexpr int64_t fewest = 1, most = 16;
    int64_t free = layout.bytes;
    bool staysAny = false;
    for (const SharedRegion &stays : {layout.maps, layout.tickets})
      if (stays.bytes > 0) {
        free = std::min(free, stays.offset);
        staysAny = true;
      }
    if (!staysAny)
      free = std::max(free, room);
    auto turnsIn = [&](int64_t bytes) {
      return (bytes - DealTilesOp::countBytes(threads)) /
             DealTilesOp::turnBytes(threads);
    };
    int64_t turns = turnsIn(free);
    if (staysAny && turns < fewest) {
      at = layout.bytes;
      turns = turnsIn(room - at);
    }
    bytes = DealTilesOp::scratchBytes(threads, std::clamp(turns, fewest, most));
  }

  int64_t end() const { return at + bytes; }

  int64_t at = 0, bytes;
};

/// Where a block's list is, behind the plan's parts and where it deals.
static int64_t listPlace(const Plan &plan, const SharedLayout &layout,
                         const Dealing &dealing) {
  int64_t end =
      plan.dealsProducts ? layout.bytes : std::max(layout.bytes, dealing.end());
  return llvm::alignTo(end, sizeof(int64_t));
}

namespace {

/// Writes the work of one block.
class GroupedTile : IndexMath {
public:
  /// The list is in the shared memory from `listAt` on.
  GroupedTile(ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
              const SharedLayout &layout, const Dealing &dealing,
              int64_t listAt, IRMapping &values)
      : IndexMath(b), op(op), plan(plan), dealing(dealing), values(values),
        list(b, op, listAt), lister(b, op, plan, values, list),
        dealtAt(listAt + listBytes) {
    if (plan.taken > 0)
      taker.emplace(b, op, plan, layout, dealtAt + dealtBytes, values);
  }

  void emitDealt();
  void emitProducts();

private:
  /// The tile of that number in the list, as it is read from there.
  struct Tile {
    Value number;
    Value a, b;
    /// Whether rows of A and B begin at multiples of 16 bytes.
    Value areAligned;
  };
  /// Whether what is copied of the next tile is named before a tile begins.
  bool isAhead() const { return plan.prefetches || plan.bulk; }
  int64_t threads() { return op.getPlan()->getThreads(); }
  Value dealt() {
    return viewInShared(b, dealtAt, {dealtTurns, 2}, b.getI32Type());
  }
  /// The block's product of that turn, if there are as many.
  Value productIn(Value turn) {
    Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    return add(multiply(turn, constant(plan.blocks)), block);
  }
  DealTilesOp deal(Value first);
  Value listDealt(Value first, Value &turns);
  Value listProducts(Value turn, Value done);
  void emitTiles(Value count);
  void emitTilesTaken();
  Tile tileAt(Value number);
  GemmOp emit(const Tile &tile);
  Value emitBefore(Value number, Value after, Value exists, Value turn);
  SmallVector<Value> turns() {
    return isAhead() ? SmallVector<Value>{constant(0)} : SmallVector<Value>();
  }
  void markTileLoop(Operation *loop);
  Value scale(Value source, Value product);
  Value view(Role role, Value number);

  GroupedGemmOp op;
  const Plan &plan;
  const Dealing &dealing;
  IRMapping &values;
  TileList list;
  TileLister lister;
  /// Where it is said what is dealt, of each tile the product and its number
  /// there.
  int64_t dealtAt;
  /// If tiles are taken.
  std::optional<TileTaker> taker;
};

} // namespace

Value GroupedTile::scale(Value source, Value product) {
  if (!source)
    return {};
  Value value = values.lookup(source);
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && type.getRank() == 1
             ? memref::LoadOp::create(b, value, product).getResult()
             : value;
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
  if (lister.isTransposed(role))
    std::swap(rows, columns);
  Value matrices = lister.matricesOf(role);
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
  if (plan.transport == Transport::Copied)
    gemm.getAreRowsAlignedMutable().assign(tile.areAligned);
  if (!op.hasElementRegion(Role::C))
    return gemm;
  gemm.getEpilogueOperandsMutable().assign(sources);
  gemm.setElementMaps(Role::C, maps);
  IRMapping arguments;
  op.getEpilogue().cloneInto(&gemm.getEpilogue(), arguments);
  return gemm;
}

/// The tile of that number in the list. Where copies run ahead, those of the
/// tile `after` it, if that one exists, start before C is stored, or, where the
/// copy engine brings operands, its maps are being made. Where rows of the one
/// are aligned and those of the other are not, they do not: turns begin anew.
/// Returns the turns taken by then.
Value GroupedTile::emitBefore(Value number, Value after, Value exists,
                              Value turn) {
  // What is looked at of a tile that is not listed is this one's.
  Tile own = tileAt(number);
  Tile next = tileAt(arith::SelectOp::create(b, exists, after, number));
  Value isAlike = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        own.areAligned, next.areAligned);
  Value follows = arith::AndIOp::create(b, exists, isAlike);
  // There are no maps of rows that are not aligned.
  if (plan.bulk)
    follows = arith::AndIOp::create(b, follows, own.areAligned);
  GemmOp product = emit(own);
  Value ahead = nameNext(b, product, plan, next.a, next.b, follows, turn);
  b.setInsertionPointAfter(product);
  return arith::SelectOp::create(b, follows, ahead, constant(0));
}

void GroupedTile::markTileLoop(Operation *loop) {
  if (plan.bulk || !plan.prefetches)
    loop->setAttr(tileLoopAttributeName, b.getUnitAttr());
}

/// The tiles that are listed, in turn.
void GroupedTile::emitTiles(Value count) {
  auto loop = scf::ForOp::create(b, constant(0), count, constant(1), turns());
  markTileLoop(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  if (!isAhead()) {
    emit(tileAt(number));
    return;
  }
  Value after = add(number, constant(1));
  scf::YieldOp::create(b, emitBefore(number, after, isBefore(after, count),
                                     loop.getRegionIterArg(0)));
}

/// The same, with tiles that the block takes meanwhile.
void GroupedTile::emitTilesTaken() {
  SmallVector<Value> starts = {constant(0)};
  llvm::append_range(starts, turns());
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(starts)), starts,
      [&](OpBuilder &, Location, ValueRange arguments) {
        scf::ConditionOp::create(b, isBefore(arguments[0], taker->listed()),
                                 arguments);
      },
      [](OpBuilder &, Location, ValueRange) {});
  markTileLoop(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getAfterBody());
  Value number = loop.getAfterArguments()[0];
  auto inList = [&](Value number) -> Value {
    return arith::RemUIOp::create(b, number, constant(listedTiles));
  };
  SmallVector<Value> ends = {add(number, constant(1))};
  Value takes = taker->takes(number), ticket = taker->takeTicket(takes);
  Value at = inList(number);
  if (isAhead()) {
    Value after = inList(ends.front());
    Value exists = isBefore(ends.front(), taker->listed());
    ends.push_back(emitBefore(at, after, exists, loop.getAfterArguments()[1]));
  } else {
    emit(tileAt(at));
  }
  auto taking = scf::IfOp::create(b, takes, /*withElseRegion=*/false);
  scf::YieldOp::create(b, ends);
  b.setInsertionPointToStart(taking.thenBlock());
  taker->listTaken(ticket, [&](Value at, Value product, Value tile) {
    TileLister::Product taken = lister.read(product);
    lister.listTile(at, taken, lister.placeOf(taken, tile));
  });
}

//===----------------------------------------------------------------------===//
// All tiles
//===----------------------------------------------------------------------===//

/// Deals the block's tiles of `dealtTurns` turns.
DealTilesOp GroupedTile::deal(Value first) {
  Value scratch = viewInShared(b, dealing.at, {dealing.bytes}, b.getI8Type());
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  return DealTilesOp::create(
      b, block, first, values.lookup(op.getM()), values.lookup(op.getN()),
      values.lookup(op.getK()), dealt(), scratch,
      taker ? taker->places() : Value(), plan.blocks,
      ArrayRef<int64_t>{plan.tile.m, plan.tile.n, plan.tile.k}, threads(),
      plan.taken);
}

/// Lists tiles that are dealt to the block, as many as there is room for, from
/// a turn on. Returns how many; `turns` is how many there are of all turns.
Value GroupedTile::listDealt(Value first, Value &turns) {
  Value within = arith::RemUIOp::create(b, first, constant(dealtTurns));
  auto dealing = scf::IfOp::create(
      b, b.getI32Type(),
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, within, constant(0)),
      /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(dealing.thenBlock());
    DealTilesOp dealt = deal(first);
    if (taker)
      taker->keepLeft(dealt);
    gpu::BarrierOp::create(b);
    scf::YieldOp::create(b, narrowed(dealt.getCount()));
    b.setInsertionPointToStart(dealing.elseBlock());
    scf::YieldOp::create(b, turns);
  }
  turns = dealing.getResult(0);
  Value all = widened(turns);
  Value count =
      arith::MinUIOp::create(b, subtract(all, first), constant(listedTiles));
  if (taker) {
    Value isLast = arith::CmpIOp::create(
        b, arith::CmpIPredicate::uge, add(first, constant(listedTiles)), all);
    taker->begin(count, isLast);
  }
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto lists = scf::IfOp::create(b, isBefore(thread, count),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(lists.thenBlock());
  auto dealtTo = [&](int64_t column) -> Value {
    return memref::LoadOp::create(
        b, dealt(), ValueRange{add(within, thread), constant(column)});
  };
  TileLister::Product product = lister.read(widened(dealtTo(0)));
  lister.listTile(thread, product, lister.placeOf(product, dealtTo(1)));
  return count;
}

/// Lists the tiles of the block's products of that turn and the following ones,
/// one of a thread each, but for the first `done` of them, as far as there is
/// room. Returns how many tiles these products have.
Value GroupedTile::listProducts(Value turn, Value done) {
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value products = memref::DimOp::create(b, values.lookup(op.getM()), 0);
  Value number = productIn(add(turn, thread));
  // Who has no product reads the last one.
  Value last = subtract(products, constant(1));
  TileLister::Product product =
      lister.read(arith::MinUIOp::create(b, number, last));
  // The list is not in use any more. It also keeps the loads together, of which
  // not all are needed to count tiles.
  gpu::BarrierOp::create(b);
  Value hasProduct = arith::AndIOp::create(
      b, isBefore(thread, constant(listedTiles)), isBefore(number, products));
  Value tiles = arith::SelectOp::create(
      b, hasProduct, multiply(product.tilesDown, product.tilesAcross), word(0));
  Type i32 = b.getI32Type();
  auto sum = PrefixSumOp::create(b, i32, i32, tiles);
  Value count = viewInShared(b, dealtAt, {1}, i32);
  {
    auto first = scf::IfOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, constant(0)),
        /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(first.thenBlock());
    memref::StoreOp::create(b, sum.getAll(), count, ValueRange{constant(0)});
  }
  Value before = widened(sum.getBefore());
  Value from = arith::MaxUIOp::create(b, before, done);
  Value to = arith::MinUIOp::create(b, add(before, widened(tiles)),
                                    add(done, constant(listedTiles)));
  lister.listTiles(product, before, from, to, done);
  gpu::BarrierOp::create(b);
  return widened(memref::LoadOp::create(b, count, ValueRange{constant(0)}));
}

/// The block's products, a list at a time.
void GroupedTile::emitProducts() {
  Value products = memref::DimOp::create(b, values.lookup(op.getM()), 0);
  // The first product's turn, and how many tiles of those from it on are done.
  SmallVector<Value> starts = {constant(0), constant(0)};
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(starts)), starts,
      [&](OpBuilder &, Location, ValueRange arguments) {
        scf::ConditionOp::create(b, isBefore(productIn(arguments[0]), products),
                                 arguments);
      },
      [](OpBuilder &, Location, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getAfterBody());
  Value turn = loop.getAfterArguments()[0], done = loop.getAfterArguments()[1];
  Value all = listProducts(turn, done);
  emitTiles(
      arith::MinUIOp::create(b, subtract(all, done), constant(listedTiles)));
  Value end = add(done, constant(listedTiles));
  Value goesOn = isBefore(end, all);
  scf::YieldOp::create(
      b, ValueRange{arith::SelectOp::create(b, goesOn, turn,
                                            add(turn, constant(listedTiles))),
                    arith::SelectOp::create(b, goesOn, end, constant(0))});
}

/// The tiles that are dealt to the block, as many at a time as there is room
/// for in the list.
void GroupedTile::emitDealt() {
  // How many there are is known when the first are dealt. In 32 bits it takes a
  // register each while a tile is multiplied.
  SmallVector<Value> starts = {word(0), word(1)};
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(starts)), starts,
      [&](OpBuilder &, Location, ValueRange arguments) {
        scf::ConditionOp::create(b, isBefore(arguments[0], arguments[1]),
                                 arguments);
      },
      [](OpBuilder &, Location, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getAfterBody());
  Value first = widened(loop.getAfterArguments()[0]);
  Value turns = loop.getAfterArguments()[1];
  Value count = listDealt(first, turns);
  gpu::BarrierOp::create(b);
  if (taker)
    emitTilesTaken();
  else
    emitTiles(count);
  // The list is written again, and shared memory is dealt in.
  gpu::BarrierOp::create(b);
  scf::YieldOp::create(
      b, ValueRange{narrowed(add(first, constant(listedTiles))), turns});
}

/// How many blocks there are: of those that have products, one of which each
/// takes first, no more than there are products, but one where there is none.
static Value blocksOf(GridKernel &kernel, GroupedGemmOp op, const Plan &plan) {
  ImplicitLocOpBuilder &b = kernel.b;
  Value most = kernel.constant(plan.blocks);
  if (!plan.dealsProducts)
    return most;
  Value products = b.createOrFold<memref::DimOp>(op.getM(), kernel.constant(0));
  Value blocks = b.createOrFold<arith::MinUIOp>(products, most);
  return b.createOrFold<arith::MaxUIOp>(blocks, kernel.constant(1));
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
  if (plan->stationary)
    return op.emitOpError("expected a plan without a stationary operand");
  GridKernel kernel(op, {}, op.getPlan()->getThreads());
  int64_t bytes = listRoom(*plan);
  kernel.keepResident(*plan, /*sums=*/1, bytes);
  constexpr int64_t dynamic = ShapedType::kDynamic;
  SharedLayout layout = kami::sharedLayout(*plan);
  Dealing dealing(layout, op.getPlan()->getThreads(),
                  kernel.sharedRoom() - bytes);
  int64_t listAt = listPlace(*plan, layout, dealing);
  kernel.run(
      symbols,
      kernelName("grouped_gemm", {dynamic, dynamic, dynamic},
                 op.getElementType(Role::A)),
      listAt + bytes, blocksOf(kernel, op, *plan), [&](IRMapping &values) {
        GroupedTile tile(kernel.b, op, *plan, layout, dealing, listAt, values);
        if (plan->dealsProducts)
          tile.emitProducts();
        else
          tile.emitDealt();
      });
  op.erase();
  return success();
}
