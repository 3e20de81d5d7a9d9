//===- MapGrouped.cpp - A kernel for products of many sizes ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes its shares of all work one after the other, and looks for each
// of their tiles from the product of the last one on: before it starts with
// one, if what comes next is prefetched.
//
//===----------------------------------------------------------------------===//

#include "MapGrouped.h"
#include "Epilogue.h"
#include "GridKernel.h"
#include "Shares.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

/// How many tiles of k take as long as finding a tile, beginning it and storing
/// its C: f16 of 128 × 128 × 32 takes 6700 cycles and 1100 (H200). It decides
/// how evenly work is shared, not what is computed.
static constexpr int64_t tileStart = 6;
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
  /// `resident` blocks of the plan's share a multiprocessor.
  GroupedTile(ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
              int64_t resident, IRMapping &values)
      : b(b), op(op), plan(plan), resident(resident), values(values) {}

  void emitLoop();

private:
  /// Where a tile's work begins in that of all products, whose it is, and how
  /// much is before that one's.
  struct Place {
    Value work, product, before;
  };
  /// Where a tile begins along a dimension, and how much of it there is.
  struct Cut {
    Value offset, size;
  };
  /// The operands of a tile of a product that has `n` columns, and the rows and
  /// columns of C that the tile has.
  struct Operands {
    /// Work of a tile, and where that of the product ends.
    Value each, end;
    Value a, b;
    /// Whether rows of A and B begin at multiples of 16 bytes.
    Value areAligned;
    Value n;
    Cut rows, across;
  };
  /// How the work of all blocks is shared.
  struct Shares {
    /// The block's of the first round.
    Value number;
    /// The work of each share, and how many of the first have one more.
    Value part, longer;
  };
  FindProductOp find(ValueRange place);
  Value workOfTile(Value k);
  Value numberOfShare();
  int64_t leastShare();
  ShareWorkOp shareWork(Value number);
  std::pair<Value, Value> boundsOf(const Shares &shares, Value round);
  Value firstTile(FindProductOp found, Value begin, Value end);
  void emitShare(const Place &first, Value end);
  Operands operandsAt(const Place &place);
  GemmOp emit(const Place &place, const Operands &own);
  SmallVector<Value>
  emitEither(const Place &place, const Operands &own, TypeRange types,
             llvm::function_ref<SmallVector<Value>(GemmOp)> emitEach);
  Place placeOf(Value work, ValueRange last);
  Value isBefore(Value work, Value end) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, work, end);
  }
  void emitLoopAhead(const Place &first, Value end);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value entry(Value array, Value product);
  Value extent(Value array, Value product) {
    return arith::MaxSIOp::create(b, entry(array, product), constant(0));
  }
  Value scale(Value source, Value product);
  Value start(Role role, Value product);
  Cut cut(Value tile, Value extent, int64_t tileExtent);
  Value view(Role role, Value product, Value columns, Cut rows, Cut inRow,
             Value *places = nullptr);

  ImplicitLocOpBuilder &b;
  GroupedGemmOp op;
  const Plan &plan;
  int64_t resident;
  IRMapping &values;
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
  int64_t bytes = op.getElementType(role).getIntOrFloatBitWidth() / 8;
  // Addresses have no sign.
  return op.getBytes() ? b.createOrFold<arith::ShRUIOp>(
                             at, constant(llvm::Log2_64(bytes)))
                       : at;
}

GroupedTile::Cut GroupedTile::cut(Value tile, Value extent,
                                  int64_t tileExtent) {
  Value offset = arith::MulIOp::create(b, tile, constant(tileExtent));
  return {offset,
          arith::MinSIOp::create(b, constant(tileExtent),
                                 arith::SubIOp::create(b, extent, offset))};
}

