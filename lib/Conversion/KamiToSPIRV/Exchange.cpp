//===- Exchange.cpp - Broadcasts, shared slices and sums over layers ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles go through workgroup memory as matrices whose rows follow each other,
// which any device knows how to load and store.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

namespace {

/// Row, column and layer of the warp in a grid; constants where an extent is 1.
struct Place {
  Value row, column, layer;

  /// Warps are numbered by the device: nothing is assumed of which invocations
  /// make up a subgroup.
  Place(ImplicitLocOpBuilder &b, ArrayRef<int64_t> grid) {
    Value rest = gpu::SubgroupIdOp::create(b, /*upper_bound=*/IntegerAttr());
    auto split = [&](int64_t extent) -> Value {
      if (extent == 1)
        return indexConstant(b, 0);
      Value divisor = indexConstant(b, extent);
      Value digit = arith::RemUIOp::create(b, rest, divisor);
      rest = arith::DivUIOp::create(b, rest, divisor);
      return digit;
    };
    column = split(grid[1]);
    row = split(grid[0]);
    layer = grid[2] == 1 ? indexConstant(b, 0) : rest;
  }
};

Value isEqual(ImplicitLocOpBuilder &b, Value value, int64_t constant) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                               indexConstant(b, constant));
}

/// major · count + minor
Value nth(ImplicitLocOpBuilder &b, Value major, int64_t count, Value minor) {
  return addIndex(b, multiplyIndex(b, major, indexConstant(b, count)), minor);
}

/// A fragment's place in a buffer of them.
class Slot {
public:
  Slot(ImplicitLocOpBuilder &b, const KernelContext &kernel,
       FragmentType fragment, Value buffer, Value index)
      : kernel(kernel), fragment(fragment),
        layout(kernel.memory.layoutOf(fragment)) {
    WorkgroupMemory::Place place =
        kernel.memory.placeOf(buffer, fragment.getStorageType());
    variable = place.variable;
    first = addIndex(
        b, indexConstant(b, place.element),
        multiplyIndex(b, index,
                      indexConstant(b, kernel.memory.slotElements(fragment))));
  }

  void write(ImplicitLocOpBuilder &b, ValueRange tiles) const {
    for (auto [tile, value] : llvm::enumerate(tiles))
      storeTile(b, kernel, variable, positionOf(b, tile), layout.pitch, value);
  }
  Value readTile(ImplicitLocOpBuilder &b, int64_t tile) const {
    return loadTile(b, kernel, variable, positionOf(b, tile), layout.pitch,
                    fragment);
  }
  SmallVector<Value> read(ImplicitLocOpBuilder &b) const {
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
      tiles.push_back(readTile(b, tile));
    return tiles;
  }

private:
  Value positionOf(ImplicitLocOpBuilder &b, int64_t tile) const {
    return addIndex(b, first, indexConstant(b, layout.offset(tile)));
  }

  const KernelContext &kernel;
  FragmentType fragment;
  SlotLayout layout;
  Value variable, first;
};

void writeIf(ImplicitLocOpBuilder &b, Value condition, const Slot &slot,
             ValueRange tiles) {
  auto guard = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  slot.write(b, tiles);
}

struct ConvertWarpCoordinates : KernelPattern<WarpCoordinatesOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(WarpCoordinatesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place(b, op.getGrid());
    rewriter.replaceOp(op, {place.row, place.column, place.layer});
    return success();
  }
};

