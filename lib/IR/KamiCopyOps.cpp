//===- KamiCopyOps.cpp - Tiles on their way to a block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupBuffers.h"
#include "MatrixOperands.h"
#include "kami/IR/KamiOps.h"
#include "kami/Layout/CopiedTile.h"
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

/// A copy to where the matrix unit reads it.
static LogicalResult verifyPlace(Operation *op, MemRefType source, Value buffer,
                                 SharedMatrixAttr matrix, int64_t threads) {
  // Of an extent known only at run time, the block has no more.
  auto known = [&](unsigned dim) {
    return source.isDynamicDim(dim) ? 1 : source.getDimSize(dim);
  };
  if (failed(verifyWindow(op, matrix, matrix.getRole(), source.getElementType(),
                          known(0), known(1))) ||
      failed(verifyMatrixBuffer(op, buffer, matrix)))
    return failure();
  if (threads < 1)
    return op->emitOpError("expected at least one thread, but got ") << threads;
  return success();
}

/// Lines of so many elements of a tile, along a dimension of the source.
static LogicalResult verifySkewedLines(Operation *op, MemRefType source,
                                       int64_t lineElements, unsigned along,
                                       bool alignedRows) {
  if (alignedRows)
    return op->emitOpError("expected rows that are aligned or skewed, but got "
                           "both");
  if (!isAdjacent(source, along))
    return op->emitOpError("expected adjacent elements along dimension ")
           << along << " of skewed rows, but got " << source;
  if (!areWholePieces(lineElements, source.getElementTypeBitWidth() / 8))
    return op->emitOpError("expected skewed lines of whole ")
           << copiedPiece << " bytes, but got " << lineElements
           << " elements of " << source.getElementType();
  return success();
}

/// So many such lines, and the words beyond them.
static LogicalResult verifySkewed(Operation *op, MemRefType source,
                                  int64_t lines, int64_t lineElements,
                                  unsigned along, Value tails, int64_t threads,
                                  bool alignedRows) {
  if (failed(verifySkewedLines(op, source, lineElements, along, alignedRows)))
    return failure();
  int64_t elementBytes = source.getElementTypeBitWidth() / 8;
  auto type = cast<MemRefType>(tails.getType());
  int64_t bytes = skewedBytes(lines, lineElements, elementBytes);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      !type.hasStaticShape() || type.getDimSize(0) < bytes)
    return op->emitOpError("expected at least ")
           << bytes << " bytes of workgroup memory for tails, but got " << type;
  constexpr int64_t warp = 32;
  if (threads % warp != 0)
    return op->emitOpError("expected whole warps of ")
           << warp << " threads with skewed rows, but got " << threads;
  return success();
}

static LogicalResult verifySkewed(Operation *op, MemRefType source,
                                  MemRefType tile, Value tails, int64_t threads,
                                  bool alignedRows) {
  unsigned along = isAdjacent(tile, 1) ? 1 : 0;
  if (!isAdjacent(tile, along))
    return op->emitOpError("expected a tile of adjacent elements, but got ")
           << tile;
  return verifySkewed(op, source, tile.getDimSize(1 - along),
                      tile.getDimSize(along), along, tails, threads,
                      alignedRows);
}

/// Lines that stay skewed, in a tile that has room for it.
static LogicalResult verifyKept(CopyAsyncOp op, MemRefType source,
                                MemRefType tile) {
  if (op.getTails())
    return op.emitOpError("expected rows that keep their skew or have tails, "
                          "but got both");
  unsigned along = isAdjacent(tile, 1) ? 1 : 0;
  int64_t lineElements = tile.getDimSize(along);
  if (failed(verifySkewedLines(op, source, lineElements, along,
                               op.getAlignedRows())))
    return failure();
  int64_t most =
      lineElements - copiedPiece / (source.getElementTypeBitWidth() / 8);
  if (!source.isDynamicDim(along) && source.getDimSize(along) > most)
    return op.emitOpError("expected at most ")
           << most << " elements in dimension " << along
           << " of rows that keep their skew, but got " << source;
  return success();
}

static LogicalResult verifySkewed(Operation *op, MemRefType source,
                                  SharedMatrixAttr attribute, Value tails,
                                  int64_t threads, bool alignedRows) {
  SharedMatrix matrix = attribute.getMatrix();
  bool isAlongRows =
      (matrix.major == Major::K) == (attribute.getRole() == Role::A);
  return verifySkewed(op, source, matrix.lines(), matrix.majorExtent(),
                      isAlongRows ? 1 : 0, tails, threads, alignedRows);
}

LogicalResult CopyAsyncOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto dest = cast<MemRefType>(getDest().getType());
  if (failed(verifyCopy(*this, source, dest, getThreads(), "destination")))
    return failure();
  if (getKeepsSkew())
    return verifyKept(*this, source, dest);
  if (getTails())
    return verifySkewed(*this, source, dest, getTails(), getThreads(),
                        getAlignedRows());
  return success();
}

LogicalResult PlaceAsyncOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (failed(
          verifyPlace(*this, source, getBuffer(), getMatrix(), getThreads())))
    return failure();
  if (getTails())
    return verifySkewed(*this, source, getMatrix(), getTails(), getThreads(),
                        getAlignedRows());
  return success();
}

LogicalResult RoundPlacedOp::verify() {
  Type element = getMatrix().getElementType();
  if (!element.isF32())
    return emitOpError("expected elements of type f32, but got ") << element;
  return verifyPlace(*this, cast<MemRefType>(getSource().getType()),
                     getBuffer(), getMatrix(), getThreads());
}

LogicalResult DeskewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto dest = cast<MemRefType>(getDest().getType());
  if (getRounded() && !source.getElementType().isF32())
    return emitOpError("expected elements of type f32, but got ")
           << source.getElementType();
  if (std::optional<SharedMatrixAttr> matrix = getMatrix()) {
    if (dest.getRank() != 1)
      return emitOpError("expected a buffer of a matrix, but got ") << dest;
    if (failed(verifyPlace(*this, source, getDest(), *matrix, getThreads())))
      return failure();
    return verifySkewed(*this, source, *matrix, getTails(), getThreads(),
                        /*alignedRows=*/false);
  }
  if (dest.getRank() != 2)
    return emitOpError("expected a tile, or a buffer in a matrix, but got ")
           << dest;
  if (failed(verifyCopy(*this, source, dest, getThreads(), "destination")))
    return failure();
  return verifySkewed(*this, source, dest, getTails(), getThreads(),
                      /*alignedRows=*/false);
}

LogicalResult CopyOutOp::verify() {
  return verifyCopy(*this, cast<MemRefType>(getDest().getType()),
                    cast<MemRefType>(getSource().getType()), getThreads(),
                    "source");
}

void CopyAsyncOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
  for (OpOperand &tails : getTailsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &tails);
}

void PlaceAsyncOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
  for (OpOperand &tails : getTailsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &tails);
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

void DeskewOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getTailsMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
  addOrderEffects(effects);
}

void CopyCommitOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void CopyWaitOp::getEffects(Effects &effects) { addOrderEffects(effects); }
