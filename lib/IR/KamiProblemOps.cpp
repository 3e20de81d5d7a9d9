//===- KamiProblemOps.cpp - What is computed -----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// GemmOp: shape
//===----------------------------------------------------------------------===//

/// The extent of a matrix dimension: 0 for rows, 1 for columns, as the product
/// sees them after a transpose.
static int64_t matrixExtent(ShapedType type, bool transposed, unsigned dim) {
  return type.getDimSize(type.getRank() - 2 + (transposed ? 1 - dim : dim));
}

int64_t GemmOp::getM() { return matrixExtent(getCType(), false, 0); }
int64_t GemmOp::getN() { return matrixExtent(getCType(), false, 1); }
int64_t GemmOp::getK() {
  int64_t k = matrixExtent(getAType(), getTransposeA(), 1);
  return ShapedType::isDynamic(k) ? matrixExtent(getBType(), getTransposeB(), 0)
                                  : k;
}

//===----------------------------------------------------------------------===//
// GemmOp: verifier
//===----------------------------------------------------------------------===//

/// (C1), (C2)
static LogicalResult verifyOperandKinds(GemmOp op) {
  bool tensors = op.hasTensorSemantics();
  if (isa<TensorType>(op.getA().getType()) != tensors ||
      isa<TensorType>(op.getB().getType()) != tensors)
    return op.emitOpError(
        "expected operands that are all tensors or all memrefs");
  bool inPlace = isa<MemRefType>(op.getC().getType());
  if (inPlace == (op.getNumResults() == 1))
    return op.emitOpError(inPlace ? "expected no result, since C is a memref"
                                  : "expected a result, since C is no memref");
  if (!inPlace && op.getResult().getType() != op.getC().getType())
    return op.emitOpError("expected a result of type ")
           << op.getC().getType() << ", C's, but got "
           << op.getResult().getType();
  for (auto [type, name] :
       {std::pair(op.getCType(), "C"), std::pair(op.getAType(), "A"),
        std::pair(op.getBType(), "B")}) {
    if (type.getRank() < 2)
      return op.emitOpError("expected at least two dimensions of ")
             << name << ", but got " << type.getRank();
    if (type.getRank() > op.getCType().getRank())
      return op.emitOpError("expected no more dimensions of ")
             << name << " than C's " << op.getCType().getRank() << ", but got "
             << type.getRank();
  }
  return success();
}

bool kami::isStorable(Type accumulator, Type element) {
  return element == accumulator ||
         (isa<FloatType>(element) && isa<FloatType>(accumulator) &&
          element.getIntOrFloatBitWidth() <
              accumulator.getIntOrFloatBitWidth());
}

/// (C9), (C10)
static LogicalResult verifyInterpretation(GemmOp op) {
  Type element = op.getAType().getElementType();
  if (op.getPrecision() && !(element.isF32() && op.getAccumulator().isF32()))
    return op.emitOpError("expected f32 elements and accumulator for "
                          "precision ")
           << stringifyPrecision(*op.getPrecision()) << ", but got " << element
           << " and " << op.getAccumulator();
  if ((op.getUnsignedA() || op.getUnsignedB()) && !isa<IntegerType>(element))
    return op.emitOpError("expected integer elements for ")
           << (op.getUnsignedA() ? "unsigned_a" : "unsigned_b") << ", but got "
           << element;
  return success();
}

/// (C11)
static LogicalResult verifyDistribution(GemmOp op) {
  PlanAttr plan = op.getPlanAttr();
  for (auto [value, role, transposed] :
       {std::tuple(op.getA(), Role::A, op.getTransposeA()),
        std::tuple(op.getB(), Role::B, op.getTransposeB()),
        std::tuple(op.getC(), Role::C, false)}) {
    auto type = dyn_cast<DistributedType>(value.getType());
    if (!type)
      continue;
    if (type.getRole() != role)
      return op.emitOpError("expected a distributed matrix of role ")
             << stringifyRole(role) << ", but got "
             << stringifyRole(type.getRole());
    if (transposed)
      return op.emitOpError("cannot transpose a distributed matrix");
    if (!plan)
      plan = type.getPlan();
    if (type.getPlan() != plan)
      return op.emitOpError("expected distributed matrices of one plan, the "
                            "product's, but got ")
             << plan << " and " << type.getPlan();
  }
  return success();
}

PlanAttr GemmOp::getDistribution() {
  for (Value operand : {getA(), getB(), getC()})
    if (auto type = dyn_cast<DistributedType>(operand.getType()))
      return type.getPlan();
  return nullptr;
}

