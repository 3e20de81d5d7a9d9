//===- SharedMemory.cpp - Broadcasts, shared slices and sums over layers -===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of them move fragments in fragment order (kami/Layout/SharedOrder.h), a
// word of up to 16 bytes a lane and access.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "kami/Conversion/KamiToLanes/FragmentSlot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

Value isEqual(ImplicitLocOpBuilder &b, Value value, int64_t constant) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value,
                               indexConstant(b, constant));
}

void writeIf(ImplicitLocOpBuilder &b, Value condition, const FragmentSlot &slot,
             ValueRange tiles) {
  auto guard = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  slot.write(b, tiles);
}

struct ConvertBroadcast : LanePattern<BroadcastOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place = warpPlace(b, op.getGrid(), target->warpSize);
    SmallVector<FragmentSlot> slots;
    SmallVector<Value> isOwner;
    for (unsigned i = 0, e = op.getFragments().size(); i != e; ++i) {
      bool alongRow = op.getGroup(i) == Group::Row;
      Value group =
          groupOf(b, place, op.getGrid(),
                  alongRow ? BarrierScopeKind::Row : BarrierScopeKind::Column);
      slots.emplace_back(b, cast<FragmentType>(op.getFragments()[i].getType()),
                         op.getBuffers()[i], group);
      isOwner.push_back(
          isEqual(b, alongRow ? place.column : place.row, op.getOwners()[i]));
    }
    ArrayRef<ValueRange> own = adaptor.getFragments();
    for (auto [slot, owner, tiles] : llvm::zip_equal(slots, isOwner, own))
      writeIf(b, owner, slot, tiles);
    target->waitForShared(b, place, op.getGrid(), op.getScope());
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
      target->waitForShared(b, place, op.getGrid(), op.getScope());
    rewriter.replaceOpWithMultiple(op, std::move(received));
    return success();
  }
};

struct ConvertBarrier : LanePattern<BarrierOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    target->wait(b, warpPlace(b, op.getGrid(), target->warpSize), op.getGrid(),
                 op.getScope());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertShare : OpConversionPattern<ShareOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ShareOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentSlot(b, op.getValue().getType(), op.getBuffer(), op.getSlot())
        .write(b, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertFetch : OpConversionPattern<FetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentSlot slot(b, op.getResult().getType(), op.getBuffer(),
                      op.getSlot());
    rewriter.replaceOpWithMultiple(op, {slot.read(b)});
    return success();
  }
};

Value addElements(ImplicitLocOpBuilder &b, Value left, Value right) {
  if (isa<FloatType>(getElementTypeOrSelf(left.getType())))
    return arith::AddFOp::create(b, left, right);
  return arith::AddIOp::create(b, left, right);
}

struct ConvertReduce : LanePattern<ReduceOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place = warpPlace(b, op.getGrid(), target->warpSize);
    Value position = addIndex(b,
                              b.createOrFold<arith::MulIOp>(
                                  place.row, indexConstant(b, op.getGrid()[1])),
                              place.column);
    FragmentSlot slot(b, op.getValue().getType(), op.getBuffer(), position);
    Value isFirst = isEqual(b, place.layer, 0);
    // Other layers' sums are their own values: one set of registers for both.
    SmallVector<Value> sum(adaptor.getValue());
    for (int64_t layer = 1; layer < op.getGrid()[2]; ++layer) {
      target->waitForShared(b, place, op.getGrid(), BarrierScopeKind::Block);
      writeIf(b, isEqual(b, place.layer, layer), slot, sum);
      target->waitForShared(b, place, op.getGrid(), BarrierScopeKind::Block);
      auto choice = scf::IfOp::create(b, ValueRange(sum).getTypes(), isFirst,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard insertion(b);
      b.setInsertionPointToStart(choice.thenBlock());
      SmallVector<Value> added;
      for (auto [tile, mine] : llvm::enumerate(sum))
        added.push_back(addElements(b, mine, slot.readTile(b, tile)));
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

void lanes::populateSharedMemoryPatterns(const TypeConverter &converter,
                                         const LaneTargetRef &target,
                                         RewritePatternSet &patterns) {
  patterns.add<ConvertBroadcast, ConvertBarrier, ConvertReduce>(
      converter, patterns.getContext(), target);
  patterns.add<ConvertShare, ConvertFetch>(converter, patterns.getContext());
}
