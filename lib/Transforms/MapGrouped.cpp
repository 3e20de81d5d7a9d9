//===- MapGrouped.cpp - A kernel for products of many sizes ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's tiles are dealt to it, some at a time. A thread each reads a tile's
// product's sizes, strides and positions, and lists in shared memory all that
// there is to know of the tile; from there the block multiplies them in turn.
// When it is done with them it takes others, one at a time, of those that
// nobody was dealt.
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
#include <numeric>

using namespace kami;
using namespace mlir;

/// Where a block deals: in the tiles' part of shared memory, which is not in
/// use then, or behind all parts, if it would meet maps or tickets, of which
/// something stays.
static int64_t dealAt(const SharedLayout &layout, int64_t threads) {
  bool meetsAny = llvm::any_of(
      std::array{layout.maps, layout.tickets}, [&](const SharedRegion &stays) {
        return stays.bytes > 0 &&
               DealTilesOp::scratchBytes(threads) > stays.offset;
      });
  return meetsAny ? layout.bytes : 0;
}

namespace {

/// Writes the work of one block.
class GroupedTile {
public:
  /// The list is in the shared memory from `listAt` on.
  GroupedTile(ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
              const SharedLayout &layout, int64_t listAt, IRMapping &values)
      : b(b), op(op), plan(plan), layout(layout), values(values),
        list(b, op, listAt), dealtAt(listAt + listBytes),
        takenAt(dealtAt + dealtBytes) {}

  void emitLoop();

private:
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
  /// What a block knows of its tiles: the first turn that is not listed yet,
  /// how many there are, and, as long as it may take others, one more than
  /// those that are no block's.
  struct Progress {
    Value first, turns, open;
  };
  /// How far it is when tiles are listed, and how many are.
  struct Listed {
    Progress progress;
    Value count;

