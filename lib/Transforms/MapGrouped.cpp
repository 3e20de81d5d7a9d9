//===- MapGrouped.cpp - A kernel for products of many sizes ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Block i of b takes the tiles i, i + b, ... of all products, and looks for
// each from the product of the last one on: before it starts with one, if what
// comes next is prefetched.
//
//===----------------------------------------------------------------------===//

#include "MapGrouped.h"
#include "GridKernel.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

/// How many tiles of k take as long as beginning a tile and storing its C: an
/// assumption, which decides how evenly work is shared, not what is computed.
static constexpr int64_t tileStart = 4;

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
    /// Work of a tile.
    Value each;
    Value a, b;
    /// Whether rows of A and B begin at multiples of 16 bytes.
    Value areAligned;
    Value n;
    Cut rows, across;
  };
  FindProductOp find(ValueRange place);
  Value workOfTile(Value k);
  Value numberOfShare();
  std::pair<Place, Value> share();
  Operands operandsAt(const Place &place);
  GemmOp emit(const Place &place, const Operands &own);
  Value emitEither(const Place &place);
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
  Value columns = arith::CeilDivUIOp::create(b, n, constant(plan.tile.n));
  Value each = workOfTile(k);
  Value local = arith::DivUIOp::create(
      b, arith::SubIOp::create(b, place.work, place.before), each);
  Cut rows = cut(arith::DivUIOp::create(b, local, columns), m, plan.tile.m);
  Cut across = cut(arith::RemUIOp::create(b, local, columns), n, plan.tile.n);
  Cut deep = {constant(0), k};
  Value places = constant(0);
  Value a = op.getTransposeA() ? view(Role::A, product, m, deep, rows, &places)
                               : view(Role::A, product, k, rows, deep, &places);
  Value other = op.getTransposeB()
                    ? view(Role::B, product, k, across, deep, &places)
                    : view(Role::B, product, n, deep, across, &places);
  Value areAligned = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, places, constant(copiedPiece - 1)), constant(0));
  return {each, a, other, areAligned, n, rows, across};
}

GemmOp GroupedTile::emit(const Place &place, const Operands &own) {
  Value product = place.product;
  Value c = view(Role::C, product, own.n, own.rows, own.across);
  return GemmOp::create(
      b, Type(), own.a, own.b, c, scale(op.getAlpha(), product),
      scale(op.getBeta(), product), op.getTransposeA(), op.getTransposeB(),
      op.getAccumulator(), *op.getPlan(), op.getPrecisionAttr(),
      op.getUnsignedA(), op.getUnsignedB());
}

/// The product, apart for rows that are aligned where these are copied: what
/// tells pieces of 16 bytes from others at each copy takes registers in the
/// loop over k.
Value GroupedTile::emitEither(const Place &place) {
  Operands own = operandsAt(place);
  if (plan.transport != Transport::Copied) {
    emit(place, own);
    return own.each;
  }
  auto choice = scf::IfOp::create(b, own.areAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emit(place, own).setAlignedRows(true);
  b.setInsertionPointToStart(choice.elseBlock());
  emit(place, own);
  return own.each;
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

/// The block's share of all work, from its first tile to its end: the tiles
/// that begin in it are its own. Blocks have as much of it as each other, give
/// or take a tile.
std::pair<GroupedTile::Place, Value> GroupedTile::share() {
  Value all = CountWorkOp::create(
      b, values.lookup(op.getM()), values.lookup(op.getN()),
      values.lookup(op.getK()),
      b.getDenseI64ArrayAttr({plan.tile.m, plan.tile.n, plan.tile.k}),
      b.getI64IntegerAttr(tileStart));
  Value block = numberOfShare();
  Value blocks = constant(plan.blocks);
  // Whole parts, and one more for each of the first blocks while some is left.
  Value part = arith::DivUIOp::create(b, all, blocks);
  Value rest = arith::RemUIOp::create(b, all, blocks);
  auto from = [&](Value number) -> Value {
    Value whole = arith::MulIOp::create(b, number, part);
    Value more = arith::MinUIOp::create(b, number, rest);
    return arith::AddIOp::create(b, whole, more);
  };
  Value begin = from(block);
  Value end = from(arith::AddIOp::create(b, block, constant(1)));
  // The first tile that does not begin before.
  FindProductOp found = find(ValueRange{begin, constant(0), constant(0)});
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
  return {{guard.getResult(0), found.getProduct(), found.getBefore()}, end};
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

void GroupedTile::emitLoop() {
  auto [first, end] = share();
  OpBuilder::InsertionGuard guard(b);
  if (plan.prefetches)
    return emitLoopAhead(first, end);
  SmallVector<Value> starts = {first.work, first.product, first.before};
  auto [condition, body] = makeLoop(b, starts, ValueRange(starts).getTypes());
  b.setInsertionPointToEnd(condition);
  Value work = condition->getArgument(0);
  FindProductOp found = find(condition->getArguments());
  scf::ConditionOp::create(
      b, isBefore(work, end),
      ValueRange{work, found.getProduct(), found.getBefore()});
  b.setInsertionPointToEnd(body);
  Place place = {body->getArgument(0), body->getArgument(1),
                 body->getArgument(2)};
  Value next = arith::AddIOp::create(b, place.work, emitEither(place));
  scf::YieldOp::create(b, ValueRange{next, place.product, place.before});
}

/// The same, with the next tile's place known while one is computed.
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
  FindProductOp found = find(ValueRange{after, place.product, place.before});
  Value exists = isBefore(after, end);
  // What is looked at of a tile that is not the block's is this one's.
  auto choose = [&](Value next, Value own) -> Value {
    return arith::SelectOp::create(b, exists, next, own);
  };
  Place next = {choose(after, place.work),
                choose(found.getProduct(), place.product),
                choose(found.getBefore(), place.before)};
  Operands operands = operandsAt(next);
  GemmOp product = emit(place, own);
  turn = prefetchNext(b, product, plan, operands.a, operands.b, exists, turn);
  scf::YieldOp::create(
      b, ValueRange{exists, next.work, next.product, next.before, turn});
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
             kami::sharedLayout(*plan).bytes, plan->blocks,
             [&](IRMapping &values) {
               GroupedTile(kernel.b, op, *plan, kernel.blocksAtATime(), values)
                   .emitLoop();
             });
  op.erase();
  return success();
}
