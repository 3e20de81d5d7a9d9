//===- KamiCopyOps.cpp - Tiles on their way to a block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupBuffers.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A copy between device memory and a tile in workgroup memory.
static LogicalResult verifyCopy(Operation *op, MemRefType matrix,
                                MemRefType tile, int64_t threads,
                                StringRef tileName) {
  Type element = matrix.getElementType();
  if (element != tile.getElementType())
    return op->emitOpError("expected matrices of one element type, but got ")
           << element << " and " << tile.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return op->emitOpError(
               "expected elements of 8, 16, 32 or 64 bits, but got ")
           << element;
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(tile))
    return op->emitOpError("expected a ")
           << tileName << " in workgroup memory, but got " << tile;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!tile.hasStaticShape() ||
      failed(tile.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return op->emitOpError("expected a ")
           << tileName << " with known extents and strides, but got " << tile;
  for (auto [dim, name] : {std::pair(0, "rows"), std::pair(1, "columns")})
    if (!matrix.isDynamicDim(dim) &&
        matrix.getDimSize(dim) > tile.getDimSize(dim))
      return op->emitOpError("expected a ")
             << tileName << " of at least " << matrix.getDimSize(dim) << " "
             << name << ", but got " << tile.getDimSize(dim);
  if (threads < 1)
    return op->emitOpError("expected at least one thread, but got ") << threads;
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  return verifyCopy(*this, cast<MemRefType>(getSource().getType()),
                    cast<MemRefType>(getDest().getType()), getThreads(),
                    "destination");
}

/// A matrix for the matrix unit, and what is copied there.
template <typename OpTy> static LogicalResult verifyPlaced(OpTy op) {
  SharedMatrixAttr matrix = op.getMatrix();
  auto source = cast<MemRefType>(op.getSource().getType());
  // Of an extent known only at run time, the block has no more.
  auto known = [&](unsigned dim) {
    return source.isDynamicDim(dim) ? 1 : source.getDimSize(dim);
  };
  if (failed(verifyWindow(op, matrix, matrix.getRole(), source.getElementType(),
                          known(0), known(1))) ||
      failed(verifyMatrixBuffer(op, op.getBuffer(), matrix)))
    return failure();
  if (op.getThreads() < 1)
    return op.emitOpError("expected at least one thread, but got ")
           << op.getThreads();
  return success();
}

LogicalResult PlaceAsyncOp::verify() { return verifyPlaced(*this); }

LogicalResult RoundPlacedOp::verify() {
  Type element = getMatrix().getElementType();
  if (!element.isF32())
    return emitOpError("expected elements of type f32, but got ") << element;
  return verifyPlaced(*this);
}

LogicalResult CopyOutOp::verify() {
  return verifyCopy(*this, cast<MemRefType>(getDest().getType()),
                    cast<MemRefType>(getSource().getType()), getThreads(),
                    "source");
}

void CopyAsyncOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

void PlaceAsyncOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

void RoundPlacedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

void CopyOutOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

/// Copies stay in their groups, and what waits for them behind.
static void addOrderEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void CopyCommitOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void CopyWaitOp::getEffects(Effects &effects) { addOrderEffects(effects); }
