//===- PrefixSum.cpp - Sums of what a warp's lanes have -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

static Value integer(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

static Value shuffle(ImplicitLocOpBuilder &b, Value value, int64_t lanes,
                     int64_t warpSize, gpu::ShuffleMode mode) {
  return gpu::ShuffleOp::create(b, value, integer(b, lanes),
                                integer(b, warpSize), mode)
      .getShuffleResult();
}

Value lanes::sumUpToLane(ImplicitLocOpBuilder &b, Value own, int64_t warpSize) {
  Value lane = laneIndex(b, warpSize);
  Value sum = own;
  for (int64_t step = 1; step != warpSize; step *= 2) {
    Value below = shuffle(b, sum, step, warpSize, gpu::ShuffleMode::UP);
    Value hasNone = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane,
                                          indexConstant(b, step));
    Value more = arith::SelectOp::create(b, hasNone, integer(b, 0), below);
    sum = arith::AddIOp::create(b, sum, more);
  }
  return sum;
}

namespace {
struct ConvertPrefixSum : LanePattern<PrefixSumOp> {
  using LanePattern::LanePattern;

  LogicalResult
  matchAndRewrite(PrefixSumOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t warpSize = target->warpSize;
    Value upTo = sumUpToLane(b, op.getValue(), warpSize);
    Value before = arith::SubIOp::create(b, upTo, op.getValue());
    Value all = shuffle(b, upTo, warpSize - 1, warpSize, gpu::ShuffleMode::IDX);
    rewriter.replaceOp(op, {before, all});
    return success();
  }
};
} // namespace

void lanes::populatePrefixSumPatterns(const TypeConverter &converter,
                                      const LaneTargetRef &target,
                                      RewritePatternSet &patterns) {
  patterns.add<ConvertPrefixSum>(converter, patterns.getContext(), target);
}
