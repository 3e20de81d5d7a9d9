//===- PackedProduct.cpp - Small products that a block copies as one ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedProduct.h"
#include "Epilogue.h"
#include "LaneProduct.h"
#include "Shares.h"
#include "kami/Bridge/Bridge.h"
#include "kami/IR/Views.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <vector>

using namespace kami;
using namespace mlir;

namespace {
class PackedProduct {
public:
  PackedProduct(OpBuilder &builder, GemmOp op, const Plan &plan)
      : b(op.getLoc(), builder), op(op), plan(plan),
        layout(kami::sharedLayout(plan)) {}

  void emit(bool barrierFirst);

private:
  struct Matrices;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value count() {
    return b.createOrFold<memref::DimOp>(op.getC(), constant(0));
  }
  bool isRelayed() { return plan.relaysC && !op.getBeta(); }
  Value sharedLines(const Matrices &matrices);
  Value matrixOf(const Matrices &matrices, Value team);
  void emitWarps(const Matrices &a, const Matrices &other, const Matrices &c);
  void emitLanes(const Matrices &a, const Matrices &other, const Matrices &c);
  void ifThere(Value product, llvm::function_ref<void()> emit);

  ImplicitLocOpBuilder b;
  GemmOp op;
  const Plan &plan;
  SharedLayout layout;
  Value memory;
};
} // namespace

/// All matrices of an operand: where shared memory has them, and how one of
/// them lies there, which is how it lies in device memory.
struct PackedProduct::Matrices {
  Matrices(Value memref, bool transposed, int64_t products, int64_t offset)
      : memref(memref), offset(offset) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t start;
    [[maybe_unused]] bool isKnown =
        succeeded(type.getStridesAndOffset(strides, start));
    assert(isKnown && "the matrices of a pack have no gaps");
    element = type.getElementType();
    isSwapped = strides[2] != 1 && type.getDimSize(2) != 1;
    rows = type.getDimSize(isSwapped ? 2 : 1);
    columns = type.getDimSize(isSwapped ? 1 : 2);
    isTransposed = isSwapped != transposed;
    step = strides[0];
    tile = packedTile(products, rows * columns, bytes());
  }

  int64_t bytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// Whether they are copied as one line.
  bool isOneLine() const {
    return tile.pitch == tile.lineElements && step == tile.lineElements;
  }

  Value memref;
  /// Bytes from the begin of shared memory.
  int64_t offset;
  Type element;
  /// Of a matrix as it lies in memory, row by row.
  int64_t rows, columns;
  /// Whether that is not how the memref numbers its elements, and whether it is
  /// not how the product does.
  bool isSwapped, isTransposed;
  /// Elements from one matrix to the next in device memory.
  int64_t step;
  CopiedTile tile;
};

/// The matrices in device memory as the copy sees them: each a line, or all.
static Value deviceLines(ImplicitLocOpBuilder &b, Value memref, bool isSwapped,
                         bool isOneLine) {
  if (isSwapped)
    memref = transposedView(b, b.getLoc(), memref);
  if (!isOneLine)
    return memref::CollapseShapeOp::create(
        b, memref, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Value flat = memref::CollapseShapeOp::create(
      b, memref, ArrayRef<ReassociationIndices>{{0, 1, 2}});
  OpFoldResult size = memref::getMixedSize(b, b.getLoc(), flat, 0);
  auto type = cast<MemRefType>(flat.getType());
  SmallVector<int64_t> shape = {1, type.getDimSize(0)};
  FailureOr<MemRefType> line = memref::ExpandShapeOp::computeExpandedType(
      type, shape, ArrayRef<ReassociationIndices>{{0, 1}});
  assert(succeeded(line) && "one dimension is two");
  return memref::ExpandShapeOp::create(
      b, *line, flat, ArrayRef<ReassociationIndices>{{0, 1}},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1), size});
}

