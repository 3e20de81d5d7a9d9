//===- RelayedStore.cpp - kami.store via a buffer ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is stored via a buffer goes there as it would to the matrix, a tile at a
// time, and on from there in pieces of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "NVIDIALanes.h"
#include "Patterns.h"
#include "kami/Conversion/KamiToLanes/KamiToLanes.h"
#include "kami/IR/Loops.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

/// Rows and columns of a matrix from a place on, of which fewer may be
/// inside, or none: no subview may begin beyond.
static Value window(ImplicitLocOpBuilder &b, Value matrix, Value row,
                    Value column, int64_t rows, int64_t columns,
                    bool isInside) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, matrix);
  SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides(),
                            sizes;
  Value offset = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), metadata.getConstifiedMixedOffset());
  for (auto [dim, at, most] :
       {std::tuple(0, row, rows), std::tuple(1, column, columns)}) {
    Value stride = getValueOrCreateConstantIndexOp(b, b.getLoc(), strides[dim]);
    offset = addIndex(b, offset, b.createOrFold<arith::MulIOp>(at, stride));
    if (isInside) {
      sizes.push_back(b.getIndexAttr(most));
      continue;
    }
    Value extent = b.createOrFold<memref::DimOp>(matrix, indexConstant(b, dim));
    Value rest = b.createOrFold<arith::MaxSIOp>(
        b.createOrFold<arith::SubIOp>(extent, at), indexConstant(b, 0));
    sizes.push_back(getAsOpFoldResult(
        b.createOrFold<arith::MinSIOp>(rest, indexConstant(b, most))));
  }
  SmallVector<int64_t> knownSizes, knownStrides;
  SmallVector<Value> unknown;
  dispatchIndexOpFoldResults(sizes, unknown, knownSizes);
  dispatchIndexOpFoldResults(strides, unknown, knownStrides);
  auto type = cast<MemRefType>(matrix.getType());
  auto part =
      MemRefType::get(knownSizes, type.getElementType(),
                      StridedLayoutAttr::get(
                          b.getContext(), ShapedType::kDynamic, knownStrides),
                      type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, part, metadata.getBaseBuffer(), OpFoldResult(offset), sizes, strides);
}

/// `emit` in a loop of so many turns.
static void forEach(ImplicitLocOpBuilder &b, int64_t turns,
                    llvm::function_ref<void(Value)> emit) {
  auto loop = scf::ForOp::create(b, indexConstant(b, 0),
                                 indexConstant(b, turns), indexConstant(b, 1));
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar());
}

