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
#include "TileTaker.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Plan/GroupedPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

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
class GroupedTile {
public:
  /// The list is in the shared memory from `listAt` on.
  GroupedTile(ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
              const SharedLayout &layout, const Dealing &dealing,
              int64_t listAt, IRMapping &values)
      : b(b), op(op), plan(plan), dealing(dealing), values(values),
        list(b, op, listAt), dealtAt(listAt + listBytes) {
    if (plan.taken > 0)
      taker.emplace(b, op, plan, layout, dealtAt + dealtBytes, values);
  }

  void emitDealt();
  void emitProducts();

private:
  /// A product's matrix.
  struct Matrix {
    Value at, stride;
  };
  /// What a product says of itself, and how its C is covered.
  struct Product {
    Value number, m, n, k;
    SmallVector<Matrix, 3> matrices;
    /// Tiles along each side, in 32 bits.
    Value tilesDown, tilesAcross;
  };
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
  int64_t stepOf(Role role);
  Value alike(Value extent, Value count, int64_t most, int64_t step);
  Product read(Value number);
  std::pair<Value, Value> placeOf(const Product &product, Value tile);
  void listTile(Value number, const Product &product,
                std::pair<Value, Value> place);
  void listTiles(const Product &product, Value begin, Value from, Value to,
                 Value done);
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
  Value isBefore(Value one, Value other) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, one, other);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value word(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value).getResult();
  }
  Value narrowed(Value index) {
    return arith::IndexCastUIOp::create(b, b.getI32Type(), index);
  }
  Value add(Value left, Value right) {
    return arith::AddIOp::create(b, left, right);
  }
  Value multiply(Value left, Value right) {
    return arith::MulIOp::create(b, left, right);
  }
  Value widened(Value integer) {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), integer);
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
  Value extent(Value array, Value product);
  Value scale(Value source, Value product);
  Value start(Role role, Value product);
  Matrix matrixOf(Role role, Value product, Value columns);
  Value placesOf(Role role, const Matrix &matrix);
  Value view(Role role, Value number);

  ImplicitLocOpBuilder &b;
  GroupedGemmOp op;
  const Plan &plan;
  const Dealing &dealing;
  IRMapping &values;
  TileList list;
  /// Where it is said what is dealt, of each tile the product and its number
  /// there.
  int64_t dealtAt;
  /// If tiles are taken.
  std::optional<TileTaker> taker;
};

} // namespace

/// An entry of one of the op's arrays, as an index.
Value GroupedTile::entry(Value array, Value product) {
  Value loaded = memref::LoadOp::create(b, values.lookup(array), product);
  return arith::IndexCastOp::create(b, b.getIndexType(), loaded);
}

Value GroupedTile::extent(Value array, Value product) {
  return arith::MaxSIOp::create(b, entry(array, product), constant(0));
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
  Value bits = arith::OrIOp::create(b, add(base, multiply(matrix.at, bytes)),
                                    multiply(matrix.stride, bytes));
  if (!plan.bulk)
    return bits;
  // Nor has a map rows that are in one place, or go backwards.
  Value goesBack = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                         matrix.stride, constant(0));
  return arith::SelectOp::create(b, goesBack, constant(1), bits);
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// Of how many rows of A, or columns of B, a tile's are a multiple, so that it
/// begins where a piece does, and a sector of C.
int64_t GroupedTile::stepOf(Role role) {
  constexpr int64_t sector = 32;
  bool isContiguous = isTransposed(role) == (role == Role::A);
  int64_t step = isContiguous ? copiedPiece / bytesOf(role) : 1;
  return role == Role::A ? step : std::max(step, sector / bytesOf(Role::C));
}

/// The extent of each of the `count` tiles that cover a product's. Of tf32 they
/// are as alike as multiples of `step` are, and take about as long: 256
/// products up to 512 × 512 × 128 in odd rows 64.8 instead of 66.9 µs, 64
/// aligned ones 17.3 instead of 17.8, 256 47.7 instead of 48.4. Else all but
/// the last are full: f16 in aligned rows would take 29.0 instead of 28.6, f64
/// in odd ones 142.5 instead of 131.5 (H100, 2026-11-25).
Value GroupedTile::alike(Value extent, Value count, int64_t most,
                         int64_t step) {
  if (plan.unit() != Unit::WarpGroup || plan.atom->operand != ElementKind::TF32)
    return constant(most);
  step = std::gcd(step, most);
  Value parts = arith::MaxUIOp::create(b, widened(count), constant(1));
  Value part = arith::CeilDivUIOp::create(b, extent, parts);
  return multiply(arith::CeilDivUIOp::create(b, part, constant(step)),
                  constant(step));
}

