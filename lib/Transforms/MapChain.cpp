//===- MapChain.cpp - A kernel for a chain of products -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block makes its rows of D from its rows of the intermediate, some columns
// of it at a time: each part is a product, becomes the next one's A, and is
// used up before the next part is made.
//
//===----------------------------------------------------------------------===//

#include "MapChain.h"
#include "GridKernel.h"
#include "Shares.h"
#include "kami/Bridge/Bridge.h"
#include "kami/IR/Views.h"
#include "kami/Plan/Chain.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kami;
using namespace mlir;

namespace {
/// The chain as a left one: (A·B)·C, or (Cᵀ·Bᵀ)·Aᵀ of the transposed D.
class ChainMapper {
public:
  ChainMapper(ChainOp op, const Plan &first, const Plan &second);

  void run(SymbolTable &symbols, const std::string &name);

private:
  void emitTile(IRMapping &values, const BlockTile &tile);
  Value emitPart(Value a, Value bPart, Value cPart, Value sum);
  Value part(Value matrix, unsigned dim, Value offset);
  Value fitted(Value matrix, int64_t rows, int64_t columns);
  Value product(Value left, bool transposeLeft, Value right,
                bool transposeRight, Value start, bool adds, PlanAttr plan);
  bool isRight() { return *op.getAssociation() == Association::Right; }
  Value zeros(PlanAttr plan);

  ChainOp op;
  Plan first, second;
  Value factors[3];
  bool transposed[3];
  GridKernel kernel;
  ImplicitLocOpBuilder &b;
};
} // namespace

static Tiling tilingOf(ChainOp op, const Plan &second) {
  bool isRight = *op.getAssociation() == Association::Right;
  return {op.getD(), isRight ? 1u : 0u, isRight ? 0u : 1u, second.tile.m,
          second.tile.n};
}

ChainMapper::ChainMapper(ChainOp op, const Plan &first, const Plan &second)
    : op(op), first(first), second(second),
      kernel(op, tilingOf(op, second),
             second.grid.warps() * op.getSecond()->getAtom().getLanes()),
      b(kernel.b) {
  for (unsigned i = 0; i != 3; ++i) {
    unsigned source = isRight() ? 2 - i : i;
    factors[i] = op.getFactor(source);
    transposed[i] = op.isTransposed(source) != isRight();
  }
}

Value ChainMapper::zeros(PlanAttr plan) {
  auto type = DistributedType::get(Role::C, plan);
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  return SplatOp::create(b, type, zero);
}

/// The matrix with extents that a product of that tile takes: those that are
/// static and smaller are left to be known at run time.
Value ChainMapper::fitted(Value matrix, int64_t rows, int64_t columns) {
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, tile] :
       {std::pair(&shape[0], rows), std::pair(&shape[1], columns)})
    if (tile != 0 && *extent != tile)
      *extent = ShapedType::kDynamic;
  auto result = MemRefType::Builder(type).setShape(shape);
  return MemRefType(result) == type
             ? matrix
             : memref::CastOp::create(b, MemRefType(result), matrix)
                   .getResult();
}

Value ChainMapper::product(Value left, bool transposeLeft, Value right,
                           bool transposeRight, Value start, bool adds,
                           PlanAttr plan) {
  Value one;
  Type accumulator = op.getAccumulator();
  if (adds)
    one = arith::ConstantOp::create(b, b.getFloatAttr(accumulator, 1.0));
  return GemmOp::create(b, start.getType(), left, right, start, Value(), one,
                        transposeLeft, transposeRight, accumulator, plan,
                        op.getPrecisionAttr())
      .getResult();
}