    SmallVector<Value> values() const {
      return {progress.first, progress.turns, progress.open, count};
    }
  };
  Value dealt() {
    return viewInShared(b, dealtAt, {dealtTurns, 2}, b.getI64Type());
  }
  DealTilesOp deal(Value first);
  Listed listDealt(const Progress &progress);
  Listed listTaken(const Progress &progress);
  Listed listNext(const Progress &progress);
  void ifListing(Value count, llvm::function_ref<void(Value)> emit);
  int64_t stepOf(Role role);
  Value alike(Value extent, Value count, int64_t most, int64_t step);
  void listTile(Value number, Value product, Value tile);
  Value rest();
  Value ticketWords();
  void emitTiles(Value count);
  void emitTilesAhead(Value count);
  Tile tileAt(Value number);
  GemmOp emit(const Tile &tile);
  Value isBefore(Value one, Value other) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, one, other);
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
  const SharedLayout &layout;
  IRMapping &values;
  TileList list;
  /// Where it is said what is dealt, of each tile the product and its number
  /// there, and where tiles that are no block's are listed.
  int64_t dealtAt, takenAt;
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

/// Lists the product's tile of that number among its own. All loads come first,
/// so that they are on their way together.
void GroupedTile::listTile(Value number, Value product, Value tile) {
  Value m = extent(op.getM(), product), n = extent(op.getN(), product),
        k = extent(op.getK(), product);
  SmallVector<Matrix, 3> matrices;
  for (Role role : {Role::A, Role::B, Role::C})
    matrices.push_back(matrixOf(role, product, columnsOf(op, role, m, n, k)));
  // Tiles are counted in 32 bits, whose division is shorter.
  Type i32 = b.getI32Type();
  auto covering = [&](Value extent, int64_t most) -> Value {
    return arith::IndexCastOp::create(
        b, i32, arith::CeilDivUIOp::create(b, extent, constant(most)));
  };
  Value tilesDown = covering(m, plan.tile.m);
  Value tilesAcross = covering(n, plan.tile.n);
  Value rows = alike(m, tilesDown, plan.tile.m, stepOf(Role::A));
  Value columns = alike(n, tilesAcross, plan.tile.n, stepOf(Role::B));
  Value row =
      multiply(widened(arith::DivUIOp::create(b, tile, tilesAcross)), rows);
  Value column =
      multiply(widened(arith::RemUIOp::create(b, tile, tilesAcross)), columns);
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
  entries[ProductField] = product;
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

/// The tiles that are listed, in turn.
void GroupedTile::emitTiles(Value count) {
  auto loop = scf::ForOp::create(b, constant(0), count, constant(1));
  loop->setAttr(tileLoopAttributeName, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emit(tileAt(loop.getInductionVar()));
}

/// The same, with a tile's copies starting before C of the last one is stored,
/// or, where the copy engine brings its operands, with its maps being made.
/// Where rows of the one are aligned and those of the other are not, they do
/// not: turns begin anew.
void GroupedTile::emitTilesAhead(Value count) {
  auto loop = scf::ForOp::create(b, constant(0), count, constant(1),
                                 ValueRange{constant(0)});
  if (plan.bulk || !plan.prefetches)
    loop->setAttr(tileLoopAttributeName, b.getUnitAttr());
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
  // There are no maps of rows that are not aligned.
  if (plan.bulk)
    follows = arith::AndIOp::create(b, follows, own.areAligned);
  GemmOp product = emit(own);
  Value ahead = nameNext(b, product, plan, next.a, next.b, follows, turn);
  b.setInsertionPointAfter(product);
  scf::YieldOp::create(
      b, arith::SelectOp::create(b, follows, ahead, constant(0)).getResult());
}

//===----------------------------------------------------------------------===//
// All tiles
//===----------------------------------------------------------------------===//

Value GroupedTile::ticketWords() {
  return viewInShared(b, layout.tickets.offset, {2}, b.getI32Type());
}

/// The tiles that are no block's; null if all are.
Value GroupedTile::rest() {
  if (plan.taken == 0)
    return {};
  return viewInShared(b, takenAt, {(plan.taken + 1) * plan.blocks},
                      b.getI32Type());
}

/// Deals the block's tiles of `dealtTurns` turns.
DealTilesOp GroupedTile::deal(Value first) {
  int64_t threads = op.getPlan()->getThreads();
  int64_t at = dealAt(layout, threads);
  Value scratch =
      viewInShared(b, at, {DealTilesOp::scratchBytes(threads)}, b.getI8Type());
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  return DealTilesOp::create(
      b, block, first, values.lookup(op.getM()), values.lookup(op.getN()),
      values.lookup(op.getK()), dealt(), scratch, rest(), plan.blocks,
      ArrayRef<int64_t>{plan.tile.m, plan.tile.n, plan.tile.k}, threads,
      plan.taken);
}

/// Has a thread each execute what `emit` does for its number, of so many.
void GroupedTile::ifListing(Value count, llvm::function_ref<void(Value)> emit) {
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto lists = scf::IfOp::create(b, isBefore(thread, count),
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(lists.thenBlock());
  emit(thread);
}

/// Lists tiles that are dealt to the block, as many as there is room for.
GroupedTile::Listed GroupedTile::listDealt(const Progress &progress) {
  Value first = widened(progress.first);
  Value within = arith::RemUIOp::create(b, first, constant(dealtTurns));
  Type i32 = b.getI32Type();
  auto narrowed = [&](Value index) -> Value {
    return arith::IndexCastUIOp::create(b, i32, index);
  };
  auto dealing = scf::IfOp::create(
      b, TypeRange{i32, i32},
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, within, constant(0)),
      /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(dealing.thenBlock());
    DealTilesOp dealt = deal(first);
    gpu::BarrierOp::create(b);
    Value open = progress.open;
    if (plan.taken > 0)
      open = narrowed(add(dealt.getLeft(), constant(1)));
    scf::YieldOp::create(b, ValueRange{narrowed(dealt.getCount()), open});
    b.setInsertionPointToStart(dealing.elseBlock());
    scf::YieldOp::create(b, ValueRange{progress.turns, progress.open});
  }
  Progress next = {narrowed(add(first, constant(listedTiles))),
                   dealing.getResult(0), dealing.getResult(1)};
  Value count = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, widened(next.turns), first),
      constant(listedTiles));
  ifListing(count, [&](Value thread) {
    auto entry = [&](int64_t column) -> Value {
      return memref::LoadOp::create(
          b, dealt(), ValueRange{add(within, thread), constant(column)});
    };
    listTile(thread, widened(entry(0)),
             arith::TruncIOp::create(b, i32, entry(1)));
  });
  return {next, count};
}

/// Lists the next tile that no block has, if there is one.
GroupedTile::Listed GroupedTile::listTaken(const Progress &progress) {
  Value words = ticketWords();
  Value left = arith::SubIOp::create(b, widened(progress.open), constant(1));
  int64_t threads = op.getPlan()->getThreads();
  Value taken =
      TakeTicketOp::create(b, b.getI32Type(), words, plan.blocks, threads);
  Value ticket = tellTicket(b, taken, words, left, plan.blocks, threads);
  Value isThere = isBefore(ticket, left);
  auto bits = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  };
  Value open = arith::SelectOp::create(b, isThere, progress.open, bits(0));
  Value count = arith::SelectOp::create(b, isThere, constant(1), constant(0));
  ifListing(count, [&](Value) {
    Value entry = memref::LoadOp::create(b, rest(), ticket);
    Value product =
        arith::ShRUIOp::create(b, entry, bits(DealTilesOp::tileBits));
    Value tile =
        arith::AndIOp::create(b, entry, bits(DealTilesOp::heldLimit - 1));
    listTile(constant(0), widened(product), tile);
  });
  return {{progress.first, progress.turns, open}, count};
}

