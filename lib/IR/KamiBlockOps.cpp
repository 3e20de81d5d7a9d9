//===- KamiBlockOps.cpp - What a whole block does ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// The matrix's extents are the distributed one's, where they are known.
static LogicalResult verifyExtents(Operation *op, DistributedType type,
                                   MemRefType matrix) {
  for (auto [dim, name] : {std::pair(0, "rows"), std::pair(1, "columns")})
    if (!matrix.isDynamicDim(dim) &&
        matrix.getDimSize(dim) != type.getShape()[dim])
      return op->emitOpError("expected a matrix of ")
             << type.getShape()[dim] << " " << name << ", but got "
             << matrix.getDimSize(dim);
  return success();
}

LogicalResult DistributeOp::verify() {
  DistributedType type = getResult().getType();
  auto matrix = cast<MemRefType>(getSource().getType());
  if (!isLoadable(matrix.getElementType(), type.getElementType()))
    return emitOpError("expected a matrix of ")
           << type.getElementType()
           << (isa<FloatType>(type.getElementType())
                   ? " or of floats that it has"
                   : "")
           << ", but got " << matrix.getElementType();
  return verifyExtents(*this, type, matrix);
}

void DistributeOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  // As a barrier.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult SplatOp::verify() {
  DistributedType type = getResult().getType();
  if (getValue().getType() != type.getElementType())
    return emitOpError("expected a value of type ")
           << type.getElementType() << ", but got " << getValue().getType();
  if (type.getRole() != Role::C)
    return emitOpError("expected a result of role c, but got ")
           << stringifyRole(type.getRole());
  return success();
}

static int64_t threadsOf(PlanAttr plan) {
  return plan.getGrid().warps() * plan.getAtom().getLanes();
}

LogicalResult RedistributeOp::verify() {
  DistributedType from = getValue().getType(), to = getResult().getType();
  if (from.getRole() != Role::C || to.getRole() == Role::C)
    return emitOpError(
               "expected a value of role c and a result of role a or b, "
               "but got ")
           << stringifyRole(from.getRole()) << " and "
           << stringifyRole(to.getRole());
  if (from.getShape() != to.getShape())
    return emitOpError("expected a result of ")
           << from.getShape()[0] << "x" << from.getShape()[1]
           << " elements, but got " << to.getShape()[0] << "x"
           << to.getShape()[1];
  if (!isStorable(from.getElementType(), to.getElementType()))
    return emitOpError("expected a result of ")
           << from.getElementType() << " or narrower floats, but got "
           << to.getElementType();
  int64_t have = threadsOf(from.getPlan()), want = threadsOf(to.getPlan());
  if (have != want)
    return emitOpError("expected plans of one number of threads, but got ")
           << have << " and " << want;
  return success();
}

void RedistributeOp::getEffects(Effects &effects) {
  // As a barrier.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CollectOp::verify() {
  DistributedType type = getValue().getType();
  if (type.getRole() != Role::C)
    return emitOpError("expected a value of role c, but got ")
           << stringifyRole(type.getRole());
  for (Value scale : {getAlpha(), getBeta()})
    if (scale && scale.getType() != type.getElementType())
      return emitOpError("expected a scale of type ")
             << type.getElementType() << ", but got " << scale.getType();
  auto matrix = cast<MemRefType>(getDest().getType());
  if (!isStorable(type.getElementType(), matrix.getElementType()))
    return emitOpError("expected a matrix of ")
           << type.getElementType() << " or narrower floats, but got "
           << matrix.getElementType();
  return verifyExtents(*this, type, matrix);
}

void CollectOp::getEffects(Effects &effects) {
  if (getBeta())
    effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}