/// All loads come first, so that they are on their way together.
GroupedTile::Product GroupedTile::read(Value number) {
  Product product;
  product.number = number;
  product.m = extent(op.getM(), number);
  product.n = extent(op.getN(), number);
  product.k = extent(op.getK(), number);
  for (Role role : {Role::A, Role::B, Role::C})
    product.matrices.push_back(matrixOf(
        role, number, columnsOf(op, role, product.m, product.n, product.k)));
  // Tiles are counted in 32 bits, whose division is shorter.
  Type i32 = b.getI32Type();
  auto covering = [&](Value extent, int64_t most) -> Value {
    return arith::IndexCastOp::create(
        b, i32, arith::CeilDivUIOp::create(b, extent, constant(most)));
  };
  product.tilesDown = covering(product.m, plan.tile.m);
  product.tilesAcross = covering(product.n, plan.tile.n);
  return product;
}

/// How many tiles are above and left of the product's tile of that number.
std::pair<Value, Value> GroupedTile::placeOf(const Product &product,
                                             Value tile) {
  return {arith::DivUIOp::create(b, tile, product.tilesAcross),
          arith::RemUIOp::create(b, tile, product.tilesAcross)};
}

/// Lists the product's tile which has so many tiles above and left of it.
void GroupedTile::listTile(Value number, const Product &product,
                           std::pair<Value, Value> place) {
  const auto &[productNumber, m, n, k, matrices, tilesDown, tilesAcross] =
      product;
  Value rows = alike(m, tilesDown, plan.tile.m, stepOf(Role::A));
  Value columns = alike(n, tilesAcross, plan.tile.n, stepOf(Role::B));
  Value row = multiply(widened(place.first), rows);
  Value column = multiply(widened(place.second), columns);
  auto size = [&](Value extent, Value from, Value most) -> Value {
    return arith::MinSIOp::create(b, most,
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
  entries[RowsField] = size(m, row, rows);
  entries[ColumnsField] = size(n, column, columns);
  entries[DepthField] = k;
  entries[ProductField] = productNumber;
  entries[RowField] = row;
  entries[ColumnField] = column;
  entries[PlacesField] = places;
  list.store(number, entries);
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
    Product taken = read(product);
    listTile(at, taken, placeOf(taken, tile));
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
  Value count = arith::MinUIOp::create(b, arith::SubIOp::create(b, all, first),
                                       constant(listedTiles));
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
  Product product = read(widened(dealtTo(0)));
  listTile(thread, product, placeOf(product, dealtTo(1)));
  return count;
}

/// Lists the product's tiles from that number on in the order of all that a
/// block's products have, of which its first is `begin`, behind the `done`
/// ones.
void GroupedTile::listTiles(const Product &product, Value begin, Value from,
                            Value to, Value done) {
  // To divide takes as long as all else; most products begin with their first
  // tile.
  Value first = narrowed(arith::SubIOp::create(b, from, begin));
  Type i32 = b.getI32Type();
  auto place = scf::IfOp::create(
      b, TypeRange{i32, i32},
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, first, word(0)),
      /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(place.thenBlock());
    auto [down, across] = placeOf(product, first);
    scf::YieldOp::create(b, ValueRange{down, across});
    b.setInsertionPointToStart(place.elseBlock());
    scf::YieldOp::create(b, ValueRange{word(0), word(0)});
  }
  auto loop = scf::ForOp::create(b, from, to, constant(1), place.getResults());
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Value down = loop.getRegionIterArg(0), across = loop.getRegionIterArg(1);
  listTile(arith::SubIOp::create(b, loop.getInductionVar(), done), product,
           {down, across});
  Value next = add(across, word(1));
  Value isInRow = isBefore(next, product.tilesAcross);
  scf::YieldOp::create(
      b,
      ValueRange{arith::SelectOp::create(b, isInRow, down, add(down, word(1))),
                 arith::SelectOp::create(b, isInRow, next, word(0))});
}

/// Lists the tiles of the block's products of that turn and the following ones,
/// one of a thread each, but for the first `done` of them, as far as there is
/// room. Returns how many tiles these products have.
Value GroupedTile::listProducts(Value turn, Value done) {
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value products = memref::DimOp::create(b, values.lookup(op.getM()), 0);
  Value number = productIn(add(turn, thread));
  // Who has no product reads the last one.
  Value last = arith::SubIOp::create(b, products, constant(1));
  Product product = read(arith::MinUIOp::create(b, number, last));
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
  listTiles(product, before, from, to, done);
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
  emitTiles(arith::MinUIOp::create(b, arith::SubIOp::create(b, all, done),
                                   constant(listedTiles)));
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
