//===- KamiChainOp.cpp - Three matrices multiplied -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixOperands.h"
#include "kami/IR/KamiOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kami;
using namespace mlir;

static constexpr StringLiteral factorNames[] = {"A", "B", "C"};

static ShapedType typeOf(ChainOp op, unsigned factor) {
  return cast<ShapedType>(op.getFactor(factor).getType());
}

/// The extent of a factor's rows or columns in the product.
static int64_t factorExtent(ChainOp op, unsigned factor, unsigned dim) {
  return matrixExtent(typeOf(op, factor), op.isTransposed(factor), dim);
}

std::array<int64_t, 4> ChainOp::getExtents() {
  auto either = [](int64_t one, int64_t other) {
    return ShapedType::isDynamic(one) ? other : one;
  };
  return {
      either(matrixExtent(getDType(), false, 0), factorExtent(*this, 0, 0)),
      either(factorExtent(*this, 0, 1), factorExtent(*this, 1, 0)),
      either(factorExtent(*this, 1, 1), factorExtent(*this, 2, 0)),
      either(matrixExtent(getDType(), false, 1), factorExtent(*this, 2, 1))};
}

ChainOp ChainOp::cloneWith(OpBuilder &builder, ValueRange operands) {
  SmallVector<Type> results;
  if (isa<TensorType>(operands[3].getType()))
    results.push_back(operands[3].getType());
  Operation *self = getOperation();
  return cast<ChainOp>(builder.insert(
      Operation::create(getLoc(), self->getName(), results, operands,
                        NamedAttrList(self->getDiscardableAttrDictionary()),
                        self->getPropertiesStorage(), BlockRange(), 0)));
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// (C1), (C2), and of (C6) the scales' kind
static LogicalResult verifyKinds(ChainOp op) {
  bool tensors = op.hasTensorSemantics();
  for (unsigned i = 0; i != 3; ++i)
    if (isa<TensorType>(typeOf(op, i)) != tensors)
      return op.emitOpError(
          "expected operands that are all tensors or all memrefs");
  for (Value scale : {op.getAlpha(), op.getBeta()})
    if (scale && isa<ShapedType>(scale.getType()) &&
        isa<TensorType>(scale.getType()) != tensors)
      return op.emitOpError("expected a scale that is a ")
             << (tensors ? "tensor" : "memref")
             << " as D is, or a scalar, but got " << scale.getType();
  if (tensors != bool(op.getResult()))
    return op.emitOpError(tensors ? "expected a result, since D is a tensor"
                                  : "expected no result, since D is a memref");
  if (tensors && op.getResult().getType() != op.getD().getType())
    return op.emitOpError("expected a result of type ")
           << op.getD().getType() << ", D's, but got "
           << op.getResult().getType();
  if (op.getBatchRank() < 0)
    return op.emitOpError("expected at least two dimensions of D, but got ")
           << op.getDType().getRank();
  for (unsigned i = 0; i != 3; ++i) {
    int64_t rank = typeOf(op, i).getRank();
    if (rank < 2)
      return op.emitOpError("expected at least two dimensions of ")
             << factorNames[i] << ", but got " << rank;
    if (rank > op.getDType().getRank())
      return op.emitOpError("expected no more dimensions of ")
             << factorNames[i] << " than D's " << op.getDType().getRank()
             << ", but got " << rank;
  }
  return success();
}

/// (C3), (C6), (C7), (C8)
static LogicalResult verifyElements(ChainOp op) {
  Type element = op.getOperandType(), accumulator = op.getAccumulator();
  for (unsigned i = 0; i != 3; ++i)
    if (typeOf(op, i).getElementType() != element || !isa<FloatType>(element))
      return op.emitOpError(
                 "expected A, B and C of one type of floats, but got ")
             << typeOf(op, 0).getElementType() << ", "
             << typeOf(op, 1).getElementType() << " and "
             << typeOf(op, 2).getElementType();
  for (auto [scale, name] :
       {std::pair(op.getAlpha(), "alpha"), std::pair(op.getBeta(), "beta")})
    if (scale && getElementTypeOrSelf(scale.getType()) != accumulator)
      return op.emitOpError("expected ")
             << name << " of the accumulator's type " << accumulator
             << ", but got " << scale.getType();
  if (!isStorable(accumulator, element) || !isa<FloatType>(accumulator))
    return op.emitOpError("expected a float accumulator at least as wide as "
                          "A's ")
           << element << ", but got " << accumulator;
  Type d = op.getDType().getElementType();
  if (!isStorable(accumulator, d))
    return op.emitOpError("expected D's elements of the accumulator's type ")
           << accumulator << " or of a narrower one, but got " << d;
  if (op.getPrecision() && !(element.isF32() && accumulator.isF32()))
    return op.emitOpError("expected f32 elements and accumulator for "
                          "precision ")
           << stringifyPrecision(*op.getPrecision()) << ", but got " << element
           << " and " << accumulator;
  return success();
}

/// (C9)
static LogicalResult verifyPlans(ChainOp op) {
  if (!op.getFirst())
    return success();
  if (!op.getAssociation())
    return op.emitOpError("expected an association with plans");
  PlanAttr first = *op.getFirst(), second = *op.getSecond();
  for (PlanAttr plan : {first, second})
    if (plan.getGrid().n != 1 || plan.getGrid().k != 1)
      return op.emitOpError("expected plans of warps in rows, but got ")
             << plan;
  if (first.getGrid().m != second.getGrid().m)
    return op.emitOpError("expected plans of one number of warps, but got ")
           << first.getGrid().m << " and " << second.getGrid().m;
  if (first.getTileM() != second.getTileM() ||
      first.getTileN() != second.getTileK())
    return op.emitOpError("expected the first tile's m and n as the second's m "
                          "and k, but got ")
           << first.getTileM() << "x" << first.getTileN() << " and "
           << second.getTileM() << "x" << second.getTileK();
  return success();
}

/// (C4), besides that extents agree.
static LogicalResult verifyNotEmpty(ChainOp op) {
  static constexpr StringLiteral names[] = {"m", "k", "n", "q"};
  for (unsigned i = 0; i != 3; ++i)
    for (unsigned dim = 0; dim != 2; ++dim)
      if (factorExtent(op, i, dim) == 0)
        return op.emitOpError("expected an extent of at least 1 for ")
               << names[i + dim] << ", but got 0";
  for (unsigned dim = 0; dim != 2; ++dim)
    if (matrixExtent(op.getDType(), false, dim) == 0)
      return op.emitOpError("expected an extent of at least 1 for ")
             << names[3 * dim] << ", but got 0";
  return success();
}

LogicalResult ChainOp::verify() {
  if (failed(verifyKinds(*this)) || failed(verifyElements(*this)))
    return failure();
  if (failed(verifyNotEmpty(*this)))
    return failure();
  int64_t rows = matrixExtent(getDType(), false, 0);
  int64_t columns = matrixExtent(getDType(), false, 1);
  if (failed(verifyExtent(*this, "m", "D's", rows, "A's",
                          factorExtent(*this, 0, 0))) ||
      failed(verifyExtent(*this, "k", "A's", factorExtent(*this, 0, 1), "B's",
                          factorExtent(*this, 1, 0))) ||
      failed(verifyExtent(*this, "n", "B's", factorExtent(*this, 1, 1), "C's",
                          factorExtent(*this, 2, 0))) ||
      failed(verifyExtent(*this, "q", "D's", columns, "C's",
                          factorExtent(*this, 2, 1))))
    return failure();
  for (unsigned i = 0; i != 3; ++i)
    if (failed(
            verifyBatch(*this, getDType(), typeOf(*this, i), factorNames[i])))
      return failure();
  return verifyPlans(*this);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void ChainOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasTensorSemantics())
    return;
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  if (getBeta())
    effects.emplace_back(MemoryEffects::Read::get(), &getDMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDMutable());
}
