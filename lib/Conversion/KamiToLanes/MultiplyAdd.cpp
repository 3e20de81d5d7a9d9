//===- MultiplyAdd.cpp - kami.mma without a matrix unit ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is the sum of outer products, k by k, each of which uses every
// register of C and few of A and B. Operands that were only fetched for it are
// read from shared memory as they are multiplied, in a loop of a few k, so that
// neither their registers nor the code grow with the depth.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "kami/Conversion/KamiToLanes/OperandTiles.h"
#include "kami/Layout/OuterProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

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
    OperandTiles left(b, op, op.getA(), adaptor.getA());
    OperandTiles right(b, op, op.getB(), adaptor.getB());
    int64_t depth = op.getA().getType().getTileColumns();
    int64_t steps = left.areFetched() && right.areFetched()
                        ? std::min(depth, stepsAtOnce(op))
                        : depth;
    SmallVector<Value> sums(adaptor.getC());
    auto add = [&](int64_t first, int64_t count, Value from, ValueRange start) {
      return addProducts(b, op, left, right, first, count, from, start);
    };
    int64_t whole = depth / steps * steps;
    if (whole > steps)
      sums = loop(b, whole, steps, sums, [&](Value from, ValueRange start) {
        return add(0, steps, from, start);
      });
    else
      sums = add(0, steps, nullptr, sums);
    if (whole != depth)
      sums = add(whole, depth - whole, nullptr, sums);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  using Registers = SmallVector<SmallVector<Value>>;

  /// As far as one round of the loop over k goes.
  static int64_t stepsAtOnce(MmaOp op) {
    FragmentType a = op.getA().getType(), right = op.getB().getType();
    auto registers = [](FragmentType fragment, int64_t tiles) {
      return llvm::divideCeil(tiles * fragment.getMap().bytesPerLane(), 4);
    };
    return outerProductsAtOnce(registers(a, a.getTileRows()) +
                               registers(right, right.getTileColumns()));
  }

  /// What `body` makes of the sums, `steps` of `depth` at a time.
  static SmallVector<Value>
  loop(ImplicitLocOpBuilder &b, int64_t depth, int64_t steps, ValueRange sums,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop =
        scf::ForOp::create(b, indexConstant(b, 0), indexConstant(b, depth),
                           indexConstant(b, steps), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return loop.getResults();
  }

  /// The sums after `count` outer products from the `first` on, `from` further
  /// on.
  static SmallVector<Value> addProducts(ImplicitLocOpBuilder &b, MmaOp op,
                                        const OperandTiles &left,
                                        const OperandTiles &right,
                                        int64_t first, int64_t count,
                                        Value from, ValueRange start) {
    FragmentType c = op.getC().getType();
    Type sum = c.getElementType();
    SmallVector<Feed> feeds = feedsOf(c.getAtom());
    int64_t rows = c.getTileRows(), columns = c.getTileColumns();
    int64_t depth = op.getA().getType().getTileColumns();
    Value fromB;
    if (from)
      fromB = b.createOrFold<arith::MulIOp>(from, indexConstant(b, columns));
    Registers sums = registersOf(b, start, sum);
    for (int64_t k = first; k != first + count; ++k) {
      SmallVector<Value> tilesA, tilesB;
      for (int64_t i = 0; i != rows; ++i)
        tilesA.push_back(left.get(b, i * depth + k, from));
      for (int64_t j = 0; j != columns; ++j)
        tilesB.push_back(right.get(b, k * columns + j, fromB));
      Registers valuesA = registersOf(b, tilesA, sum);
      Registers valuesB = registersOf(b, tilesB, sum);
      for (int64_t i = 0; i != rows; ++i)
        for (int64_t j = 0; j != columns; ++j)
          multiply(b, feeds, valuesA[i], valuesB[j], sums[i * columns + j]);
    }
    SmallVector<Value> tiles;
    for (ArrayRef<Value> values : sums)
      tiles.push_back(vector::FromElementsOp::create(b, tileType(c), values));
    return tiles;
  }

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

void lanes::populateMultiplyAddPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<ConvertMultiplyAdd>(converter, patterns.getContext());
}