struct ConvertBroadcast : KernelPattern<BroadcastOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place(b, op.getGrid());
    SmallVector<Slot> slots;
    SmallVector<Value> isOwner;
    for (unsigned i = 0, e = op.getFragments().size(); i != e; ++i) {
      bool alongRow = op.getGroup(i) == Group::Row;
      Value group = alongRow
                        ? nth(b, place.layer, op.getGrid()[0], place.row)
                        : nth(b, place.layer, op.getGrid()[1], place.column);
      slots.emplace_back(b, kernel,
                         cast<FragmentType>(op.getFragments()[i].getType()),
                         op.getBuffers()[i], group);
      isOwner.push_back(
          isEqual(b, alongRow ? place.column : place.row, op.getOwners()[i]));
    }
    ArrayRef<ValueRange> own = adaptor.getFragments();
    for (auto [slot, owner, tiles] : llvm::zip_equal(slots, isOwner, own))
      writeIf(b, owner, slot, tiles);
    gpu::BarrierOp::create(b);
    SmallVector<SmallVector<Value>> received;
    for (auto [slot, owner, tiles] : llvm::zip_equal(slots, isOwner, own)) {
      auto choice = scf::IfOp::create(b, tiles.getTypes(), owner,
                                      /*withElseRegion=*/true);
      received.emplace_back(choice.getResults());
      OpBuilder::InsertionGuard insertion(b);
      b.setInsertionPointToStart(choice.thenBlock());
      scf::YieldOp::create(b, tiles);
      b.setInsertionPointToStart(choice.elseBlock());
      scf::YieldOp::create(b, slot.read(b));
    }
    if (!op.getNoTrailingBarrier())
      gpu::BarrierOp::create(b);
    rewriter.replaceOpWithMultiple(op, std::move(received));
    return success();
  }
};

/// Every barrier is the block's: SPIR-V names none.
struct ConvertBarrier : KernelPattern<BarrierOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    return success();
  }
};

struct ConvertShare : KernelPattern<ShareOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ShareOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Slot(b, kernel, op.getValue().getType(), op.getBuffer(), op.getSlot())
        .write(b, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertFetch : KernelPattern<FetchOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(FetchOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Slot slot(b, kernel, op.getResult().getType(), op.getBuffer(),
              op.getSlot());
    rewriter.replaceOpWithMultiple(op, {slot.read(b)});
    return success();
  }
};

Value addTiles(ImplicitLocOpBuilder &b, Value left, Value right) {
  auto type = cast<spirv::CooperativeMatrixType>(left.getType());
  if (isa<FloatType>(type.getElementType()))
    return spirv::FAddOp::create(b, left, right);
  return spirv::IAddOp::create(b, left, right);
}

struct ConvertReduce : KernelPattern<ReduceOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place(b, op.getGrid());
    Slot slot(b, kernel, op.getValue().getType(), op.getBuffer(),
              nth(b, place.row, op.getGrid()[1], place.column));
    Value isFirst = isEqual(b, place.layer, 0);
    // Other layers' sums are their own values.
    SmallVector<Value> sum(adaptor.getValue());
    for (int64_t layer = 1; layer < op.getGrid()[2]; ++layer) {
      gpu::BarrierOp::create(b);
      writeIf(b, isEqual(b, place.layer, layer), slot, sum);
      gpu::BarrierOp::create(b);
      auto choice = scf::IfOp::create(b, ValueRange(sum).getTypes(), isFirst,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard insertion(b);
      b.setInsertionPointToStart(choice.thenBlock());
      SmallVector<Value> added;
      for (auto [tile, mine] : llvm::enumerate(sum))
        added.push_back(addTiles(b, mine, slot.readTile(b, tile)));
      scf::YieldOp::create(b, added);
      b.setInsertionPointToStart(choice.elseBlock());
      scf::YieldOp::create(b, sum);
      sum.assign(choice.getResults().begin(), choice.getResults().end());
    }
    rewriter.replaceOpWithMultiple(op, {sum});
    return success();
  }
};

} // namespace

void spirv_lowering::populateExchangePatterns(const TypeConverter &converter,
                                              const KernelContext &kernel,
                                              RewritePatternSet &patterns) {
  patterns.add<ConvertWarpCoordinates, ConvertBroadcast, ConvertBarrier,
               ConvertShare, ConvertFetch, ConvertReduce>(
      converter, patterns.getContext(), kernel);
}