/// (C3), (C6), (C7), (C8)
static LogicalResult verifyElementTypes(GemmOp op) {
  Type a = op.getAType().getElementType(), b = op.getBType().getElementType();
  Type c = op.getCType().getElementType(), accumulator = op.getAccumulator();
  auto isFloat8 = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  };
  if (a != b && !(isFloat8(a) && isFloat8(b)))
    return op.emitOpError("expected A and B of one element type, but got ")
           << a << " and " << b;
  for (Type type : {a, c, accumulator})
    if (!type.isIntOrFloat())
      return op.emitOpError("expected integer or float elements, but got ")
             << type;
  if (isa<FloatType>(a) != isa<FloatType>(c) ||
      isa<FloatType>(a) != isa<FloatType>(accumulator))
    return op.emitOpError("expected elements and accumulator that are all "
                          "floats or all integers, but got ")
           << a << ", " << c << " and " << accumulator;
  for (Value scale : {op.getAlpha(), op.getBeta()})
    if (scale && scale.getType() != accumulator)
      return op.emitOpError("expected ")
             << (scale == op.getAlpha() ? "alpha" : "beta")
             << " of the accumulator's type " << accumulator << ", but got "
             << scale.getType();
  if (accumulator.getIntOrFloatBitWidth() < a.getIntOrFloatBitWidth())
    return op.emitOpError("expected an accumulator at least as wide as A's ")
           << a << ", but got " << accumulator;
  if (!isStorable(accumulator, c))
    return op.emitOpError("expected C's elements of the accumulator's type ")
           << accumulator
           << (isa<FloatType>(accumulator) ? " or of a narrower one" : "")
           << ", but got " << c;
  return verifyInterpretation(op);
}

/// (C4): equal where both are static, and not 0.
static LogicalResult verifyExtent(GemmOp op, StringRef name, StringRef left,
                                  int64_t extent, StringRef right,
                                  int64_t other) {
  for (int64_t value : {extent, other})
    if (value == 0)
      return op.emitOpError("expected an extent of at least 1 for ")
             << name << ", but got 0";
  if (ShapedType::isStatic(extent) && ShapedType::isStatic(other) &&
      extent != other)
    return op.emitOpError("expected ")
           << right << " " << name << " extent " << extent << ", as " << left
           << ", but got " << other;
  return success();
}

/// (C5)
static LogicalResult verifyBatch(GemmOp op, ShapedType type, StringRef name) {
  ShapedType c = op.getCType();
  int64_t missing = c.getRank() - type.getRank();
  for (int64_t dim = 0, end = type.getRank() - 2; dim != end; ++dim) {
    int64_t extent = type.getDimSize(dim),
            expected = c.getDimSize(dim + missing);
    if (extent != 1 && ShapedType::isStatic(extent) &&
        ShapedType::isStatic(expected) && extent != expected)
      return op.emitOpError("expected batch extent ")
             << expected << " or 1 of " << name << ", but got " << extent;
  }
  return success();
}

LogicalResult GemmOp::verify() {
  if (failed(verifyOperandKinds(*this)) || failed(verifyElementTypes(*this)) ||
      failed(verifyDistribution(*this)))
    return failure();
  ShapedType a = getAType(), b = getBType(), c = getCType();
  bool ta = getTransposeA(), tb = getTransposeB();
  if (failed(verifyExtent(*this, "m", "C's", matrixExtent(c, false, 0), "A's",
                          matrixExtent(a, ta, 0))) ||
      failed(verifyExtent(*this, "n", "C's", matrixExtent(c, false, 1), "B's",
                          matrixExtent(b, tb, 1))) ||
      failed(verifyExtent(*this, "k", "A's", matrixExtent(a, ta, 1), "B's",
                          matrixExtent(b, tb, 0))))
    return failure();
  if (failed(verifyBatch(*this, a, "A")) || failed(verifyBatch(*this, b, "B")))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// GemmOp: effects
//===----------------------------------------------------------------------===//

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasTensorSemantics())
    return;
  if (getDistribution()) {
    // Warps meet, as at a barrier.
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
  auto isMatrix = [](OpOperand &operand) {
    return isa<MemRefType>(operand.get().getType());
  };
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isMatrix(*operand))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  if (!isMatrix(getCMutable()))
    return;
  if (getBeta())
    effects.emplace_back(MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}

//===----------------------------------------------------------------------===//
// GemmOp: canonicalization
//===----------------------------------------------------------------------===//