/// A part of the operand's matrix, which has so many `columns` in memory. Bits
/// of `places` are set that are set in the address, or in the bytes from one
/// row to the next.
Value GroupedTile::view(Role role, Value product, Value columns, Cut rows,
                        Cut inRow, Value *places) {
  Value matrices = values.lookup(role == Role::A   ? op.getA()
                                 : role == Role::B ? op.getB()
                                                   : op.getC());
  Value leading = op.getLeading(role);
  Value stride = leading ? entry(leading, product) : columns;
  Value offset = arith::AddIOp::create(
      b,
      arith::AddIOp::create(b, start(role, product),
                            arith::MulIOp::create(b, rows.offset, stride)),
      inRow.offset);
  if (places) {
    Value bytes = constant(op.getElementType(role).getIntOrFloatBitWidth() / 8);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, matrices);
    Value address =
        arith::AddIOp::create(b, base, arith::MulIOp::create(b, offset, bytes));
    *places = b.createOrFold<arith::OrIOp>(
        *places, arith::OrIOp::create(b, address,
                                      arith::MulIOp::create(b, stride, bytes)));
  }
  constexpr int64_t dynamic = ShapedType::kDynamic;
  auto type = MemRefType::get(
      {dynamic, dynamic}, op.getElementType(role),
      StridedLayoutAttr::get(b.getContext(), dynamic, {dynamic, 1}),
      cast<MemRefType>(matrices.getType()).getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, type, matrices, OpFoldResult(offset),
      ArrayRef<OpFoldResult>{rows.size, inRow.size},
      ArrayRef<OpFoldResult>{stride, b.getIndexAttr(1)});
}

GroupedTile::Operands GroupedTile::operandsAt(const Place &place) {
  Value product = place.product;
  Value m = extent(op.getM(), product), n = extent(op.getN(), product),
        k = extent(op.getK(), product);
  Value rows = arith::CeilDivUIOp::create(b, m, constant(plan.tile.m));
  Value columns = arith::CeilDivUIOp::create(b, n, constant(plan.tile.n));
  Value each = workOfTile(k);
  Value end = arith::AddIOp::create(
      b, place.before,
      arith::MulIOp::create(b, arith::MulIOp::create(b, rows, columns), each));
  Value local = arith::DivUIOp::create(
      b, arith::SubIOp::create(b, place.work, place.before), each);
  Cut down = cut(arith::DivUIOp::create(b, local, columns), m, plan.tile.m);
  Cut across = cut(arith::RemUIOp::create(b, local, columns), n, plan.tile.n);
  Cut deep = {constant(0), k};
  Value places = constant(0);
  Value a = op.getTransposeA() ? view(Role::A, product, m, deep, down, &places)
                               : view(Role::A, product, k, down, deep, &places);
  Value other = op.getTransposeB()
                    ? view(Role::B, product, k, across, deep, &places)
                    : view(Role::B, product, n, deep, across, &places);
  Value areAligned = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, places, constant(copiedPiece - 1)), constant(0));
  return {each, end, a, other, areAligned, n, down, across};
}

GemmOp GroupedTile::emit(const Place &place, const Operands &own) {
  Value product = place.product;
  Value c = view(Role::C, product, own.n, own.rows, own.across);
  SmallVector<Value> sources;
  SmallVector<AffineMap> maps = op.getElementMaps(Role::C);
  BlockTile tile = {product, own.rows.offset, own.across.offset, plan.tile.m,
                    plan.tile.n};
  for (auto [operand, map] :
       llvm::zip_equal(op.getElementOperands(Role::C), maps)) {
    auto [source, inTile] =
        tileElements(b, Role::C, values.lookup(operand), map, tile);
    sources.push_back(source);
    map = inTile;
  }
  auto gemm = GemmOp::create(
      b, Type(), own.a, own.b, c, scale(op.getAlpha(), product),
      scale(op.getBeta(), product), op.getTransposeA(), op.getTransposeB(),
      op.getAccumulator(), *op.getPlan(), op.getPrecisionAttr(),
      op.getUnsignedA(), op.getUnsignedB());
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
    const Place &place, const Operands &own, TypeRange types,
    llvm::function_ref<SmallVector<Value>(GemmOp)> emitEach) {
  if (plan.transport != Transport::Copied)
    return emitEach(emit(place, own));
  auto choice =
      scf::IfOp::create(b, types, own.areAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool isAligned : {true, false}) {
    Block *block = isAligned ? choice.thenBlock() : choice.elseBlock();
    b.setInsertionPointToStart(block);
    GemmOp product = emit(place, own);
    product.setAlignedRows(isAligned);
    SmallVector<Value> results = emitEach(product);
    if (!results.empty())
      scf::YieldOp::create(b, results);
  }
  return choice.getResults();
}