/// What `emit` makes for a number below `count`, as one of so many cases: one
/// `scf.if` in the other, since the simulator knows of no `scf.index_switch`.
static void choose(ImplicitLocOpBuilder &b, Value number, int64_t count,
                   llvm::function_ref<void(int64_t)> emit) {
  OpBuilder::InsertionGuard guard(b);
  for (int64_t which = 0; which != count - 1; ++which) {
    Value isIt = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                       indexConstant(b, which));
    auto choice = scf::IfOp::create(b, isIt, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    emit(which);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  emit(count - 1);
}

namespace {
struct ConvertRelayedStore : OpConversionPattern<StoreOp> {
  ConvertRelayedStore(const TypeConverter &converter, MLIRContext *context,
                      AlignmentAnalysis alignments, LaneTargetRef target)
      : OpConversionPattern(converter, context),
        alignments(std::move(alignments)), target(std::move(target)) {}

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBuffer())
      return rewriter.notifyMatchFailure(op, "goes to the matrix at once");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    relay(b, op, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// A part of the fragment after the other: its lanes write it to the buffer,
  /// and copy it from there when all of them have.
  void relay(ImplicitLocOpBuilder &b, StoreOp op, ValueRange tiles) const {
    FragmentType fragment = op.getValue().getType();
    const FragmentMap &map = fragment.getMap();
    CopiedTile whole = op.getRelayedTile();
    auto type = cast<MemRefType>(op.getDest().getType());
    Value lines = memref::ViewOp::create(
        b,
        MemRefType::get(
            {whole.lines, whole.pitch}, type.getElementType(),
            MemRefLayoutAttrInterface(),
            cast<MemRefType>(op.getBuffer().getType()).getMemorySpace()),
        op.getBuffer(), indexConstant(b, 0), ValueRange());
    auto linesOf = [&](int64_t columns) -> Value {
      SmallVector<OpFoldResult> zeros(2, b.getIndexAttr(0)),
          ones(2, b.getIndexAttr(1)),
          sizes = {b.getIndexAttr(whole.lines), b.getIndexAttr(columns)};
      return memref::SubViewOp::create(b, lines, zeros, sizes, ones);
    };
    WindowAlignment known = alignments.of(op);
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    LinePieces pieces = linePiecesOf(
        b, op.getDest(), linesOf(whole.lineElements),
        {std::min(known.matrix, known.corner[1] * bytes), copiedPiece});
    int64_t perLine = fragment.getTileColumns();
    int64_t most = llvm::divideCeil(whole.lineElements, map.columns);
    auto toBuffer = [&](int64_t first, int64_t count) {
      int64_t columns = count * map.columns;
      auto part = FragmentType::get(b.getContext(), map.rows, columns,
                                    fragment.getElementType(),
                                    fragment.getRole(), fragment.getAtom());
      Value zero = indexConstant(b, 0);
      FragmentWindow place(b, part, linesOf(columns), zero, zero,
                           /*rowInBounds=*/true, /*columnInBounds=*/true,
                           {copiedPiece, {copiedPiece, copiedPiece}});
      storeTiles(b, op, part, place, tiles.slice(first, count), *target);
    };
    /// On from there, to so many rows and columns behind the fragment's first.
    auto toMatrix = [&](Value row, Value column, int64_t count) {
      int64_t columns = count * map.columns;
      syncWarp(b);
      Value target =
          window(b, op.getDest(), addIndex(b, op.getRow(), row),
                 addIndex(b, op.getColumn(), column), map.rows, columns,
                 op.getRowInBounds() && op.getColumnInBounds());
      copyOutByLanes(b, target, linesOf(columns), pieces);
      syncWarp(b);
    };
    int64_t count = std::min(most, perLine);
    int64_t parts = int64_t(tiles.size()) / count;
    if (isInLoop(type, parts) && perLine % count == 0 && fragment.isPlain()) {
      forEach(b, parts, [&](Value number) {
        choose(b, number, parts,
               [&](int64_t part) { toBuffer(part * count, count); });
        Value inLine = indexConstant(b, perLine / count);
        Value column = b.createOrFold<arith::RemUIOp>(number, inLine);
        auto times = [&](Value value, int64_t factor) {
          return b.createOrFold<arith::MulIOp>(value, indexConstant(b, factor));
        };
        toMatrix(
            times(b.createOrFold<arith::DivUIOp>(number, inLine), map.rows),
            times(column, count * map.columns), count);
      });
      return;
    }
    // A part is in one half of the columns, if these are apart.
    bool areApart = fragment.getSpan()[1] != fragment.getColumns();
    int64_t half = areApart ? perLine / 2 : perLine;
    for (int64_t first = 0; first != int64_t(tiles.size()); first += count) {
      int64_t column = first % perLine;
      count = std::min(most, half - column % half);
      toBuffer(first, count);
      toMatrix(
          indexConstant(b, fragment.getRowOrder().position(first / perLine, 0)),
          indexConstant(b, fragment.getColumnOrder().position(column, 0)),
          count);
    }
  }

  /// Whether so many parts are a loop, not one behind the other. On the way
  /// from the buffer each has code for rows that begin and end anywhere, if
  /// rows are apart as is known only at run time: a kernel of f16 in tiles of
  /// 128 × 128 × 32 has 1443 lines of PTX instead of 2201 so, for which LLVM
  /// takes 0.6 and ptxas 0.7 of the time, and takes 1 to 4 % longer itself. Two
  /// parts are a tenth of the code, and in 128 registers ptxas spills what goes
  /// round: 256 products of f16 up to 512 × 512 × 512 69 instead of 53 µs. Of
  /// f64 odd rows take 3 to 5 % longer (H100, 2026-11-28).
  static bool isInLoop(MemRefType matrix, int64_t parts) {
    return parts > 2 && matrix.getElementTypeBitWidth() <= 16 &&
           ShapedType::isDynamic(matrix.getStridesAndOffset().first.front());
  }

  AlignmentAnalysis alignments;
  LaneTargetRef target;
};
} // namespace

void nvgpu_lowering::populateRelayedStorePatterns(
    const TypeConverter &converter, const AlignmentAnalysis &alignments,
    const LaneTargetRef &target, RewritePatternSet &patterns) {
  patterns.add<ConvertRelayedStore>(converter, patterns.getContext(),
                                    alignments, target);
}
