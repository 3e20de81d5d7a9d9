//===- HalfTiles.cpp - Products that end in a tile's first half ----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of C in which a product ends is multiplied as if it were whole, since
// what would leave out instructions costs more than they do: under a predicate
// they take as long as without, and around a branch ptxas reads nothing ahead.
// So where half of the tile is beyond, the block takes another loop over k,
// which multiplies the first half alone. It would gain nothing if a warp's part
// were one piece: each warp of a block has a quarter of the multiprocessor's
// matrix units for itself, and those of the warps in the first half would have
// all to do. So each has a part of both halves.
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/HalfTiles.h"
#include "Distributor.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kami;
using namespace mlir;

/// The extent of the matrix that a tile is a view of; dynamic if nobody knows.
static int64_t wholeExtent(Value tile, unsigned dim) {
  while (Operation *view = tile.getDefiningOp()) {
    if (auto part = dyn_cast<memref::SubViewOp>(view)) {
      llvm::SmallBitVector dropped = part.getDroppedDims();
      unsigned source = 0;
      for (unsigned left = dim; dropped[source] || left != 0; ++source)
        left -= dropped[source] ? 0 : 1;
      dim = source;
      tile = part.getSource();
    } else if (auto transpose = dyn_cast<memref::TransposeOp>(view)) {
      dim = transpose.getPermutation().getDimPosition(dim);
      tile = transpose.getIn();
    } else {
      break;
    }
  }
  return cast<MemRefType>(tile.getType()).getDimSize(dim);
}

/// Decides in which dimensions warps have a part of each half of the tile. It
/// was timed for f64: products of sizes of their own, whose blocks are in
/// different loops at a time, take 0.96 to 1.16 of the time without (H200,
/// 2026-11-29).
void Distributor::splitParts(GemmOp op, Value matrixA, Value matrixB) {
  // Only products of sizes of their own ask whether rows are aligned.
  bool haveOwnSizes = !!op.getAreRowsAligned();
  if (haveOwnSizes || op.hasElementRegions() ||
      !isa<MemRefType>(op.getC().getType()) || isGroup() ||
      !exchange.isCopied() || isInTurn(op) ||
      atom.getInstruction() != InstructionKind::MmaSync ||
      !atom.getAType().isF64())
    return;
  Extents instruction = {atom.getM(), atom.getN(), atom.getK()};
  auto mayEnd = [&](Role role, Value tile, unsigned dim, auto endsInHalf) {
    auto type = cast<MemRefType>(tile.getType());
    if (!type.isDynamicDim(dim))
      return false;
    int64_t whole = wholeExtent(tile, dim),
            shift = sourceShift(role, type, dim);
    // Of those that nobody knows, one at least ends there.
    if (ShapedType::isDynamic(whole))
      whole = partition.tile.m * partition.tile.n + 1;
    else
      whole = shift < 0 ? 2 * whole : whole >> shift;
    return endsInHalf(whole, partition, instruction);
  };
  splitsRows = mayEnd(Role::A, matrixA, 0, endsInHalfOfRows);
  splitsColumns = mayEnd(Role::B, matrixB, 1, endsInHalfOfColumns);
}

/// What `emit` makes of a product, in up to three ways: of the first half of
/// the tile's rows, or of its columns, where the others are beyond the matrix.
Value Distributor::emitByHalves(Value matrixA, Value matrixB,
                                llvm::function_ref<Value()> emit) {
  std::array<int64_t, 2> tiles = {partition.warpM / int64_t(atom.getM()),
                                  partition.warpN / int64_t(atom.getN())};
  auto emitFirst = [&](int64_t rows, int64_t columns) {
    llvm::SaveAndRestore<DenseI64ArrayAttr> first(
        firstTiles, b.getDenseI64ArrayAttr({rows, columns}));
    return emit();
  };
  /// `whole`, but where no more than `half` of an operand's lines are left.
  auto choose = [&](Role role, Value operand, unsigned dim, int64_t half,
                    llvm::function_ref<Value()> emitHalf,
                    llvm::function_ref<Value()> emitWhole) -> Value {
    Value isHalf = arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                         multipliedExtent(role, operand, dim),
                                         constant(half));
    auto choice = scf::IfOp::create(b, TypeRange(fragmentType(Role::C)), isHalf,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, emitHalf());
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, emitWhole());
    return choice.getResult(0);
  };
  auto emitColumns = [&]() -> Value {
    if (!splitsColumns)
      return emit();
    return choose(
        Role::B, matrixB, 1, partition.paddedN() / 2,
        [&] { return emitFirst(tiles[0], tiles[1] / 2); }, emit);
  };
  if (!splitsRows)
    return emitColumns();
  return choose(
      Role::A, matrixA, 0, partition.paddedM() / 2,
      [&] { return emitFirst(tiles[0] / 2, tiles[1]); }, emitColumns);
}
