//===- GroupMma.cpp - kami.place and kami.group_mma ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments go where the matrix unit reads them (kami/Layout/SharedMatrix.h),
// and four warps' products become instructions between a fence and a wait.
//
//===----------------------------------------------------------------------===//

#include "NVIDIALanes.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

/// A fragment's elements in a matrix, as a lane accesses them: those of its
/// values that are adjacent there by one access.
///
/// Origins of windows, as those of tiles, are multiples of a tile's extents, so
/// that a lane's place within a tile and the permutation of chunks depend on
/// the lane only.
class PlacedFragment {
public:
  PlacedFragment(ImplicitLocOpBuilder &b, FragmentType fragment, Value buffer,
                 Value row, Value column, const SharedMatrix &matrix)
      : matrix(matrix), fragment(fragment),
        rowsAreLines((fragment.getRole() == Role::A) ==
                     (matrix.major == Major::K)),
        values(fragment.getMap().adjacentValues(/*alongRows=*/!rowsAreLines)),
        unitBytes(values * matrix.elementBytes) {
    LaneOrigin lane = laneOrigin(b, fragment);
    laneLine = rowsAreLines ? lane.row : lane.column;
    Value laneAlong = rowsAreLines ? lane.column : lane.row;
    laneChunk = indexConstant(b, 0);
    if (int64_t perChunk = chunkBytes / matrix.elementBytes;
        lastAlong() >= perChunk) {
      Value count = indexConstant(b, perChunk);
      laneChunk = arith::DivUIOp::create(b, laneAlong, count);
      laneAlong = arith::RemUIOp::create(b, laneAlong, count);
    }
    laneUnit =
        b.createOrFold<arith::DivUIOp>(laneAlong, indexConstant(b, values));
    line = addIndex(b, rowsAreLines ? row : column, laneLine);
    along = rowsAreLines ? column : row;
    makeView(b, buffer);
  }

  void store(ImplicitLocOpBuilder &b, ValueRange tiles) const {
    const FragmentMap &map = fragment.getMap();
    for (auto [tile, registers] : llvm::enumerate(tiles))
      for (unsigned v = 0; v != map.valuesPerLane(); v += values) {
        Value part = vector::ExtractStridedSliceOp::create(
            b, registers, ArrayRef<int64_t>{v}, ArrayRef<int64_t>{values},
            ArrayRef<int64_t>{1});
        memref::StoreOp::create(b, part, view, index(b, placeOf(tile, v)));
      }
  }

  /// The tiles' registers.
  SmallVector<Value> load(ImplicitLocOpBuilder &b) const {
    int64_t perLane = fragment.getMap().valuesPerLane();
    VectorType type = tileType(fragment);
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile) {
      SmallVector<Value> elements;
      for (int64_t v = 0; v != perLane; v += values) {
        Value part =
            memref::LoadOp::create(b, view, index(b, placeOf(tile, v)));
        for (int64_t i = 0; i != values; ++i)
          elements.push_back(vector::ExtractOp::create(b, part, i));
      }
      tiles.push_back(vector::FromElementsOp::create(b, type, elements));
    }
    return tiles;
  }