/// Whose work a place's is, from that place's product on.
FindProductOp GroupedTile::find(ValueRange place) {
  return FindProductOp::create(
      b, place[0], place[1], place[2], values.lookup(op.getM()),
      values.lookup(op.getN()), values.lookup(op.getK()),
      b.getDenseI64ArrayAttr({plan.tile.m, plan.tile.n, plan.tile.k}),
      b.getI64IntegerAttr(tileStart));
}

/// Work of a tile of a product of that depth.
Value GroupedTile::workOfTile(Value k) {
  return arith::AddIOp::create(
      b, arith::CeilDivUIOp::create(b, k, constant(plan.tile.k)),
      constant(tileStart));
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
  int64_t each = llvm::divideCeil(typical.k, plan.tile.k) + tileStart;
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
      ArrayRef<int64_t>{plan.tile.m, plan.tile.n, plan.tile.k}, tileStart,
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

/// Where the first tile begins that does not begin before the share, whose
/// begin was looked for; the share's end if there is none.
Value GroupedTile::firstTile(FindProductOp found, Value begin, Value end) {
  auto guard = scf::IfOp::create(b, TypeRange(b.getIndexType()),
                                 found.getFound(), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value each = workOfTile(extent(op.getK(), found.getProduct()));
  Value tiles = arith::CeilDivUIOp::create(
      b, arith::SubIOp::create(b, begin, found.getBefore()), each);
  scf::YieldOp::create(
      b, arith::AddIOp::create(b, found.getBefore(),
                               arith::MulIOp::create(b, tiles, each))
             .getResult());
  b.setInsertionPointToStart(guard.elseBlock());
  scf::YieldOp::create(b, end);
  return guard.getResult(0);
}

/// The blocks of a `while` loop, whose condition and body follow.
static std::pair<Block *, Block *>
makeLoop(ImplicitLocOpBuilder &b, ValueRange starts, TypeRange carried) {
  auto loop = scf::WhileOp::create(b, carried, starts);
  auto block = [&](Region &region, TypeRange types) {
    return b.createBlock(&region, {}, types,
                         SmallVector<Location>(types.size(), b.getLoc()));
  };
  return {block(loop.getBefore(), starts.getTypes()),
          block(loop.getAfter(), carried)};
}

/// Whose that work is, from the last place's product, the work before it and
/// where its work ends on: that one's more often than not.
GroupedTile::Place GroupedTile::placeOf(Value work, ValueRange last) {
  Value product = last[0], before = last[1], end = last[2];
  SmallVector<Type> types(2, b.getIndexType());
  auto choice =
      scf::IfOp::create(b, types, isBefore(work, end), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, ValueRange{product, before});
  b.setInsertionPointToStart(choice.elseBlock());
  FindProductOp found = find(ValueRange{work, product, before});
  scf::YieldOp::create(b, ValueRange{found.getProduct(), found.getBefore()});
  return {work, choice.getResult(0), choice.getResult(1)};
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
  FindProductOp found = find(
      ValueRange{begin, loop.getRegionIterArg(0), loop.getRegionIterArg(1)});
  emitShare(
      {firstTile(found, begin, end), found.getProduct(), found.getBefore()},
      end);
  scf::YieldOp::create(b, ValueRange{found.getProduct(), found.getBefore()});
}

/// The tiles that begin from the first one on and before the end.
void GroupedTile::emitShare(const Place &first, Value end) {
  OpBuilder::InsertionGuard guard(b);
  if (plan.prefetches)
    return emitLoopAhead(first, end);
  // A product that ends where it begins is looked for.
  SmallVector<Value> starts = {first.work, first.product, first.before,
                               first.before};
  auto [condition, body] =
      makeLoop(b, starts, ValueRange(starts).drop_back().getTypes());
  b.setInsertionPointToEnd(condition);
  Value work = condition->getArgument(0);
  Place own = placeOf(work, condition->getArguments().drop_front());
  scf::ConditionOp::create(b, isBefore(work, end),
                           ValueRange{work, own.product, own.before});
  b.setInsertionPointToEnd(body);
  Place place = {body->getArgument(0), body->getArgument(1),
                 body->getArgument(2)};
  Operands operands = operandsAt(place);
  emitEither(place, operands, {}, [](GemmOp) { return SmallVector<Value>(); });
  Value next = arith::AddIOp::create(b, place.work, operands.each);
  scf::YieldOp::create(
      b, ValueRange{next, place.product, place.before, operands.end});
}

/// The same, with the next tile's place known while one is computed, so that
/// its copies start before C is stored. Where rows of the one are aligned and
/// those of the other are not, they do not: turns begin anew.
void GroupedTile::emitLoopAhead(const Place &first, Value end) {
  FindProductOp start =
      find(ValueRange{first.work, first.product, first.before});
  SmallVector<Value> starts = {isBefore(first.work, end), first.work,
                               start.getProduct(), start.getBefore(),
                               constant(0)};
  auto [condition, body] =
      makeLoop(b, starts, ValueRange(starts).drop_front().getTypes());
  b.setInsertionPointToEnd(condition);
  scf::ConditionOp::create(b, condition->getArgument(0),
                           condition->getArguments().drop_front());
  b.setInsertionPointToEnd(body);
  Place place = {body->getArgument(0), body->getArgument(1),
                 body->getArgument(2)};
  Value turn = body->getArgument(3);
  Operands own = operandsAt(place);
  Value after = arith::AddIOp::create(b, place.work, own.each);
  Place found =
      placeOf(after, ValueRange{place.product, place.before, own.end});
  Value exists = isBefore(after, end);
  // What is looked at of a tile that is not the block's is this one's.
  auto choose = [&](Value next, Value own) -> Value {
    return arith::SelectOp::create(b, exists, next, own);
  };
  Place next = {choose(after, place.work), choose(found.product, place.product),
                choose(found.before, place.before)};
  Operands operands = operandsAt(next);
  Value isAlike = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        own.areAligned, operands.areAligned);
  Value follows = arith::AndIOp::create(b, exists, isAlike);
  SmallVector<Value> turns = emitEither(
      place, own, b.getIndexType(), [&](GemmOp product) -> SmallVector<Value> {
        return {prefetchNext(b, product, plan, operands.a, operands.b, follows,
                             turn)};
      });
  Value nextTurn =
      arith::SelectOp::create(b, follows, turns.front(), constant(0));
  scf::YieldOp::create(
      b, ValueRange{exists, next.work, next.product, next.before, nextTurn});
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
  kernel.keepResident(*plan);
  constexpr int64_t dynamic = ShapedType::kDynamic;
  kernel.run(symbols,
             kernelName("grouped_gemm", {dynamic, dynamic, dynamic},
                        op.getElementType(Role::A)),
             std::max(kami::sharedLayout(*plan).bytes,
                      ShareWorkOp::scratchBytes(op.getPlan()->getThreads())),
             plan->blocks, [&](IRMapping &values) {
               GroupedTile(kernel.b, op, *plan, kernel.blocksAtATime(), values)
                   .emitLoop();
             });
  op.erase();
  return success();
}