/// The same in shared memory.
Value PackedProduct::sharedLines(const Matrices &matrices) {
  const CopiedTile &tile = matrices.tile;
  bool isOneLine = matrices.isOneLine();
  Value view = viewAt(
      b, memory, constant(matrices.offset),
      {isOneLine ? 1 : tile.lines, isOneLine ? tile.elements() : tile.pitch},
      matrices.element);
  if (isOneLine || tile.pitch == tile.lineElements)
    return view;
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
      strides(2, b.getIndexAttr(1)),
      sizes = {b.getIndexAttr(tile.lines), b.getIndexAttr(tile.lineElements)};
  return memref::SubViewOp::create(b, view, offsets, sizes, strides);
}

/// One team's matrix in shared memory, as the product sees it.
Value PackedProduct::matrixOf(const Matrices &matrices, Value team) {
  Value start = b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::MulIOp>(
          team, constant(matrices.tile.pitch * matrices.bytes())),
      constant(matrices.offset));
  Value view = viewAt(b, memory, start, {matrices.rows, matrices.columns},
                      matrices.element);
  return matrices.isTransposed ? transposedView(b, b.getLoc(), view) : view;
}

void PackedProduct::ifThere(Value product, llvm::function_ref<void()> emit) {
  Value isThere =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, product, count());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, isThere, /*withElseRegion=*/false).thenBlock());
  emit();
}

/// Every warp multiplies a product.
void PackedProduct::emitWarps(const Matrices &a, const Matrices &other,
                              const Matrices &c) {
  Partition partition = plan.partition();
  MmaAtomAttr atom = op.getPlan()->getAtom();
  Value team =
      WarpCoordinatesOp::create(b, b.getDenseI64ArrayAttr({plan.teams, 1, 1}))
          .getRow();
  Value tileA = matrixOf(a, team), tileB = matrixOf(other, team);
  auto type = [&](Role role) {
    return shareType(partition, atom, role, plan.interleave);
  };
  const Extents &tile = plan.tile;
  bool hasRows = tile.m >= partition.warpM,
       hasColumns = tile.n >= partition.warpN;
  Value zero = constant(0);
  Value sum = FillOp::create(
      b, type(Role::C),
      arith::ConstantOp::create(b, b.getZeroAttr(atom.getCType())));
  for (int64_t k = 0; k < tile.k; k += partition.sliceK) {
    bool hasTerms = k + partition.sliceK <= tile.k;
    Value at = constant(k);
    Value left = LoadOp::create(
        b, type(Role::A), tileA, zero, at, hasRows, hasTerms,
        /*skewedAs=*/Value(), op.getInterleavedParts() && op.getTransposeA(),
        /*conjugateA=*/false, /*conjugateB=*/false);
    Value right =
        LoadOp::create(b, type(Role::B), tileB, at, zero, hasTerms, hasColumns,
                       /*skewedAs=*/Value(), op.getInterleavedParts(),
                       op.getConjugateA(), op.getConjugateB());
    sum = MmaOp::create(b, left, right, sum);
  }
  Value alpha = readScale(b, op.getAlpha()), beta = readScale(b, op.getBeta());
  if (isRelayed()) {
    gpu::BarrierOp::create(b);
    StoreOp::create(b, sum, matrixOf(c, team), zero, zero, alpha, Value(),
                    /*buffer=*/Value(), hasRows, hasColumns);
    return;
  }
  ifThere(team, [&] {
    SmallVector<OpFoldResult> offsets = {team, b.getIndexAttr(0),
                                         b.getIndexAttr(0)},
                              sizes = {b.getIndexAttr(1),
                                       b.getIndexAttr(tile.m),
                                       b.getIndexAttr(tile.n)};
    Value matrix = reducedSubview(b, op.getC(), offsets, sizes, {1, 2});
    StoreOp::create(b, sum, matrix, zero, zero, alpha, beta,
                    /*buffer=*/Value(), hasRows, hasColumns);
  });
}

