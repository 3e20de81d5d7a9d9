//===- MapGrouped.cpp - A kernel for products of many sizes ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Block i of b takes the tiles i, i + b, ... of all products, and looks for
// each from the product of the last one on.
//
//===----------------------------------------------------------------------===//

#include "MapGrouped.h"
#include "GridKernel.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

namespace {

/// Writes the work of one block.
class GroupedTile {
public:
  GroupedTile(ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
              IRMapping &values)
      : b(b), op(op), plan(plan), values(values) {}

  void emitLoop();

private:
  void emit(Value tile, Value product, Value before);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value entry(Value array, Value product);
  Value extent(Value array, Value product) {
    return arith::MaxSIOp::create(b, entry(array, product), constant(0));
  }
  Value scale(Value source, Value product);
  Value start(Role role, Value product);
  /// Where a tile begins along a dimension, and how much of it there is.
  struct Cut {
    Value offset, size;
  };
  Cut cut(Value tile, Value extent, int64_t tileExtent);
  Value view(Role role, Value product, Value columns, Cut rows, Cut inRow);

  ImplicitLocOpBuilder &b;
  GroupedGemmOp op;
  const Plan &plan;
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

/// A part of the operand's matrix, which has so many `columns` in memory.
Value GroupedTile::view(Role role, Value product, Value columns, Cut rows,
                        Cut inRow) {
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

void GroupedTile::emit(Value tile, Value product, Value before) {
  Value m = extent(op.getM(), product), n = extent(op.getN(), product),
        k = extent(op.getK(), product);
  Value columns = arith::CeilDivUIOp::create(b, n, constant(plan.tile.n));
  Value local = arith::SubIOp::create(b, tile, before);
  Cut rows = cut(arith::DivUIOp::create(b, local, columns), m, plan.tile.m);
  Cut across = cut(arith::RemUIOp::create(b, local, columns), n, plan.tile.n);
  Cut deep = {constant(0), k};
  Value a = op.getTransposeA() ? view(Role::A, product, m, deep, rows)
                               : view(Role::A, product, k, rows, deep);
  Value other = op.getTransposeB() ? view(Role::B, product, k, across, deep)
                                   : view(Role::B, product, n, deep, across);
  Value c = view(Role::C, product, n, rows, across);
  GemmOp::create(b, Type(), a, other, c, scale(op.getAlpha(), product),
                 scale(op.getBeta(), product), op.getTransposeA(),
                 op.getTransposeB(), op.getAccumulator(), *op.getPlan(),
                 op.getPrecisionAttr(), op.getUnsignedA(), op.getUnsignedB());
}

void GroupedTile::emitLoop() {
  Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(b, gpu::Dimension::x);
  Value zero = constant(0);
  SmallVector<Value> starts = {first, zero, zero};
  auto find = [&](OpBuilder &, Location, ValueRange at) {
    auto found = FindProductOp::create(
        b, at[0], at[1], at[2], values.lookup(op.getM()),
        values.lookup(op.getN()),
        b.getDenseI64ArrayAttr({plan.tile.m, plan.tile.n}));
    scf::ConditionOp::create(
        b, found.getFound(),
        ValueRange{at[0], found.getProduct(), found.getBefore()});
  };
  auto take = [&](OpBuilder &, Location, ValueRange at) {
    emit(at[0], at[1], at[2]);
    Value next = arith::AddIOp::create(b, at[0], step);
    scf::YieldOp::create(b, ValueRange{next, at[1], at[2]});
  };
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::WhileOp::create(b, ValueRange(starts).getTypes(), starts);
  Location loc = b.getLoc();
  SmallVector<Location> locations(starts.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {},
                                ValueRange(starts).getTypes(), locations);
  find(b, loc, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {},
                               ValueRange(starts).getTypes(), locations);
  take(b, loc, after->getArguments());
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
  constexpr int64_t dynamic = ShapedType::kDynamic;
  kernel.run(symbols,
             kernelName("grouped_gemm", {dynamic, dynamic, dynamic},
                        op.getElementType(Role::A)),
             kami::sharedLayout(*plan).bytes, plan->blocks,
             [&](IRMapping &values) {
               GroupedTile(kernel.b, op, *plan, values).emitLoop();
             });
  op.erase();
  return success();
}