private:
  static constexpr int64_t chunkBytes = 16;

  void makeView(ImplicitLocOpBuilder &b, Value buffer) {
    auto bytes = cast<MemRefType>(buffer.getType());
    auto unit = VectorType::get({values}, fragment.getElementType());
    SmallVector<Value> dynamicSizes;
    int64_t units = ShapedType::kDynamic;
    if (bytes.hasStaticShape())
      units = bytes.getDimSize(0) / unitBytes;
    else
      dynamicSizes.push_back(b.createOrFold<arith::DivUIOp>(
          memref::DimOp::create(b, buffer, indexConstant(b, 0)),
          indexConstant(b, unitBytes)));
    auto type = MemRefType::get({units}, unit, MemRefLayoutAttrInterface(),
                                bytes.getMemorySpace());
    view = memref::ViewOp::create(b, type, buffer, indexConstant(b, 0),
                                  dynamicSizes);
  }

  /// How far along its line a lane's element is at most from that of lane 0.
  int64_t lastAlong() const {
    int64_t sum = 0;
    for (const Coordinate &step : fragment.getLaneSteps())
      sum += rowsAreLines ? step.column : step.row;
    return sum;
  }

  /// Of lane 0's value of that number in the tile.
  Coordinate placeOf(int64_t tile, int64_t value) const {
    const FragmentMap &map = fragment.getMap();
    Coordinate at = map.at(0, value);
    at.row += tile / fragment.getTileColumns() * map.rows;
    at.column += tile % fragment.getTileColumns() * map.columns;
    return at;
  }

  /// The unit of the lane's element at this place of a fragment, seen from
  /// lane 0. What is the same for all lanes comes last, where an access takes
  /// it.
  Value index(ImplicitLocOpBuilder &b, Coordinate at) const {
    int64_t lineStep = rowsAreLines ? at.row : at.column;
    int64_t alongStep = rowsAreLines ? at.column : at.row;
    auto times = [&](Value value, int64_t factor) {
      return b.createOrFold<arith::MulIOp>(value, indexConstant(b, factor));
    };
    int64_t perChunk = chunkBytes / matrix.elementBytes;
    int64_t perRow = matrix.swizzleBytes / chunkBytes;
    Value chunk = b.createOrFold<arith::DivUIOp>(
        addIndex(b, along, indexConstant(b, alongStep)),
        indexConstant(b, perChunk));
    // Where lanes' chunks are of one row, the block is the same for all.
    bool isOneBlock = lastAlong() / perChunk < perRow;
    if (!isOneBlock)
      chunk = addIndex(b, chunk, laneChunk);
    Value block =
        b.createOrFold<arith::DivUIOp>(chunk, indexConstant(b, perRow));
    chunk = b.createOrFold<arith::RemUIOp>(chunk, indexConstant(b, perRow));
    if (isOneBlock)
      chunk = addIndex(b, chunk, laneChunk);
    chunk = b.createOrFold<arith::XOrIOp>(permutation(b, lineStep % 8), chunk);
    Value unit = times(line, matrix.swizzleBytes / unitBytes);
    unit = addIndex(b, unit, times(block, matrix.blockBytes() / unitBytes));
    unit = addIndex(b, unit, times(chunk, chunkBytes / unitBytes));
    unit = addIndex(b, unit, laneUnit);
    return addIndex(
        b, unit, indexConstant(b, lineStep * matrix.swizzleBytes / unitBytes));
  }

  /// `chunkSwizzle` of the lane's line, `step` lines further.
  Value permutation(ImplicitLocOpBuilder &b, int64_t step) const {
    int64_t perRow = matrix.swizzleBytes / chunkBytes;
    Value low = addIndex(b, laneLine, indexConstant(b, step));
    low = b.createOrFold<arith::DivUIOp>(low, indexConstant(b, 8 / perRow));
    return b.createOrFold<arith::RemUIOp>(low, indexConstant(b, perRow));
  }

  SharedMatrix matrix;
  FragmentType fragment;
  /// Whether the fragment's rows are the matrix's lines.
  bool rowsAreLines;
  /// Elements and bytes of an access.
  int64_t values, unitBytes;
  /// The lane's line within a core matrix, chunk among those of 8 elements, and
  /// unit within that; its first line in the matrix; the window's origin along
  /// lines.
  Value laneLine, laneChunk, laneUnit, line, along;
  Value view;
};

/// Whether another place follows, and nothing that waits for this one: its
/// fence serves both.
bool isFencedLater(PlaceOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<PlaceOp>(next))
      return true;
    if (!isa<LoadOp>(next) && !isMemoryEffectFree(next))
      return false;
  }
  return false;
}