template <typename FloatMatcher, typename IntegerMatcher>
static bool isConstant(Value value, FloatMatcher real, IntegerMatcher integer) {
  return matchPattern(value, real) || matchPattern(value, integer);
}

namespace {
/// A constant α of 1 or β of 0 is the same as none, and says more.
struct DropNeutralScale : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    bool alpha =
        op.getAlpha() && isConstant(op.getAlpha(), m_OneFloat(), m_One());
    bool beta =
        op.getBeta() && isConstant(op.getBeta(), m_AnyZeroFloat(), m_Zero());
    if (!alpha && !beta)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (alpha)
        op.getAlphaMutable().clear();
      if (beta)
        op.getBetaMutable().clear();
    });
    return success();
  }
};

/// A batch of no products computes nothing.
struct DropEmptyBatch : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::is_contained(op.getCType().getShape(), 0))
      return failure();
    if (op.hasTensorSemantics())
      rewriter.replaceOp(op, op.getC());
    else
      rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropNeutralScale, DropEmptyBatch>(context);
}

//===----------------------------------------------------------------------===//
// GemmOp: tiling
//
// The iteration domain is C's: batch dimensions, rows, columns. The sum over k
// is not a dimension of it, because β would be applied once a tile.
//===----------------------------------------------------------------------===//

static OpFoldResult dimOf(OpBuilder &builder, Location loc, Value value,
                          int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (isa<TensorType>(type))
    return tensor::DimOp::create(builder, loc, value, dim).getResult();
  return memref::DimOp::create(builder, loc, value, dim).getResult();
}

/// `value[offsets][sizes]` with unit strides, of the same rank.
static Operation *slice(OpBuilder &builder, Location loc, Value value,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  if (isa<TensorType>(value.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, value, offsets, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, value, offsets, sizes,
                                   strides);
}

SmallVector<utils::IteratorType> GemmOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getCType().getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> GemmOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> ranges;
  for (int64_t dim = 0, rank = getCType().getRank(); dim != rank; ++dim)
    ranges.push_back({builder.getIndexAttr(0),
                      dimOf(builder, getLoc(), getC(), dim),
                      builder.getIndexAttr(1)});
  return ranges;
}

/// The part of A or B that a tile of C needs: its rows or columns at matrix
/// dimension `matrixDim`, the batch dimensions that are not repeated, all of k.
static Operation *sliceOperand(GemmOp op, OpBuilder &builder, Value operand,
                               unsigned matrixDim, unsigned domainDim,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  auto type = cast<ShapedType>(operand.getType());
  int64_t batch = type.getRank() - 2;
  int64_t missing = op.getCType().getRank() - type.getRank();
  SmallVector<OpFoldResult> operandOffsets, operandSizes;
  for (int64_t dim = 0; dim != type.getRank(); ++dim) {
    bool repeated = dim < batch && type.getDimSize(dim) == 1;
    if (dim < batch && !repeated) {
      operandOffsets.push_back(offsets[dim + missing]);
      operandSizes.push_back(sizes[dim + missing]);
    } else if (dim == batch + matrixDim) {
      operandOffsets.push_back(offsets[domainDim]);
      operandSizes.push_back(sizes[domainDim]);
    } else {
      operandOffsets.push_back(builder.getIndexAttr(0));
      operandSizes.push_back(dimOf(builder, op.getLoc(), operand, dim));
    }
  }
  return slice(builder, op.getLoc(), operand, operandOffsets, operandSizes);
}

FailureOr<TilingResult>
GemmOp::getTiledImplementation(OpBuilder &builder,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  unsigned rows = getBatchRank(), columns = rows + 1;
  Operation *a = sliceOperand(*this, builder, getA(), getTransposeA() ? 1 : 0,
                              rows, offsets, sizes);
  Operation *b = sliceOperand(*this, builder, getB(), getTransposeB() ? 0 : 1,
                              columns, offsets, sizes);
  Operation *c = slice(builder, getLoc(), getC(), offsets, sizes);
  SmallVector<Value> operands(getOperation()->getOperands());
  operands[0] = a->getResult(0);
  operands[1] = b->getResult(0);
  operands[2] = c->getResult(0);
  SmallVector<Type> results;
  if (hasTensorSemantics())
    results.push_back(operands[2].getType());
  Operation *tiled = mlir::clone(builder, getOperation(), results, operands);
  return TilingResult{
      {tiled}, SmallVector<Value>(tiled->getResults()), {a, b, c}};
}

LogicalResult GemmOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
GemmOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}
