//===- KamiBulkOps.cpp - Tiles that the copy engine brings ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupBuffers.h"
#include "MatrixOperands.h"
#include "kami/IR/KamiOps.h"
#include "kami/Layout/BulkCopy.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Words or bytes of workgroup memory: `least` of them, or as many as the type
/// says.
static LogicalResult verifyShared(Operation *op, Value buffer, StringRef name,
                                  int64_t least) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      !type.hasStaticShape() || type.getDimSize(0) < least ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      strides[0] != 1)
    return op->emitOpError("expected at least ")
           << least << " " << name << " in workgroup memory, but got " << type;
  return success();
}

static LogicalResult verifyBarriers(Operation *op, Value barriers) {
  return verifyShared(op, barriers, "mbarriers", 1);
}

LogicalResult MBarrierInitOp::verify() {
  if (getArrivals() < 1)
    return emitOpError("expected at least one arrival, but got ")
           << getArrivals();
  return verifyBarriers(*this, getBarriers());
}

LogicalResult MBarrierInvalOp::verify() {
  return verifyBarriers(*this, getBarriers());
}

LogicalResult MBarrierArriveOp::verify() {
  if (getArrivals() < 1 || (getEveryWarp() && getArrivals() != 1))
    return emitOpError("expected ")
           << (getEveryWarp() ? "one arrival of every warp"
                              : "at least one arrival")
           << ", but got " << getArrivals();
  return verifyBarriers(*this, getBarriers());
}

LogicalResult MBarrierWaitOp::verify() {
  return verifyBarriers(*this, getBarriers());
}

LogicalResult TensorMapOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  SharedMatrixAttr attribute = getMatrix();
  SharedMatrix matrix = attribute.getMatrix();
  Type element = source.getElementType();
  if (element != attribute.getElementType())
    return emitOpError("expected a source of ")
           << attribute.getElementType() << ", but got " << element;
  if (getRounded() && !element.isF32())
    return emitOpError("expected elements of type f32 that are rounded, but "
                       "got ")
           << element;
  if (!isBox(matrix))
    return emitOpError("expected a matrix with swizzle rows of 32 bytes or "
                       "more and at most ")
           << maxBoxLines << " lines, but got " << attribute;
  unsigned along = attribute.getMajorDimension() + source.getRank() - 2;
  if (!isAdjacent(source, along))
    return emitOpError("expected adjacent elements along dimension ")
           << along << ", but got " << source;
  return verifyShared(*this, getMaps(), "bytes", tensorMapBytes);
}

LogicalResult AcquireMapOp::verify() {
  return verifyShared(*this, getMaps(), "bytes", tensorMapBytes);
}

LogicalResult PlaceBulkOp::verify() {
  if (failed(verifyMatrixBuffer(*this, getBuffer(), getMatrix())) ||
      failed(verifyShared(*this, getMaps(), "bytes", tensorMapBytes)))
    return failure();
  return verifyBarriers(*this, getBarriers());
}

/// What the engine and the mbarriers do stays in order.
static void addOrderEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void MBarrierInitOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void MBarrierInvalOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void MBarrierArriveOp::getEffects(Effects &effects) {
  addOrderEffects(effects);
}

void MBarrierWaitOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void TensorMapOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void AcquireMapOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void PlaceBulkOp::getEffects(Effects &effects) { addOrderEffects(effects); }