struct ConvertPlace : OpConversionPattern<PlaceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PlaceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    PlacedFragment(b, op.getValue().getType(), op.getBuffer(), op.getRow(),
                   op.getColumn(), op.getMatrix().getMatrix())
        .store(b, adaptor.getValue());
    if (!isFencedLater(op))
      fenceForMatrixUnit(b);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertLoadPlaced : OpConversionPattern<LoadPlacedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadPlacedOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(
        op, {PlacedFragment(b, op.getType(), op.getBuffer(), op.getRow(),
                            op.getColumn(), op.getMatrix().getMatrix())
                 .load(b)});
    return success();
  }
};

ValueRange wait(ImplicitLocOpBuilder &b, ValueRange sums) {
  return WgmmaWaitOp::create(b, sums.getTypes(), sums).getResults();
}

struct ConvertGroupWait : OpConversionPattern<GroupWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GroupWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(op, {wait(b, adaptor.getValue())});
    return success();
  }
};

struct ConvertGroupMma : OpConversionPattern<GroupMmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GroupMmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType c = op.getC().getType();
    int64_t rows = c.getTileRows(), columns = c.getTileColumns();
    bool hasFragmentA = isa<FragmentType>(op.getA().getType());
    SmallVector<Value> registers(adaptor.getC());
    if (hasFragmentA)
      llvm::append_range(registers, adaptor.getA());
    auto fence =
        WgmmaFenceOp::create(b, ValueRange(registers).getTypes(), registers);
    SmallVector<Value> sums(fence.getResults().take_front(rows * columns));
    ValueRange tilesA = fence.getResults().drop_front(rows * columns);
    bool isInteger = c.getElementType().isInteger();
    for (int64_t row = 0; row != rows; ++row) {
      for (int64_t column = 0, width; column != columns; column += width) {
        width = widestGroupColumns((columns - column) * groupColumnGranule,
                                   isInteger) /
                groupColumnGranule;
        auto tiles = MutableArrayRef(sums).slice(row * columns + column, width);
        addProducts(b, op, tilesA, row, column, tiles);
      }
    }
    auto commit = WgmmaCommitOp::create(b, ValueRange(sums).getTypes(), sums);
    ValueRange results = commit.getResults();
    rewriter.replaceOpWithMultiple(
        op, {op.getPending() ? results : wait(b, results)});
    return success();
  }

private:
  /// One instruction for each step of k, for `tiles` of C from a tile row and
  /// column on.
  static void addProducts(ImplicitLocOpBuilder &b, GroupMmaOp op,
                          ValueRange tilesA, int64_t row, int64_t column,
                          MutableArrayRef<Value> tiles) {
    MmaAtomAttr atom = op.getAtom();
    int64_t steps = op.getK() / atom.getK();
    auto describe = [&](Value buffer, SharedMatrixAttr matrix, Value row,
                        int64_t rowStep, Value column, int64_t columnStep) {
      return MatrixDescriptorOp::create(
                 b, MatrixDescriptorType::get(b.getContext(), matrix), buffer,
                 addIndex(b, row, indexConstant(b, rowStep)),
                 addIndex(b, column, indexConstant(b, columnStep)))
          .getResult();
    };
    for (int64_t step = 0; step != steps; ++step) {
      int64_t k = step * atom.getK();
      Value a = tilesA.empty()
                    ? describe(op.getA(), *op.getAMatrix(), op.getAIndices()[0],
                               row * warpsPerGroup * atom.getM(),
                               op.getAIndices()[1], k)
                    : tilesA[row * steps + step];
      Value right = describe(op.getB(), op.getBMatrix(), op.getRow(), k,
                             op.getColumn(), column * atom.getN());
      ValueRange sums(tiles);
      auto mma = WgmmaOp::create(b, sums.getTypes(), a, right, sums,
                                 /*accumulates=*/Value(), atom);
      llvm::copy(mma.getResults(), tiles.begin());
    }
  }
};

} // namespace

void nvgpu_lowering::populateGroupMmaPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns
      .add<ConvertPlace, ConvertLoadPlaced, ConvertGroupMma, ConvertGroupWait>(
          converter, patterns.getContext());
}