/// Lists what the block multiplies next: what was dealt to it, then what it
/// takes.
GroupedTile::Listed GroupedTile::listNext(const Progress &progress) {
  if (plan.taken == 0)
    return listDealt(progress);
  Type i32 = b.getI32Type();
  auto choice = scf::IfOp::create(b, TypeRange{i32, i32, i32, b.getIndexType()},
                                  isBefore(progress.first, progress.turns),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, listDealt(progress).values());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, listTaken(progress).values());
  ValueRange results = choice.getResults();
  return {{results[0], results[1], results[2]}, results[3]};
}

/// The block's tiles, as many at a time as there is room for in the list.
void GroupedTile::emitLoop() {
  if (plan.taken > 0)
    OpenTicketsOp::create(b, ticketWords(), op.getPlan()->getThreads());
  // How many there are is known when the first are dealt. In 32 bits it takes a
  // register each while a tile is multiplied.
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  };
  SmallVector<Value> starts = {word(0), word(1), word(0)};
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(starts)), starts,
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value isDealt =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                  arguments[0], arguments[1]);
        Value none = arith::ConstantIntOp::create(builder, loc,
                                                  arguments[2].getType(), 0);
        Value isOpen = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, arguments[2], none);
        scf::ConditionOp::create(
            builder, loc, arith::OrIOp::create(builder, loc, isDealt, isOpen),
            arguments);
      },
      [](OpBuilder &, Location, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getAfterBody());
  ValueRange arguments = loop.getAfterArguments();
  Listed listed = listNext({arguments[0], arguments[1], arguments[2]});
  gpu::BarrierOp::create(b);
  if (plan.prefetches || plan.bulk)
    emitTilesAhead(listed.count);
  else
    emitTiles(listed.count);
  // The list is written again, and shared memory is dealt in.
  gpu::BarrierOp::create(b);
  const auto &[first, turns, open] = listed.progress;
  scf::YieldOp::create(b, ValueRange{first, turns, open});
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
  int64_t bytes =
      listBytes + dealtBytes + takenBytes(plan->taken, plan->blocks);
  kernel.keepResident(*plan, /*sums=*/1, bytes);
  constexpr int64_t dynamic = ShapedType::kDynamic;
  SharedLayout layout = kami::sharedLayout(*plan);
  int64_t threads = op.getPlan()->getThreads();
  int64_t listAt = llvm::alignTo(
      std::max(layout.bytes,
               dealAt(layout, threads) + DealTilesOp::scratchBytes(threads)),
      sizeof(int64_t));
  kernel.run(
      symbols,
      kernelName("grouped_gemm", {dynamic, dynamic, dynamic},
                 op.getElementType(Role::A)),
      listAt + bytes, plan->blocks, [&](IRMapping &values) {
        GroupedTile(kernel.b, op, *plan, layout, listAt, values).emitLoop();
      });
  op.erase();
  return success();
}