/// Every lane multiplies some rows of a product, or of several.
void PackedProduct::emitLanes(const Matrices &a, const Matrices &other,
                              const Matrices &c) {
  auto operand = [&](const Matrices &matrices) -> LaneMatrix {
    Value view = viewAt(b, memory, constant(matrices.offset),
                        matrices.tile.elements(), matrices.element);
    int64_t columns = matrices.columns;
    return {view, matrices.tile.pitch, matrices.isTransposed ? 1 : columns,
            matrices.isTransposed ? columns : 1};
  };
  int64_t lanes = plan.grid.m, rows = plan.partition().warpM;
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value product = b.createOrFold<arith::DivUIOp>(thread, constant(lanes));
  Value row = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::RemUIOp>(thread, constant(lanes)), constant(rows));
  Value alpha = readScale(b, op.getAlpha()), beta = readScale(b, op.getBeta());
  std::vector<LaneProduct> rounds;
  SmallVector<Value> products;
  for (int64_t round = 0; round != plan.rounds; ++round) {
    products.push_back(
        b.createOrFold<arith::AddIOp>(product, constant(round * plan.teams)));
    LaneProduct &lane = rounds.emplace_back(
        b, Extents{rows, plan.tile.n, plan.tile.k}, products.back(), row,
        plan.tile.m, op.getPlan()->getAtom().getCType());
    if (op.getInterleavedParts())
      lane.multiplyParts(operand(a), operand(other), op.getConjugateA(),
                         op.getConjugateB());
    else
      lane.multiply(operand(a), operand(other));
    lane.scale(alpha);
  }
  // C takes the place of A and B.
  if (isRelayed())
    gpu::BarrierOp::create(b);
  for (auto [lane, own] : llvm::zip_equal(rounds, products)) {
    if (isRelayed())
      lane.store(operand(c));
    else
      ifThere(own,
              [&lane = lane, &op = op, beta] { lane.addTo(op.getC(), beta); });
  }
}

void PackedProduct::emit(bool barrierFirst) {
  if (barrierFirst)
    gpu::BarrierOp::create(b);
  Value whole = gpu::DynamicSharedMemoryOp::create(
      b, bufferType(b.getContext(), ShapedType::kDynamic));
  memory = memref::ViewOp::create(b, bufferType(b.getContext(), layout.bytes),
                                  whole, constant(0), ValueRange());
  int64_t products = plan.packedProducts();
  Matrices a(op.getA(), op.getTransposeA(), products, layout.copiedA.offset),
      other(op.getB(), op.getTransposeB(), products, layout.copiedB.offset),
      c(op.getC(), /*transposed=*/false, products, layout.relay.offset);
  int64_t threads = op.getPlan()->getThreads();
  for (const Matrices *matrices : {&a, &other})
    CopyAsyncOp::create(b,
                        deviceLines(b, matrices->memref, matrices->isSwapped,
                                    matrices->isOneLine()),
                        sharedLines(*matrices), /*tails=*/Value(), threads);
  CopyCommitOp::create(b);
  CopyWaitOp::create(b, 0);
  gpu::BarrierOp::create(b);
  if (plan.unit() == Unit::Lane)
    emitLanes(a, other, c);
  else
    emitWarps(a, other, c);
  if (!isRelayed())
    return;
  gpu::BarrierOp::create(b);
  CopyOutOp::create(b, sharedLines(c),
                    deviceLines(b, c.memref, c.isSwapped, c.isOneLine()),
                    threads);
}

LogicalResult kami::verifyPackable(GemmOp op, const Plan &plan) {
  FailureOr<Problem> problem = problemOf(op);
  if (failed(problem))
    return failure();
  if (problem->packable == 0)
    return op.emitOpError("expected a batch of matrices without gaps in device "
                          "memory where the plan packs products");
  if (!(problem->extents == plan.tile))
    return op.emitOpError("expected products of the plan's tile where it packs "
                          "them, but got ")
           << op.getM() << "x" << op.getN() << "x" << op.getK();
  const Atom &atom = *plan.atom;
  if (!isMultipliedAs(problem->operand, atom.operand) ||
      !isMultipliedAs(problem->operandB(), atom.operandB()) ||
      problem->accumulator != atom.accumulator)
    return op.emitOpError("expected a product of the plan's atom '")
           << atom.name << "', but got "
           << names(problem->operand, problem->operandB()) << " into "
           << name(problem->accumulator);
  return success();
}

void kami::emitPackedProduct(OpBuilder &builder, GemmOp op, const Plan &plan,
                             bool barrierFirst) {
  PackedProduct(builder, op, plan).emit(barrierFirst);
}
