//===- MultiplyAdd.cpp - kami.mma without a matrix unit ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products by fused multiply-adds of the lanes, and the numbers that a matrix
// unit takes in place of f32.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::nvgpu_lowering;
using namespace mlir;

Value nvgpu_lowering::roundToTF32(ImplicitLocOpBuilder &b, Value value) {
  Value bits = NVVM::ConvertFloatToTF32Op::create(
      b, b.getI32Type(), value, NVVM::FPRoundingMode::RNA,
      NVVM::SaturationMode::NONE, /*relu=*/false);
  return arith::BitcastOp::create(b, value.getType(), bits);
}

namespace {

/// The registers of A and B that one step of k multiplies into a register of C;
/// the same in every lane, because maps are linear.
struct Feed {
  unsigned a, b;
};

struct ConvertMultiplyAdd : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType c = op.getC().getType();
    MmaAtomAttr atom = c.getAtom();
    if (atom.getInstruction() != InstructionKind::Fma)
      return rewriter.notifyMatchFailure(op, "not a multiply-add");
    Type sum = c.getElementType();
    Registers left = registersOf(b, adaptor.getA(), sum);
    Registers right = registersOf(b, adaptor.getB(), sum);
    Registers sums = registersOf(b, adaptor.getC(), sum);
    SmallVector<Feed> feeds = feedsOf(atom);
    int64_t rows = c.getTileRows(), columns = c.getTileColumns();
    int64_t depth = op.getA().getType().getTileColumns();
    for (int64_t k = 0; k != depth; ++k)
      for (int64_t i = 0; i != rows; ++i)
        for (int64_t j = 0; j != columns; ++j)
          multiply(b, feeds, left[i * depth + k], right[k * columns + j],
                   sums[i * columns + j]);
    SmallVector<Value> tiles;
    for (ArrayRef<Value> values : sums)
      tiles.push_back(vector::FromElementsOp::create(b, tileType(c), values));
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }

private:
  using Registers = SmallVector<SmallVector<Value>>;

  /// The tiles' registers one by one, in the type of the sums.
  static Registers registersOf(ImplicitLocOpBuilder &b, ValueRange tiles,
                               Type sum) {
    Registers registers;
    for (Value tile : tiles) {
      SmallVector<Value> &values = registers.emplace_back();
      auto type = cast<VectorType>(tile.getType());
      for (int64_t i = 0; i != type.getNumElements(); ++i) {
        values.push_back(vector::ExtractOp::create(b, tile, i));
        if (type.getElementType() != sum)
          values.back() = arith::ExtFOp::create(b, sum, values.back());
      }
    }
    return registers;
  }

  /// For each step of k, the registers that feed each register of C.
  static SmallVector<Feed> feedsOf(MmaAtomAttr atom) {
    const FragmentMap &c = atom.getMap(Role::C);
    SmallVector<Feed> feeds;
    for (unsigned k = 0; k != atom.getK(); ++k)
      for (unsigned value = 0; value != c.valuesPerLane(); ++value) {
        Coordinate at = c.at(0, value);
        feeds.push_back({*atom.getMap(Role::A).valueAt(0, {at.row, k}),
                         *atom.getMap(Role::B).valueAt(0, {k, at.column})});
      }
    return feeds;
  }

  static void multiply(ImplicitLocOpBuilder &b, ArrayRef<Feed> feeds,
                       ArrayRef<Value> left, ArrayRef<Value> right,
                       MutableArrayRef<Value> sums) {
    for (auto [i, feed] : llvm::enumerate(feeds)) {
      Value &sum = sums[i % sums.size()];
      sum = math::FmaOp::create(b, left[feed.a], right[feed.b], sum);
    }
  }
};

} // namespace

void nvgpu_lowering::populateMultiplyAddPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<ConvertMultiplyAdd>(converter, patterns.getContext());
}
