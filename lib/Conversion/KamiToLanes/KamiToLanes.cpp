//===- KamiToLanes.cpp - Warp-level ops to the lanes of any vendor ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLanes/KamiToLanes.h"
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

struct ConvertWarpCoordinates : LanePattern<WarpCoordinatesOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(WarpCoordinatesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place = warpPlace(b, op.getGrid(), target->warpSize);
    rewriter.replaceOp(op, {place.row, place.column, place.layer});
    return success();
  }
};

struct ConvertFill : OpConversionPattern<FillOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FillOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentType fragment = op.getResult().getType();
    Value tile = vector::BroadcastOp::create(rewriter, op.getLoc(),
                                             tileType(fragment), op.getValue());
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(fragment.getNumTiles(), tile)});
    return success();
  }
};

/// One fragment or another.
struct ConvertSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<FragmentType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a fragment");
    SmallVector<Value> tiles;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      tiles.push_back(arith::SelectOp::create(rewriter, op.getLoc(),
                                              op.getCondition(), yes, no));
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }
};

} // namespace

void LaneTarget::startCopy(ImplicitLocOpBuilder &b, Value from, ValueRange at,
                           Value to, ValueRange toAt, Value exists) const {
  Value loaded = memref::LoadOp::create(b, from, at);
  Value zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(loaded.getType())));
  Value element = arith::SelectOp::create(b, exists, loaded, zero);
  memref::StoreOp::create(b, element, to, toAt);
}

void LaneTarget::wait(ImplicitLocOpBuilder &b, const Place &, ArrayRef<int64_t>,
                      BarrierScopeKind) const {
  gpu::BarrierOp::create(b);
}

void kami::addFragmentConversion(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](FragmentType fragment, SmallVectorImpl<Type> &types) -> LogicalResult {
        types.append(fragment.getNumTiles(), tileType(fragment));
        return success();
      });
}

void kami::populateKamiToLanesPatterns(const TypeConverter &converter,
                                       const AlignmentAnalysis &alignments,
                                       const LaneTargetRef &target,
                                       RewritePatternSet &patterns) {
  patterns.add<ConvertWarpCoordinates>(converter, patterns.getContext(),
                                       target);
  patterns.add<ConvertFill, ConvertSelect>(converter, patterns.getContext());
  populateElementPatterns(converter, patterns);
  populateMultiplyAddPatterns(converter, patterns);
  populateGlobalMemoryPatterns(converter, alignments, target, patterns);
  populateDealTilesPatterns(converter, target, patterns);
  populatePrefixSumPatterns(converter, target, patterns);
  populateSharedMemoryPatterns(converter, target, patterns);
}

LogicalResult kami::verifyFragments(
    Operation *kernel,
    llvm::function_ref<LogicalResult(Operation *, FragmentType)> verify) {
  WalkResult result = kernel->walk([&](Operation *op) {
    auto isRefused = [&](Type type) {
      auto fragment = dyn_cast<FragmentType>(type);
      return fragment && failed(verify(op, fragment));
    };
    return WalkResult(failure(llvm::any_of(op->getOperandTypes(), isRefused) ||
                              llvm::any_of(op->getResultTypes(), isRefused)));
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyLanes(Operation *op, FragmentType fragment) {
  if (fragment.getAtom().isOpaque())
    return op->emitOpError("expected fragments of which each lane has known "
                           "elements, but got ")
           << fragment.getAtom();
  return success();
}

LogicalResult
kami::convertToLanes(Operation *kernel, TypeConverter &converter,
                     RewritePatternSet patterns,
                     llvm::function_ref<void(ConversionTarget &)> markLegal) {
  if (failed(verifyFragments(kernel, verifyLanes)))
    return failure();
  ConversionTarget target(*kernel->getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<KamiDialect>();
  target.addLegalOp<AsRealOp, ComplexPartOp>();
  markLegal(target);
  target.addDynamicallyLegalOp<arith::SelectOp>(
      [](arith::SelectOp op) { return !isa<FragmentType>(op.getType()); });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  return applyPartialConversion(kernel, target, std::move(patterns));
}