/// Adds to D what comes through one part of the intermediate's columns.
Value ChainMapper::emitPart(Value a, Value bPart, Value cPart, Value sum) {
  PlanAttr firstPlan = *op.getFirst(), secondPlan = *op.getSecond();
  auto shaped = [](bool isTransposed, int64_t rows, int64_t columns) {
    return isTransposed ? std::pair(columns, rows) : std::pair(rows, columns);
  };
  auto [aRows, aColumns] = shaped(transposed[0], first.tile.m, 0);
  auto [bRows, bColumns] = shaped(transposed[1], 0, first.tile.n);
  auto [cRows, cColumns] = shaped(transposed[2], second.tile.k, second.tile.n);
  Value made = product(fitted(a, aRows, aColumns), transposed[0],
                       fitted(bPart, bRows, bColumns), transposed[1],
                       zeros(firstPlan), /*adds=*/false, firstPlan);
  Value operand = RedistributeOp::create(
      b, DistributedType::get(Role::A, secondPlan), made);
  return product(operand, /*transposeLeft=*/false,
                 fitted(cPart, cRows, cColumns), transposed[2], sum,
                 /*adds=*/true, secondPlan);
}

/// Rows (dim 0) or columns of a matrix from `offset` on that one part of the
/// intermediate is made of or multiplied with.
Value ChainMapper::part(Value matrix, unsigned dim, Value offset) {
  return kernel.tileView(matrix, {}, dim, offset, first.tile.n, 1 - dim,
                         Value(), 0);
}

void ChainMapper::emitTile(IRMapping &values, const BlockTile &tile) {
  Value none;
  unsigned rowsOfA = transposed[0] ? 1 : 0;
  unsigned nOfB = transposed[1] ? 0 : 1, nOfC = transposed[2] ? 1 : 0;
  Value a = kernel.tileView(values.lookup(factors[0]), tile.batch, rowsOfA,
                            tile.m, tile.tileM, 1 - rowsOfA, none, 0);
  Value whole = kernel.tileView(values.lookup(factors[1]), tile.batch, 0, none,
                                0, 1, none, 0);
  Value c = kernel.tileView(values.lookup(factors[2]), tile.batch, 1 - nOfC,
                            tile.n, tile.tileN, nOfC, none, 0);
  int64_t n = cast<MemRefType>(whole.getType()).getDimSize(nOfB);
  Value sum = zeros(*op.getSecond());
  if (ShapedType::isStatic(n) && n <= first.tile.n) {
    sum = emitPart(a, whole, c, sum);
  } else {
    auto loop =
        scf::ForOp::create(b, kernel.constant(0), extentOf(b, whole, nOfB),
                           kernel.constant(first.tile.n), sum);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value offset = loop.getInductionVar();
    Value next = emitPart(a, part(whole, nOfB, offset), part(c, nOfC, offset),
                          loop.getRegionIterArg(0));
    scf::YieldOp::create(b, next);
    sum = loop.getResult(0);
  }
  unsigned rowDim = isRight() ? 1 : 0;
  Value d = kernel.tileView(values.lookup(op.getD()), tile.batch, rowDim,
                            tile.m, tile.tileM, 1 - rowDim, tile.n, tile.tileN);
  if (isRight())
    d = transposedView(b, b.getLoc(), d);
  auto scale = [&](Value value) {
    return value ? readScale(b, values.lookup(value)) : value;
  };
  CollectOp::create(b, sum, fitted(d, second.tile.m, second.tile.n),
                    scale(op.getAlpha()), scale(op.getBeta()));
}

void ChainMapper::run(SymbolTable &symbols, const std::string &name) {
  kernel.run(symbols, name, std::nullopt,
             [&](IRMapping &values, const BlockTile &tile, NextTile *) {
               emitTile(values, tile);
             });
}

LogicalResult kami::mapChain(ChainOp op, SymbolTable &symbols) {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs; bufferize first");
  if (!op.getFirst())
    return op.emitOpError("expected plans; kami-assign-plan chooses them");
  FailureOr<Plan> first = toPlan(op, *op.getFirst());
  FailureOr<Plan> second = toPlan(op, *op.getSecond());
  if (failed(first) || failed(second))
    return failure();
  ChainMapper(op, *first, *second)
      .run(symbols, kernelName("chain", op.getExtents(), op.getOperandType()));
  op.erase();
  return success();
}
