//===- LowerViews.cpp - What conversions of gpu do not know ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_KAMILOWERVIEWS
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {
/// Elements of one or two other vectors, in any order: one shuffle instead of
/// two instructions for each, which LLVM takes long to find out.
struct ShuffleElements : OpRewritePattern<vector::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getType().getRank() != 1 || op.getElements().size() < 2)
      return rewriter.notifyMatchFailure(op, "expected several elements");
    SmallVector<Value, 2> sources;
    SmallVector<int64_t> places;
    for (Value element : op.getElements()) {
      auto extract = element.getDefiningOp<vector::ExtractOp>();
      if (!extract || extract.hasDynamicPosition() ||
          extract.getSourceVectorType().getRank() != 1)
        return rewriter.notifyMatchFailure(op, "not taken of a vector");
      Value source = extract.getSource();
      if (!sources.empty() && source.getType() != sources[0].getType())
        return rewriter.notifyMatchFailure(op, "vectors of several types");
      auto *found = llvm::find(sources, source);
      int64_t number = found - sources.begin();
      if (found == sources.end())
        sources.push_back(source);
      places.push_back(number * extract.getSourceVectorType().getDimSize(0) +
                       extract.getStaticPosition().front());
    }
    if (sources.size() > 2)
      return rewriter.notifyMatchFailure(op, "of more than two vectors");
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, sources.front(),
                                                   sources.back(), places);
    return success();
  }
};

struct LowerViews : kami::impl::KamiLowerViewsBase<LowerViews> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ShuffleElements>(&getContext(), /*benefit=*/2);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorFromElementsUnrollPatterns(patterns);
    vector::populateVectorToElementsUnrollPatterns(patterns);
    memref::populateExpandStridedMetadataPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
